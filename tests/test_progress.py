"""What takes longer than two seconds says so, on stderr and by its name."""

import threading
from collections import namedtuple

import jax
import numpy as np
import pytest

from jaxbandits.console import progress
from jaxbandits.console.progress import Report, doing, reporting
from jaxbandits.engine.run import Clock, run
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.simulation.fill import report_of
from tests.engine.budget_game import ALTERNATE, environment


@pytest.fixture(autouse=True)
def loud(monkeypatch):
    monkeypatch.delenv(progress.SWITCH)


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when they are told to."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])

    def wait(seconds):
        now[0] += seconds

    return wait


def lines(capsys):
    """What was written since the last look."""
    out, err = capsys.readouterr()
    assert out == ""
    assert all(line.startswith("jaxbandits: ") for line in err.splitlines())
    return [line.removeprefix("jaxbandits: ") for line in err.splitlines()]


def test_compiling_is_said_while_it_goes_on(monkeypatch):
    """A compiler that waits for the line would wait for ever if it came afterwards."""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    said, texts = threading.Event(), []

    def line(text):
        texts.append(text)
        said.set()

    monkeypatch.setattr(progress, "_line", line)

    def act(noise, view, state, params):
        assert said.wait(60)  # while it is traced, for the compiler
        return view.round % 2

    with reporting(None, Report({"RCUCB in Indep": 1}, "Indep")) as report:
        clock = Clock([], [], lambda: report.phase("compiling RCUCB in Indep"))
        how = {"chunk": 64, "devices": jax.devices()[:1], "clock": clock}
        terms, seeds = Terms(Schedule(np.array([1]), 1)), np.zeros(1, np.uint32)
        policy, game = ALTERNATE._replace(act=act), environment()
        (_,) = run(policy, game, (), seeds, terms, progress=lambda done: None, **how)
    assert "compiling RCUCB in Indep" in texts[0]


def test_each_thing_is_said_once_it_has_taken_two_seconds(capsys, clock):
    report = Report({"a in x": 10, "b in x": 10}, "x")
    with report.phase("playing a in x"):
        with report.phase("compiling a in x"):
            clock(1.9)
            report.look()
            assert lines(capsys) == []
            clock(0.2)
            report.look()
            report.look()
            assert lines(capsys) == ["compiling a in x ..."]
        clock(2.1)
        report.look()
        assert lines(capsys) == []  # Lines come less and less often.
        clock(6.0)
        report.look()
        (line,) = lines(capsys)
        assert line.startswith("playing a in x: ")
    report.close()
    assert lines(capsys) == []  # It took less than a minute.


def test_a_line_a_minute_and_a_last_one(capsys, clock):
    report = Report({"a in x": 10}, "x")
    with report.phase("playing a in x"):
        for _ in range(300):
            clock(1)
            report.look()
    assert len(lines(capsys)) == 1 + 4
    report.close()
    assert lines(capsys) == ["x: 5 min"]
    report.advance("a in x", 10, playing=200.0, compiling=60.0)
    report.close()
    assert lines(capsys) == ["x: 5 min (60 s compiling, 3 min playing)"]


def test_a_thousand_short_parts_are_not_a_thousand_lines(capsys, clock):
    report = Report({f"{i}": 1 for i in range(1000)}, "x")
    for i in range(1000):
        with report.phase(f"playing {i}"):
            clock(3)
            report.look()
    assert len(lines(capsys)) < 30 + 1000 * 3 / 60


def test_time_left_does_not_count_compiling_into_the_rate(clock):
    """Each part goes on at its own speed; one that is unknown at that of the others,
    after as long a time of compiling."""
    report = Report({"slow": 100, "fast": 100, "new": 100}, "x")
    assert report.left() is None
    clock(1000)
    report.advance("slow", 10, playing=100.0, compiling=60.0)
    report.advance("fast", 100, playing=10.0, compiling=40.0)
    usual = (100 + 10) / (10 + 100)
    assert report.left() == pytest.approx(90 * 10 + 100 * usual + 50)
    report.advance("new", 100, playing=None)  # It had been played before.
    assert report.left() == pytest.approx(90 * 10)
    assert report.share == pytest.approx(210 / 300)


def test_the_work_of_a_block_is_its_runs_times_their_units():
    Block = namedtuple("Block", "name, size")
    report = report_of(["x"], [Block("a in x", 10), Block("a in x", 5)], units=4)
    report.advance("a in x", 15, playing=1.0)
    assert report.share == pytest.approx(1 / 4)


def test_what_was_played_before_tells_nothing_of_the_speed():
    report = Report({"a": 10}, "x", at_once=2)
    report.advance("a", 5, playing=None)
    assert report.left() is None and report.speed == 0
    report.advance("a", 1, playing=8.0)
    assert report.left() == 4 * 8 / 2


@pytest.mark.parametrize("silence", ["short", "progress=False", "the environment"])
def test_nothing_is_said_where_silence_is_asked_for(capsys, monkeypatch, silence):
    monkeypatch.setattr(progress, "PATIENCE", 60.0 if silence == "short" else 0.0)
    monkeypatch.setattr(progress, "_LOOK", 0.001)
    show = False if silence == "progress=False" else None
    if silence == "the environment":
        monkeypatch.setenv(progress.SWITCH, "off")
    with doing("reading", show):
        threading.Event().wait(0.05)
    assert lines(capsys) == []


def test_a_terminal_has_a_bar_with_names_as_they_stand(capsys, monkeypatch):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    report = Report({"TS [fast] :smile:": 2}, "[/b] \x1b[31m")
    with report.phase("playing TS [fast] :smile:"), reporting(None, report, rounds=5.0):
        report.advance("TS [fast] :smile:", 1, playing=1.0)
    written = capsys.readouterr().err
    assert "playing TS [fast] :smile:, 50% of [/b] \\x1b[31m" in written
