"""Arms that are served in turn, with an unknown budget: the paper's future work.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback", section 7: "unknown and stochastic budgets without the switching possibility
[...] the allocation order matters and optimal decisions may depend on the full budget
distribution". Before a round the learner commits to an order of the arms and a number
of units for each. The round's budget, a whole number of units, is drawn and used up
along that order; every arm is served only once. Success and its observation are as in
the paper (eq. 5), with the units that an arm has received.

The learner sees the number of units that were handed out. If it is less than the plan,
it was the budget. If the whole plan was served, the budget was at least that large.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.allocation.game import Arms, Setup, drawn_arms, words_of_arms
from jaxbandits.allocation.problem import check_budgets
from jaxbandits.allocation.solving import values_of_units
from jaxbandits.allocation.types import Feedback, Ordered, Problem, Turns
from jaxbandits.arrays import Bound, CompensatedSum, pick, position, tally
from jaxbandits.checks import Numbers, flag, instance
from jaxbandits.checks.actions import of_kind, positions_in
from jaxbandits.checks.instances import knowing
from jaxbandits.kernels.allocation import (
    OrderedSolution,
    fill_in_turns,
    ordered_programming,
    worth_of_turns,
)
from jaxbandits.kernels.allocation.ordered import MOST_ARMS, MOST_UNITS, starts
from jaxbandits.kernels.counts import weighted
from jaxbandits.protocol import Actions, Environment, Game


class OrderedSetup(NamedTuple):
    """The setup of the arms, and the budgets i32[n] from which rounds draw."""

    inner: Setup
    budgets: Any


class Instance(NamedTuple):
    """The instance of a seed: arms and bound as in `game.Instance`, budgets i32[n]."""

    arms: Arms
    bound: Bound
    budgets: Int32[Array, " n"]


class State(NamedTuple):
    """The totals of a run.

    Attributes:
      turns: i32[K, N + 1, N + 1], counts of turns by arm, units planned before the
        turn, and units planned for the turn.
      rounds: i32[], rounds with valid turns.
      successes: i32[], number of successes.
      spent: share of the budget that was spent, summed over rounds.
    """

    turns: Int32[Array, "K starts units"]
    rounds: Int32[Array, ""]
    successes: Int32[Array, ""]
    spent: CompensatedSum


class Tables(NamedTuple):
    """What the metrics need, by arm, start and units.

    Attributes:
      worth: f64[K, N + 1, N + 1], expected successes of a turn.
      best: 1 for the turns of an optimal plan, else 0, f64[K, N + 1, N + 1].
    """

    worth: Any
    best: Any


class OrderedOracle(NamedTuple):
    """Exact facts about an instance, float64.

    Attributes:
      arms, amounts: an optimal plan, i64[K].
      value: expected successes of a round with this plan.
      survival: ``P(B >= u)``, u = 1, ..., N, f64[N].
    """

    arms: np.ndarray
    amounts: np.ndarray
    value: float
    survival: np.ndarray


def ordered(
    environment: Environment,
    budgets: Numbers | None = None,
    *,
    known_distribution: bool = False,
) -> Environment[Any, State, Turns]:
    """An environment of the allocation setting whose arms are served in turn.

    Args:
      environment: made by `make_environment`, `random_environment` or an instance
        (`simulation`), with at most 8 arms. It must pay for every success and draw its
        thresholds, without `stop_on_success`. Only its arms are used.
      budgets: one or several whole numbers of units in [1, 32]; by default those of
        `environment`. Every round draws one of them, independently and uniformly.
      known_distribution: whether learners know the distribution of the budget.

    Returns:
      An environment with `Turns`, `Feedback` and the metrics

      * ``regret``: cumulative pseudo-regret against the best plan for the distribution
        of the budget, from counts;
      * ``reward``: number of successes;
      * ``spent``: mean share of the budget that was spent.

      With fixed arms, its oracle is an `OrderedOracle`.

    Raises:
      ValueError: on too many arms or units, on budgets that are not whole numbers, or
        on a cascade, recorded users or `stop_on_success`.
      TypeError: if an argument has the wrong type.
    """
    arms, inner = _arms_of(environment)
    units = check_budgets(inner.budgets if budgets is None else budgets)
    if np.any(units != np.round(units)) or np.max(units) > MOST_UNITS:
        raise ValueError(
            f"budgets must be whole numbers in [1, {MOST_UNITS}], got {units}"
        )
    budgets = units.astype(np.int32)
    largest = int(np.max(budgets))
    survival = np.mean(budgets >= np.arange(1, largest + 1)[:, None], axis=1)
    known = (
        tuple(survival.tolist())
        if flag("known_distribution", known_distribution)
        else None
    )
    problem = Ordered(*arms[:5], largest, known)
    facts = {
        "setting": "allocation",
        "budget": [int(np.min(budgets)), largest],
        "known_distribution": bool(known_distribution),
        "mean_budget": float(np.mean(budgets)),
    }
    drawn = environment.oracle is None
    draw: Any = environment.game.sample

    def drawn_tables(instance: Any) -> Tables:
        environment.tables(instance)
        return _solved(problem, survival, *instance.arms)[0]

    made = Environment(
        f"{environment.name}, in turns",
        _game(problem, draw),
        setup=OrderedSetup(inner, budgets),
        tables=drawn_tables,
        problem=problem,
        provenance=facts
        | {
            name: fact
            for name, fact in (environment.provenance or {}).items()
            if name in ("family", "probability", "rate", "m", "M", "num_arms")
        },
    )
    return made if drawn else _with_plan(made, survival)


def _with_plan(made: Environment, survival: np.ndarray) -> Environment:
    """An environment of fixed arms, with its tables and its optimal plan."""
    arms = (x[None] for x in made.setup.inner.arms)
    tables, result = _solved(made.problem, survival, *arms)
    plan = OrderedOracle(
        np.asarray(result.arms[0]),
        np.asarray(result.amounts[0]),
        float(result.value[0]),
        survival,
    )
    facts = {
        "optimal_plan": [plan.arms.tolist(), plan.amounts.tolist()],
        "optimal_value": plan.value,
    }
    made = made._replace(
        tables=lambda instance: tables, provenance=made.provenance | facts
    )
    return knowing(made, plan)


def _arms_of(environment: Environment) -> tuple[Problem, Setup]:
    """Problem and numbers of an environment whose arms can be served in turn."""
    instance("environment", environment, Environment, "of allocation")
    arms, inner = environment.problem, environment.setup
    if not isinstance(arms, Problem) or not isinstance(inner, Setup):
        raise TypeError(
            "environment must be of allocation, got "
            f"{environment.name!r} with problem {type(arms).__name__}"
        )
    stops = (environment.provenance or {}).get("stop_on_success", False)
    for name, is_so in (
        ("cascade", arms.cascade),
        ("stop_on_success", stops),
        ("users", inner.users is not None),
    ):
        if is_so:
            raise ValueError(f"environment must have no {name}, but it has")
    if arms.num_arms > MOST_ARMS:
        raise ValueError(
            f"environment must have at most {MOST_ARMS} arms, as the search for the "
            f"best plan takes all sets of arms, got {arms.num_arms}"
        )
    return arms, inner


def _solved(
    problem: Ordered, survival: np.ndarray, probability: Any, rate: Any
) -> tuple[Tables, OrderedSolution]:
    """Tables and optimal plans of arms f[S, K], in float64 on the host."""

    def one(probability, rate):
        values = values_of_units(problem.arms, probability, rate)
        plan = ordered_programming(values, survival)
        shape = (problem.num_arms, problem.units + 1, problem.units + 1)
        counts = _count(jnp.zeros(shape, jnp.int32), plan)
        worth = worth_of_turns(values, survival)
        return Tables(worth, counts.astype(worth.dtype)), plan

    with jax.enable_x64(True):
        arms = (jnp.asarray(x, float) for x in (probability, rate))
        result: Any = jax.tree.map(np.asarray, jax.jit(jax.vmap(one))(*arms))
    return result


def _count(turns: Int32[Array, "K starts units"], plan: Any) -> Array:
    """The counts `turns` after one more round with a plan."""
    start = jnp.minimum(starts(plan.amounts), turns.shape[1] - 1)
    for place in range(turns.shape[0]):
        turns = tally(turns, plan.arms[place], start[place], plan.amounts[place])
    return turns


@cache
def _game(problem: Ordered, draw: Callable[[Any, Any], Any]) -> Game:
    """The game; instances that differ only in numbers share it."""
    arms, num_arms, size = problem.arms, problem.num_arms, problem.units
    words = words_of_arms(arms)

    def sample(key, setup):
        drawn = draw(key, setup.inner)
        return Instance(drawn.arms, drawn.bound, setup.budgets)

    def init(instance):
        zero = jnp.zeros((), jnp.int32)
        turns = jnp.zeros((num_arms, size + 1, size + 1), jnp.int32)
        return State(turns, zero, zero, CompensatedSum.zeros((), float))

    def allowed(instance, action):
        arm, amount = of_kind(action, Turns)
        known = positions_in("arms", arm, num_arms, num_arms)
        known &= positions_in("amounts", amount, size + 1, num_arms)
        known &= jnp.sum(amount) <= size
        for place in range(1, num_arms):
            known &= jnp.all(arm[place] != arm[:place])
        return known

    def step(noise, instance, state, action):
        played = allowed(instance, action).astype(jnp.int32)
        place = position(noise[words], instance.budgets.shape[0])
        budget = pick(instance.budgets, place)
        units = fill_in_turns(action.arms, action.amounts, budget)
        received = units.astype(float)
        threshold, active = drawn_arms(
            arms, noise[:words], instance.arms, instance.bound
        )
        success = active & (threshold <= received)
        spent = jnp.sum(units).astype(float) / budget.astype(float)
        state = State(
            _count(state.turns, action),
            state.rounds + played,
            state.successes + jnp.sum(success, dtype=jnp.int32),
            state.spent.add(spent),
        )
        return state, Feedback(jnp.where(success, threshold, jnp.inf), received)

    return Game(
        init,
        step,
        _metrics,
        words + 1,
        sample,
        actions=Actions(
            f"Turns of all arms in [0, {num_arms}) in any order, and of amounts >= 0 "
            f"of sum <= {size}",
            allowed,
            lambda instance, record: record.rounds,
        ),
    )


def _metrics(tables: Tables, instance: Instance, record: State) -> dict[str, Array]:
    # Turns that both plans share are removed first, so that no digits cancel.
    missed = record.rounds * tables.best.astype(jnp.int32) - record.turns
    (regret,) = weighted(missed, tables.worth)
    return {
        # Another plan of equal worth may give a tiny negative number by rounding.
        "regret": jnp.maximum(regret, 0.0),
        "reward": record.successes.astype(float),
        "spent": record.spent.exact() / jnp.maximum(record.rounds, 1).astype(float),
    }
