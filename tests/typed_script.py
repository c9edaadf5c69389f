"""A user's script, as `mypy --strict` sees it: three mistakes, which are marked.

It is not run (see test_types.py).
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Int

import jaxbandits as jb
from jaxbandits import censored, farewell
from jaxbandits.protocol import Noise


class Params(NamedTuple):
    first: float = 0.0


class State(NamedTuple):
    pulls: Int[Array, " K"]


def in_turn(problem: censored.Problem) -> jb.Policy[State, Params, censored.Action]:
    """Arm after arm, with the largest limit."""

    def init(params: Params) -> State:
        return State(jnp.zeros(problem.num_arms, jnp.int32))

    def act(
        noise: Noise, view: jb.View, state: State, params: Params
    ) -> censored.Action:
        arm = view.round % problem.num_arms
        return censored.Action(arm, jnp.int32(problem.num_limits - 1))

    def update(
        noise: Noise,
        view: jb.View,
        state: State,
        action: censored.Action,
        feedback: censored.Feedback,
        params: Params,
    ) -> State:
        return state._replace(pulls=state.pulls.at[action.arm].add(1))

    return jb.Policy("in turn", init, act, update, Params())


environment = censored.indep()
mine = in_turn(environment.problem)
rcucb = censored.rcucb(environment.problem, survival="kaplan_meier")
data = jb.simulate([mine, rcucb], environment, horizon=100, seeds=10)
more = jb.simulate({"mine": mine}, environment, horizon=100)
swept = jb.simulate(mine.over(first=[0.0, 1.0]), environment, horizon=100)
waits = jb.simulate(
    farewell.wait_ucb(farewell.figure_1a().problem), farewell.figure_1a(), budget=100
)
regret = jb.stats.interval(data, "regret").mean
greedier = rcucb._replace(params=rcucb.params._replace(alpha=0.5))

# The mistakes.
misspelt = jb.simulate(mine, environment, horizn=100)  # 1
wrong_leaf = rcucb.params._replace(alhpa=0.5)  # 2
stranger = farewell.wait_ucb(farewell.figure_1a().problem)
elsewhere = jb.simulate(stranger, environment, budget=100)  # 3
