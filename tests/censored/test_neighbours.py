"""Host and device agree where a number and a limit are a rounding error apart."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored, laws
from jaxbandits.censored.problem import censor, penalty_at, penalty_in_play
from jaxbandits.laws.law import exceeds
from jaxbandits.protocol import View
from tests.games import repeating
from tests.reference.words import spell
from tests.tables import naming

GRID = np.linspace(0.1, 0.9, 9)  # 0.3 and 0.7 are an ulp off


def neighbours(points):
    """The points, their neighbours in both precisions, and what is just told from them.

    Sorted, and different in float32 at most four units in the last place.
    """
    points = np.asarray(points, np.float64)
    single = points.astype(np.float32)
    near = [points, single]
    for end in (-np.inf, np.inf):
        near += [np.nextafter(points, end), np.nextafter(single, np.float32(end))]
        near += [points + np.sign(end) * 4 * np.spacing(single)]
    return np.unique(np.concatenate([np.float64(x) for x in near]))


FUNCTIONS = {
    "scaled": [censored.scaled(10.0)],
    "fast track": [censored.fast_track(10.0, p) for p in (*GRID, 0.3, 0.7, 0.99)],
    "late fee": [censored.late_fee(3.0, p) for p in (*GRID, 0.382)],
}


def test_costs_and_penalties_agree_on_host_and_device():
    for name in FUNCTIONS:
        with naming(name):
            limits = neighbours([*GRID, 0.3, 0.7, 0.99, 0.382])
            for function in FUNCTIONS[name]:
                host = function(limits)
                single = function(jnp.asarray(limits, jnp.float32))
                np.testing.assert_allclose(single, host, rtol=1e-5)
                rounded = function(np.float64(np.float32(limits)))
                np.testing.assert_allclose(rounded, host, rtol=1e-5)
                with jax.enable_x64(True):
                    np.testing.assert_allclose(
                        function(jnp.asarray(limits)), host, rtol=1e-12
                    )


def test_a_jump_of_the_users_own():
    """On the host a limit lies on the side of the jump on which it is played."""
    promise = 0.7

    def penalty(x):
        return 0.1 * x + 3.0 * (x > promise)

    limits = np.unique(np.float32(neighbours([*GRID, promise]))).astype(np.float64)
    cost = censored.scaled(0.1)
    for near in (limits, np.nextafter(limits, 1), np.nextafter(limits, 0)):
        problem = censored.make_problem(2, near, cost, penalty)
        played = penalty(jnp.asarray(near, jnp.float32))
        np.testing.assert_allclose(problem.penalties(), played, rtol=1e-5)


def test_the_promise_of_an_even_grid():
    problem = censored.make_problem(
        2, GRID, censored.scaled(0.1), censored.fast_track(10.0, 0.3)
    )
    assert problem.limits[2] > 0.3
    assert problem.penalties()[2] == pytest.approx(0.03)


ONE = np.ones(1)
VALUES = np.array([[0.3, 0.1 + 0.2 + 1e-16, 0.7, 1.0]])
WITH_ATOMS = {
    "discrete": (
        laws.product(laws.bernoulli, laws.discrete),
        laws.Product(laws.Bernoulli(ONE), laws.Discrete(VALUES, np.full((1, 4), 0.25))),
        4,
    ),
    "bernoulli": (
        laws.product(laws.bernoulli, laws.bernoulli),
        laws.Product(laws.Bernoulli(ONE), laws.Bernoulli(ONE / 4)),
        4,
    ),
    "empirical": (laws.empirical, laws.empirical_params(np.ones((1, 4)), VALUES), 4),
    "Pareto": (
        laws.product(laws.bernoulli, laws.clipped_pareto),
        laws.Product(laws.Bernoulli(ONE), laws.Pareto(ONE / 4, ONE)),
        1000,
    ),
}


@pytest.mark.parametrize("name", WITH_ATOMS)
def test_laws_with_atoms_keep_a_limit_as_often_as_they_say(name):
    law, params, count = WITH_ATOMS[name]
    limits = neighbours([0.3, 0.7, 1.0])
    exact = law.moments(params, limits, censored.scaled(1.0)).probability[0]
    kinds = "p" if law.words == 1 else "n" * (law.words // 2)
    u = np.tile((np.arange(count) + 0.5)[:, None] / count, len(kinds))

    @jax.jit
    def seen_of(words, params, limits):
        drawn = jax.vmap(lambda w: law.sample(w, params, 0))
        reward, consumption = drawn(words)
        return censor(reward[:, None], consumption[:, None], limits[None])

    params, at = jax.tree.map(jnp.asarray, (params, limits))
    seen = seen_of(spell(u, kinds), params, at)
    kept = 1 - np.mean(seen.censored, axis=0)
    np.testing.assert_allclose(kept, exact, rtol=0, atol=0.9 / count)


def test_numbers_on_host_and_device():
    points = neighbours([0.1, 0.3, 0.7])
    host = exceeds(points[:, None], points[None])
    assert isinstance(host, np.ndarray)
    device = exceeds(jnp.asarray(points)[:, None], points[None])
    np.testing.assert_array_equal(device, host)
    assert not exceeds(np.float64(0.1 + 0.2), 0.3)
    assert exceeds(np.float64(0.30001), 0.3)


def jump(x):
    """A penalty of the user's own; 0.1 + 0.2 is beyond it in float64 only."""
    return 0.1 * x + 3.0 * (x > 0.3)


def test_the_penalty_in_double_precision_is_that_of_play():
    points = neighbours([0.2, 0.3, 0.1 + 0.2])
    problem = censored.make_continuum(1, censored.scaled(0.1), jump)
    with jax.enable_x64(True):
        found = penalty_in_play(problem, jnp.asarray(points))
    np.testing.assert_allclose(found, penalty_at(problem, points), rtol=1e-12)
    assert jump(0.1 + 0.2) > 3 > penalty_at(problem, [0.1 + 0.2])[0]


def test_reductions_pay_the_penalty_of_the_table():
    """Eq. (7), rescaled: what the plain policy is told of a censored round."""
    problem = censored.make_problem(1, [0.1 + 0.2], censored.scaled(0.1), jump)

    policy = censored.product_arms(problem, repeating)
    with jax.enable_x64(True):
        late = censored.Feedback(jnp.zeros(()), jnp.asarray(np.inf), True)
        action, view = censored.Action(jnp.int32(0), jnp.int32(0)), View(jnp.int32(1))
        reward = policy.update((), view, policy.init(()), action, late, ())
    largest = problem.max_penalty
    expected = (largest - problem.penalties()[0]) / (1 + largest)
    np.testing.assert_allclose(reward, expected, rtol=1e-12)
