"""The types that a policy and an environment of the allocation setting exchange.

There are three kinds of action. `Allocation` needs the round's budget. `Plan` and
`Order` do not: they define how resource is handed out until it is used up (section 5 of
the paper). If every arm is served only once (`Ordered`), the action is `Turns`.
"""

from typing import Any, NamedTuple

import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.checks import (
    MOST,
    finite,
    in_unit_interval,
    non_negative,
    positive,
    shaped,
    shown,
    whole,
)
from jaxbandits.checks.rounds import positions, within
from jaxbandits.laws.thresholds import Threshold

ROUNDING = 1e-6  # relative rounding error of a sum of amounts


class Allocation(NamedTuple):
    """Amounts of all arms, finite f32[K]: one below 0 counts as 0, and a sum above the
    budget is scaled down to it."""

    amounts: Float[Array, " K"]


class Plan(NamedTuple):
    """Resource flows to the arm with the largest marginal value.

    This is the continuous-time process of MG-UCB (Algorithm 3) with the surrogate
    objective ``sum weight_i G(x_i, rate_i)``, for concave families.

    Attributes:
      weight: f32[K] >= 0.
      rate: f32[K] > 0.
    """

    weight: Float[Array, " K"]
    rate: Float[Array, " K"]


class Order(NamedTuple):
    """Resource goes in units to arms in this order (Algorithm 4).

    Attributes:
      arms: i32[G], arm of every unit, enough units for the largest budget.
      step: f32[], Delta, the size of a unit.
    """

    arms: Int32[Array, " G"]
    step: Float[Array, ""]


Action = Allocation | Plan | Order


class Turns(NamedTuple):
    """Arms are served in turn until the budget is used up, each of them once.

    Attributes:
      arms: i32[K], all arms in the order of their turns.
      amounts: i32[K] >= 0, units of the arm at the same position; their sum is at most
        the largest budget, and may be less.
    """

    arms: Int32[Array, " K"]
    amounts: Int32[Array, " K"]


class Feedback(NamedTuple):
    """What a learner observes in a round, eq. (5).

    Attributes:
      threshold: f32[K], X where the arm succeeded, else +inf.
      allocation: f32[K], amounts that the arms got; with `stop_on_success`, amounts
        that they were offered.
    """

    threshold: Float[Array, " K"]
    allocation: Float[Array, " K"]


class OracleView(NamedTuple):
    """What no learner knows. Only policies that declare it use it.

    Attributes:
      allocation: f32[K], an optimal allocation of the round's budget.
      probability: f32[K], true probabilities.
      rate: f32[K], true rates.
    """

    allocation: Float[Array, " K"]
    probability: Float[Array, " K"]
    rate: Float[Array, " K"]


class View(NamedTuple):
    """What a policy may know before it acts.

    Attributes:
      round: i32[], the round about to be played; the first is 1.
      budget: f32[], the round's budget; the largest one if it is not known in advance.
      oracle: what no learner knows.
    """

    round: Int32[Array, ""]
    budget: Float[Array, ""]
    oracle: OracleView


