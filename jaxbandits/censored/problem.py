"""The types that a policy and an environment of the censored setting exchange."""

from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits import checks
from jaxbandits.arrays.real import Reals
from jaxbandits.checks import Numbers, at_least_zero, kinds, no_nan, positive
from jaxbandits.checks.rounds import positions, within
from jaxbandits.laws.law import Cost, JointLaw, check_params, cost_of, exceeds

ANY = "any"  # allows every limit up to the largest, instead of a grid
LARGEST = float(np.finfo(np.float32).max)


class Action(NamedTuple):
    """A pair of an arm and a resource limit.

    Attributes:
      arm: i32[] in [0, K).
      limit: i32[] in [0, M), position in the problem's limits.
    """

    arm: Int32[Array, ""]
    limit: Int32[Array, ""]


class RealAction(NamedTuple):
    """A pair of an arm and a limit from a continuum.

    Attributes:
      arm: i32[] in [0, K).
      limit: f32[] in (0, max_limit].
    """

    arm: Int32[Array, ""]
    limit: Float[Array, ""]


class SuperArm(NamedTuple):
    """The arms of a round, with their limits.

    Attributes:
      arm: i32[m], different arms in [0, K).
      limit: i32[m] in [0, M), positions in the problem's limits.
    """

    arm: Int32[Array, " m"]
    limit: Int32[Array, " m"]

    def pair(self, place: int) -> Action:
        """The arm at a place, and its limit."""
        return Action(self.arm[place], self.limit[place])


class Duel(NamedTuple):
    """The two pairs of a round; they may be equal.

    Attributes:
      arm: i32[2] in [0, K).
      limit: i32[2] in [0, M), positions in the problem's limits.
    """

    arm: Int32[Array, "2"]
    limit: Int32[Array, "2"]

    def pair(self, place: int) -> Action:
        """The arm at a place, and its limit."""
        return Action(self.arm[place], self.limit[place])


class Feedback(NamedTuple):
    """What a learner observes in a round, eq. (1).

    Attributes:
      reward: f32[], the reward R; 0 if censored.
      consumption: f32[], the consumption C; +inf if censored.
      censored: bool[], whether the consumption exceeded the limit.
    """

    reward: Float[Array, ""]
    consumption: Float[Array, ""]
    censored: Bool[Array, ""]


class SemiBanditFeedback(NamedTuple):
    """Feedback, eq. (1), of every arm of a super arm, in the same order.

    Attributes:
      reward: f32[m], 0 where censored.
      consumption: f32[m], +inf where censored.
      censored: bool[m].
    """

    reward: Float[Array, " m"]
    consumption: Float[Array, " m"]
    censored: Bool[Array, " m"]

    def at(self, place: int) -> Feedback:
        """Feedback of the arm at a place."""
        return Feedback(*(leaf[place] for leaf in self))


class ConsumptionFeedback(NamedTuple):
    """Feedback, eq. (1), of a run whose reward is not observed.

    Attributes:
      consumption: f32[], the consumption C; +inf if censored.
      censored: bool[], whether the consumption exceeded the limit.
    """

    consumption: Float[Array, ""]
    censored: Bool[Array, ""]


class DuelFeedback(NamedTuple):
    """Which of two runs is preferred, and the consumption of both.

    Attributes:
      first_preferred: bool[], a Bernoulli variable with probability
        ``(1 + R_1 - R_2) / 2``, where R is 0 if censored.
      consumption: f32[2], +inf where censored.
      censored: bool[2].
    """

    first_preferred: Bool[Array, ""]
    consumption: Float[Array, "2"]
    censored: Bool[Array, "2"]

    def at(self, place: int) -> ConsumptionFeedback:
        """Consumption and censoring of the run at a place."""
        return ConsumptionFeedback(self.consumption[place], self.censored[place])


