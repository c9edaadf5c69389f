"""The allocation setting: split a budget over arms.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback", sections 2 and 5. In a round with budget B the learner gives ``x_i`` to arm
i, ``sum x_i <= B``. The arm succeeds if it is active (probability p_i) and its
threshold ``X_i ~ G(., rate_i)`` is at most x_i; only then is the threshold observed.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.allocation.solving import is_concave, shape_array, solve
from jaxbandits.allocation.types import (
    Action,
    Allocation,
    Feedback,
    OracleView,
    Order,
    Plan,
    Problem,
    View,
)
from jaxbandits.arrays import Bound, CompensatedSum, below, bound, constant, position
from jaxbandits.checks.actions import reals
from jaxbandits.kernels.allocation import fill_in_order
from jaxbandits.laws.thresholds import rise
from jaxbandits.protocol import Actions, Game, Noise


class Arms(NamedTuple):
    """True probabilities and rates of the arms, f[K] each."""

    probability: Any
    rate: Any


class Users(NamedTuple):
    """Recorded rounds that replace draws.

    Attributes:
      threshold: f[N, K], threshold of every arm.
      active: bool[N, K], whether the arm is active.
    """

    threshold: Any
    active: Any


class Setup(NamedTuple):
    """The numbers behind an environment.

    Attributes:
      arms: parameters, or the numbers from which they are drawn.
      budgets: f[N]; every round has one of these budgets.
      best: f[N, K], optimal allocations; None if arms are drawn per seed.
      users: recorded rounds, or None.
      bound: bounds of the probabilities for fixed arms (see `arrays.words`).
    """

    arms: Any
    budgets: Any
    best: Any = None
    users: Users | None = None
    bound: Bound | None = None


class Instance(NamedTuple):
    """The instance of a seed: fields of `Setup`, and the order of budgets and users.

    Attributes:
      order: i32[N] if they are shuffled, i32[1] (the first) if drawn, None in a cycle.
    """

    arms: Arms
    budgets: Float[Array, " N"]
    best: Float[Array, "N K"]
    users: Users | None
    order: Int32[Array, " n"] | None
    bound: Bound


class State(NamedTuple):
    """The totals of a run.

    Attributes:
      round: i32[], rounds played with a valid action.
      regret: expected regret, eq. (3).
      successes: i32[], successes of the learner; in a cascade, rounds with a success.
      realised: i32[], regret in successes on the same draws, eq. (2).
      spent: share of the budget that was spent, summed over rounds.
      place: i32[], position of the next round's budget and user; None unless drawn.
    """

    round: Int32[Array, ""]
    regret: CompensatedSum
    successes: Int32[Array, ""]
    realised: Int32[Array, ""]
    spent: CompensatedSum
    place: Int32[Array, ""] | None = None


def words_of_arms(problem: Problem) -> int:
    """Number of words of noise that `drawn_arms` consumes."""
    return problem.num_arms * (2 + problem.family.words)


def drawn_arms(
    problem: Problem, noise: Noise, arms: Arms, limit: Bound
) -> tuple[Float[Array, " K"], Bool[Array, " K"]]:
    """Thresholds of a round, and which arms are active.

    Args:
      problem: what the learner knows about the game.
      noise: u32[`words_of_arms`].
      arms: true parameters.
      limit: bounds of the probabilities, for `below`.
    """
    family, shape = problem.family, shape_array(problem)
    noise = noise.reshape(problem.num_arms, 2 + family.words)
    active = below(noise[:, 0], noise[:, 1], limit)
    draw = jax.vmap(family.sample, (0, 0, None if shape is None else 0))
    return draw(noise[:, 2:], arms.rate, constant(shape)), active


@cache
def make_game(
    problem: Problem,
    draw: Callable[[Any, Any], Arms] | None,
    length: int,
    order: str,
    stop: bool,
) -> Game:
    """The game; instances that differ only in numbers share it.

    Args:
      problem: what the learner knows about the game.
      draw: ``(key, setup) -> Arms``; None for fixed arms.
      length: number of budgets (or users).
      order: as for `make_environment`.
      stop: `stop_on_success` of `make_environment`.
    """
    rounds = _Rounds(problem, draw, length, order, stop)
    known = "an Allocation of finite amounts, " if problem.known else ""
    return Game(
        rounds.init,
        rounds.step,
        _metrics,
        rounds.words + rounds.drawn,
        rounds.sample,
        rounds.view,
        actions=Actions(
            f"{known}a Plan of weights >= 0 and rates > 0, or an Order of arms in [0, "
            f"{problem.num_arms}) and a step > 0",
            rounds.allowed,
            lambda instance, record: record.round,
        ),
    )


class _Rounds:
    """The functions of a game; arguments as for `make_game`."""

    def __init__(
        self, problem: Problem, draw: Any, length: int, order: str, stop: bool
    ) -> None:
        self.problem, self.draw, self.length = problem, draw, length
        self.order, self.stop, self.drawn = order, stop, order == "draw"
        self.words = words_of_arms(problem)  # one more if budgets are drawn
        self.shape = shape_array(problem)  # a single array, hence a single constant

    def sample(self, key: Array, setup: Setup) -> Instance:
        if self.draw is None:
            arms, best = setup.arms, setup.best
        else:
            arms = self.draw(key, setup.arms)
            probability, rate = arms

            def best_of(budget):
                solution = solve(self.problem, probability, rate, budget, thorough=True)
                return solution.allocation

            best = jax.vmap(best_of)(setup.budgets)
        # For drawn arms, bounds are computed here once and not in every round.
        limit = setup.bound or bound(arms.probability)
        order = self.order_of(key)
        return Instance(arms, setup.budgets, best, setup.users, order, limit)

    def order_of(self, key: Array) -> Array | None:
        """The `Instance.order` of a seed."""
        if self.order == "cycle":
            return None
        # If arms are drawn, the order needs a key other than theirs.
        own = key if self.draw is None else jax.random.fold_in(key, 1)
        if self.drawn:
            return jax.random.randint(own, (1,), 0, self.length, jnp.int32)
        return jax.random.permutation(own, self.length).astype(jnp.int32)

    def init(self, instance: Instance) -> State:
        zero, count = CompensatedSum.zeros((), float), jnp.zeros((), jnp.int32)
        first = None
        if self.drawn:
            assert instance.order is not None
            first = instance.order[0]
        return State(count, zero, count, count, zero, first)

    def user(self, instance: Instance, state: State) -> Any:
        """Position of the round's user."""
        if self.drawn:  # the previous round drew it, so that the view can show it
            return state.place
        place = state.round % self.length
        return place if instance.order is None else instance.order[place]

    def budget_and_optimum(
        self, instance: Instance, state: State
    ) -> tuple[Array, Array]:
        """The round's budget and its optimal allocation."""
        if instance.budgets.shape[0] == 1:
            return instance.budgets[0], instance.best[0]
        place = self.user(instance, state)
        return instance.budgets[place], instance.best[place]

    def view(self, round_: Array, instance: Instance, state: State) -> View:
        budget, best = self.budget_and_optimum(instance, state)
        if not self.problem.known:
            budget = jnp.full_like(budget, self.problem.budget)
        return View(round_, budget, OracleView(best, *instance.arms))

    def amounts(self, action: Action, budget: Array, limit: Array | None) -> Array:
        """Amount of every arm; with `limit`, the amount that an arm keeps."""
        known = self.problem.known
        if isinstance(action, Plan):
            if not is_concave(self.problem):
                raise TypeError(
                    f"a Plan needs a concave family, got {self.problem.family.name}: "
                    "for other families a flow to the largest marginal value may end "
                    "far from the optimum"
                )
            return solve(self.problem, *action, budget, limit=limit).allocation
        if self.stop:
            raise TypeError(f"stop_on_success needs a Plan, got {type(action)}")
        if isinstance(action, Order):
            arms = self.problem.num_arms
            return fill_in_order(action.arms, arms, action.step, budget)
        if not isinstance(action, Allocation) or not known:
            raise TypeError(
                f"an action must be an {'Allocation, ' if known else ''}Order or Plan, "
                f"got {type(action).__name__}"
            )
        wanted = jnp.maximum(action.amounts, 0.0)
        total = jnp.sum(wanted)
        return wanted * jnp.minimum(1.0, budget / jnp.where(total > 0, total, 1.0))

    def offered(self, action: Plan, budget: Array, limit: Any) -> Array:
        """Amount of every arm if it alone did not stop. It does not depend on the arm's
        success, as likelihoods and expected rewards need."""
        arms = jnp.arange(self.problem.num_arms, dtype=jnp.int32)

        def to(arm):
            alone = arms == arm
            others = jnp.where(alone, jnp.inf, limit)
            result = solve(self.problem, *action, budget, limit=others).allocation
            return jnp.sum(jnp.where(alone, result, 0.0))

        return jax.vmap(to)(arms)

    def allowed(self, instance: Instance, action: Action) -> Array:
        num_arms = self.problem.num_arms
        if isinstance(action, Plan):
            weight = reals("weight", action.weight, (num_arms,))
            rate = reals("rate", action.rate, (num_arms,))
            return jnp.all((weight >= 0) & (rate > 0) & jnp.isfinite(weight + rate))
        if isinstance(action, Order):
            known = (action.arms >= 0) & (action.arms < num_arms)
            return jnp.all(known) & (reals("step", action.step, ()) > 0)
        if not isinstance(action, Allocation):
            return jnp.zeros((), bool)  # `amounts` raises an error for it
        wanted = reals("amounts", action.amounts, (num_arms,))
        return jnp.all(jnp.isfinite(wanted))

    def drawn_round(
        self, noise: Noise, instance: Instance, state: State
    ) -> tuple[Array, Array]:
        """Thresholds and activations of the round."""
        if instance.users is not None:
            place = self.user(instance, state)
            return instance.users.threshold[place], instance.users.active[place]
        arms = instance.arms, instance.bound
        return drawn_arms(self.problem, noise[: self.words], *arms)

    def expected_regret(self, x: Array, best: Array, arms: Arms) -> Array:
        """Expected regret, eq. (3), summed over arms: a small regret then loses no
        digits by cancellation."""
        (probability, rate), family = arms, self.problem.family
        if self.problem.cascade:
            chances = probability * family.cdf(x, rate, constant(self.shape))
            theirs = probability * family.cdf(best, rate, constant(self.shape))
            return jnp.prod(1 - chances) - jnp.prod(1 - theirs)
        ends = jnp.minimum(x, best), jnp.maximum(x, best)
        gap = rise(family, *ends, rate, constant(self.shape))
        return jnp.sum(probability * jnp.where(x < best, gap, -gap))

    def paid(self, success: Array) -> Array:
        if self.problem.cascade:
            return jnp.any(success).astype(jnp.int32)
        return jnp.sum(success, dtype=jnp.int32)

    def step(
        self, noise: Noise, instance: Instance, state: State, action: Any
    ) -> tuple[State, Feedback]:
        budget, best = self.budget_and_optimum(instance, state)
        threshold, active = self.drawn_round(noise, instance, state)
        limit = jnp.where(active, threshold, jnp.inf) if self.stop else None
        x = self.amounts(action, budget, limit)
        offer = self.offered(action, budget, limit) if self.stop else x
        success = active & (threshold <= x)
        would = active & (threshold <= best)
        played = self.allowed(instance, action)
        state = State(
            # A round with an invalid action does not count.
            state.round + played.astype(jnp.int32),
            state.regret.add(self.expected_regret(offer, best, instance.arms)),
            state.successes + self.paid(success),
            state.realised + self.paid(would) - self.paid(success),
            state.spent.add(jnp.sum(x) / budget),
            position(noise[self.words], self.length) if self.drawn else None,
        )
        return state, Feedback(jnp.where(success, threshold, jnp.inf), offer)


def _metrics(tables: Any, instance: Instance, record: State) -> dict[str, jax.Array]:
    return {
        "regret": record.regret.exact(),
        "realised_regret": record.realised.astype(float),
        "reward": record.successes.astype(float),
        "spent": record.spent.exact() / jnp.maximum(record.round, 1).astype(float),
    }
