"""The instances of the allocation paper's experiments, and labelled synthetic ones."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np

from jaxbandits.allocation.environment import (
    described,
    make_environment,
    random_environment,
)
from jaxbandits.allocation.game import Arms
from jaxbandits.allocation.problem import make_problem
from jaxbandits.allocation.synthetic import (
    criteo_like_parameters,
    ednet_like_parameters,
)
from jaxbandits.allocation.types import Action
from jaxbandits.checks import (
    Numbers,
    number,
    played,
    positive,
)
from jaxbandits.laws.thresholds import (
    Threshold,
    discrete_weibull,
    exponential,
    weibull,
)
from jaxbandits.protocol import Environment

# Ranges of rates that a learner reckons with: four times what arms are drawn from.
EDNET_LIKE_RATES = 1 / 240, 4 / 15
CRITEO_LIKE_RATES = 0.04, 14.0


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
      family: of the thresholds, where they shall be others.
      shape: of such a family, a number or f64[K].
      cascade: whether a round pays once, as in `make_problem`.

    Raises:
      ValueError: unless ``0 < m < M`` and the budget is positive, or if the family has
        not these rates or that shape.
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


def ednet_like(
    num_questions: int = 20,
    seed: int = 0,
    *,
    lowest: float = EDNET_LIKE_RATES[0],
    highest: float = EDNET_LIKE_RATES[1],
) -> Environment[Any, Any, Action]:
    """A synthetic stand-in for the EdNet quiz, for whoever has not the data.

    Learners reckon with rates in [lowest, highest], per second.
    """
    arms = ednet_like_parameters(num_questions, seed)
    problem = make_problem(
        weibull,
        num_questions,
        arms.budget,
        shape=arms.shape,
        lowest=lowest,
        highest=highest,
    )
    name = f"EdNet-like, K = {num_questions} (synthetic)"
    game = make_environment(name, problem, arms.probability, 1 / arms.scale)
    return described(game, synthetic=True)


def criteo_like(
    num_campaigns: int = 15,
    seed: int = 0,
    *,
    lowest: float = CRITEO_LIKE_RATES[0],
    highest: float = CRITEO_LIKE_RATES[1],
) -> Environment[Any, Any, Action]:
    """A synthetic stand-in for the advertising task: impressions of every user.

    Users come in an order of every seed's own, with whole numbers of impressions.
    Learners reckon with rates in [lowest, highest], per impression.
    """
    arms = criteo_like_parameters(num_campaigns, seed)
    problem = make_problem(
        discrete_weibull,
        num_campaigns,
        arms.budgets,
        shape=arms.shape,
        lowest=lowest,
        highest=highest,
    )
    name = f"Criteo-like, K = {num_campaigns} (synthetic)"
    chances = arms.probability, arms.rate
    game = make_environment(name, problem, *chances, arms.budgets, order="shuffle")
    return described(game, synthetic=True)