@kinds
def censor(
    reward: Annotated[Reals, no_nan],
    consumption: Annotated[Reals, at_least_zero],
    limit: Annotated[Reals, positive],
) -> Feedback:
    """The feedback of a round, eq. (1); arguments are f32[], or arrays of equal shape.

    Consumption and limit are in the units of the problem's limits.

    Raises:
      TypeError, ValueError: if an argument is not a number or is out of range.
    """
    reward, consumption, limit = (
        np.asarray(x) if isinstance(x, list) else x
        for x in (reward, consumption, limit)
    )
    checks.together(reward=reward, consumption=consumption, limit=limit)
    censored = exceeds(consumption, limit)
    return Feedback(
        jnp.where(censored, 0.0, reward),
        jnp.where(censored, jnp.inf, consumption),
        censored,
    )


class Problem(NamedTuple):
    """What a learner knows about the game. Hashable: policies are built from it.

    Attributes:
      num_arms: K.
      limits: the M admissible resource limits, increasing.
      cost: c, maps an array of consumptions to costs on the reward's scale.
      penalty: lambda, maps an array of limits to penalties >= 0.
      max_limit: tau_max, the largest admissible consumption limit; at least the largest
        entry of `limits` (the grid need not contain it).
      sigma: rewards are means in [0, 1] plus sigma-sub-Gaussian noise (footnote 1); 0
        if rewards lie in [0, 1].
    """

    num_arms: int
    limits: tuple[float, ...]
    cost: Cost
    penalty: Cost
    max_limit: float = 1.0
    sigma: float = 0.0

    @property
    def num_limits(self) -> int:
        """M."""
        return len(self.limits)

    @property
    def num_pairs(self) -> int:
        """K M."""
        return self.num_arms * self.num_limits

    @property
    def other_games(self) -> str:
        """Hint for errors: where problems of the setting's other games come from."""
        return (
            "; instances with limits=ANY have a Continuum, censored.combinatorial and "
            "censored.duels make the other games"
        )

    def penalties(self) -> np.ndarray:
        """lambda at every limit, f64[M], computed on the host."""
        return penalty_at(self, self.limits)

    @property
    def max_penalty(self) -> float:
        """lambda(tau_max), the scale of the reductions in E.1 of the paper."""
        return float(penalty_at(self, [self.max_limit])[0])

    @property
    def max_cost(self) -> float:
        """c(tau_max)."""
        return float(cost_of(self.cost, np.array([self.max_limit]))[0])

    @property
    def max_charge(self) -> float:
        """Largest cost or penalty of a round; values of rounds are at least its
        negative. It is `max_penalty` if no cost exceeds the largest penalty."""
        return max(self.max_penalty, self.max_cost)

    def check(self) -> None:
        """Require fields as `make_problem` wants them."""
        make_problem(*self[:5], sigma=self.sigma)

    def check_action(self, view: Any, action: Any) -> None:
        """Require an arm and a limit that exist, or arrays of them."""
        positions("action.arm", action.arm, self.num_arms)
        positions("action.limit", action.limit, self.num_limits)

    def check_feedback(self, view: Any, action: Any, feedback: Feedback) -> None:
        """Require what eq. (1) allows of a run, or of several."""
        _check_runs(feedback, np.asarray(self.limits)[action.limit], self.sigma)


class Continuum(NamedTuple):
    """What a learner knows if every limit in (0, max_limit] may be chosen.

    Section 4 of the paper. Hashable: policies are built from it.

    Attributes:
      num_arms: K.
      cost: c, maps an array of consumptions to costs on the reward's scale.
      penalty: lambda, maps an array of limits to penalties >= 0.
      max_limit: tau_max.
      sigma: as of `Problem`.
    """

    num_arms: int
    cost: Cost
    penalty: Cost
    max_limit: float = 1.0
    sigma: float = 0.0

    @property
    def other_games(self) -> str:
        """Hint for errors: how to play a policy for a grid of limits."""
        return (
            "; it has no grid of limits: on_grid(problem, limits, make) lets policies "
            "choose from one"
        )

    @property
    def max_penalty(self) -> float:
        """lambda(tau_max)."""
        return float(penalty_at(self, [self.max_limit])[0])

    @property
    def max_charge(self) -> float:
        """As of `Problem`."""
        cost = cost_of(self.cost, np.array([self.max_limit]))[0]
        return max(self.max_penalty, float(cost))

    def check(self) -> None:
        """Require fields as `make_continuum` wants them."""
        make_continuum(*self[:4], sigma=self.sigma)

    def check_action(self, view: Any, action: Any) -> None:
        """Require an arm that exists, and a limit in (0, max_limit]."""
        positions("action.arm", action.arm, self.num_arms)
        if not action.limit > 0 or exceeds(action.limit, self.max_limit):
            raise ValueError(
                f"action.limit must be in (0, {self.max_limit:g}], got {action.limit}"
            )

    def check_feedback(self, view: Any, action: Any, feedback: Feedback) -> None:
        """Require what eq. (1) allows of a run."""
        _check_runs(feedback, action.limit, self.sigma)


