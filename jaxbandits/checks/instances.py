"""Instances: what an environment draws, and what its oracle is asked about."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np

from jaxbandits.checks import named, shown
from jaxbandits.protocol import Environment, as_given


def of_draw(environment: str) -> AbstractContextManager[None]:
    """Errors of what an environment's `draw` gives, which name both."""
    return named(f"draw of environment {environment!r}")


def check_draw(
    environment: str, draw: Callable[[Any, Any], Any], setup: Any, kind: type
) -> Any:
    """Trace what draws the instances of an environment.

    Args:
      environment: its name, for errors.
      draw: ``(key, setup) -> kind``.
      setup: pytree of numbers.
      kind: a NamedTuple.

    Returns:
      Shapes of what is drawn.

    Raises:
      TypeError: naming the environment and `draw`, if it fails or gives something else.
    """
    key = jax.eval_shape(lambda: jax.random.key(0))
    with of_draw(environment):
        try:
            drawn = jax.eval_shape(draw, key, setup)
        except Exception as error:
            words = str(error).strip().split("\n")[0]
            raise TypeError(
                "it must take (key, setup) as traced arrays, and failed: "
                f"{type(error).__name__}: {words}"
            ) from error
        if not isinstance(drawn, kind):
            fields = ", ".join(kind.__annotations__)
            got = jax.tree.map(lambda x: f"{x.dtype}{[*x.shape]}", drawn)
            raise TypeError(f"it must give {kind.__name__}({fields}), got {got}")
        for field in kind.__annotations__:
            leaves = getattr(drawn, field)
            if any(leaf.dtype == bool for leaf in jax.tree.leaves(leaves)):
                raise TypeError(f"{field} must hold numbers, got truth values")
        return drawn


def drawn_rows(params: Any, num_arms: Any) -> Any:
    """Drawn parameters of all seeds as those of one instance, a row per arm.

    Args:
      params: leaves ``[S, K, ...]``, or ``[1, K, ...]`` where all seeds share one.
      num_arms: i32[S] or i32[1], how many of the K arms exist.
    """
    leaves = jax.tree.leaves(params)
    seeds, arms = np.broadcast_shapes(*(np.shape(leaf)[:2] for leaf in leaves))
    exists = np.arange(arms) < np.broadcast_to(num_arms, seeds)[:, None]

    def rows(leaf: Any) -> np.ndarray:
        return np.broadcast_to(leaf, (seeds, arms, *np.shape(leaf)[2:]))[exists]

    return jax.tree.map(rows, params)


def asked_about(name: str, instance: Any, kind: type, fixed: Any) -> Any:
    """The arms that an oracle is asked about.

    Args:
      name: of the environment, for errors.
      instance: as the environment's game draws it, perhaps one per seed; or None.
      kind: its type, whose first field is the arms.
      fixed: the arms of an environment with one instance for all seeds; else None.

    Raises:
      TypeError: if `instance` has another type, or is None where arms are drawn.
    """
    if instance is None and fixed is not None:
        return fixed
    if not isinstance(instance, kind):
        raise TypeError(
            f"oracle of {name!r}: instance must be one that the environment draws, as "
            f"game.sample(jax.random.key(0), setup), got {shown(instance)}"
        )
    return instance[0]  # type: ignore[index]


def knowing(environment: Environment, facts: Any) -> Environment:
    """An environment of one instance, with an oracle that knows its facts.

    The oracle needs no argument; an instance that is not its own is refused.
    """

    def oracle(instance: Any = None) -> Any:
        if instance is not None and not _is_own(environment, instance):
            raise TypeError(
                f"oracle of {environment.name!r}: instance must be its own, or be left "
                f"out, got {shown(instance)}"
            )
        return facts

    return environment._replace(oracle=oracle)


def _is_own(environment: Environment, instance: Any) -> bool:
    """Whether an instance, perhaps one per seed, is that of a fixed environment."""
    sample, setup = environment.game.sample, environment.setup
    key = jax.eval_shape(lambda: jax.random.key(0))
    own = setup if sample is as_given else jax.eval_shape(sample, key, setup)
    forms: list[Any] = [jax.tree.structure(each) for each in (own, instance)]
    if forms[0] != forms[1]:
        return False
    for one, other in zip(*map(jax.tree.leaves, (own, instance)), strict=True):
        shape, given = np.shape(one), np.shape(other)
        if given not in (shape, (*given[:1], *shape)):
            return False
        if sample is as_given and not np.all(np.float32(one) == np.float32(other)):
            return False
    return True
