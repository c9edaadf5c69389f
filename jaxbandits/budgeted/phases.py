"""Arms that change while the money is spent.

Heyden et al. (2024, section 7) name this as future work: "the non-stationary setting
where the reward and cost distributions change over time". The clock is the money spent:
a phase ends when a given amount has been spent, as in a campaign with a daily budget.
The clairvoyant therefore always pulls an arm with the largest ratio of the current
phase, and regret compares every pull with such an arm. (If phases ended after a number
of pulls, it could pay to save money for a better phase.)
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from jax import Array

from jaxbandits.budgeted.environment import (
    Phases,
    game_of,
    make_environment,
    oracle_about,
    tables_of,
)
from jaxbandits.budgeted.synthetic import COST_FLOOR, draw_bernoulli, s_br
from jaxbandits.checks import Numbers, number, numbers, played, positive, shown, whole
from jaxbandits.laws import bernoulli, product
from jaxbandits.laws.law import JointLaw, exact_params
from jaxbandits.protocol import Environment, as_given

MOST_PHASES = 1_000


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
    each = [
        make_environment(
            name,
            law,
            x,
            unit=unit,
            worth=worth,
            cost_range=cost_range,
            reward_range=reward_range,
        )
        for x in params
    ]
    sizes = [environment.problem.num_arms for environment in each]
    if len(set(sizes)) > 1:
        raise ValueError(f"params must have as many arms in every phase, got {sizes}")
    laws = [exact_params(law, x) for x in params]
    setup = Phases(law.joined(laws), _ends(ends, len(params)))
    return _in_phases(each[0], law, as_given, setup, len(params))


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
    still = s_br(num_arms, cost_floor)
    whole("phases", phases, 1, MOST_PHASES)
    positive(length=length)
    played(length=length)
    setup = {
        "like": np.tile(still.setup["like"], phases),
        "floor": still.setup["floor"],
        "ends": _ends(number("length", length) * np.arange(1, phases), phases),
    }
    facts = still.provenance | {"unit": "money"}
    named = still._replace(
        name=f"S-Br-{num_arms}, {phases} phase{'s' if phases > 1 else ''}",
        provenance=facts,
    )
    return _in_phases(named, product(bernoulli, bernoulli), _draw, setup, phases)


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


def _in_phases(
    still: Environment,
    law: JointLaw,
    draw: Callable[[Any, Any], Phases],
    setup: Any,
    phases: int,
) -> Environment[Any, Any, Array]:
    """An environment whose arms do not change, with the phases of `setup`."""
    facts, problem = still.provenance, still.problem
    return still._replace(
        game=game_of(law, draw, problem, facts["unit"], phases),
        setup=setup,
        tables=partial(tables_of, None, law, facts["worth"], problem),
        oracle=oracle_about(still.name, law, draw, setup),
        provenance=facts | {"phases": phases},
    )
