"""Who has a store alone, and who has it together with others."""

import errno
import fcntl
import os
import subprocess
import sys
import threading

import pytest

from jaxbandits.results.locks import writer
from tests.heavy import in_short
from tests.sweeps.processes import ROOT


def test_alone_or_together(tmp_path):
    """The lock is of the file as it was opened: one process is as good as two."""
    with writer(tmp_path) as one, writer(tmp_path) as two:
        assert one.together() and two.together()
        assert not one.alone()
        # Who is refused has let go.
        assert two.alone() and not one.together()
        two.none()
        assert one.together() and two.together()
    assert not list(tmp_path.iterdir())


def test_the_file_goes_with_the_last_one(tmp_path):
    with writer(tmp_path) as one:
        one.together()
        with writer(tmp_path) as two:
            two.together()
        assert list(tmp_path.iterdir()) and one.alone()
        with writer(tmp_path) as two:
            assert not two.together()
    assert not list(tmp_path.iterdir())


def test_a_writer_waits_for_one_that_is_alone(tmp_path):
    with writer(tmp_path) as one, writer(tmp_path) as two:
        one.alone()
        timer = threading.Timer(0.2, one.none)
        timer.start()
        assert not two.together() and two.together(60)
        timer.join()


def test_of_a_file_that_is_gone_nobody_has_the_lock(tmp_path):
    """As where the last one has taken it away while another one waited for it."""
    with writer(tmp_path) as one, writer(tmp_path) as two:
        assert one.together()
        (tmp_path / ".lock").unlink()
        # By the file that is there now, which the other one would lock too.
        assert one.alone() and not two.alone()


@pytest.mark.parametrize("how", in_short(["alone", "together"], {"together"}))
def test_a_killed_writer_leaves_no_lock(tmp_path, how):
    """The file that it leaves locks nobody out, and goes with the next writer."""
    held = (
        "from jaxbandits.results.locks import writer\n"
        f"with writer({str(tmp_path)!r}) as lock:\n"
        f"    print(lock.{how}(), flush=True)\n"
        "    input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", held],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with other:
        assert other.stdout.readline() == "True\n"
        with writer(tmp_path) as lock:
            assert not lock.alone()
        other.kill()
    assert list(tmp_path.iterdir())
    with writer(tmp_path) as lock:
        assert lock.alone()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EROFS])
def test_where_there_are_no_locks_writers_are_trusted(tmp_path, monkeypatch, code):
    def flock(descriptor, how):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", flock)
    with writer(tmp_path) as one, writer(tmp_path) as two:
        assert one.alone() and two.alone()
