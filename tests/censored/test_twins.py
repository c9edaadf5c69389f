"""Every policy of the registry chooses as its float64 twin does, on the same tape.

What counts as a near tie comes from errors that the package states:

* float32 moves an index by less than 1e-5;
* KL-UCB finds its index by 20 halvings, to 2**-20. With 100 virtual arms whose means
  lie near 1, dozens of indices lie within that of 1, so that a fifth of its rounds are
  near ties, in float64 too;
* Thompson sampling's gamma variates are within `GAMMA_CDF_ERROR` of the exact
  distribution function, so its choice is the best of *some* samples that lie between
  the twin's samples at uniforms moved by that much.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.arrays import CompensatedSum
from jaxbandits.engine.tape import Stream, read
from jaxbandits.kernels.gamma import GAMMA_CDF_ERROR
from jaxbandits.plain import kl_ucb
from jaxbandits.protocol import View
from tests.censored.twins import CASES, Draws, K, M, even
from tests.policies.followed import assert_follows, played, twin_tests
from tests.reference import laws
from tests.reference.censored_policies import largest_kl_mean

ROUNDS, FEW = 2000, 1000  # in the long run and in the short one
KL_RESOLUTION = 2.0**-20
INSTANCES = ("indep", "poscorr", "negcorr")
PROBLEM = censored.running_example(K, censored.equidistant(M))
# Left to the long run: another with an option, or with parameters that one of the same
# entry shows.
LONG = {
    *("TS, copied", "TS, shared", "TS, strict", "cell TS, prior"),
    *("RCUCB, gain part, UCB1 constant", "Kaplan-Meier, gain part"),
}


@cache
def environment(instance):
    return even(PROBLEM) if instance == "even" else getattr(censored, instance)()


SHORT = [(label, "even", "float32", FEW) for label in CASES if label not in LONG]
ALL = [(label, instance, "float32") for label in CASES for instance in INSTANCES]
ALL += [(label, "indep", "float64") for label in CASES if "TS" not in label]


def assert_chooses_as_its_twin(label, instance, dtype, rounds=ROUNDS):
    case, wide = CASES[label], dtype == "float64"
    slack, share = (1e-12, 0.999) if wide else (1e-5, 0.99)
    if label == "KL-UCB":
        slack, share = KL_RESOLUTION, 0.5
    elif label.startswith("TS"):
        slack, share = 1e-6, 0.97
    with jax.enable_x64(wide):
        assert_follows(case, environment(instance), rounds, share=share, slack=slack)


TestTwins = twin_tests("censored", CASES, assert_chooses_as_its_twin, SHORT, ALL)


@pytest.mark.slow
def test_kl_ucb_in_its_first_rounds(rng):
    """Where the next round's logarithm is another, and at other scales."""
    policy, size = kl_ucb(3), 500
    pulls = rng.integers(1, 4, (size, 3))
    mean, scale = rng.random((size, 3)), rng.choice([0.5, 1.0, 2.0], size)
    none = CompensatedSum.zeros((size, 3))
    state = policy.init(policy.params)._replace(
        pulls=jnp.asarray(pulls), reward=none.add(mean * pulls)
    )
    view = View(jnp.asarray(pulls.sum(axis=1) + 1))
    params = policy.params._replace(scale=jnp.asarray(scale))
    found = jax.jit(jax.vmap(partial(policy.act, None)))(view, state, params)
    level = scale * np.log(pulls.sum(axis=1) + 1)
    index = np.vectorize(largest_kl_mean)(mean, level[:, None] / pulls)
    played = np.take_along_axis(index, np.asarray(found)[:, None], 1)[:, 0]
    assert np.all(played >= index.max(axis=1) - KL_RESOLUTION)


def test_environment_answers_as_its_twin():
    """Under uniform play: censored alike but at ties, and the same numbers if not."""
    indep = environment("indep")
    _, run = played(CASES["uniform"], indep, ROUNDS)
    draws = Draws(read(0, 0, Stream.ENVIRONMENT, ROUNDS, indep.game.words))
    ties = 0
    for t, _, _, (arm, limit), (reward, consumption, flag) in run:
        exact_reward, exact_consumption = draws.draw(t, arm)
        expected = draws.step(t, arm, limit)[2]
        if flag != expected:
            ties += 1
            assert abs(exact_consumption - PROBLEM.limits[limit]) < 1e-4
        if flag:
            assert (reward, consumption) == (0, np.inf)
        else:
            assert abs(consumption - exact_consumption) < 1e-4
            assert reward_fits(draws.noise[t - 1, :4], arm, reward, exact_reward)
    assert ties <= 1


def reward_fits(u, arm, reward, exact):
    """Within 1e-4, or within what the gamma variates' error explains."""
    b = 0.2 if arm == 0 else 0.3
    error = GAMMA_CDF_ERROR * np.array([1, 0, -1, 0])
    ends = (np.clip(u + sign * error, 1e-9, 1 - 1e-9) for sign in (-1, 1))
    low, high = (laws.beta(end, 0.8, b) for end in ends)
    return abs(reward - exact) < 1e-4 or low - 1e-6 <= reward <= high + 1e-6
