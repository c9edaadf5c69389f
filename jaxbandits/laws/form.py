"""What a law must be before anybody draws from it: fields, parameters, shapes."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from jaxbandits.checks import function, one_of, require, shown, text, whole
from jaxbandits.laws.law import JointLaw, Law


def check_fields(law: Law | JointLaw) -> None:
    """Require what any law has to say of itself.

    Raises:
      TypeError, ValueError: naming the field.
    """
    text("law.name", law.name)
    whole("law.words", law.words, 0)
    for name, value in law._asdict().items():
        optional = value is None and name in law._field_defaults
        if name not in ("name", "words", "monotone") and not optional:
            function(f"law.{name}", value)
    if isinstance(law, Law):
        one_of("law.monotone", law.monotone, (-1, 0, 1))


def num_arms_of(params: Any) -> int:
    """K, the length of every leaf of a law's parameters.

    Raises:
      ValueError: if there is none, or they have not one length.
    """
    leaves = jax.tree.leaves(params)
    lengths = {len(leaf) if np.ndim(leaf) else 0 for leaf in leaves}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            "params must have arrays for leaves, all with a row per arm, got "
            f"{shown(params)}"
        )
    return lengths.pop()


def with_named_errors(law: Any, num_arms: int) -> Any:
    """A law whose functions raise an AssertionError that names them.

    They do where they fail, or give something of another shape.
    """
    asked = {
        name: _named(f"{law.name}: {name}", value, _SHAPES.get(name), num_arms)
        for name, value in law._asdict().items()
        if callable(value) and name != "check"
    }
    return law._replace(**asked)


def _named(
    what: str, function: Callable[..., Any], check: Any, num_arms: int
) -> Callable[..., Any]:
    def asked(*args: Any) -> Any:
        try:
            result = function(*args)
        except Exception as error:
            words = str(error).strip().split("\n")[0]
            raise AssertionError(
                f"{what} failed: {type(error).__name__}: {words}"
            ) from error
        if check is not None:
            check(what, result, num_arms, *args)
        return result

    return asked


def _check_ends(what: str, result: Any, num_arms: int, params: Any) -> None:
    _check_pair(what, result, lambda x: np.shape(x) in ((), (num_arms,)))


def _check_atoms(what: str, result: Any, num_arms: int, params: Any) -> None:
    _check_pair(what, result, lambda x: np.ndim(x) == 2 and len(x) == num_arms)


def _check_pair(what: str, result: Any, fits: Callable[[Any], bool]) -> None:
    pair = isinstance(result, tuple | list) and len(result) == 2
    require(
        pair and all(map(fits, result)),
        f"{what} must give two arrays with a row per arm, got {shown(result)}",
    )


def _check_cdf(what: str, result: Any, num_arms: int, params: Any, x: Any) -> None:
    _check_shape(what, result, (num_arms, *np.shape(x)))


def _check_quantile(what: str, result: Any, num_arms: int, params: Any, p: Any) -> None:
    _check_shape(what, result, (num_arms, np.shape(p)[-1]))


def _check_shape(what: str, result: Any, shape: tuple[int, ...]) -> None:
    require(
        np.shape(result) == shape,
        f"{what} must give an array {list(shape)}, got shape {list(np.shape(result))}",
    )


_SHAPES = {
    "support": _check_ends,
    "atoms": _check_atoms,
    "cdf": _check_cdf,
    "quantile": _check_quantile,
}
