"""Functions known at equally spaced nodes: values between them, maxima, crossings.

Polynomials pass through six neighbouring nodes, or another even number. Positions are
in units of the spacing; no gather is used. For a smooth function the error is of the
order of the sixth power of the spacing (of the eighth, with eight nodes).
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Int32, Real

from jaxbandits.arrays import first_argmax, multiply_add, outermost, stored, window
from jaxbandits.arrays.real import Floats, Reals, alike, real
from jaxbandits.checks import MOST, kinds, number, shaped, shown, whole

NODES = 6  # default number of nodes of a polynomial
# Newton steps for functions that are nearly linear in a cell: from a node to the
# maximum, and from the crossing of a secant to the crossing of the function.
TO_MAXIMUM = {jnp.dtype("float32"): 3, jnp.dtype("float64"): 5}
TO_CROSSING = {jnp.dtype("float32"): 2, jnp.dtype("float64"): 4}
LEAST = 1e-30  # stands for 0 in a denominator


class _Polynomial(NamedTuple):
    """A polynomial through the nodes ``start, ..., start + n - 1``.

    Attributes:
      start: i32[], the first node.
      coefficients: tuple of n f[], coefficients of powers of the distance from the
        middle of the nodes. These powers are small, so that their sums lose least.
    """

    start: Int32[Array, ""]
    coefficients: tuple[Float[Array, ""], ...]

    def middle(self, dtype: Any) -> Array:
        """The middle of the nodes."""
        return self.start.astype(dtype) + (len(self.coefficients) - 1) / 2

    def __call__(self, position: Array) -> Array:
        """The value at a position, in units of the spacing."""
        value, _ = _powers(self.coefficients, position - self.middle(position.dtype))
        return value

    def derivatives(self, position: Array) -> tuple[Array, Array, Array]:
        """Value, slope and curvature at a position."""
        at = position - self.middle(position.dtype)
        value, _ = _powers(self.coefficients, at)
        return value, *_powers(_slopes(self.coefficients), at)


def _powers(coefficients: Sequence[Array], at: Array) -> tuple[Array, Array]:
    """``sum_k coefficients[k] at**k`` and its slope, by Horner's scheme."""
    value, slope = coefficients[-1], None
    for coefficient in coefficients[-2::-1]:
        slope = value if slope is None else multiply_add(at, slope, value)
        value = multiply_add(at, value, coefficient)
    assert slope is not None
    return value, slope


def _slopes(coefficients: Sequence[Array]) -> list[Array]:
    """The coefficients of the derivative."""
    return [float(k) * each for k, each in enumerate(coefficients) if k]


def _through(values: Sequence[Array]) -> tuple[Array, ...]:
    """The coefficients of the polynomial with these values at ..., -1/2, 1/2, ....

    The even part, and the odd part over the distance, are polynomials in the squared
    distance; each has half as many coefficients.
    """
    half = len(values) // 2
    pairs = [(values[half - 1 - k], values[half + k]) for k in range(half)]
    even = [low + high for low, high in pairs]
    odd = [high - low for low, high in pairs]
    parts = zip(_halves(half), (even, odd), strict=True)
    results = [[_combined(row, part) for row in rows] for rows, part in parts]
    return tuple(each for both in zip(*results, strict=True) for each in both)


