"""Progress where there is no terminal: a line now and then."""

import pytest

from jaxbandits import progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds, which a test moves on."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_a_minute(capsys, clock):
    with progress.reporter(None, 200, "one.zarr", 5e6, lines=True) as report:
        for second in (30, 59, 61, 119, 122):
            clock[0] = second
            report(20, "walker")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("one.zarr: 30.0% after 0:01:01, 0:02:22 left, 4.92 M ro")
    assert lines[1].startswith("one.zarr: 50.0% after 0:02:02, 0:02:02 left, 4.10 M ro")


@pytest.mark.parametrize("options", [{"show": False, "lines": True}, {"show": None}])
def test_nothing_where_nobody_asks(capsys, clock, options):
    with progress.reporter(total=2, title="one", **options) as report:
        clock[0] = 1000.0
        report(1, "walker")
    assert capsys.readouterr().err == ""
