"""Places: files appear whole and once, in folders and in buckets."""

import errno
import os
import time
from pathlib import Path

import pytest

from jaxbandits.store.place import Bucket, Folder, place_of
from tests.buckets import bucket  # noqa: F401


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def place(request, tmp_path):
    if request.param == "bucket":
        url = f"{request.getfixturevalue('bucket')}/{tmp_path.name}"
        return Bucket(url)
    return Folder(tmp_path / "store")


def content(place, name):
    with place.open(name) as file:
        return file.read()


def test_a_file_is_put_once(place):
    assert place.names("") == place.names("blocks") == set()
    assert place.put("blocks/a", b"first") and place.put("top", b"x")
    assert not place.put("blocks/a", b"second")
    assert content(place, "blocks/a") == b"first"
    assert place.names("blocks") == {"a"} and place.names("") == {"top"}
    assert abs(place.times("blocks")["a"] - time.time()) < 60


def test_a_file_that_is_dropped_is_gone(place):
    place.put("blocks/a", b"first")
    place.drop("blocks/a")
    place.drop("blocks/a")
    assert place.names("blocks") == set()
    with pytest.raises(FileNotFoundError):
        place.open("blocks/a")


def test_a_folder_is_the_one_that_was_meant(tmp_path, monkeypatch):
    """Wherever the program goes, and in another process by its address."""
    monkeypatch.chdir(tmp_path)
    (place := Folder(Path("one"))).put("a", b"1")
    monkeypatch.chdir("/")
    assert place.names("") == place_of(place.address).names("") == {"a"}
    assert place.name == "one"


def test_a_disk_without_links_has_whole_files_too(tmp_path, monkeypatch):
    def refuse(*args):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    place = Folder(tmp_path)
    assert place.put("blocks/a", b"first") and not place.put("blocks/a", b"second")
    assert content(place, "blocks/a") == b"first"
    assert os.listdir(tmp_path / "blocks") == ["a"]


def test_the_first_of_two_writers_wins(tmp_path, monkeypatch):
    """Also where the other's file appears while the second one is written."""
    link = os.link

    def late(source, target):
        target.write_bytes(b"first")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    place = Folder(tmp_path)
    assert not place.put("blocks/a", b"second")
    assert content(place, "blocks/a") == b"first"
    assert os.listdir(tmp_path / "blocks") == ["a"]


def test_temporary_files_go_when_they_are_a_day_old(tmp_path):
    place = Folder(tmp_path)
    place.put("blocks/a", b"")
    old, young = (tmp_path / "blocks" / f".{x * 32}" for x in "ac")
    top, mine = tmp_path / f".{'b' * 32}", tmp_path / ".mine"
    for file in (old, young, top, mine):
        file.write_bytes(b"half")
    for file in (old, top, mine):
        os.utime(file, (0, time.time() - 90_000))
    assert place.names("blocks") == {"a"}
    place.tidy()
    assert {*os.listdir(tmp_path / "blocks")} == {"a", young.name}
    assert mine.exists() and not top.exists()


def test_errors_of_the_disk_name_the_store(tmp_path):
    (tmp_path / "store").write_text("no folder")
    place = Folder(tmp_path / "store")
    words = f"store: cannot write to {place.name}: Not a directory .*; all is safe"
    with pytest.raises(NotADirectoryError, match=words):
        place.put("blocks/a", b"", "; all is safe")
    for call in (place.names, place.read, place.open):
        with pytest.raises(NotADirectoryError, match="store: cannot read .*/blocks"):
            call("blocks")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda x: x.symlink_to("no")])
def test_what_is_no_file_is_named_where_a_file_is_to_be(make, tmp_path):
    """It is missing, and would be so for ever."""
    make(tmp_path / "a")
    place = Folder(tmp_path)
    assert place.names("") == set()
    words = rf"store: cannot write to .*: File exists \({tmp_path}/a\)"
    with pytest.raises(FileExistsError, match=words):
        place.put("a", b"")


def test_what_is_no_place_is_refused(tmp_path, subtests):
    (file := tmp_path / "file").touch()
    for where, kind, words in (
        (3, TypeError, "store must be a path"),
        ("", ValueError, "store must be a path"),
        (file, ValueError, "store must be a folder"),
        ("ftp://x/y", ValueError, "known are s3, gs, az"),
        ("s3:/x/y", ValueError, "s3:/x/y is a URL of an unknown kind; known"),
    ):
        with subtests.test(where=where), pytest.raises(kind, match=words):
            place_of(where)
