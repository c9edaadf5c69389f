"""The definition of a law: a sampler for rounds, and exact moments for metrics.

Samplers are traced and turn a fixed number of random words into a value; they have no
rejection loops. Exact moments are host functions in float64.

Parameters are pytrees whose leaves have a leading axis of K arms (f64, host). The
sampler of a univariate law gets the parameters of one arm.
"""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import pick
from jaxbandits.checks import (
    Numbers,
    Range,
    finite,
    function,
    in_ranges,
    in_unit_interval,
    instance,
    named,
    no_nan,
    numbers,
    one_of,
    played,
    positive,
    shown,
    text,
    whole,
)
from jaxbandits.protocol import Noise

# A cost of consumptions or a penalty of limits, arrays of NumPy on the host and of JAX
# in a game.
Cost = Callable[[Any], Any]
Tree = TypeVar("Tree")  # a pytree of arrays
OfArms = Float[np.ndarray, " K"]
End = OfArms | Float[np.ndarray, ""]  # an end of a support, per arm or for all arms
Table = Float[np.ndarray, "K n"]
Points = Float[np.ndarray, "..."]
Mean = Float[Array | np.ndarray, "... K"]
# Parameters that a draw is computed from, in the precision of play.
Reals = Annotated[Array | np.ndarray, finite, played]
Positives = Annotated[Array | np.ndarray, positive, played]


class Law(NamedTuple):
    """A univariate law.

    Attributes:
      name: name of the family.
      words: number of words of noise per draw.
      sample: ``(noise u32[words], params of one arm) -> f32[]``.
      check: host, ``params -> None``; raises a ValueError naming the parameter that is
        out of range.
      mean: ``params -> [..., K]`` for leaves ``[..., K]`` (an arm's vector on the last
        axis), in the arrays' own module and precision, on the host or traced.
      support: host, ``params -> (lowest f64[K], highest f64[K])``.
      cdf: host, ``(params, x) -> f64[K, ...]`` for x of any shape, or None.
      quantile: host, ``(params, p f64[K, n]) -> f64[K, n]``, the inverse of `cdf`; None
        if the law has atoms.
      atoms: host, ``params -> (values f64[K, n], probabilities f64[K, n])`` or None.
      monotone: 1 or -1 if a draw is an increasing or decreasing function of the number
        whose digits are its two words, else 0. A copula needs 1 or -1; for 0 it draws
        from a table of quantiles.
      exact: host, ``params -> params`` with integer bounds of the law's events. Float32
        probabilities near 1, or sums of them, would lose digits (see `exact_params`).
        None if float32 parameters are exact enough.
      sigma: host, ``params -> f64[K]``, for a law on the whole line whose draws are the
        mean plus sigma-sub-Gaussian noise. None for all other laws.
    """

    name: str
    words: int
    sample: Callable[[Noise, Any], Float[Array, ""]]
    check: Callable[[Any], None]
    mean: Callable[[Any], Mean]
    support: Callable[[Any], tuple[End, End]]
    cdf: Callable[[Any, Points], Float[np.ndarray, "K ..."]] | None = None
    quantile: Callable[[Any, Table], Table] | None = None
    atoms: Callable[[Any], tuple[Table, Table]] | None = None
    monotone: int = 0
    exact: Callable[[Any], Any] | None = None
    sigma: Callable[[Any], OfArms] | None = None


class Moments(NamedTuple):
    """Exact moments of (R, C) below limits, f64[K, M] each.

    Attributes:
      reward: ``E[R 1{C <= tau}]``.
      cost: ``E[c(C) 1{C <= tau}]``.
      probability: ``P(C <= tau)``.
    """

    reward: Float[np.ndarray, "K M"]
    cost: Float[np.ndarray, "K M"]
    probability: Float[np.ndarray, "K M"]