class Combinatorial(NamedTuple):
    """What a learner knows if `size` arms run in a round. Hashable.

    Attributes:
      num_arms, limits, cost, penalty, max_limit, sigma: as in `Problem`.
      size: m, the number of arms in a round.
    """

    num_arms: int
    limits: tuple[float, ...]
    cost: Cost
    penalty: Cost
    max_limit: float
    sigma: float
    size: int

    @property
    def num_limits(self) -> int:
        """M."""
        return len(self.limits)

    @property
    def pairs(self) -> Problem:
        """The same arms and limits, where one arm runs in a round."""
        return Problem(*self[:-1])

    def check(self) -> None:
        """Require fields as of `Problem`, and a size in 1..num_arms."""
        self.pairs.check()
        checks.whole("size", self.size, 1, self.num_arms)

    def check_action(self, view: Any, action: Any) -> None:
        """Require different arms, and limits that exist."""
        self.pairs.check_action(view, action)
        if len(np.unique(action.arm)) < self.size:
            raise ValueError(
                f"action.arm must hold {self.size} different arms, got {action.arm}"
            )

    def check_feedback(
        self, view: Any, action: Any, feedback: SemiBanditFeedback
    ) -> None:
        """Require what eq. (1) allows of every arm of the round."""
        _check_runs(feedback, np.asarray(self.limits)[action.limit], self.sigma)


class Dueling(NamedTuple):
    """What a learner knows if a round is a duel of two pairs. Hashable.

    Attributes:
      num_arms, limits, cost, penalty, max_limit, sigma: as in `Problem`; sigma is 0.
    """

    num_arms: int
    limits: tuple[float, ...]
    cost: Cost
    penalty: Cost
    max_limit: float
    sigma: float

    @property
    def num_limits(self) -> int:
        """M."""
        return len(self.limits)

    @property
    def pairs(self) -> Problem:
        """The same arms and limits, where one arm runs in a round."""
        return Problem(*self)

    def check(self) -> None:
        """Require fields as of `Problem`, and rewards without noise."""
        self.pairs.check()
        check_bounded(self.pairs, "a duel")

    def check_action(self, view: Any, action: Any) -> None:
        """Require two arms and two limits that exist."""
        self.pairs.check_action(view, action)

    def check_feedback(self, view: Any, action: Any, feedback: DuelFeedback) -> None:
        """Require what eq. (1) allows of both runs, whose rewards are not observed."""
        _check_runs(feedback, np.asarray(self.limits)[action.limit], self.sigma)


def _check_runs(feedback: Any, limit: Any, sigma: float) -> None:
    """Require feedback that eq. (1) allows for runs with these limits, [...]."""
    reward = getattr(feedback, "reward", np.zeros(()))  # a duel has none
    consumption, censored = feedback.consumption, feedback.censored
    if np.any(censored & ((reward != 0) | (consumption != np.inf))):
        raise ValueError(
            "feedback of a censored round must have reward 0 and consumption inf (see "
            f"jaxbandits.censored.censor), got {feedback}"
        )
    least, most = (0.0, 1.0) if sigma == 0 else (-LARGEST, LARGEST)
    within("feedback.reward", reward, least, most)
    wrong = ~censored & ((consumption < 0) | exceeds(consumption, limit))
    for most, amount in zip(limit[wrong], consumption[wrong], strict=True):
        raise ValueError(
            f"feedback.consumption must be in [0, {most:g}], the limit, or the round "
            f"censored, got {amount:g}"
        )


