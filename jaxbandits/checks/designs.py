"""Space-filling designs: parameter points that spread evenly over ranges.

Of many parameters a grid has too many points, and most of them differ in parameters
that hardly matter. Those of a Latin hypercube (McKay, Beckman and Conover 1979, "A
comparison of three methods for selecting values of input variables in the analysis of
output from a computer code", Technometrics 21, 239-245) and of a scrambled Sobol
sequence (Owen 1998, "Scrambling Sobol' and Niederreiter-Xing points", J. Complexity 14,
466-489) have different values in each. Both are SciPy's.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import MOST, Zipped

METHODS = {"sobol": "Sobol", "latin_hypercube": "LatinHypercube"}  # SciPy's names
SCALES = ("linear", "log")
# Logarithms of two machines may differ in the last bit, and must not make two sweeps.
_DIGITS = 12


class Range(NamedTuple):
    """The values that a parameter of a design can have.

    Attributes:
      low: the least.
      high: the largest, above `low`.
      scale: ``"linear"`` or ``"log"``: what the points spread over evenly.
      whole: whether they are whole numbers, `high` one of them: each as often as the
        others, or on a log scale as the part of it from there to the next one.
    """

    low: float
    high: float
    scale: str = "linear"
    whole: bool = False


def sampled(
    ranges: Mapping[str, Range],
    points: int,
    method: str = "sobol",
    seed: int = 0,
    crossed: Mapping[str, Any] = {},
) -> Zipped:
    """A grid of points that spread evenly over ranges.

    Args:
      ranges: by leaf of a policy's parameters.
      points: how many, at least 2; of a Sobol sequence a power of two, as others are
        less even. Points that whole numbers make equal stand there once.
      method: ``"sobol"`` (scrambled) or ``"latin_hypercube"``.
      seed: of the scrambling, >= 0: the same points again, with the same SciPy.
      crossed: values by leaf, each combined with every point, as in `zipped`.

    Raises:
      ValueError, TypeError: naming the argument, or the range that is none.
    """
    from scipy.stats import qmc

    count = checks.whole("points", points, 2, MOST)
    checks.one_of("method", method, METHODS)
    if method == "sobol" and count & (count - 1):
        above = 1 << count.bit_length()
        raise ValueError(
            f"points must be a power of two with method 'sobol', {above // 2} or "
            f"{above}, got {count}; 'latin_hypercube' takes any number"
        )
    checks.whole("seed", seed, 0)
    checks.instance("crossed", crossed, Mapping, "from leaves to values")
    if not isinstance(ranges, Mapping) or not ranges:
        raise TypeError(
            "ranges must map names of parameters to jaxbandits.Range, at least one, "
            f"got {checks.shown(ranges)}"
        )
    for leaf, span in ranges.items():
        _check(f"ranges[{leaf!r}]", span)
    most = qmc.Sobol.MAXDIM if method == "sobol" else MOST
    if len(ranges) > most:
        raise ValueError(
            f"ranges must have at most {most} leaves with method {method!r}, got "
            f"{len(ranges)}"
        )
    unit = getattr(qmc, METHODS[method])(len(ranges), rng=seed).random(count)
    table = np.stack([_values(*x) for x in zip(ranges.values(), unit.T, strict=True)])
    _, first = np.unique(table, axis=1, return_index=True)
    return Zipped(dict(zip(ranges, table[:, np.sort(first)], strict=True)), crossed)


def _check(name: str, span: Any) -> None:
    """Require a range."""
    checks.instance(name, span, Range, "of jaxbandits")
    checks.check_fields(name, span)
    checks.one_of(f"{name}: scale", span.scale, SCALES)
    low, high = float(span.low), float(span.high)
    least = 0 if span.scale == "log" else -math.inf
    if not least < low < high < math.inf:
        wanted = "positive and finite on a log scale" if least == 0 else "finite"
        raise ValueError(
            f"{name}: ends must be {wanted}, and increase, got {low:g} and {high:g}"
        )
    if not math.isfinite(high / low if least == 0 else high - low):
        raise ValueError(
            f"{name}: ends must not be so far apart that float64 overflows, got "
            f"{low:g} and {high:g}"
        )
    if span.whole and not (low.is_integer() and high.is_integer()):
        raise ValueError(
            f"{name}: ends must be whole numbers, got {low:g} and {high:g}"
        )


def _values(span: Range, unit: np.ndarray) -> np.ndarray:
    """f64[N] in a range, of f64[N] in [0, 1)."""
    low, high = float(span.low), float(span.high) + span.whole
    if span.scale == "log":
        spread = low * np.exp(unit * math.log(high / low))
        spread = np.array([float(f"{x:.{_DIGITS}g}") for x in spread])
    else:
        spread = low + unit * (high - low)
    return np.clip(np.floor(spread) if span.whole else spread, low, span.high)
