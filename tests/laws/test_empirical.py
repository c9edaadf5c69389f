"""The empirical law: moments are frequencies, tables are checked."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits import censored
from jaxbandits.arrays import position
from jaxbandits.laws import Empirical, empirical, empirical_params
from jaxbandits.testing import check_law
from tests.reference.words import spell
from tests.rollout import run_of
from tests.tables import assert_refused, each_row

LIMITS = np.array([0.1, 0.25, 0.5, 2.0])


shares = st.integers(0, 8).map(lambda x: x / 8)


def cost(x):
    return x**2


@pytest.fixture
def table(rng):
    """Three arms, forty runs; consumptions sit on limits and at zero, too."""
    reward = rng.integers(0, 5, (3, 40)) / 4
    consumption = rng.integers(0, 9, (3, 40)) / 8
    return empirical_params(reward, consumption)


sample = jax.jit(jax.vmap(empirical.sample, (0, None, None)))


def all_draws(params, arm):
    """Every run once: the midpoints of n equal cells of the uniform."""
    runs = params.reward.shape[1]
    noise = spell((np.arange(runs) + 0.5)[:, None] / runs, "p")
    return sample(noise, jax.tree.map(jnp.float32, params), arm)


@each_row("arm", range(3))
def test_moments_are_the_samplers_frequencies(table, arm):
    reward, consumption = (np.asarray(x, float) for x in all_draws(table, arm))
    np.testing.assert_array_equal(reward, table.reward[arm])
    np.testing.assert_array_equal(consumption, table.consumption[arm])
    moments = empirical.moments(table, LIMITS, cost)
    within = consumption[:, None] <= LIMITS
    expected = (reward[:, None] * within, cost(consumption)[:, None] * within, within)
    for ours, theirs in zip(moments, expected, strict=True):
        np.testing.assert_allclose(ours[arm], theirs.mean(axis=0), atol=1e-15)


def test_the_last_word_draws_the_last_run():
    for runs in (1, 3, 999):
        params = empirical_params(np.ones((2, runs)), np.full((2, runs), 0.5))
        params = jax.tree.map(jnp.float32, params)
        drawn = sample(np.uint32([[2**32 - 1]]), params, 1)
        assert drawn == (1, 0.5)


@given(
    st.lists(st.tuples(shares, shares), min_size=9, max_size=9),
    st.lists(st.integers(1, 8), min_size=2, max_size=2, unique=True).map(sorted),
    st.integers(0, 2**32 - 1),
)
def test_runs_that_lie_flat_are_those_of_tables(runs, ends, word):
    """The same draws, moments, means and highest consumptions: nine of three arms."""
    runs = np.array(runs)
    flat = empirical_params(*runs.T, np.diff([0, *ends, 9]))
    limits = np.array([0.25, 0.75])
    words = np.full((1, 1), word, np.uint32)
    for arm, own in enumerate(np.split(runs, ends)):
        drawn = sample(words, jax.tree.map(jnp.asarray, flat), arm)
        place = int(position(words[0, 0], len(own)))
        np.testing.assert_allclose(np.ravel(drawn), own[place], rtol=1e-6)
        alone = empirical_params(own[None, :, 0], own[None, :, 1])
        pairs = [
            *zip(
                empirical.moments(flat, limits, cost),
                empirical.moments(alone, limits, cost),
                strict=True,
            ),
            *zip(empirical.means(flat), empirical.means(alone), strict=True),
        ]
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours[arm], theirs[0], atol=1e-12)
        assert empirical.highest(flat)[arm] == empirical.highest(alone)[0]


@pytest.mark.slow
def test_unequal_arms_keep_the_contract():
    check_law(empirical, empirical_params([[1.0], [0.5, 0]], [[0.5], [0.2, 0.8]]))


def test_phases_of_unequal_arms_are_joined():
    """Each of two phases with two arms; the second phase's have other runs."""
    first = empirical_params([[1.0], [0.5, 0]], [[0.5], [0.2, 0.8]])
    second = empirical_params([[0.25, 0.5, 0]], [[0.1, 0.2, 0.3]])
    joined = empirical.joined([first, second])
    reward, consumption = empirical.means(joined)
    np.testing.assert_allclose(reward, [1, 0.25, 0.25])
    np.testing.assert_allclose(consumption, [0.5, 0.5, 0.2])
    for arm, runs in enumerate([{1.0}, {0.5, 0}, {0.25, 0.5, 0}]):
        words = spell((np.arange(12) + 0.5)[:, None] / 12, "p")
        assert set(np.asarray(sample(words, joined, arm)[0]).tolist()) == runs


GOOD = np.full((2, 3), 0.5)


TABLES = [
    (GOOD[0], GOOD[0], "one shape"),
    (GOOD, GOOD[:1], "one shape"),
    (np.zeros((2, 0)), np.zeros((2, 0)), "non-empty"),
    (GOOD + 0.6, GOOD, "reward must be in"),
    (-GOOD, GOOD, "reward must be in"),
    (GOOD * np.nan, GOOD, "reward must be in"),
    (GOOD, -GOOD, "consumption must be"),
    (GOOD, GOOD - np.inf, "consumption must be"),
    (GOOD, GOOD * np.nan, "consumption must be"),
]


def test_tables_and_runs_that_are_none_are_refused():
    rows = [
        (lambda call=call, pair=pair: call(*pair), says)
        for *pair, says in TABLES
        for call in (empirical_params, lambda *pair: empirical.check(Empirical(*pair)))
    ]
    rows += [
        (lambda pair=pair: empirical_params(*pair), "as many runs of every arm")
        for pair in (([[1.0], [1.0, 0]], [[1.0], [1.0]]), ([[1.0], []], [[1.0], []]))
    ]
    rows += [
        (lambda runs=runs: empirical_params(np.ones(3), np.ones(3), runs), "runs must")
        for runs in ([0, 3], [1.5, 1.5], [1, 1], [[1, 2]], [-1, 4])
    ]
    assert_refused(rows, ValueError)


def test_runs_that_timed_out_exceed_every_limit():
    """Two of four runs never finished: half of the rounds are censored at any limit."""
    params = empirical_params([[1.0, 0.5, 0.0, 0.0]], [[0.1, 0.3, np.inf, np.inf]])
    moments = empirical.moments(params, LIMITS, cost)
    np.testing.assert_allclose(moments.probability, [[0.25, 0.25, 0.5, 0.5]])
    np.testing.assert_allclose(moments.reward, [[0.25, 0.25, 0.375, 0.375]])
    np.testing.assert_allclose(moments.cost, [[0.0025, 0.0025, 0.025, 0.025]])
    problem = censored.make_problem(
        1, LIMITS, censored.scaled(0), censored.scaled(1), 2
    )
    game = censored.make_environment("timeouts", problem, empirical, params)
    trace = run_of(censored.fixed(problem, 0, 3), game, 800)
    assert abs(np.mean(trace.feedback.censored) - 0.5) < 0.1