def penalty_at(problem: Problem | Continuum, limits: Numbers) -> np.ndarray:
    """lambda at limits ``[n]``, f64[n], on the host; it agrees with the game at jumps.

    Values are computed in float64. Near a jump of lambda, the side on which the limit
    lies in float32 decides, as in `penalty_in_play`.
    """
    limits = np.asarray(limits, np.float64)
    exact = cost_of(problem.penalty, limits)
    single = np.asarray(problem.penalty(limits.astype(np.float32)), np.float64)
    return np.where(np.isclose(single, exact, rtol=1e-4, atol=1e-6), exact, single)


def penalty_in_play(problem: Problem | Continuum, limits: Array) -> jax.Array:
    """`penalty_at` for limits f32[...] or f64[...] inside a game."""
    exact = problem.penalty(limits)
    if limits.dtype == jnp.float32:
        return exact
    single = problem.penalty(limits.astype(jnp.float32)).astype(limits.dtype)
    return jnp.where(jnp.isclose(single, exact, rtol=1e-4, atol=1e-6), exact, single)


def make_problem(
    num_arms: int,
    limits: Numbers,
    cost: Cost,
    penalty: Cost,
    max_limit: float = 1.0,
    *,
    sigma: float = 0.0,
) -> Problem:
    """Check and build a `Problem`.

    Raises:
      ValueError: if `num_arms` < 1, `limits` is empty, not strictly increasing (in the
        precision of play) or outside (0, max_limit], if `cost` or `penalty`, evaluated
        at the limits and 1,000 other points, return values that are not finite,
        negative, decreasing, or of another shape, or if `sigma` is negative or not
        finite.
      TypeError: if an argument has the wrong type.
    """
    num_arms, max_limit, sigma = _size(num_arms, max_limit, sigma)
    grid = _check_limits(limits, max_limit)
    _check_functions(cost, penalty, np.union1d(grid, _spread(max_limit)))
    return Problem(num_arms, tuple(grid.tolist()), cost, penalty, max_limit, sigma)


def _check_limits(limits: Numbers, max_limit: float) -> np.ndarray:
    """A grid of limits, f64[M]; raises the errors of `make_problem`."""
    grid = checks.numbers("limits", limits, 1)
    if grid.size == 0:
        raise ValueError("limits must be a non-empty list of numbers")
    if not np.all((grid > 0) & (grid <= max_limit)):
        raise ValueError(
            f"limits must be in (0, {max_limit}], got {checks.shown(limits)}"
        )
    checks.played(limits=grid)
    if not np.all(np.diff(grid.astype(checks.precision())) > 0):
        raise ValueError(
            f"limits must be strictly increasing, also in {checks.precision()}, got "
            f"{checks.shown(limits)}"
        )
    return grid


def check_arms(problem: Problem | Continuum, law: JointLaw, arms: Any) -> None:
    """Require valid parameters of a law, with a row per arm of the problem.

    Raises:
      ValueError, TypeError: if `arms` or a parameter is wrong.
    """
    checks.check_setup("arms", arms, optional=True)
    for leaf in law.rows(arms):
        if np.ndim(leaf) == 0 or np.shape(leaf)[0] != problem.num_arms:
            raise ValueError(
                f"arms must have num_arms = {problem.num_arms} rows in every leaf, "
                f"got a leaf of shape {np.shape(leaf)}"
            )
    check_params(law, arms)


def make_continuum(
    num_arms: int,
    cost: Cost,
    penalty: Cost,
    max_limit: float = 1.0,
    *,
    sigma: float = 0.0,
) -> Continuum:
    """Check and build a `Continuum`.

    Raises:
      ValueError: if `num_arms` < 1, `max_limit` is not positive and finite, if `cost`
        or `penalty`, evaluated at 1,000 points, return values that are not finite,
        negative, decreasing, or of another shape, or if `sigma` is negative or not
        finite.
      TypeError: if an argument has the wrong type.
    """
    num_arms, max_limit, sigma = _size(num_arms, max_limit, sigma)
    _check_functions(cost, penalty, _spread(max_limit))
    return Continuum(num_arms, cost, penalty, max_limit, sigma)


