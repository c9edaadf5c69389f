"""Arms that change while the money is spent.

Heyden et al. (2024, section 7) name this as future work: "the non-stationary setting
where the reward and cost distributions change over time". The clock is the money spent:
a phase ends when a given amount has been spent, as in a campaign with a daily budget.
The clairvoyant therefore always pulls an arm with the largest ratio of the current
phase, and regret compares every pull with such an arm. (If phases ended after a number
of pulls, it could pay to save money for a better phase.)
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, row, tally
from jaxbandits.budgeted.environment import (
    Oracle,
    State,
    Tables,
    make_environment,
    metrics,
    oracle_of,
    random_environment,
)
from jaxbandits.budgeted.problem import Feedback, OracleView, Problem, View
from jaxbandits.budgeted.synthetic import COST_FLOOR, draw_bernoulli, s_br
from jaxbandits.checks import Numbers, number, numbers, played, positive, shown, whole
from jaxbandits.checks.actions import in_range
from jaxbandits.checks.instances import asked_about
from jaxbandits.laws import bernoulli, product
from jaxbandits.laws.law import JointLaw, exact_params
from jaxbandits.protocol import Actions, Environment, Game, as_given

MOST_PHASES = 1_000


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
    """The phases and what follows from them."""

    phases: Phases
    unit: Float[Array, ""]
    cheapest: Float[Array, " P"]
    best: Int32[Array, " P"]


def changing(
    name: str,
    law: JointLaw,
    params: Sequence[Any],
    ends: Numbers,
    *,
    unit: str | float = "money",
    worth: float = 1.0,
    cost_range: Sequence[Numbers] = (0.0, 1.0),
    reward_range: Sequence[Numbers] = (0.0, 1.0),
) -> Environment[Any, Any, Array]:
    """An environment with one instance for all seeds, whose arms change.

    Args:
      name: name of the instance.
      law: joint law of reward and cost.
      params: list with the law's parameters of every phase, leaves ``[K, ...]``.
      ends: the money spent, in units, at which each phase except the last ends;
        increasing. The pull that reaches an end belongs to the phase that it ends.
      unit: as for `make_environment`; ``cheapest`` is the least expected cost of all
        phases.
      worth, cost_range, reward_range: as for `make_environment`.

    Returns:
      An environment as of `make_environment`: ``regret`` and ``optimal`` compare a pull
      with an arm that has the largest ratio in its phase; ``pulls`` are ``[P, K]``.

    Raises:
      ValueError: as for `make_environment`, for every phase; if phases differ in the
        number of arms, or `ends` are not one positive, increasing number per phase
        except the last.
      TypeError: if an argument has the wrong type.
    """
    if not isinstance(params, tuple | list) or hasattr(params, "_fields"):
        raise TypeError(
            "params must be a list, the law's parameters in every phase, got "
            f"{shown(params)}"
        )
    whole("the number of phases in params", len(params), 1, MOST_PHASES)
    ranges = {"cost_range": cost_range, "reward_range": reward_range}
    money: dict[str, Any] = {"unit": unit, "worth": worth, **ranges}
    each = [make_environment(name, law, x, **money) for x in params]
    sizes = [environment.problem.num_arms for environment in each]
    if len(set(sizes)) > 1:
        raise ValueError(f"params must have as many arms in every phase, got {sizes}")
    laws = [exact_params(law, x) for x in params]
    setup = Phases(law.joined(laws), _ends(ends, len(params)))
    return _environment(name, law, as_given, setup, sizes[0], len(params), money)


def s_br_changing(
    num_arms: int = 10,
    phases: int = 5,
    length: float = 2_000.0,
    cost_floor: float = COST_FLOOR,
) -> Environment[Any, Any, Array]:
    """S-Br-K with arms that are drawn anew for every phase.

    Args:
      num_arms: K.
      phases: number of phases; the last one does not end.
      length: money spent in each phase (a pull costs about 1/2).
      cost_floor: as for `s_br`.

    Raises:
      ValueError: if an argument is out of range.
      TypeError: if an argument is not a number.
    """
    like = s_br(num_arms, cost_floor).setup
    whole("phases", phases, 1, MOST_PHASES)
    positive(length=length)
    played(length=length)
    ends = _ends(number("length", length) * np.arange(1, phases), phases)
    setup = {
        "like": np.tile(like["like"], phases),
        "floor": like["floor"],
        "ends": ends,
    }
    return _environment(
        f"S-Br-{num_arms}, {phases} phase{'s' if phases > 1 else ''}",
        product(bernoulli, bernoulli),
        _draw,
        setup,
        num_arms,
        phases,
        {"unit": "money"},
    )


def _draw(key: Array, setup: dict[str, Array]) -> Phases:
    return Phases(draw_bernoulli(key, setup).law, setup["ends"])


def _ends(ends: Numbers, phases: int) -> np.ndarray:
    values = numbers("ends", ends)
    if values.shape != (phases - 1,):
        raise ValueError(
            f"ends must be one less than the phases ({phases - 1}), got shape "
            f"{values.shape}"
        )
    positive(ends=values)
    played(ends=values)
    if np.any(np.diff(values.astype(np.float32)) <= 0):
        raise ValueError(f"ends must increase, also as float32, got {shown(ends)}")
    return values


def _environment(
    name: str,
    law: JointLaw,
    draw: Callable[[Any, Any], Any],
    setup: Any,
    num_arms: int,
    phases: int,
    money: dict[str, Any],
) -> Environment[Any, Any, Array]:
    """A game of phases, with the checks and provenance of `random_environment`."""
    frame = random_environment(name, law, as_given, setup, num_arms, **money)
    unit, worth = (frame.provenance[x] for x in ("unit", "worth"))
    return frame._replace(
        game=_game(law, draw, frame.problem, phases, unit),
        tables=partial(_tables, law, num_arms, worth),
        oracle=partial(
            _oracle, name, law, num_arms, setup if draw is as_given else None
        ),
        provenance=frame.provenance | {"phases": phases},
    )


def _oracle(
    name: str, law: JointLaw, num_arms: int, fixed: Any, instance: Any = None
) -> Oracle:
    phases = asked_about(name, instance, Instance, fixed)
    return changing_oracle(law, phases, num_arms)


def changing_oracle(law: JointLaw, phases: Phases, num_arms: int) -> Oracle:
    """The oracle of phases, fields ``[..., P, K]``; `best` is ``[..., P]``."""
    params = jax.tree.map(lambda x: np.asarray(x, np.float64), phases.law)
    means = np.broadcast_arrays(*law.means(params))  # type: ignore[misc]
    reward, cost = (x.reshape(*x.shape[:-1], -1, num_arms) for x in means)
    return oracle_of(reward, cost)


@cache
def _game(
    law: JointLaw,
    draw: Callable[[Any, Any], Phases],
    problem: Problem,
    count: int,
    unit: str | float,
) -> Game:
    """The game; environments that differ only in numbers share it."""
    num_arms = problem.num_arms

    def sample(key, setup):
        phases = draw(key, setup)
        reward, cost = law.means(phases.law)  # type: ignore[misc]
        reward, cost = (x.reshape(count, num_arms) for x in (reward, cost))
        cheapest = jnp.min(cost, axis=-1)
        money = jnp.min(cheapest)
        if unit != "cheapest":
            money = jnp.full_like(money, 1.0 if unit == "money" else float(unit))
        best = jax.vmap(first_argmax)(reward / cost)  # type: ignore[arg-type]
        return Instance(phases, money, cheapest, best)

    def init(instance):
        nothing = CompensatedSum.zeros((), float)
        return State(jnp.zeros((count, num_arms), jnp.int32), nothing, nothing)

    def phase_of(instance, state):
        if count == 1:
            return jnp.int32(0)
        ended = state.spent.total / instance.unit >= instance.phases.ends
        return jnp.sum(ended.astype(jnp.int32), dtype=jnp.int32)

    def view(round_, instance, state):
        of_phase = row((instance.cheapest, instance.best), phase_of(instance, state))
        arms = jnp.int32(num_arms)
        return View(
            round_, arms, state.spent.total, instance.unit, OracleView(*of_phase)
        )

    def step(noise, instance, state, action):
        phase = phase_of(instance, state)
        position = phase * num_arms + action
        reward, cost = law.sample(noise, instance.phases.law, position)
        state = State(
            tally(state.pulls, phase, action),
            state.reward.add(reward),
            state.spent.add(cost),
        )
        return state, Feedback(reward, cost)

    def allowed(instance, action):
        return in_range("arm", action, num_arms)

    def counted(instance, record):
        return jnp.sum(record.pulls)

    return Game(
        init,
        step,
        metrics,
        law.words,
        sample,
        view,
        spent=lambda instance, state: state.spent.total / instance.unit,
        actions=Actions(f"an arm in [0, {num_arms})", allowed, counted),
    )


def _tables(law: JointLaw, num_arms: int, worth: float, instance: Instance) -> Tables:
    oracle = changing_oracle(law, instance.phases, num_arms)
    return Tables(
        oracle.mean_cost * oracle.gaps,
        oracle.mean_cost,
        (oracle.gaps == 0).astype(float),
        instance.unit,
        np.full(1, worth),
    )
