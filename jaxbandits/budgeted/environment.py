"""The budgeted setting: pull an arm, receive a reward, pay a random cost.

Heyden et al. (2024), section 2: the game ends when the sum of realised costs reaches
the budget; the pull that reaches it counts in full. The benchmark of the regret always
pulls the arm with the largest ratio of expected reward to expected cost.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, row, tally
from jaxbandits.budgeted.problem import (
    Feedback,
    OracleView,
    Problem,
    View,
    make_problem,
)
from jaxbandits.checks import (
    Numbers,
    check_setup,
    facts,
    function,
    in_unit_interval,
    instance,
    kinds,
    named,
    number,
    one_of,
    played,
    positive,
    shown,
    text,
)
from jaxbandits.checks.actions import in_range
from jaxbandits.checks.instances import asked_about, check_draw, drawn_rows, of_draw
from jaxbandits.kernels.counts import total, weighted
from jaxbandits.laws.law import (
    JointLaw,
    check_params,
    exact_params,
    exceeds,
    num_arms_of,
)
from jaxbandits.protocol import Actions, Environment, Game, as_given

UNITS = ("cheapest", "money")
# Least expected cost of an arm, in money; with a smaller one, a budget of 1 could last
# for more rounds than int32 can count.
LEAST_COST = 2.0**-31


class Arms(NamedTuple):
    """Arms of an instance, drawn or fixed.

    Attributes:
      law: parameters of the joint law, leaves ``[K, ...]``.
      num_arms: i32[], how many of the K arms exist; the others are never played.
      group: i32[], which of several groups of arms was drawn; 0 if there is only one.
    """

    law: Any
    num_arms: Any
    group: Any = np.int32(0)


class Phases(NamedTuple):
    """Arms of an instance, phase by phase.

    Attributes:
      law: parameters of the joint law, leaves ``[P * K, ...]``.
      ends: f32[P - 1], the money spent, in units, at which each phase except the last
        ends.
    """

    law: Any
    ends: Any


class Instance(NamedTuple):
    """`Arms`, or `Phases`, and what follows from them; the oracle's view by phase."""

    arms: Any
    unit: Float[Array, ""]
    oracle: OracleView


class State(NamedTuple):
    """The totals of a run.

    Attributes:
      pulls: i32[K], pulls of every arm; with phases i32[P, K].
      reward: f32[], sum of all rewards.
      spent: f32[], sum of all costs.
    """

    pulls: Int32[Array, "*phases K"]
    reward: CompensatedSum
    spent: CompensatedSum


class Tables(NamedTuple):
    """What the metrics need; zeros for arms that do not exist.

    Attributes:
      loss: expected cost times gap, f64[K]; with phases f64[P, K], as the next two.
      cost: expected cost, f64[K].
      best: 1 where an arm is best, else 0, f64[K].
      unit: money in a unit of the budget, f64[].
      worth: worth of a reward of 1, f64[].
    """

    loss: Any
    cost: Any
    best: Any
    unit: Any
    worth: Any


class Oracle(NamedTuple):
    """Exact facts about instances, float64; arms that do not exist have NaN.

    With phases, fields are ``[..., P, K]`` and `best` is ``[..., P]``.

    Attributes:
      mean_reward, mean_cost: expected reward and expected cost, f64[..., K].
      ratios: expected reward over expected cost, f64[..., K].
      gaps: Delta, section 2, f64[..., K].
      best: i64[...], position of the (first) best arm.
    """

    mean_reward: np.ndarray
    mean_cost: np.ndarray
    ratios: np.ndarray
    gaps: np.ndarray
    best: np.ndarray


