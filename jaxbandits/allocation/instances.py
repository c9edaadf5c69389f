"""The instances of appendix A.1 of the allocation paper."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np

from jaxbandits.allocation.environment import (
    described,
    random_environment,
)
from jaxbandits.allocation.game import Arms
from jaxbandits.allocation.problem import make_problem
from jaxbandits.allocation.types import Action
from jaxbandits.checks import (
    Numbers,
    number,
    played,
    positive,
)
from jaxbandits.laws.thresholds import (
    Threshold,
    exponential,
)
from jaxbandits.protocol import Environment


def simulation(
    num_arms: int = 10,
    budget: float = 40.0,
    m: float = 1.0,
    M: float = 80.0,
    known: bool = True,
    family: Threshold = exponential,
    shape: Numbers | None = None,
    cascade: bool = False,
) -> Environment[Any, Any, Action]:
    """Appendix A.1: exponential thresholds, rates ~ U[m/B, M/B], p ~ U(0, 1].

    Every seed draws its own arms, the same for all policies.

    Args:
      num_arms: K.
      budget: B.
      m: least rate times budget.
      M: largest rate times budget.
      known: whether the budget is known in advance.
      family: law of the thresholds, exponential by default.
      shape: shape of that law, a number or f64[K], if it has one.
      cascade: whether a round pays once, as in `make_problem`.

    Raises:
      ValueError: unless ``0 < m < M`` and the budget is positive, or if the family does
        not allow these rates or this shape.
    """
    budget, m, M = number("budget", budget), number("m", m), number("M", M)
    positive(budget=budget, m=m, M=M)
    played(budget=budget, m=m, M=M)
    if m >= M:
        raise ValueError(f"m must be less than M, got m = {m} and M = {M}")
    problem = make_problem(
        family,
        num_arms,
        budget,
        shape=shape,
        lowest=m / budget,
        highest=M / budget,
        known=known,
        cascade=cascade,
    )
    name = f"A.1, K = {num_arms}, B = {budget:g}"
    if family is not exponential:
        name += f", {family.name}"
    if cascade:
        name += ", cascade"
    ends = np.array([m / budget, M / budget])
    game = random_environment(name, problem, _draw_uniform(num_arms), ends)
    return described(game, family=family.name, m=m, M=M, num_arms=num_arms)


@cache
def _draw_uniform(num_arms: int) -> Callable[[Any, Any], Arms]:
    def draw(key, ends):
        u = jax.random.uniform(key, (2, num_arms), ends.dtype)
        return Arms(1 - u[0], ends[0] + (ends[1] - ends[0]) * u[1])

    return draw