class Problem(NamedTuple):
    """What a learner knows about the game. Hashable: policies are built from it.

    Attributes:
      num_arms: K.
      family: law of the thresholds.
      shape: known shape of every arm, or None if the family has none.
      lowest: least rate, m / B in the paper's Assumption 2.1.
      highest: largest rate, M / B.
      budget: the largest budget of a round.
      known: whether a round's budget is known in advance.
      cascade: whether a round pays 1 if at least one arm succeeds, in place of 1 for
        every success.
    """

    num_arms: int
    family: Threshold
    shape: tuple[float, ...] | None
    lowest: float
    highest: float
    budget: float
    known: bool = True
    cascade: bool = False

    def check(self) -> None:
        """Require fields as `make_problem` wants them, and a shape of every arm."""
        from jaxbandits.allocation.problem import make_problem  # which imports this

        fields = self._asdict()
        family, num_arms, budget = map(fields.pop, ("family", "num_arms", "budget"))
        make_problem(family, num_arms, [budget], **fields)
        if self.shape is not None:
            shaped(f"{num_arms}", shape=self.shape)

    def check_view(self, view: View) -> None:
        """Require a budget that a round may have."""
        positive(**{"view.budget": view.budget})
        within("view.budget", view.budget, 0, self.budget)
        if view.oracle is not None:  # real games have no oracle
            for name, amounts in view.oracle._asdict().items():
                finite(**{f"view.oracle.{name}": amounts})

    def check_action(self, view: Any, action: Any) -> None:
        """Require a valid action."""
        if isinstance(action, Allocation):
            non_negative(**{"action.amounts": action.amounts})
        elif isinstance(action, Plan):
            non_negative(**{"action.weight": action.weight})
            positive(**{"action.rate": action.rate})
        elif isinstance(action, Order):
            positions("action.arms", action.arms, self.num_arms)
            positive(**{"action.step": action.step})

    def check_feedback(self, view: Any, action: Any, feedback: Feedback) -> None:
        """Require amounts within the budget, and thresholds within amounts, eq. (5)."""
        amounts = feedback.allocation
        non_negative(**{"feedback.allocation": amounts})
        # The view of a policy that reads only the round may have no other field.
        budget = float(getattr(view, "budget", self.budget))
        # Arms of a Plan may return resource: the sum of offers may exceed the budget.
        split = isinstance(action, Allocation | Order)
        most = np.sum(amounts) if split else np.max(amounts)
        if most > budget * (1 + ROUNDING):
            raise ValueError(
                "feedback.allocation must not give an arm more than the budget, "
                f"{budget:g}{', nor all arms together' if split else ''}, got {amounts}"
            )
        wanted = action.amounts if isinstance(action, Allocation) else amounts
        if np.any(amounts > wanted * (1 + ROUNDING)):
            raise ValueError(
                "feedback.allocation must not give an arm more than action.amounts, "
                f"{wanted}, got {amounts}"
            )
        _check_thresholds(feedback)


class Ordered(NamedTuple):
    """What a learner knows if arms are served in turn. Hashable.

    Attributes:
      num_arms, family, shape, lowest, highest: as in `Problem`.
      units: N, the largest budget.
      survival: ``P(B >= u)``, u = 1, ..., N; None if it has to be learnt.
    """

    num_arms: int
    family: Threshold
    shape: tuple[float, ...] | None
    lowest: float
    highest: float
    units: int
    survival: tuple[float, ...] | None = None

    @property
    def arms(self) -> Problem:
        """The same arms in a game without turns."""
        return Problem(*self[:5], float(self.units), known=False)

    def check(self) -> None:
        """Require fields as of `Problem`, whole units, and shares that do not rise."""
        whole("units", self.units, 1, MOST)
        self.arms.check()
        if self.survival is not None:
            shaped(f"{self.units}", survival=self.survival)
            in_unit_interval(survival=self.survival)
            if np.any(np.diff(self.survival) > 0):
                raise ValueError(
                    "survival must not rise: P(B >= u) for u = 1, ..., units, got "
                    f"{shown(self.survival)}"
                )

    def check_action(self, view: Any, action: Any) -> None:
        """Require turns of all arms with at most `units` units."""
        arms, amounts = action
        positions("action.arms", arms, self.num_arms)
        if len(np.unique(arms)) < self.num_arms:
            raise ValueError(
                f"action.arms must hold all {self.num_arms} arms, each of them once, "
                f"got {arms}"
            )
        positions("action.amounts", amounts, self.units + 1)
        if np.sum(amounts) > self.units:
            raise ValueError(
                f"action.amounts must be at most {self.units} in all, got {amounts}"
            )

    def check_feedback(self, view: Any, action: Any, feedback: Feedback) -> None:
        """Require units as the turns hand them out, and thresholds within these."""
        arms, amounts = action
        units, handed_out = feedback.allocation, np.empty(self.num_arms)
        non_negative(**{"feedback.allocation": units})
        before = np.cumsum(amounts) - amounts
        handed_out[arms] = np.clip(np.sum(units) - before, 0, amounts)
        if np.any(units != np.floor(units)) or np.any(units != handed_out):
            raise ValueError(
                "feedback.allocation must be whole units, as the action's turns hand "
                f"them out until a budget is used up, got {units}"
            )
        _check_thresholds(feedback)


def _check_thresholds(feedback: Feedback) -> None:
    amounts, end = feedback.allocation, "what the arm got"
    within("feedback.threshold", feedback.threshold, 0, amounts, end, or_infinite=True)