def random_environment(
    name: str,
    law: JointLaw,
    draw: Callable[[Any, Any], Arms],
    setup: Any,
    num_arms: int,
    *,
    unit: str | float = "cheapest",
    worth: float = 1.0,
    cost_range: Sequence[Numbers] = (0.0, 1.0),
    reward_range: Sequence[Numbers] = (0.0, 1.0),
    provenance: dict[str, Any] | None = None,
) -> Environment[Any, Any, Array]:
    """An environment whose instances are drawn anew for every seed.

    Args:
      name: name of the family of instances.
      law: joint law of reward and cost.
      draw: traced, ``(key, setup) -> Arms``; a module-level function, so that equal
        calls compile once.
      setup: pytree of numbers or truth values for `draw`.
      num_arms: K, the largest number of arms.
      unit: the unit of `simulate`'s budget: ``cheapest``, the smallest expected cost of
        the instance (the paper's budget is 1.5e5 of these); ``money``, a cost of 1; or
        a number > 0, the cost that is one unit. Example: 1/0.8 if budgets are in
        dollars and a cost of 1 stands for 0.8 dollars.
      worth: worth of a reward of 1 in the user's money, the unit of regret and reward.
      cost_range: the costs' range that a learner knows, ``(lowest, highest)`` within
        [0, 1], numbers or one per arm: [m, M] of Theorem 1. All costs must lie in it;
        `jaxbandits.testing.check_environment` checks this.
      reward_range: the rewards' range, likewise.
      provenance: further facts for the results.

    Returns:
      An environment whose record is its `State` and whose metrics are

      * ``regret``: pseudo-regret, section 2, exact from counts;
      * ``optimal``: share of pulls of a best arm;
      * ``reward``: realised rewards;
      * ``spent`` and ``expected_spent``: realised and expected costs, in units.

    Raises:
      TypeError: if an argument has the wrong type.
      ValueError: if `law` has no means, `unit` is unknown, `worth` is not positive, or
        a range is not valid.
    """
    text("name", name)
    facts("provenance", provenance)
    _check_law(law)
    function("draw", draw)
    check_setup("setup", setup, optional=True)
    unit = _amount("unit", unit, UNITS)
    worth = _amount("worth", worth)
    ends = *_ends("cost_range", cost_range), *_ends("reward_range", reward_range)
    with named("cost_range, reward_range"):
        problem = make_problem(num_arms, *ends)
    if draw is not as_given:
        _check_draw(name, law, draw, setup, num_arms)
    return Environment(
        name,
        game_of(law, draw, problem, unit),
        setup=setup,
        tables=partial(
            tables_of, None if draw is as_given else name, law, worth, problem
        ),
        oracle=oracle_about(name, law, draw, setup),
        problem=problem,
        provenance={
            "setting": "budgeted",
            "law": law.name,
            "num_arms": num_arms,
            "unit": unit,
            "worth": worth,
        }
        | (provenance or {}),
    )


def _check_law(law: JointLaw) -> None:
    """Require rewards in [0, 1], and the means that regret is made of."""
    instance("law", law, JointLaw, "of jaxbandits.laws, as product(bernoulli, beta)")
    if law.means is None or law.highest is None:
        raise ValueError(f"law: {law.name} has no exact means, which regret needs")
    if law.sigma is not None:
        raise ValueError(f"law: the rewards of {law.name} do not lie in [0, 1]")


def _amount(name: str, value: Any, words: tuple[str, ...] = ()) -> Any:
    """A positive number that can be played, or a word."""
    if words and isinstance(value, str):
        return one_of(name, value, words)
    positive(**{name: value})
    played(**{name: value})
    return number(name, value)


def _check_draw(
    name: str, law: JointLaw, draw: Callable[[Any, Any], Arms], setup: Any, count: int
) -> None:
    """Require that `draw` returns `Arms` with the law's parameters of `count` arms."""

    def used(key: Any, setup: Any) -> Arms:
        arms = draw(key, setup)
        if isinstance(arms, Arms):
            law.means(arms.law)  # type: ignore[misc]
        return arms

    arms = check_draw(name, used, setup, Arms)
    with of_draw(name):
        for field in ("num_arms", "group"):
            jax.eval_shape(partial(in_range, field, size=1), getattr(arms, field))
        shapes = [np.shape(leaf) for leaf in law.rows(arms.law)]
        if any(shape[:1] != (count,) for shape in shapes):
            raise ValueError(
                f"law must have {count} rows, one per arm (num_arms), got shapes "
                f"{', '.join(str(list(shape)) for shape in shapes)}"
            )


