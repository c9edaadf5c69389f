"""What a round costs RCUCB and z-RCUCB: Propositions 2 and 4 of the censored paper.

Counted in their programs, not timed: the numbers that operations pass over. A row of a
table is picked and put back by its number, as the engine does it where rows are long.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.arrays.named import PREFIX
from jaxbandits.censored import rcucb, z_rcucb
from jaxbandits.censored.problem import censor
from jaxbandits.engine.jaxprs import CALLS
from jaxbandits.protocol import View
from tests.heavy import in_short


def passed_over(jaxpr):
    """Numbers that a program reads or writes; one trip of every loop."""
    return sum(map(_of, jaxpr.eqns))


def _of(eqn):
    name = eqn.params.get("name")
    if name == PREFIX + "put":
        return eqn.invars[2].aval.size  # the row
    if name == PREFIX + "pick":
        return eqn.outvars[0].aval.size
    inner = [eqn.params[k] for k in (CALLS.get(eqn.primitive.name),) if k]
    if eqn.primitive.name == "while":
        inner = [eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]]
    if inner:
        return sum(passed_over(each.jaxpr) for each in inner)
    return max(v.aval.size for v in (*eqn.invars, *eqn.outvars))


def cost(make, num_arms, size):
    """Numbers passed over in a round; `size` are limits, or an arm's places."""
    policy = make(num_arms, size)

    def round_(state, limit):
        view = View(jnp.int32(9))
        action = policy.act((), view, state, policy.params)
        feedback = censor(jnp.float32(0.5), jnp.float32(0.3), limit)
        return policy.update((), view, state, action, feedback, policy.params)

    state = jax.eval_shape(policy.init, policy.params)
    program = jax.make_jaxpr(round_)(state, jnp.float32(0.4))
    return passed_over(program.jaxpr)


COSTS = censored.scaled(0.1), censored.scaled(1.0)
OTHERS = {"inherit", "whole"}  # histories that repeat what the first one shows


def fixed(num_arms, size):
    limits = np.arange(1, size + 1) / size
    return rcucb(censored.make_problem(num_arms, limits, *COSTS))


def zooming(num_arms, size, **options):
    problem = censored.make_continuum(num_arms, *COSTS)
    return z_rcucb(problem, 1000, capacity=size, **options)


def slopes(make):
    """What an arm costs, a limit, and an arm's limit: ``a + b n + c G + d n G``."""
    (least, longer), (more, both) = (
        [cost(make, n, size) for size in (64, 128)] for n in (4, 8)
    )
    d = (both - more - longer + least) / (4 * 64)
    return (more - least) / 4 - 64 * d, (longer - least) / 64 - 4 * d, d


@pytest.mark.slow
def test_rcucb_looks_at_all_pairs():
    """Proposition 2, O(n |M|): every index holds log t, and there are n |M| of them."""
    arm, limit, pair = slopes(fixed)
    assert arm <= 10 and limit <= 50 and 1 <= pair <= 10


@pytest.mark.parametrize("history", in_short(["restart", "inherit", "whole"], OTHERS))
def test_z_rcucb_looks_at_one_arm(history):
    """Proposition 4, O(|M_t| + m - 1) for the arm played; one number of the others.

    Its arrays are as long as a grid may become, and all places are passed over.
    """
    arm, place, pair = slopes(partial(zooming, history=history))
    assert arm <= 10 and 1 <= place <= 150 and pair == 0


def test_the_points_that_a_split_adds_cost_nothing_more():
    """A split is a pass over the arm's places, whatever m is."""
    assert cost(partial(zooming, splits=4), 4, 64) == cost(zooming, 4, 64)
