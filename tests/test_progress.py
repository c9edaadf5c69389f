"""Lines of progress where there is no terminal, and only for whoever wants them."""

import pytest

from jaxbandits import progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when they are told to."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])

    def wait(seconds):
        now[0] += seconds

    return wait


def play(report, clock, steps, seconds):
    for _ in range(steps):
        clock(seconds)
        report(1, "RCUCB")


def test_a_line_a_minute(capsys, clock):
    with progress.lines():
        with progress.reporter(None, 10, "PosCorr") as report:
            play(report, clock, 4, 20)
        with progress.reporter(None, 100, "Indep") as report:
            play(report, clock, 2, 100)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "jaxbandits: game 1, PosCorr: RCUCB: 30 %, 2 min left of it, 60 s since the "
        "start",
        "jaxbandits: game 2, Indep: RCUCB: 1 %, 2.8 h left of it, 3 min since the "
        "start",
        "jaxbandits: game 2, Indep: RCUCB: 2 %, 2.7 h left of it, 5 min since the "
        "start",
    ]


def test_no_line_unless_wanted(capsys, clock):
    with progress.reporter(None, 10, "PosCorr") as report:
        play(report, clock, 10, 100)
    with progress.lines(), progress.reporter(False, 10, "PosCorr") as report:
        play(report, clock, 10, 100)
    with progress.reporter(None, 10, "PosCorr") as report:
        play(report, clock, 10, 100)
    assert capsys.readouterr().err == ""


def test_short_games_say_nothing(capsys, clock):
    with progress.lines(), progress.reporter(None, 10, "PosCorr") as report:
        play(report, clock, 10, 5)
    assert capsys.readouterr().err == ""
