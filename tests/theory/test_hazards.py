"""Hazards: rates by the game's table, the bound that the proof rests on, priors."""

import jax
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.policies import farewell as policies
from jaxbandits.protocol import Environment
from jaxbandits.settings.farewell import Problem, View, farewell
from jaxbandits.theory import hazards as theory
from tests.reference.farewell_environment import exact_table


def units(seed, size=6):
    """Hazards and rewards, some of them at the ends of their range."""
    rng = np.random.default_rng(seed)
    hazard, value = rng.random((2, size)) ** 2
    hazard[rng.integers(size)] = seed % 2
    return hazard, value


@pytest.mark.parametrize("seed", range(4))
def test_rates_are_those_of_the_game(seed):
    hazard, value = units(seed)
    survival = np.cumprod(1 - hazard)
    ends = np.append(1.0, survival[:-1]) * hazard
    table = exact_table([[*ends, survival[-1]]], [value])
    np.testing.assert_allclose(theory.rates(hazard, value), table["g"][0], rtol=1e-12)


def test_rates_stay_within_the_deviation():
    """And come near it: the bound is off by no more than a factor where D is 1."""
    share = []
    for seed in range(400):
        one, other = units(seed), units(seed + 1000)
        mixed = [0.9 * a + 0.1 * b for a, b in zip(one, other, strict=True)]
        for changed in (other, mixed):
            off = np.abs(theory.rates(*changed) - theory.rates(*one))
            bound = theory.deviation(*one, *changed)
            assert np.all(off <= bound + 1e-12)
            share.append(np.max(off / np.maximum(bound, 1e-12)))
    assert max(share) > 0.5


def test_an_error_counts_as_often_as_its_unit_is_entered():
    hazard, value = np.array([0.75, 0.5]), np.array([1.0, 1.0])
    later = np.array([0.75, 0.5 + 0.1])
    rate = (0.75 + 0.25 * 0.5) / 1.25
    found = theory.deviation(hazard, value, later, value)
    np.testing.assert_allclose(found, [0.0, 0.25 * (1 + 2 * rate) * 0.1])


def test_the_chance_of_a_trial():
    # P(h v > g) of two uniform numbers.
    assert theory.chance_of_trial(0.3, 1) == pytest.approx(1 - 0.3 + 0.3 * np.log(0.3))
    assert theory.chance_of_trial(0.0, 5) == 1
    for passed in (1, 5, 20):
        assert 0 < theory.chance_of_trial(0.3, passed) <= 0.7**passed


@pytest.fixture(scope="module")
def newcomer():
    """The policy for two arms, and its act for many words: one program."""
    policy = policies.hazard_thompson(Problem(2, 1))
    return policy, jax.jit(jax.vmap(policy.act, in_axes=(0, None, None, None)))


@pytest.mark.parametrize("passed", [1.0, 5.0, 10.0])
def test_hazard_thompson_tries_a_new_arm_that_often(newcomer, passed):
    """Of 20,000 draws beside an arm whose rate is known, within 4 standard errors."""
    (policy, acts), rate, pulls, draws = newcomer, 0.3, 10**6, 20_000
    params = policy.params._replace(prior_passed=passed)
    state = policy.init(params)
    known = np.array([[pulls], [0]], np.int32)
    ended = np.array([[int(rate * pulls)], [0]], np.int32)
    reward = state.reward._replace(total=np.asarray(ended, np.float32))
    state = state._replace(entered=known, ended=ended, reward=reward)
    words = jax.random.bits(jax.random.key(7), (draws, policy.words[0]))
    view = View(np.int32(pulls + 1), np.int32(pulls))
    chance = theory.chance_of_trial(rate, passed)
    error = np.sqrt(chance * (1 - chance) / draws)
    assert (
        abs(np.mean(acts(words, view, state, params).arm) - chance) < 4 * error + 1e-4
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.rates([0.5, 1.5], [0, 0]), "^hazard must be in"),
        (lambda: theory.rates([0.5], [0, 0]), "^value must have the shape"),
        (
            lambda: theory.deviation([0.5], [0.5], [0.5, 0.5], [0.1, 0.1]),
            "^other_hazard must have the shape",
        ),
        (lambda: theory.chance_of_trial(0.5, 0.5), "^prior_passed must be >= 1"),
        (lambda: theory.chance_of_trial(1.5, 1.0), "^rate must be in"),
    ],
)
def test_what_is_out_of_range_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def rare_prize() -> Environment:
    """Five macro-arms and 30 waits: an epoch pays at once or never."""
    first = np.array([0.2, 0.1, 0.1, 0.1, 0.5])
    delay = np.zeros((5, 31))
    delay[:, 0], delay[:, -1] = first, 1 - first
    return farewell("rare prize", delay, np.ones((5, 1)), num_waits=30)


@pytest.mark.slow
def test_a_prior_that_expects_nothing_loses_runs():
    """The numbers of docs/theory/hazard-thompson.md."""
    game = rare_prize()
    data = simulate(
        policies.hazard_thompson(game.problem),
        game,
        budget=10_000,
        seeds=64,
        checkpoints=[10_000],
        grid={"prior_passed": [1.0, 30.0]},
    )
    regret = data["regret"].isel(policy=0, checkpoint=-1)
    uniform, empty = regret.transpose("params", "seed").values
    assert uniform.max() < 100
    assert empty.max() > 2_900
