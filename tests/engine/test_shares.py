"""Policies side by side: shares of devices, order, errors, and the same numbers."""

import sys
import threading
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager

import jax
import numpy as np
import pytest

from jaxbandits import Machine, simulate
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.shares import device_shares, side_by_side
from tests.engine.budget_game import ALTERNATE, environment
from tests.tables import each_row

A_WHILE = 10.0  # seconds after which a thread that waits for another gives up


DEVICE_SHARES = [
    ("a", 1, ["a"]),
    ("a", 1000, ["a"]),
    ("ab", 1, ["a", "b"]),
    ("ab", LANE_QUANTUM, ["a", "b"]),
    ("ab", LANE_QUANTUM + 1, ["ab"]),
    ("abcd", LANE_QUANTUM + 1, ["ab", "cd"]),
    ("abcd", 2 * LANE_QUANTUM, ["ab", "cd"]),
    # Shares are of one size: a device may be left over.
    ("abcd", 2 * LANE_QUANTUM + 1, ["abc"]),
    ("abcde", 2 * LANE_QUANTUM, ["ab", "cd"]),
    ("abcd", 10**9, ["abcd"]),
]


@each_row("devices, lanes, shares", DEVICE_SHARES)
def test_device_shares(devices, lanes, shares):
    assert device_shares(list(devices), lanes) == [list(share) for share in shares]


SHARES = [["a"], ["b"], ["c"]]


def waiting(started, stopped, task, check):
    """Begins with two others, then plays until the check raises."""
    started.wait(A_WHILE)
    end = time.monotonic() + A_WHILE
    try:
        while time.monotonic() < end:
            check()
            time.sleep(0.001)
    except CancelledError:
        stopped.append(task)
        raise
    raise TimeoutError


def test_a_share_is_used_by_one_task_at_a_time_and_results_keep_their_order():
    busy, seen, lock = set(), [], threading.Lock()
    together = threading.Barrier(3)

    def play(task, share, check):
        with lock:
            assert share[0] not in busy
            busy.add(share[0])
            seen.append(share[0])
        if task < 3:
            together.wait(A_WHILE)  # three at a time, or this breaks
        time.sleep(0.005 * (3 - task % 3))  # later ones end first
        with lock:
            busy.remove(share[0])
        return task

    assert list(side_by_side(play, range(9), SHARES)) == [*range(9)]
    assert set(seen[:3]) == {"a", "b", "c"} and len(seen) == 9


@pytest.mark.parametrize(
    ("tasks", "shares"), [(range(3), SHARES[:1]), (["only"], SHARES), ([], SHARES)]
)
def test_one_share_or_one_task_needs_no_threads(tasks, shares):
    def play(task, share, check):
        check()
        return task, share, threading.current_thread()

    found = list(side_by_side(play, tasks, shares))
    assert found == [(t, shares[0], threading.main_thread()) for t in tasks]


@pytest.mark.parametrize("broken", [0, 1])
def test_an_error_stops_the_others(broken):
    """The earlier ones, too."""
    stopped, started = [], threading.Barrier(3)

    def play(task, share, check):
        if task != broken:
            waiting(started, stopped, task, check)
        started.wait(A_WHILE)
        raise ZeroDivisionError(f"task {task}")

    with pytest.raises(ZeroDivisionError, match=f"task {broken}"):
        list(side_by_side(play, range(9), SHARES))
    assert sorted(stopped) == sorted({0, 1, 2} - {broken})


def test_tasks_are_stopped_when_no_result_is_asked_for_any_more():
    """As by Ctrl-C between two results."""
    stopped, started = [], threading.Barrier(3)

    def play(task, share, check):
        if task:
            waiting(started, stopped, task, check)
        started.wait(A_WHILE)

    results = side_by_side(play, range(3), SHARES)
    assert next(results) is None
    results.close()
    assert sorted(stopped) == [1, 2]


def test_precision_is_that_of_the_caller():
    with jax.enable_x64(True):
        found = side_by_side(lambda *_: jax.config.jax_enable_x64, range(3), SHARES)
        assert [*found] == [True] * 3


# Within `simulate`.

GAME, CONTESTANTS = environment(), {"one": ALTERNATE, "two": ALTERNATE}


@pytest.mark.slow
@pytest.mark.skipif(len(jax.devices()) < 2, reason="needs two devices")
def test_two_policies_play_at_a_time():
    meeting = threading.Barrier(2)

    def tables(instance):
        meeting.wait(A_WHILE)
        return ()

    data = simulate(CONTESTANTS, GAME._replace(tables=tables), budget=30, seeds=2)
    for name in ("rounds", "spent", "first"):
        one, two = data[name].values
        np.testing.assert_array_equal(one, two)


def test_refusals_come_through_threads():
    with pytest.raises(ValueError, match="memory = 10 bytes"):
        simulate(CONTESTANTS, GAME, budget=9, machine=Machine(memory=10))


def test_progress_counts_all_policies(monkeypatch):
    """By name; what compiles is counted apart from what plays."""
    reports = []

    @contextmanager
    def reporting(show, report, rounds):
        reports.append(report)
        yield report

    monkeypatch.setattr(
        sys.modules["jaxbandits.simulation.fill"], "reporting", reporting
    )
    simulate(CONTESTANTS, GAME, budget=300, checkpoints=[50, 300], seeds=3)
    (report,) = reports
    names = {f"{name} in {GAME.name}" for name in CONTESTANTS}
    assert report.parts == dict.fromkeys(names, 3 * 2)
    assert report.share == 1 and report.left() == 0
    assert report.playing.keys() == report.compiling.keys() == names
