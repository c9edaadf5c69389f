"""The types that a policy and an environment of the budgeted setting exchange.

The action is an arm, i32[] in [0, K).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import constant
from jaxbandits.checks import (
    MOST,
    Numbers,
    non_negative,
    numbers,
    played,
    positive,
    shaped,
    whole,
)
from jaxbandits.checks.rounds import positions, within


class Feedback(NamedTuple):
    """A reward and a cost within the ranges of the `Problem`, f32[] each.

    The environments of this package return shares in [0, 1]. A game of your own, and
    `jaxbandits.live`, may use the currency of the problem's ranges.
    """

    reward: Float[Array, ""]
    cost: Float[Array, ""]


class OracleView(NamedTuple):
    """What no learner knows. Only policies that declare it use it.

    Attributes:
      cheapest: f32[], the smallest expected cost of an arm.
      best: i32[], the (first) arm with the largest ratio of expected reward to cost.
    """

    cheapest: Float[Array, ""]
    best: Int32[Array, ""]


class View(NamedTuple):
    """What a policy may know before it acts.

    Attributes:
      round: i32[], the round about to be played; the first is 1.
      num_arms: i32[], number of arms that exist; larger positions must not be played.
      spent: f32[], the money spent so far.
      unit: f32[], the money in a unit of `simulate`'s budget.
      oracle: what no learner knows.
    """

    round: Int32[Array, ""]
    num_arms: Int32[Array, ""]
    spent: Float[Array, ""]
    unit: Float[Array, ""]
    oracle: OracleView


class Problem(NamedTuple):
    """What a learner knows about the game. Hashable: policies are built from it.

    The paper's policies assume rewards and costs in [0, 1]. A factory therefore divides
    rewards by the largest `highest_reward`, and all money (costs, money spent, the unit
    of the budget) by the largest `highest_cost`. Its policy thus plays the same in any
    currency.

    Attributes:
      num_arms: K, the largest number of arms that an instance has.
      lowest_cost: per arm, the least possible cost.
      highest_cost: per arm, the largest possible cost; if equal to the least, the cost
        is known.
      lowest_reward: per arm, the least possible reward.
      highest_reward: per arm, the largest possible reward.
    """

    num_arms: int
    lowest_cost: tuple[float, ...]
    highest_cost: tuple[float, ...]
    lowest_reward: tuple[float, ...]
    highest_reward: tuple[float, ...]

    # A learner may believe narrower or wider ranges than the environment states.
    beliefs = ("lowest_cost", "highest_cost", "lowest_reward", "highest_reward")  # type: ignore[misc]

    @property
    def ranges(self) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
        """Least and largest possible ``reward`` and ``cost``, per arm."""
        return {
            "reward": (self.lowest_reward, self.highest_reward),
            "cost": (self.lowest_cost, self.highest_cost),
        }

    def check(self) -> None:
        """Require fields as `make_problem` wants them, a number per arm in each."""
        make_problem(*self)  # type: ignore[call-arg]
        fields = self._asdict()
        shaped(f"{self.num_arms}", **{name: fields[name] for name in self.beliefs})

    def check_view(self, view: View) -> None:
        """Require arms that exist, and amounts of money that can be."""
        within("view.num_arms", view.num_arms, 1, self.num_arms)
        non_negative(**{"view.spent": view.spent})
        if view.round == 1 and view.spent > 0:
            raise ValueError(f"view.spent must be 0 in round 1, got {view.spent}")
        positive(**{"view.unit": view.unit})
        if view.oracle is not None:  # real games have no oracle
            non_negative(**{"view.oracle.cheapest": view.oracle.cheapest})
            positions("view.oracle.best", view.oracle.best, int(view.num_arms))

    def check_action(self, view: Any, action: Any) -> None:
        """Require an arm that exists."""
        # The view of a policy that reads only the round may have no other field.
        positions("action", action, int(getattr(view, "num_arms", self.num_arms)))

    def check_feedback(self, view: Any, action: Any, feedback: Feedback) -> None:
        """Require a reward and a cost in the ranges of the arm."""
        for what, (low, high) in self.ranges.items():
            amount, arm = getattr(feedback, what), int(action)
            within(f"feedback.{what}", amount, low[arm], high[arm])

    def adapt(self, make: Callable[["Problem"], Any]) -> Any:
        """A policy that sees all amounts as shares of the largest ones.

        Args:
          make: makes a policy from a problem; called with this problem in shares.
        """
        reward, cost = max(self.highest_reward), max(self.highest_cost)
        if reward == cost == 1:
            return make(self)
        policy = make(
            Problem(
                self.num_arms,
                *(tuple(x / cost for x in ends) for ends in self.ranges["cost"]),
                *(tuple(x / reward for x in ends) for ends in self.ranges["reward"]),
            )
        )

        def act(noise, view, state, params):
            return policy.act(noise, _view_in_shares(view, cost), state, params)

        def update(noise, view, state, action, feedback, params):
            view = _view_in_shares(view, cost)
            feedback = feedback._replace(
                reward=jnp.minimum(_share(feedback.reward, reward), 1.0),
                cost=jnp.minimum(_share(feedback.cost, cost), 1.0),
            )
            return policy.update(noise, view, state, action, feedback, params)

        return policy._replace(act=act, update=update)


def _view_in_shares(view: Any, cost: float) -> Any:
    """The view with its amounts of money as shares; absent fields are ignored."""
    money = [x for x in ("spent", "unit") if hasattr(view, x)]
    view = view._replace(**{x: _share(getattr(view, x), cost) for x in money})
    oracle = getattr(view, "oracle", None)
    if not isinstance(oracle, OracleView):  # no oracle, as in `jaxbandits.live`
        return view
    oracle = oracle._replace(cheapest=_share(oracle.cheapest, cost))
    return view._replace(oracle=oracle)


def _share(amount: Array, largest: float) -> Array:
    """``amount / largest``, rounded once, so that the largest amount is exactly 1.

    XLA replaces division by a constant with its inverse, and 41 * (1 / 41) is below 1.
    """
    return amount / jnp.where(amount > 0, constant(largest), 1.0)


def make_problem(
    num_arms: int,
    lowest_cost: Numbers = 0.0,
    highest_cost: Numbers = 1.0,
    lowest_reward: Numbers = 0.0,
    highest_reward: Numbers = 1.0,
) -> Problem:
    """Check and build a `Problem` from ranges of costs and rewards, in any currency.

    Args:
      num_arms: K, at least 1.
      lowest_cost: a number, or one per arm.
      highest_cost: a number, or one per arm.
      lowest_reward: a number, or one per arm.
      highest_reward: a number, or one per arm.

    Raises:
      ValueError: unless ``0 <= lowest <= highest`` and ``0 < highest`` for costs and
        rewards, ``num_arms >= 1``, and every list has one number per arm.
      TypeError: if an argument is not a number.
    """
    num_arms = whole("num_arms", num_arms, 1, MOST)
    costs = _range("cost", lowest_cost, highest_cost, num_arms)
    rewards = _range("reward", lowest_reward, highest_reward, num_arms)
    return Problem(num_arms, *costs, *rewards)  # type: ignore[call-arg]


def _range(
    what: str, lowest: Numbers, highest: Numbers, num_arms: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    names = f"lowest_{what}", f"highest_{what}"
    non_negative(**{names[0]: lowest})
    positive(**{names[1]: highest})
    played(**dict(zip(names, (lowest, highest), strict=True)))
    low, high = (
        _per_arm(name, value, num_arms)
        for name, value in zip(names, (lowest, highest), strict=True)
    )
    if np.any(low > high):
        raise ValueError(
            f"{names[0]} and {names[1]} must satisfy lowest <= highest, got {lowest} "
            f"and {highest}"
        )
    return tuple(low.tolist()), tuple(high.tolist())


def _per_arm(name: str, value: Numbers, num_arms: int) -> np.ndarray:
    values = numbers(name, value)
    if values.shape not in ((), (num_arms,)):
        raise ValueError(
            f"{name} must be a number or one per arm ({num_arms}), got shape "
            f"{values.shape}"
        )
    return np.broadcast_to(values, num_arms)