@checks.kinds
def check_bounded(problem: Problem | Continuum, policy: str) -> None:
    """Require rewards in [0, 1], for a policy that assumes them.

    Raises:
      ValueError: if `problem.sigma` is positive.
    """
    if problem.sigma > 0:
        raise ValueError(
            f"problem: {policy} needs rewards in [0, 1], but these have noise with "
            f"sigma = {problem.sigma:g}; use rcucb or z_rcucb for such rewards"
        )


def _size(num_arms: int, max_limit: float, sigma: float) -> tuple[int, float, float]:
    num_arms = checks.whole("num_arms", num_arms, 1, checks.MOST)
    checks.positive(max_limit=max_limit)
    checks.non_negative(sigma=sigma)
    checks.played(max_limit=max_limit, sigma=sigma)
    return (
        num_arms,
        checks.number("max_limit", max_limit),
        checks.number("sigma", sigma),
    )


def _spread(max_limit: float) -> np.ndarray:
    """Points at which functions of a consumption are checked, f64[1000]."""
    return max_limit * np.arange(1, 1001) / 1000


def _check_functions(cost: Cost, penalty: Cost, points: np.ndarray) -> None:
    for name, value in (("cost", cost), ("penalty", penalty)):
        _check_monotone(name, checks.function(name, value), points)
    _check_cost(cost, points)


def _check_monotone(name: str, curve: Cost, points: np.ndarray) -> None:
    """Require that `curve` maps increasing `points` to finite, non-decreasing values
    >= 0."""
    try:
        with jax.enable_x64(True):
            values, again = curve(points), curve(points)
    except Exception as error:
        raise ValueError(
            f"{name} must map an array of {points.size} numbers to numbers, but fails: "
            f"{type(error).__name__}: {error}"
        ) from error
    values = checks.numbers(f"what {name} returns", values)
    checks.played(**{f"what {name} returns": values})
    if values.shape != points.shape:
        raise ValueError(
            f"{name} must map an array of shape {points.shape} to the same shape, "
            f"got {values.shape}"
        )
    if not np.array_equal(values, np.asarray(again), equal_nan=True):
        raise ValueError(
            f"{name} must depend on its argument alone, but two calls differ"
        )
    for place in np.flatnonzero(~np.isfinite(values) | (values < 0))[:1]:
        raise ValueError(
            f"{name} must be finite and >= 0, got {values[place]:g} at "
            f"{points[place]:g}"
        )
    for place in np.flatnonzero(np.diff(values) < 0)[:1]:
        raise ValueError(
            f"{name} must not decrease, got {values[place + 1]:g} at "
            f"{points[place + 1]:g} after {values[place]:g} at {points[place]:g}"
        )


def _check_cost(cost: Cost, points: np.ndarray) -> None:
    """Require a cost function that can be traced (games) and keeps float64 (oracle)."""
    with jax.enable_x64(True):
        dtype = getattr(cost(points), "dtype", None)
    if dtype in (np.float32, np.float16, jnp.bfloat16):
        raise ValueError(
            f"cost must return float64 for float64, as exact values need it, but "
            f"returns {dtype}: remove casts, and use NumPy or Python constants"
        )
    given = jax.ShapeDtypeStruct(points.shape, checks.precision())
    try:
        # Wrapped in a Python function: JAX crashes on NumPy functions.
        shape = jax.eval_shape(lambda x: cost(x), given).shape
    except Exception as error:
        raise ValueError(
            "cost must also map an array that JAX traces, as in a game, but fails "
            f"({type(error).__name__}): write it with operators or with jax.numpy, and "
            "return an array"
        ) from error
    if shape != points.shape:
        raise ValueError(
            f"cost must map an array of shape {points.shape} to the same shape, got "
            f"{shape}"
        )