class JointLaw(NamedTuple):
    """A joint law of a reward in [0, 1] (but see `sigma`) and a consumption >= 0.

    Attributes:
      name: name of the family.
      words: number of words of noise per draw.
      sample: ``(noise, params, arm) -> (reward f32[], consumption f32[])``.
      check: host, ``params -> None``; raises a ValueError naming the parameter that is
        out of range.
      moments: host, ``(params, limits f64[M], cost) -> Moments`` for positive,
        increasing limits; the censored setting needs it. None if there are no exact
        moments.
      means: ``params -> (mean reward, mean consumption)``, as `Law.mean`; the budgeted
        setting needs it. Or None.
      highest: host, ``params -> f64[K]``, the largest possible consumption, or None.
      exact: as in `Law`.
      steps: host, ``(params, cost) -> (edges f64[K, n], Moments f64[K, n + 1])``, for a
        law with finitely many consumptions. `edges` are the increasing consumptions
        (+inf for unused ones); the moments are those below the first edge, from the
        first to the second, .... Arbitrary limits need it if gains jump. Else None.
      sigma: host, ``params -> f64[K]``, for a law whose rewards, given the consumption,
        are a mean in [0, 1] plus sigma-sub-Gaussian noise. None for rewards in [0, 1].
      per_arm: ``params -> leaves that have a row per arm``; None if all leaves have.
      join: host, ``[params, ...] -> params`` with the arms of all; None if rows are
        concatenated.
      supports: host, ``params -> ((lowest, highest) reward, (lowest, highest)
        consumption)``, f64[K] each, or None. `budgeted.make_environment` compares it
        with the ranges that learners know.
    """

    name: str
    words: int
    sample: Callable[
        [Noise, Any, Int32[Array, ""]], tuple[Float[Array, ""], Float[Array, ""]]
    ]
    check: Callable[[Any], None]
    moments: Callable[[Any, Float[np.ndarray, " M"], Cost], Moments] | None = None
    means: Callable[[Any], tuple[Mean, Mean]] | None = None
    highest: Callable[[Any], End] | None = None
    exact: Callable[[Any], Any] | None = None
    steps: Callable[[Any, Cost], tuple[Table, Moments]] | None = None
    sigma: Callable[[Any], OfArms] | None = None
    per_arm: Callable[[Any], Any] | None = None
    join: Callable[[Sequence[Any]], Any] | None = None
    supports: Callable[[Any], tuple[tuple[End, End], tuple[End, End]]] | None = None

    def rows(self, params: Any) -> list[Any]:
        """The leaves of parameters that have a row per arm."""
        return jax.tree.leaves(params if self.per_arm is None else self.per_arm(params))

    def joined(self, parts: Sequence[Any]) -> Any:
        """Parameters of the arms of several sets, concatenated."""
        if self.join is not None:
            return self.join(parts)
        return jax.tree.map(lambda *x: np.concatenate([*map(np.asarray, x)]), *parts)


def check_fields(argument: str, law: Any, kind: Any = Law) -> None:
    """Require a law with all that any law has to say of itself."""
    instance(argument, law, kind, "of jaxbandits.laws, or your own")
    text(f"{argument}.name", law.name)
    whole(f"{argument}.words", law.words, 0)
    for name, value in law._asdict().items():
        optional = value is None and name in law._field_defaults
        if name not in ("name", "words", "monotone") and not optional:
            function(f"{argument}.{name}", value)
    if isinstance(law, Law):
        one_of(f"{argument}.monotone", law.monotone, (-1, 0, 1))


def num_arms_of(law: Law | JointLaw, params: Any) -> int:
    """K, the number of rows of every leaf of parameters that has a row per arm.

    Raises:
      ValueError: if a leaf has none, or another number of them.
    """
    leaves = law.rows(params) if isinstance(law, JointLaw) else jax.tree.leaves(params)
    sizes = [list(np.shape(leaf)) for leaf in leaves]
    rows = {tuple(size[:1]) for size in sizes}
    if len(rows) != 1 or rows == {()}:
        raise ValueError(
            f"params must have one row per arm in every leaf, got {shown(sizes)}"
        )
    return int(rows.pop()[0])


def check_params(law: Law | JointLaw, params: Any) -> None:
    """The law's own check, then the form of all that it says of parameters alone.

    Raises:
      ValueError, TypeError: naming the parameter, or the law and its function.
    """
    law = well_formed(law)
    law.check(params)
    for name in ("mean", "support", "atoms", "sigma", "means", "highest", "supports"):
        if (function := getattr(law, name, None)) is not None:
            with np.errstate(all="ignore"):
                function(params)


