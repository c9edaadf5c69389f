"""What `simulate` and `sweep` are given, checked: policies, seeds, ends, points.

Errors name the argument and come before anything is compiled.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from jaxbandits import checks
from jaxbandits.engine.checkpoints import resolve_rounds, resolve_spent
from jaxbandits.engine.fused import ENGINES
from jaxbandits.protocol import Environment, Policy

MAX_ROUNDS = 2**31 - 2  # rounds are counted in int32


class End(NamedTuple):
    """When metrics are recorded and runs stop.

    Attributes:
      checkpoints: [C], increasing: rounds, or amounts of spent budget.
      last_round: no run plays beyond this round.
      kind: "round" or "spent", what `checkpoints` are.
    """

    checkpoints: np.ndarray
    last_round: int
    kind: str


def end_of(
    environment: Environment,
    horizon: int | None,
    budget: float | None,
    checkpoints: Any,
    max_rounds: int | None,
) -> End:
    """The end of a game with a horizon or a budget; see `simulate`."""
    if (horizon is None) == (budget is None):
        raise ValueError("give either horizon or budget")
    if horizon is not None:
        last = checks.whole("horizon", horizon, 1)
        if last > MAX_ROUNDS:
            raise ValueError(f"horizon must be at most {MAX_ROUNDS}, got {horizon}")
        if max_rounds is not None:
            raise ValueError("max_rounds goes with budget, not with horizon")
        return End(resolve_rounds(checkpoints, last), last, "round")
    if environment.spent is None:
        raise ValueError(f"budget: the environment {environment.name!r} spends nothing")
    checks.positive(budget=budget)
    last = (
        MAX_ROUNDS if max_rounds is None else checks.whole("max_rounds", max_rounds, 1)
    )
    return End(resolve_spent(checkpoints, budget), last, "spent")


def seeds_of(seeds: int | Iterable[int]) -> np.ndarray:
    """u32[S] from a count or a list of different indices."""
    if isinstance(seeds, int | np.integer) or not isinstance(seeds, Iterable):
        return np.arange(checks.whole("seeds", seeds, 1), dtype=np.uint32)
    indices = [checks.whole("seeds", s, 0) for s in seeds]
    if not indices or len(set(indices)) < len(indices) or max(indices) >= 2**32:
        raise ValueError("seeds must be different integers in [0, 2**32), at least one")
    return np.array(indices, np.uint32)


def root_seed_of(seed: int) -> int:
    """The root seed, an int in [0, 2**64)."""
    if checks.whole("seed", seed, 0) >= 2**64:
        raise ValueError(f"seed must lie below 2**64, got {seed}")
    return int(seed)


def engine_of(engine: str) -> str:
    """The name of an engine, see `engine.fused.legs_of`."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {ENGINES}, got {engine!r}")
    return engine


def by_name(values: Any, argument: str, is_one: Callable[[Any], bool], what: str):
    """Values by name: one, several with names of their own, or a mapping.

    Args:
      values: what was given.
      argument: its name, for errors.
      is_one: whether something is a single value.
      what: a value must be, for errors.

    Raises:
      ValueError: if there is none, or two have one name.
      TypeError: if a value is of another kind.
    """
    if is_one(values):
        values = [values]
    if not isinstance(values, Mapping):
        values = list(values)
        names = [v.name if hasattr(v, "name") else repr(v) for v in values]
        if len(set(names)) < len(names):
            raise ValueError(
                f"{argument} must have different names, got {names}; pass a mapping"
            )
        values = dict(zip(names, values, strict=True))
    if not values:
        raise ValueError(f"{argument} must not be empty")
    for name, value in values.items():
        if not is_one(value):
            raise TypeError(f"{argument}[{name!r}] must be {what}, got {value!r}")
    return dict(values)


def is_policy(value: Any) -> bool:
    """Whether something is a policy."""
    return isinstance(value, Policy)


def points_of(name: str, policy: Policy, override: Any) -> list[dict[str, float]]:
    """Parameter points of a policy with some leaves replaced: a dict of leaves each.

    Args:
      name: of the policy, for errors.
      policy: the policy.
      override: a `Params`, or a mapping from leaf names to numbers or arrays [P].

    Raises:
      ValueError, TypeError: naming ``params[name]`` or the parameter.
    """
    defaults = policy.params._asdict() if policy.params else {}
    if hasattr(override, "_asdict"):
        override = override._asdict()
    if not isinstance(override, Mapping):
        raise TypeError(f"params[{name!r}] must be a Params or a mapping")
    unknown = set(override) - set(defaults)
    if unknown:
        raise ValueError(
            f"params[{name!r}] has no {sorted(unknown)}; it has {list(defaults)}"
        )
    leaves = {k: np.asarray(v, np.float64) for k, v in (defaults | override).items()}
    if any(x.ndim > 1 for x in leaves.values()):
        raise ValueError(f"params[{name!r}] must be numbers or arrays [P]")
    lengths = {x.size for x in leaves.values() if x.ndim == 1}
    if len(lengths) > 1 or 0 in lengths:
        raise ValueError(
            f"params[{name!r}] must have arrays of one length >= 1, got {lengths}"
        )
    if policy.check is not None:
        policy.check(policy.params._replace(**leaves))
    count = lengths.pop() if lengths else 1
    columns = {k: np.broadcast_to(x, count) for k, x in leaves.items()}
    return [{k: float(c[i]) for k, c in columns.items()} for i in range(count)]