def _ends(name: str, value: Sequence[Numbers]) -> Sequence[Numbers]:
    """The two ends of a range."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{name} must be a pair (lowest, highest), got {shown(value)}")
    for end in value:
        in_unit_interval(**{name: end})
    return value


def make_environment(
    name: str,
    law: JointLaw,
    params: Any,
    *,
    unit: str | float = "money",
    worth: float = 1.0,
    cost_range: Sequence[Numbers] = (0.0, 1.0),
    reward_range: Sequence[Numbers] = (0.0, 1.0),
) -> Environment[Any, Any, Array]:
    """An environment with one instance for all seeds.

    Args:
      name: name of the instance.
      law: joint law of reward and cost.
      params: parameters of the law, leaves ``[K, ...]``.
      unit, worth, cost_range, reward_range: as for `random_environment`.

    Raises:
      ValueError: if a parameter is out of the law's range, a cost can exceed 1, costs
        or rewards can leave their range, an expected cost is below `LEAST_COST`, or the
        leaves differ in their number of rows.
      TypeError: if an argument has the wrong type.
    """
    instance("law", law, JointLaw, "of jaxbandits.laws, as product(bernoulli, beta)")
    check_setup("params", params, optional=True)
    num_arms = num_arms_of(law, params)
    _check_arms(law, params)
    params = exact_params(law, params)
    arms = Arms(params, np.int32(num_arms))
    made = random_environment(
        name,
        law,
        as_given,
        arms,
        num_arms,
        unit=unit,
        worth=worth,
        cost_range=cost_range,
        reward_range=reward_range,
    )
    _check_ranges(law, params, made.problem.ranges)
    return made


def _check_arms(law: JointLaw, params: Any) -> None:
    """Require valid parameters, costs up to 1 and expected costs above 0."""
    check_params(law, params)
    if law.highest is not None and np.any(np.asarray(law.highest(params)) > 1):
        most = float(np.max(law.highest(params)))
        if math.isinf(most):
            raise ValueError(
                "params: costs must be in [0, 1], but have no largest value: take a "
                "law of bounded consumptions (laws.clipped_lognormal, laws.beta, ...)"
            )
        raise ValueError(
            f"params: costs must be in [0, 1], but reach {most:g}: divide them by "
            f"{most:g} and give unit=1 / {most:g} (and worth= for rewards); "
            "datasets.from_table of the studies does so for records"
        )
    if law.means is not None and not np.all(law.means(params)[1] >= LEAST_COST):
        raise ValueError(
            f"params: every expected cost must be positive, and at least {LEAST_COST}, "
            f"got {shown(law.means(params)[1])}"
        )


def _check_ranges(law: JointLaw, params: Any, ranges: Mapping[str, Any]) -> None:
    """Require that all rewards and costs lie in the ranges that learners know."""
    if law.supports is None:
        return
    for (name, (low, high)), (least, most) in zip(
        ranges.items(), law.supports(params), strict=True
    ):
        if np.any(exceeds(np.asarray(low), np.asarray(least))) or np.any(
            exceeds(np.asarray(most), np.asarray(high))
        ):
            raise ValueError(
                f"{name}_range must hold all that the law can give, "
                f"{np.min(least):g} to {np.max(most):g}, got {np.min(low):g} to "
                f"{np.max(high):g}"
            )


@kinds
def exact_oracle(law: JointLaw, arms: Arms | Phases) -> Oracle:
    """The oracle of arms.

    Args:
      law: with exact means, as of `make_environment`.
      arms: of one instance; or of several seeds, whose axis is the first of every leaf.

    Raises:
      ValueError: if a parameter of an arm that exists is out of its range, an expected
        cost is not positive, or `arms.num_arms` is not in [1, K].
      TypeError: if an argument has the wrong type.
    """
    _check_law(law)
    check_setup("arms", arms, optional=True)
    _check_existing(law, arms)
    return _exact_oracle(law, arms)


def _check_existing(law: JointLaw, arms: Arms | Phases) -> None:
    """Require a number of arms in [1, K], and valid parameters of these."""
    # All arms of phases exist; their ends are f32[P - 1].
    has = None if isinstance(arms, Phases) else np.asarray(arms.num_arms)
    axis = np.ndim(arms[1]) - (has is None)
    leaves = jax.tree.leaves(arms.law) if axis else law.rows(arms.law)
    rows = {np.shape(leaf)[axis : axis + 1] for leaf in leaves}
    if len(rows) != 1 or rows == {()}:
        raise ValueError("arms: law must have one row per arm in every leaf")
    ((most,),) = rows
    count = np.asarray(most) if has is None else has
    if count.dtype.kind not in "iu" or np.any((count < 1) | (count > most)):
        raise ValueError(f"num_arms must be an integer in [1, {most}], got {count}")
    if not axis and count == most:  # of recorded runs, arms have unequal numbers
        _check_arms(law, arms.law)
    else:
        params = arms.law if axis else jax.tree.map(lambda x: x[None], arms.law)
        _check_arms(law, drawn_rows(params, np.atleast_1d(count)))


def _exact_oracle(law: JointLaw, arms: Arms | Phases) -> Oracle:
    arms = jax.tree.map(_double, arms)
    reward, cost = np.broadcast_arrays(*law.means(arms.law))  # type: ignore[misc]
    if isinstance(arms, Phases):
        phases = arms.ends.shape[-1] + 1
        reward, cost = (x.reshape(*x.shape[:-1], phases, -1) for x in (reward, cost))
    else:
        exists = np.arange(cost.shape[-1]) < arms.num_arms[..., None]
        reward, cost = (np.where(exists, x, np.nan) for x in (reward, cost))
    ratios = reward / cost
    value = np.nanmax(ratios, axis=-1, keepdims=True)
    best = np.nanargmax(ratios, axis=-1)
    return Oracle(reward, cost, ratios, value - ratios, best)


def _double(x: Any) -> np.ndarray:
    return np.asarray(x, np.float64 if np.asarray(x).dtype.kind == "f" else None)


def oracle_about(
    name: str, law: JointLaw, draw: Callable[[Any, Any], Any], setup: Any
) -> Callable[..., Oracle]:
    """`Environment.oracle` of an environment with this name."""
    fixed = setup if draw is as_given else None

    def oracle(instance: Any = None) -> Oracle:
        return _exact_oracle(law, asked_about(name, instance, Instance, fixed))

    return oracle


@cache
def game_of(
    law: JointLaw,
    draw: Callable[[Any, Any], Any],
    problem: Problem,
    unit: str | float,
    phases: int | None = None,
) -> Game:
    """The game; environments that differ only in numbers share it.

    Args:
      law: joint law of reward and cost.
      draw: ``(key, setup) -> Arms``, or ``Phases`` if there are any.
      problem: its number of arms is used.
      unit: as for `random_environment`.
      phases: P, the number of phases; None if arms do not change.
    """
    num_arms = problem.num_arms
    positions = np.arange(num_arms, dtype=np.int32)

    def sample(key, setup):
        arms = draw(key, setup)
        if phases is None:
            arms = arms._replace(group=jnp.asarray(arms.group, jnp.int32))
        reward, cost = law.means(arms.law)  # type: ignore[misc]
        if phases is None:
            exists = positions < arms.num_arms
            cheapest = jnp.min(jnp.where(exists, cost, jnp.inf))
            best = first_argmax(jnp.where(exists, reward / cost, -1.0))
            money = cheapest
        else:
            reward, cost = (x.reshape(phases, num_arms) for x in (reward, cost))
            cheapest = jnp.min(cost, axis=-1)
            best = jax.vmap(first_argmax)(reward / cost)  # type: ignore[arg-type]
            money = jnp.min(cheapest)
        if unit != "cheapest":
            money = jnp.full_like(money, 1.0 if unit == "money" else float(unit))
        return Instance(arms, money, OracleView(cheapest, best))

    def init(instance):
        shape = (num_arms,) if phases is None else (phases, num_arms)
        nothing = CompensatedSum.zeros((), float)
        return State(jnp.zeros(shape, jnp.int32), nothing, nothing)

    def phase_of(instance, state):
        if phases == 1:
            return jnp.int32(0)
        ended = state.spent.total / instance.unit >= instance.arms.ends
        return jnp.sum(ended.astype(jnp.int32), dtype=jnp.int32)

    def existing(instance):
        return instance.arms.num_arms if phases is None else jnp.int32(num_arms)

    def view(round_, instance, state):
        oracle = instance.oracle
        if phases is not None:
            oracle = row(oracle, phase_of(instance, state))
        spent = state.spent.total
        return View(round_, existing(instance), spent, instance.unit, oracle)

    def step(noise, instance, state, action):
        place, position = (action,), action
        if phases is not None:
            phase = phase_of(instance, state)
            place, position = (phase, action), phase * num_arms + action
        reward, cost = law.sample(noise, instance.arms.law, position)
        state = State(
            tally(state.pulls, *place),
            state.reward.add(reward),
            state.spent.add(cost),
        )
        return state, Feedback(reward, cost)

    def allowed(instance, action):
        return in_range("arm", action, existing(instance))

    def counted(instance, record):
        return jnp.sum(jnp.where(positions < existing(instance), record.pulls, 0))

    return Game(
        init,
        step,
        metrics,
        law.words,
        sample,
        view,
        spent=lambda instance, state: state.spent.total / instance.unit,
        actions=Actions(
            f"an arm in [0, {num_arms}) that the instance has", allowed, counted
        ),
    )


def tables_of(
    drawn: str | None,
    law: JointLaw,
    worth: float,
    problem: Problem,
    instance: Instance,
) -> Tables:
    """See `Environment.tables`; `drawn` names an environment whose arms are drawn."""
    if drawn is not None:
        with of_draw(drawn):
            params, count = instance.arms.law, instance.arms.num_arms
            _check_existing(law, instance.arms)
            known = {
                name: tuple(np.asarray(end)[None] for end in ends)
                for name, ends in problem.ranges.items()
            }
            _check_ranges(law, *drawn_rows((params, known), count))
    oracle = _exact_oracle(law, instance.arms)
    loss, cost, best = (
        np.nan_to_num(x)
        for x in (oracle.mean_cost * oracle.gaps, oracle.mean_cost, oracle.gaps == 0)
    )
    return Tables(loss, cost, best, instance.unit, np.full(1, worth))


def metrics(tables: Tables, instance: Any, record: State) -> dict[str, jax.Array]:
    """See `random_environment`."""
    loss, cost, best = weighted(record.pulls, tables.loss, tables.cost, tables.best)
    return {
        "regret": tables.worth * loss,
        "optimal": best / jnp.maximum(total(record.pulls), 1).astype(float),
        "reward": tables.worth * record.reward.exact(),
        "spent": record.spent.exact() / tables.unit,
        "expected_spent": cost / tables.unit,
    }
