"""Calls of a limited length change no number; a budget out of reach is an error."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.engine import limits
from jaxbandits.engine.run import Clock, run
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.testing import altered
from tests.engine.budget_game import ALTERNATE, environment

GAME = environment()


@pytest.mark.parametrize(("end", "by_budget"), [(7, False), (40, True)])
def test_a_call_plays_a_limited_number_of_rounds(monkeypatch, end, by_budget):
    for name in ("FIRST_STEPS", "FEWEST_STEPS", "MOST_STEPS"):
        monkeypatch.setattr(limits, name, 2)
    clock = Clock([], [])
    how = {"chunk": 64, "devices": jax.devices()[:1], "progress": lambda done: None}
    terms = Terms(Schedule(np.array([end]), limits.MOST_ROUNDS, by_budget))
    (chunk,) = run(ALTERNATE, GAME, (), np.zeros(1, "u4"), terms, clock=clock, **how)
    rounds = int(chunk.rounds[0, -1])
    assert rounds > 6 and len(clock.running) == -(-rounds // 2)


def watch(budget=100.0, last_round=limits.MOST_ROUNDS):
    return limits.Watch(Schedule(np.array([budget]), last_round, by_budget=True), 2)


def look(found, round_, spent, seconds=1.0, done=(False, False)):
    found.look(seconds, np.array(round_), np.array(spent), np.array(done))


def test_what_is_spent_is_a_number_that_grows():
    with pytest.raises(ValueError, match="spent is NaN"):
        look(watch(), [5, 5], [1.0, np.nan])
    falls = watch()
    look(falls, [5, 5], [3.0, 3.0])
    with pytest.raises(ValueError, match="must not fall"):
        look(falls, [9, 9], [3.0, 2.0])


def test_nothing_is_ever_spent():
    found = watch()
    look(found, [10, 10], [0.5, 0.5])
    look(found, [limits.IDLE_ROUNDS - 1] * 2, [0.5, 0.5])
    with pytest.raises(
        ValueError, match="100 is out of reach: .* last 16777226 .*not the game's"
    ):
        look(found, [limits.IDLE_ROUNDS + 20] * 2, [0.5, 0.5])


def test_too_little_is_spent_for_the_budget():
    look(watch(1e30), [1000, 1000], [500.0, 480.0])  # too early to tell
    with pytest.raises(ValueError, match="budget = 1e.30 is out of reach: 50000 was"):
        look(watch(1e30), [100_000] * 2, [5e4, 4.8e4])
    look(watch(1e30, last_round=10**9), [100_000] * 2, [5e4, 4.8e4])  # a horizon too
    look(watch(1e9), [100_000] * 2, [5e4, 4.8e4])


def test_a_call_takes_about_a_second():
    found = watch()
    first = found.steps
    look(found, [10, 10], [1.0, 1.0], seconds=0.5)
    assert found.steps == 2 * first
    for round_ in range(11, 41):
        look(found, [round_, 10], [1.0, 1.0], seconds=100.0)
    assert found.steps == limits.FEWEST_STEPS
    for round_ in range(41, 71):
        look(found, [round_, 10], [1.0, 1.0], seconds=0.0)
    assert found.steps == limits.MOST_STEPS


def test_a_cost_that_is_no_number_ends_the_game():
    broken = altered(GAME, spent=lambda instance, state: jnp.float32(jnp.nan))
    with pytest.raises(ValueError, match="spent is NaN"):
        simulate(ALTERNATE, broken, budget=20.0, seeds=2)


def test_runs_that_wait_for_ever_are_an_error():
    found = watch()
    look(found, [5, 5], [3.0, 3.0])
    look(found, [5, 6], [3.0, 4.0])
    with pytest.raises(RuntimeError, match="^2 runs wait .* 3 or more of "):
        look(found, [5, 6], [3.0, 4.0])
    with pytest.raises(RuntimeError, match="^1 runs wait .* 4 or more of "):
        look(found, [5, 6], [3.0, 4.0], done=[True, False])
