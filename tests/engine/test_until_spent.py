"""Games that end with a budget, against a plain Python loop on the same tape."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import Machine, laws, simulate
from jaxbandits.budgeted import make_environment, omega_ucb
from jaxbandits.engine import choice
from jaxbandits.engine.legs import SCAN
from jaxbandits.results.cuts import CutOffWarning
from jaxbandits.testing import altered
from tests.engine.budget_game import ALTERNATE, environment, plain_loop
from tests.heavy import in_short

SEEDS = 6


def played(data):
    """[S, C, 3]: rounds, spend and pulls of arm 0."""
    return np.stack(
        [data[name].values[0, 0] for name in ("rounds", "spent", "first")], axis=-1
    )


def played_and_plain(amounts, seeds=SEEDS, unit=1, **options):
    """The data of `simulate`, and what a plain loop plays."""
    budget, most = amounts[-1], options.get("horizon", 10**6)
    options = {"seeds": seeds, "checkpoints": amounts, "budget": budget} | options
    data = simulate(ALTERNATE, environment(unit), **options)
    plain = np.stack([plain_loop(seed, amounts, unit, most) for seed in range(seeds)])
    np.testing.assert_array_equal(played(data), plain)
    return data, plain


@pytest.mark.parametrize("unit", [1, 30_011])
def test_every_lane_stops_where_a_plain_loop_stops(unit):
    # With the large unit the spend exceeds 2**24, where float32 would round it.
    amounts = np.array([7, 100, 101, 1_000]) * unit
    data, plain = played_and_plain(amounts, unit=unit)
    assert data.attrs["checkpoint_kind"] == "spent"
    # The pull that overshoots the budget is counted, and lanes differ in length.
    assert np.all(data["spent"].values[..., -1] >= amounts[-1])
    assert len(set(plain[:, -1, 0])) > 1


def test_fractional_amounts_do_not_round_large_spends():
    """2**24 + 1 is no float32: a lane with that spend must not pass for 2**24."""
    unit = 2**22 + 1
    _, plain = played_and_plain([4 * unit - 0.5, 4.0 * unit + 0.25], 20, unit)
    assert np.any(plain[:, 0, 1] == 4 * unit)  # some lane stands on the edge


@pytest.mark.parametrize(("count", "budget"), [(37, 120), (240, 120), (240, 1_000)])
def test_checkpoints_that_are_crossed_in_one_round(count, budget):
    """A pull may be worth several of them; or too little for the next one, and then
    lanes reach the end of the hundred that a stretch has at different times."""
    _, plain = played_and_plain(np.linspace(0, budget, count + 1)[1:])
    assert np.any(np.diff(plain[:, :, 0]) == 0)


def test_a_horizon_cuts_a_game_off():
    with pytest.warns(CutOffWarning, match="100 % of 'alternate'"):
        data, _ = played_and_plain([50, 500], 2, horizon=40)
    np.testing.assert_array_equal(data["cut"][0, 0], [[False, True]] * 2)
    assert np.all(data["rounds"].values[..., -1] == 40)


def test_a_budget_below_one_pull_buys_one_pull():
    data = simulate(ALTERNATE, environment(), budget=0.5, seeds=2, checkpoints=[0.5])
    assert np.all(data["rounds"] == 1)


def test_every_pull_costs_1(monkeypatch):
    """Stretches count as steps: one that would wait for ever ends with its call."""

    def counted(*args):
        leg = SCAN.legs(*args)

        def one_more(carry, target, steps):
            carry, left = leg(carry, target, steps)
            return carry, left - 1

        return one_more

    monkeypatch.setattr(choice, "SCAN", SCAN._replace(legs=counted))
    game = altered(environment(), spent=lambda instance, state: jnp.sum(state.pulls))
    data = simulate(ALTERNATE, game, budget=3, checkpoints=[1, 3], seeds=2)
    np.testing.assert_array_equal(data["rounds"][0, 0], [[1, 3]] * 2)


# What XLA does to a quotient it may do in an optimised program only.
@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("devices", in_short([1, 2], {1}))
@pytest.mark.parametrize("learns", in_short([False, True], {True}))
def test_games_that_end_exactly_at_their_budget(learns, devices):
    """65 coins are 65 / .013 cheapest costs: 5,000 in float32, 4,999.9995 by way of
    the reciprocal, which XLA takes in some places and not in others."""
    chances = np.array([0.8, 0.013])
    arms = laws.Product(laws.Bernoulli(chances), laws.Bernoulli(chances))
    law = laws.product(laws.bernoulli, laws.bernoulli)
    game = make_environment("ties", law, arms, unit="cheapest")
    data = simulate(
        omega_ucb(game.problem) if learns else ALTERNATE,
        game,
        budget=5000,
        seeds=70,
        checkpoints=[5000],
        machine=Machine(jax.devices()[:devices]),
    )
    np.testing.assert_allclose(data["spent"], 5000, rtol=1e-6)
