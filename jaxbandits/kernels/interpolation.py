"""Functions known at equally spaced nodes: values between them, maxima, crossings.

Polynomials of degree five through six neighbouring nodes, in units of the spacing and
without a gather. For a smooth function the error is of the order of the sixth power of
the spacing.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float, Int32, Real

from jaxbandits.arrays import first_argmax, stored, window
from jaxbandits.arrays.real import real
from jaxbandits.checks import one_of, shaped
from jaxbandits.kernels.newton import guarded_newton

NODES = 6  # that a polynomial passes through
# Of Newton's method, for functions that are nearly linear in a cell.
STEPS = {jnp.dtype("float32"): 5, jnp.dtype("float64"): 7}
LEAST = 1e-6  # stands for 0 in a denominator


class _Polynomial(NamedTuple):
    """Newton's form on the nodes ``start, start + 1, ...``.

    Attributes:
      start: i32[].
      coefficients: tuple of f[], the divided differences.
    """

    start: Int32[Array, ""]
    coefficients: tuple[Float[Array, ""], ...]

    def __call__(self, position: Array) -> Array:
        """The value at a position, in units of the spacing."""
        s = position - self.start.astype(position.dtype)
        value = self.coefficients[-1]
        for k in range(len(self.coefficients) - 2, -1, -1):
            value = self.coefficients[k] + (s - k) * value
        return value

    def derivatives(self, position: Array) -> tuple[Array, Array, Array]:
        """Value, slope and curvature at a position."""
        s = position - self.start.astype(position.dtype)
        value = self.coefficients[-1]
        slope: Any = 0.0
        half: Any = 0.0
        for k in range(len(self.coefficients) - 2, -1, -1):
            half = slope + (s - k) * half
            slope = value + (s - k) * slope
            value = self.coefficients[k] + (s - k) * value
        return value, slope, 2 * half


def around(values: Float[Array, " J"], node: Int32[Array, ""]) -> _Polynomial:
    """The polynomial whose middle cell begins at a node (nearer the ends, which cannot
    be in the middle, the outermost one).

    Args:
      values: f[J], J >= 6.
      node: i32[].
    """
    shaped("J", values=values)
    shaped("", node=node)
    length = values.shape[0]
    if length < NODES:
        raise ValueError(f"values must be at least {NODES} numbers, got {length}")
    start = jnp.clip(node - (NODES // 2 - 1), 0, length - NODES)
    near = window(values, start, NODES)
    row = [near[k] for k in range(NODES)]
    coefficients = []
    for order in range(1, NODES + 1):
        coefficients.append(row[0])
        row = [(b - a) / order for a, b in zip(row[:-1], row[1:], strict=True)]
    return _Polynomial(start, tuple(coefficients))


def interpolate(
    values: Real[ArrayLike, " J"], position: Real[ArrayLike, ""]
) -> Float[Array, ""]:
    """The function at one position.

    Args:
      values: f[J].
      position: f[] in [0, J - 1].

    Raises:
      ValueError: if there are fewer than six values.
    """
    values, position = real(values=values, position=position)
    node = jnp.floor(position).astype(jnp.int32)
    return around(values, node)(position)


def maximum(values: Real[ArrayLike, " J"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Position and value of the maximum of a unimodal function.

    The value is that of `interpolate`, so that `crossing` compares like with like.

    Args:
      values: f[J], J >= 6.

    Returns:
      ``(position f[] in [0, J - 1], value f[])``.
    """
    values = real(values=values)
    shaped("J", values=values)
    last = values.shape[0] - 1
    node = first_argmax(values)
    polynomial = around(values, node)

    def falling(position):
        _, slope, curvature = polynomial.derivatives(position)
        return -slope, -curvature

    # The two cells beside the largest node have polynomials of their own: the maximum
    # is looked for in the cell where its own polynomial has it.
    left = around(values, node - 1)
    in_left = (left.derivatives(node.astype(values.dtype))[1] < 0) & (node > 0)
    polynomial = jax.tree.map(
        lambda own, other: jnp.where(in_left, other, own), polynomial, left
    )
    low = jnp.maximum(node - 1, 0).astype(values.dtype)
    high = jnp.minimum(node + 1, last).astype(values.dtype)
    steps = STEPS[values.dtype]
    position = guarded_newton(falling, low, high, node.astype(values.dtype), steps)
    # A function that is largest at an end is so to the last digit.
    position = jnp.where((node == 0) & (falling(low)[0] >= 0), low, position)
    position = jnp.where((node == last) & (falling(high)[0] < 0), high, position)
    return position, polynomial(position)


def crossing(
    values: Real[ArrayLike, " J"],
    peak: Real[ArrayLike, ""],
    height: Real[ArrayLike, ""],
    level: Real[ArrayLike, ""],
    side: int,
) -> Float[Array, ""]:
    """Where a unimodal function falls to a level on one side of its maximum.

    Looked for is a zero of ``sqrt(height - value) - sqrt(height - level)``, which is
    nearly linear for a log likelihood, also where the peak is in the same cell.

    Args:
      values: f[J].
      peak: f[], position of the maximum.
      height: f[], the value there.
      level: f[], at most `height`.
      side: -1 or 1.

    Returns:
      f[], the crossing nearest to the peak; the end of the nodes on that side if there
      is none.
    """
    one_of("side", side, (-1, 1))
    values, peak, height, level = real(
        values=values, peak=peak, height=height, level=level
    )
    last = values.shape[0] - 1
    nodes = jnp.arange(last + 1, dtype=jnp.int32).astype(peak.dtype)
    # The nodes beyond the crossing are the outermost ones: their number is its place.
    beyond = (values < level) & ((nodes <= peak) if side < 0 else (nodes >= peak))
    beyond = stored(beyond.astype(jnp.int32))
    number = jnp.sum(beyond, dtype=jnp.int32)
    found = number > 0
    cell = jnp.clip(number - 1 if side < 0 else last - number, 0, last - 1)
    # Heights are compared on one polynomial: those of two cells differ by more than a
    # likelihood ratio where the peak is much narrower than a cell.
    home = jnp.clip(jnp.floor(peak).astype(jnp.int32), 0, last)
    near = jnp.abs(cell - home) <= 1
    polynomial = around(values, jnp.where(near, home, cell))
    edge = cell.astype(values.dtype)
    inner = jnp.clip(peak, edge, edge + 1)
    target = jnp.sqrt(jnp.maximum(height - level, 0.0))

    def further(position):
        value, slope, _ = polynomial.derivatives(position)
        root = jnp.sqrt(jnp.maximum(height - value, 0.0))
        return side * (root - target), side * -slope / (2 * jnp.maximum(root, LEAST))

    low, high = (edge, inner) if side < 0 else (inner, edge + 1)
    outer = low if side < 0 else high
    position = guarded_newton(further, low, high, outer, STEPS[values.dtype])
    position = jnp.where(target > 0, position, inner)
    return jnp.where(found, position, 0.0 if side < 0 else float(last))