def well_formed(law: Any) -> Any:
    """The same law for the host, with functions whose errors name them.

    They raise a ValueError where they fail, or give what `FORMS` does not have.
    """

    def looked_at(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        what = f"{law.name}: {name}"

        def asked(params: Any, *args: Any) -> Any:
            try:
                result = function(params, *args)
            except Exception as error:
                refusal = name in ("check", "exact")  # of parameters
                if refusal and isinstance(error, ValueError | TypeError):
                    raise
                words = str(error).strip().split("\n")[0]
                raise ValueError(
                    f"{what} failed: {type(error).__name__}: {words}"
                ) from error
            if name == "exact":
                with named(what):
                    num_arms_of(law, result)
            words, holds = FORMS.get(name, ("", None))
            if holds and not holds(result, num_arms_of(law, params), *args):
                raise ValueError(f"{what} must give {words}, got {shown(result)}")
            return result

        return asked

    functions = {x: f for x, f in law._asdict().items() if callable(f)}
    return law._replace(**{x: looked_at(x, f) for x, f in functions.items()})


def _is_array(x: Any, *shapes: tuple[int, ...]) -> bool:
    """Whether these are numbers, none of them NaN, in an array of one of the shapes."""
    try:
        return np.shape(x) in shapes and not np.any(np.isnan(np.asarray(x)))
    except (TypeError, ValueError):  # ragged, or no numbers
        return False


def _is_pair(x: Any, holds: Callable[..., bool], *args: Any) -> bool:
    return (
        isinstance(x, tuple | list) and len(x) == 2 and all(holds(y, *args) for y in x)
    )


def _is_support(x: Any, count: int) -> bool:
    ends = _is_pair(x, _is_array, (), (count,))
    return ends and bool(np.all(np.asarray(x[0]) <= np.asarray(x[1])))


# What functions of K arms on the host must give: in words, and as ``(result, K,
# *arguments) -> bool``.
FORMS: dict[str, tuple[str, Callable[..., bool]]] = {
    "check": ("None, or raise a ValueError", lambda x, k: x is None),
    "mean": ("f64[K]", lambda x, k: _is_array(x, (k,))),
    "means": ("two f64[K]", lambda x, k: _is_pair(x, _is_array, (k,))),
    "sigma": ("f64[] or f64[K]", lambda x, k: _is_array(x, (), (k,))),
    "highest": ("f64[] or f64[K]", lambda x, k: _is_array(x, (), (k,))),
    "support": ("two ends, lowest first, each f64[] or f64[K]", _is_support),
    "supports": ("two supports", lambda x, k: _is_pair(x, _is_support, k)),
    "atoms": (
        "two f64[K, n]",
        lambda x, k: _is_pair(x, lambda y: np.ndim(y) == 2 and len(y) == k),
    ),
    "cdf": ("f64[K, ...]", lambda x, k, at: _is_array(x, (k, *np.shape(at)))),
    "quantile": ("f64[K, n]", lambda x, k, p: _is_array(x, (k, np.shape(p)[-1]))),
    "moments": (
        "Moments of f64[K, M]",
        lambda x, k, limits, cost: (
            isinstance(x, Moments) and all(_is_array(y, (k, len(limits))) for y in x)
        ),
    ),
}


def ranged(kind: type, axes: int = 1) -> Callable[[Any], None]:
    """The `check` of a law with parameters of a type, in the ranges of its fields'
    types, with as many rows in each, and as many axes as are given.
    """

    def check(params: Any) -> None:
        instance("params", params, kind, "of jaxbandits.laws")
        fields = [x for x in kind.__annotations__ if x not in BOUNDS]
        parts = {x: getattr(params, x) for x in fields}
        for name, part in parts.items():
            check_axes(name, part, axes)
        in_ranges(params)
        check_rows(**parts)

    return check


BOUNDS = ("bound", "bounds")  # what `exact_params` adds to parameters


def check_axes(name: str, part: Any, axes: int = 1) -> None:
    """Require a part of parameters with a number, or a row of them, per arm."""
    if numbers(name, part).ndim != axes:
        shape, what = ("[K]", "number") if axes == 1 else ("[K, n]", "row of numbers")
        raise ValueError(
            f"{name} must have one {what} per arm, shape {shape}, got shape "
            f"{list(np.shape(part))}"
        )


def check_rows(**parts: Any) -> None:
    """Require parts of parameters with equal numbers of rows, one per arm."""
    shapes = {
        name: np.shape(leaf)
        for name, part in parts.items()
        for leaf in jax.tree.leaves(part, is_leaf=lambda x: isinstance(x, list))
    }
    if len({shape[:1] for shape in shapes.values()}) > 1:
        listed = (f"{name} {list(shape)}" for name, shape in shapes.items())
        raise ValueError(
            f"{' and '.join(parts)} must have one row per arm each, as many in all, "
            f"got shapes {', '.join(listed)}"
        )


def checked(law: Law) -> Law:
    """The law, with a cdf and a quantile that refuse numbers out of their range."""

    def of(function: Any, name: str, allowed: Range) -> Any:
        def asked(params: Any, at: Any) -> Any:
            allowed(**{name: at})
            return function(params, at)

        return function and asked

    return law._replace(
        cdf=of(law.cdf, "x", no_nan),
        quantile=of(law.quantile, "p", in_unit_interval),
    )


def exact_params(law: Law | JointLaw, params: Any) -> Any:
    """Parameters of a fixed instance, in the exact form for `sample`.

    Args:
      law: the law.
      params: parameters of the law on the host, in float64.

    Returns:
      `params`, with integer bounds if the law compares with probabilities. An event of
      probability 1 - 1e-8, which float32 cannot represent, then fails once in 1e8
      draws.
    """
    return params if law.exact is None else well_formed(law).exact(params)


def cost_of(cost: Cost, consumption: np.ndarray) -> np.ndarray:
    """Costs of consumptions f64[...] on the host, in float64: f64[...].

    A cost in jax.numpy would otherwise return float32, too inexact for quadratures.
    """
    with jax.enable_x64(True):
        return np.asarray(cost(consumption), np.float64)


def exceeds(x: Any, limit: Any) -> Any:
    """``x > limit`` in float32, for arguments of any precision: bool[...].

    Hence games in float32 and oracles in float64 agree if a number and a limit differ
    only by a rounding error: 0.1 + 0.2 does not exceed 0.3.
    """
    host = isinstance(x, np.ndarray | np.generic) and not isinstance(limit, jax.Array)
    single = np.asarray if host else jnp.asarray
    return single(x, np.float32) > single(limit, np.float32)


def of_arm(params: Tree, arm: Int32[Array, ""]) -> Tree:
    """Parameters of one arm, selected in one operation and without a gather.

    They are arrays ``[K, ...]``: floats of one dtype, bounds of i32.
    """
    leaves, structure = jax.tree.flatten(params)
    parts: dict[int, Any] = {}
    for integers in (False, True):
        chosen = {
            place: leaf
            for place, leaf in enumerate(leaves)
            if jnp.issubdtype(leaf.dtype, jnp.integer) == integers
        }
        if chosen:
            rows = [x.reshape(x.shape[0], -1) for x in chosen.values()]
            row, stop = pick(jnp.concatenate(rows, axis=1), arm), 0
        for place, leaf in chosen.items():
            start, stop = stop, stop + math.prod(leaf.shape[1:])
            parts[place] = row[start:stop].reshape(leaf.shape[1:])
    return jax.tree.unflatten(structure, [parts[place] for place in range(len(leaves))])


def expectation_below(
    density: Callable[[Float[np.ndarray, " n"]], Float[np.ndarray, "K n"]],
    function: Callable[[Float[np.ndarray, " n"]], np.ndarray],
    limits: Numbers,
    breakpoints: Numbers = (),
) -> Float[np.ndarray, "K M"]:
    """``integral_0^tau function(c) density(c) dc`` at increasing limits, f64[K, M].

    Adaptive Gauss-Kronrod quadrature on the host, absolute error below 1e-11; all
    intervals between limits are integrated at once, as one vector. At breakpoints
    `function` or `density` may jump.
    """
    limits = np.asarray(limits, np.float64)
    if not (np.all(limits >= 0) and np.all(np.diff(limits) >= 0)):
        raise ValueError(f"limits must be at least 0 and never fall, got {limits}")
    edges = np.unique(np.concatenate([[0.0], limits, np.asarray(breakpoints, float)]))
    edges = edges[edges <= limits[-1]]
    starts, widths = edges[:-1], np.diff(edges)

    def integrand(share):
        x = starts + share * widths
        return function(x) * density(x) * widths

    total = np.cumsum(integral(integrand, 0, 1), axis=-1)
    return total[:, np.searchsorted(edges, limits) - 1]


def integral(function: Any, low: float, high: float, **options: Any) -> np.ndarray:
    """The integral of a vector of functions, with a relative error below 1e-12."""
    options = {"epsabs": 1e-13, "epsrel": 1e-12, "norm": "max"} | options
    result: np.ndarray = scipy.integrate.quad_vec(function, low, high, **options)[0]
    return result
