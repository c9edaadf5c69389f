"""Arms that are dealt anew in every game."""

import jax
import numpy as np
import pytest

from jaxbandits import budgeted, censored, farewell, simulate
from jaxbandits.censored import make_problem, scaled
from jaxbandits.laws import empirical, empirical_params
from jaxbandits.simulation.dealing import dealt
from tests.games import COINS, paid_coins, two_coins
from tests.heavy import in_short
from tests.rollout import run_of

MONEY = paid_coins([0.1, 0.9, 0.5], [0.5] * 3)
RUNS = empirical_params([[1.0], [0.5, 0.0], [0.25]], [[0.5], [0.2, 3.0], [0.1]])
TIME = censored.make_environment(
    "runs", make_problem(3, [0.3, 0.6], scaled(0.1), scaled(0.5)), empirical, RUNS
)
PAIR = censored.fixed(TIME.problem, 0, 1)
FIRST = {
    "pulls": (MONEY, budgeted.fixed(MONEY.problem, 0), {"budget": 20}),
    "pairs": (
        TIME,
        PAIR._replace(recommend=lambda state, params: PAIR.act(None, None, state, ())),
        {"horizon": 40},
    ),
}


@pytest.mark.parametrize("kind", in_short(FIRST, {"pulls"}))
def test_the_first_position_is_every_arm_in_its_turn(kind):
    """What is on record is that of the arms, whatever their positions.

    What is recommended is judged in the order of its seed.
    """
    game, policy, end = FIRST[kind]
    end = end | {"seeds": 96, "keep": ("pulls",), "checkpoints": list(end.values())}
    data = simulate(policy, dealt(game), **end).squeeze()
    counts = data["pulls"].values.reshape(96, 3, -1).sum(-1)
    assert np.all((counts > 0).sum(axis=1) == 1)  # one arm in a game,
    chosen = np.argmax(counts, axis=1)
    assert np.all(np.bincount(chosen) > 20)  # and every arm in some.
    # Expected cost times the gap in ratios, or the gap of the pair.
    lost = [0.8, 0, 0.4] if kind == "pulls" else TIME.oracle().gaps[:, 1]
    expected = counts.sum(axis=1) * np.take(lost, chosen)
    np.testing.assert_allclose(data["regret"], expected, rtol=1e-5)
    if kind == "pairs":
        gaps = np.take(lost, chosen)
        np.testing.assert_allclose(data["simple_regret"], gaps, atol=1e-12)


def test_positions_without_an_arm_stay():
    """Of three arms in a game with room for eight, in every order."""
    setup = budgeted.Arms(two_coins([0.5] * 8, [0.5] * 8), np.int32(3))
    draw = budgeted.random_environment
    game = dealt(draw("room", COINS, lambda key, setup: setup, setup, 8))
    keys = jax.random.split(jax.random.key(0), 50)
    sample = jax.jit(jax.vmap(game.game.sample, (0, None)))
    orders = np.asarray(sample(keys, setup).order)
    assert np.all(orders[:, 3:] == np.arange(3, 8))
    assert len(np.unique(orders[:, :3], axis=0)) == 6
    actions = run_of(budgeted.uniform(game.problem), game, 60).actions
    assert set(actions.tolist()) == {0, 1, 2}


def test_who_knows_the_best_arm_pulls_it_at_its_position():
    game = dealt(MONEY)
    trace = run_of(budgeted.clairvoyant(game.problem), game, 5, seed_index=1)
    assert set(trace.actions.tolist()) == {2}
    assert trace.environment.pulls.tolist() == [0, 5, 0]


def test_other_settings_are_refused():
    with pytest.raises(TypeError, match="environment.problem must be"):
        dealt(farewell.figure_1a())
