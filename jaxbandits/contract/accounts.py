"""Records of played rounds, checked against what policies and games promise."""

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from jaxbandits.checks import shown
from jaxbandits.engine.run import Chunk
from jaxbandits.protocol import Environment, Policy
from jaxbandits.results.names import check_variable


def checked_accounts(
    policy: Policy, environment: Environment, chunk: Chunk
) -> dict[str, np.ndarray]:
    """Metrics, reports and kept arrays of a chunk, checked.

    Raises:
      ValueError, TypeError: naming the policy, the environment and what is wrong.
    """
    owner = f"policy {policy.name!r} in environment {environment.name!r}"
    actions = environment.game.actions
    if not np.all(chunk.rounds[:, -1] > 0):
        raise ValueError(
            f"{owner}: runs were over before their first round; `spent` must be a "
            "number below the budget at the start, and not NaN"
        )
    if chunk.accounts.counted is not None:
        refused = chunk.rounds - chunk.accounts.counted
        if np.any(refused > 0):
            runs = np.count_nonzero(np.any(refused > 0, axis=1))
            raise ValueError(
                f"{owner}: invalid actions in {runs} of {len(refused)} runs (up to "
                f"{int(refused.max())} before a checkpoint): "
                + (
                    f"an action is {actions.text}, as game.actions.counted counts"
                    if actions
                    else "its pulls do not count them (if they shall not, say in "
                    "game.actions what is an action)"
                )
            )
        if np.any(refused < 0):
            counts = "game.actions.counted" if actions else "the sum of pulls on record"
            raise ValueError(
                f"{owner}: {counts} must be the number of rounds, and is up to "
                f"{-refused.min()} more by one checkpoint; where `pulls` are not one a "
                "round, game.actions must say what is an action, and count"
            )
    recommended = chunk.notes.recommended
    if actions is not None and jax.tree.leaves(recommended):
        allowed = _every(actions.allowed, chunk.instance, recommended)
        if not np.all(allowed):
            lane, place = np.argwhere(~allowed)[0]
            first = jax.tree.map(lambda x: x[lane, place].tolist(), recommended)
            runs = np.count_nonzero(~np.all(allowed, axis=1))
            raise ValueError(
                f"{owner}: recommend gives {first}, not {actions.text} ({runs} of "
                f"{len(allowed)} runs have such ones)"
            )
    result = recorded_of(environment, chunk)
    metrics = result.keys() - chunk.notes.report.keys() - chunk.accounts.kept.keys()
    if not metrics:
        raise ValueError(
            f"{owner}: the environment's metrics are none; it must have at least one"
        )
    for name in sorted(result):
        if np.any(np.isnan(result[name])):
            what = "the metric" if name in metrics else "on record,"
            what = "the policy's report" if name in chunk.notes.report else what
            raise ValueError(
                f"{owner}: {what} {name!r} is NaN, and must be a number in all runs"
            )
    return result


def _every(allowed: Any, instance: Any, actions: Any) -> np.ndarray:
    """`Actions.allowed` of actions ``[L, C, ...]``; `instance` may be shared."""
    leaves, structure = jax.tree.flatten(instance)
    flags = [None if len(x) == 1 else 0 for x in leaves]
    leaves = [x[0] if len(x) == 1 else x for x in leaves]

    def of_lane(leaves: Any, actions: Any) -> Any:
        own = jax.tree.unflatten(structure, leaves)
        return jax.vmap(lambda action: allowed(own, action))(actions)

    return np.asarray(jax.vmap(of_lane, (flags, 0))(leaves, actions))


def recorded_of(environment: Environment, chunk: Chunk) -> dict[str, np.ndarray]:
    """Metrics, reports and kept arrays of a chunk, ``[L, C, ...]`` by name.

    Raises:
      ValueError: if two have one name, or a name is taken or no name for a file.
      ValueError, TypeError: if a metric is no array of numbers ``[L, C]``.
    """
    recommended, report = chunk.notes
    shape = np.shape(chunk.rounds)
    parts = {
        "the environment's metrics": numbers_of(
            "metrics", environment, chunk.accounts.metrics, shape
        ),
        "policy.report": report,
    }
    if environment.judge is not None and jax.tree.leaves(recommended):
        its = judged(environment, chunk.instance, recommended, shape)
        parts["the environment's judge"] = its
    result: dict[str, np.ndarray] = {}
    for what, part in (parts | {"keep": chunk.accounts.kept}).items():
        if clash := sorted(result.keys() & part.keys()):
            raise ValueError(f"{what} names {clash}, which the results have anyway")
        for name in part:
            check_variable(what, name)
        result |= part
    return result


def judged(
    environment: Environment, instance: Any, action: Any, shape: tuple[int, ...]
) -> dict[str, Any]:
    """Arrays by name that the judge of an environment makes of actions.

    Raises:
      ValueError, TypeError: naming the judge, if it fails or returns something else.
    """
    try:
        result = environment.judge(instance, action)  # type: ignore[misc]
    except Exception as error:
        words = str(error).strip().split("\n")[0]
        raise ValueError(
            f"environment {environment.name!r}: judge failed: {type(error).__name__}: "
            f"{words}; it must take (instance, action), with a row per run"
        ) from error
    return numbers_of("judge", environment, result, shape)


def numbers_of(
    what: str, environment: Environment, result: Any, shape: tuple[int, ...]
) -> dict[str, Any]:
    """Arrays by name that an environment's `metrics` or `judge` returned, checked."""
    owner = f"environment {environment.name!r}: {what} must give"
    if not isinstance(result, Mapping) or not all(isinstance(x, str) for x in result):
        raise TypeError(f"{owner} names and arrays, got {shown(result)}")
    for name, value in result.items():
        values = np.asarray(value)
        if values.dtype.kind not in "biuf":
            raise TypeError(f"{owner} numbers, got {name!r} of {values.dtype}")
        if values.shape != shape:
            raise ValueError(
                f"{owner} one number per run and checkpoint, {list(shape)}, got "
                f"{name!r} of shape {list(values.shape)}"
            )
    return dict(result)