@cache
def _halves(half: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the even and the odd part, by sums and differences of values."""
    places = np.arange(half) + 0.5
    even = 0.5 * np.linalg.inv(np.vander(places**2, increasing=True))
    return even, even / places


def _combined(weights: np.ndarray, values: Sequence[Array]) -> Array:
    """``sum_k weights[k] values[k]``, small ones first."""
    total = float(weights[-1]) * values[-1]
    for weight, value in zip(weights[-2::-1], values[-2::-1], strict=True):
        total = multiply_add(float(weight), value, total)
    return total


def around(
    values: Float[Array, " J"], node: Int32[Array, ""], nodes: int = NODES
) -> _Polynomial:
    """The polynomial whose middle cell begins at a node; near the ends, the outermost
    polynomial. ``nodes`` is even, and at most J.
    """
    shaped("J", values=values)
    shaped("", node=node)
    start = _start(values, node, nodes)
    near = window(values, start, nodes)
    return _Polynomial(start, _through([near[k] for k in range(nodes)]))


def _start(values: Array, node: Array, nodes: int) -> Array:
    """The first of the nodes around the cell that begins at one of them."""
    length = values.shape[0]
    if whole("nodes", nodes, NODES, MOST) % 2:
        raise ValueError(f"nodes must be even, got {nodes}")
    if length < nodes:
        raise ValueError(f"values must be at least {nodes} numbers, got {length}")
    # Stored, as every step of a window's search reads it.
    start: Array = stored(jnp.clip(node - (nodes // 2 - 1), 0, length - nodes))
    return start


def _beside(values: Array, node: Array, nodes: int) -> _Polynomial:
    """The polynomial of the cell beside a node in which the function rises: where the
    maximum is, if the node is the largest."""
    left, right = (_start(values, cell, nodes) for cell in (node - 1, node))
    spare, half = values.shape[0] - nodes, nodes // 2
    if not spare:
        return around(values, node, nodes)
    # One window holds both rows; near an end they are equal.
    first = jnp.minimum(left, spare - 1)
    near = window(values, first, nodes + 1)
    # The slope at the node, of the polynomial through the seven around it.
    by = [near[half + k] - near[half - k] for k in (1, 2, 3)]
    start = jnp.where(45.0 * by[0] - 9.0 * by[1] + by[2] > 0, right, left)
    later = start > first
    row = [jnp.where(later, near[k + 1], near[k]) for k in range(nodes)]
    return _Polynomial(start, _through(row))


@kinds
def interpolate(
    values: Real[ArrayLike, " J"], position: Real[ArrayLike, ""], nodes: int = NODES
) -> Float[Array, ""]:
    """The function at one position.

    Args:
      values: f[J].
      position: f[] in [0, J - 1].
      nodes: host int, even and at least 6, that a polynomial passes through.

    Raises:
      ValueError: if `nodes` is out of range, or there are fewer values than that.
    """
    values, position = real(values=values, position=position)
    node = jnp.floor(position).astype(jnp.int32)
    return around(values, node, nodes)(position)


@kinds
def maximum(
    values: Real[ArrayLike, " J"],
    last: float | None = None,
    node: Int32[Array, ""] | None = None,
    nodes: int = NODES,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Position and value of the maximum of a unimodal function.

    The value is that of `interpolate`, so that `crossings` compares like with like.

    Args:
      values: f[J], J >= nodes.
      last: host number in (J - 2, J - 1], where the function ends; by default at the
        last node.
      node: i32[], the largest value's, if that is known.
      nodes: host int, even and at least 6, that a polynomial passes through.

    Returns:
      ``(position f[] in [0, last], value f[])``.

    Raises:
      ValueError: if `last` or `nodes` is out of range, or there are fewer values than
        nodes.
    """
    values = real(values=values)
    most = values.shape[0] - 1
    end = most if last is None else number("last", last)
    if not most - 1 < end <= most:
        raise ValueError(f"last must be in ({most - 1}, {most}], got {shown(last)}")
    node = first_argmax(values) if node is None else node
    polynomial = _beside(values, node, nodes)
    slopes = _slopes(polynomial.coefficients)
    middle = polynomial.middle(values.dtype)

    def falling(offset):
        slope, curvature = _powers(slopes, offset)
        return -slope, -curvature

    start = node.astype(values.dtype)
    low, high = jnp.maximum(start - 1, 0), jnp.minimum(start + 1, end)
    ends = low - middle, high - middle, jnp.minimum(start, end) - middle
    offset = guarded_newton(falling, *ends, TO_MAXIMUM[values.dtype])
    position = jnp.clip(offset + middle, low, high)
    # If the function is largest at an end, the result is exactly that end.
    position = jnp.where((node == 0) & (falling(ends[0])[0] >= 0), low, position)
    position = jnp.where((start + 1 > end) & (falling(ends[1])[0] < 0), high, position)
    return position, polynomial(position)


def crossings(
    values: Real[ArrayLike, " J"],
    peak: Real[ArrayLike, ""],
    height: Real[ArrayLike, ""],
    level: Real[ArrayLike, ""],
    nodes: int = NODES,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Positions where a unimodal function falls to a level, left and right of its peak.

    ``sqrt(height - value)`` is nearly linear for a log likelihood, even if the peak is
    in the same cell. Newton's method starts where the secant of this root crosses.

    Args:
      values: f[J].
      peak: f[], position of the maximum.
      height: f[], value at the maximum.
      level: f[], at most `height`.
      nodes: host int, even and at least 6, number of nodes of a polynomial.

    Returns:
      ``(left f[], right f[])``, the crossings nearest to the peak; the end of the nodes
      on a side without a crossing.
    """
    values, peak, height, level = real(
        values=values, peak=peak, height=height, level=level
    )
    last = values.shape[0] - 1
    peak_cell = jnp.clip(jnp.floor(peak).astype(jnp.int32), 0, last)
    # Nodes beyond a crossing lie at the ends: their number gives its position.
    left, right = outermost(values < level, peak_cell)

    def one(number, side):
        results = number > 0
        cell = jnp.clip(number - 1 if side < 0 else last - number, 0, last - 1)
        # Heights are compared on one polynomial: those of two cells differ by more than
        # a likelihood ratio where the peak is much narrower than a cell.
        near = jnp.abs(cell - peak_cell) <= 1
        polynomial = around(values, jnp.where(near, peak_cell, cell), nodes)
        middle = polynomial.middle(values.dtype)
        edge = cell.astype(values.dtype)
        inner = jnp.clip(peak, edge, edge + 1)
        outer = edge if side < 0 else edge + 1

        def further(offset):
            value, slope = _powers(polynomial.coefficients, offset)
            return side * (level - value), -side * slope

        def root(position):
            value = polynomial(position)
            return jnp.sqrt(jnp.maximum(height - value, 0.0))

        depth = root(outer)
        share = (depth - target) / jnp.maximum(depth - root(inner), LEAST)
        start = outer + jnp.clip(share, 0.0, 1.0) * (inner - outer)
        ends = (outer, inner) if side < 0 else (inner, outer)
        offsets = (x - middle for x in (*ends, start))
        offset = guarded_newton(further, *offsets, TO_CROSSING[values.dtype])  # type: ignore[arg-type, call-arg]
        position = jnp.where(target > 0, jnp.clip(offset + middle, *ends), inner)
        return jnp.where(results, position, 0.0 if side < 0 else float(last))

    target = jnp.sqrt(jnp.maximum(height - level, 0.0))
    return one(left, -1), one(right, 1)


def guarded_newton(
    function: Callable[[Floats], tuple[Floats, Floats]],
    low: Reals,
    high: Reals,
    start: Reals,
    steps: int,
) -> Floats:
    """The point where a function turns from negative to positive, in [low, high].

    If a Newton step leaves the bracket, or the slope has the wrong sign, the middle of
    the bracket is taken instead. The loop over steps is unrolled: on a CPU its overhead
    would exceed the work of a step. Near a simple zero each step doubles the digits.
    The derivative is that of the implicit function where the last step was Newton's.

    Args:
      function: ``f[...] -> (value, slope)``, element by element.
      low, high, start, steps: ends, the first point between them, number of steps.
    """

    def step(bracket, _):
        x, low, high = bracket
        value, slope = function(x)
        usable = slope > 0
        after = x - value / jnp.where(usable, slope, 1.0)
        # Against the bracket before x: after is on the side of x that value's sign
        # says, and a program that computes value twice may round it to both signs.
        inside = usable & (low <= after) & (after <= high)
        below = value < 0
        low, high = jnp.where(below, x, low), jnp.where(below, high, x)
        return (jnp.where(inside, after, 0.5 * (low + high)), low, high), None

    bracket = jnp.broadcast_arrays(*alike(*real(start=start, low=low, high=high)))
    (x, _, _), _ = lax.scan(step, tuple(bracket), None, length=steps, unroll=steps)
    return x
