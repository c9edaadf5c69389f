"""Functions that the kernel's lowering lacks, from element-wise operations, in float32.

Sources: the rational approximation of erf is that of Eigen and XLA (within 3 units in
the last place); that of erfc is Press et al., "Numerical Recipes", 6.2 (relative
error 1.2e-7 before rounding).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.pallas import triton

ERF_ABOVE = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
ERF_BELOW = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)
ERFC = (
    0.17087277,
    -0.82215223,
    1.48851587,
    -1.13520398,
    0.27886807,
    -0.18628806,
    0.09678418,
    0.37409196,
    1.00002368,
    -1.26551223,
)


def erf(x):
    """The error function."""
    x = jnp.minimum(jnp.maximum(x, -4.0), 4.0)
    square = x * x
    return x * _polynomial(ERF_ABOVE, square) / _polynomial(ERF_BELOW, square)


def erfc(x):
    """The complementary error function; small values keep their relative accuracy."""
    size = jnp.abs(x)
    t = 1.0 / (1.0 + 0.5 * size)
    tail = t * jnp.exp(_polynomial(ERFC, t) - size * size)
    tail = lax.select(x < 0, 2.0 - tail, tail)
    return lax.select(size < 0.5, 1.0 - erf(x), tail)


def round_to_even(x):
    """The nearest whole number; halves go to the even one."""
    floor = jnp.floor(x)
    rest = x - floor
    odd = floor - 2.0 * jnp.floor(0.5 * floor) == 1.0
    up = (rest > 0.5) | ((rest == 0.5) & odd)
    return floor + up.astype(x.dtype)


def multiply_add(a, b, c, *, compiled: bool):
    """``a b + c``, in one rounding if the kernel is compiled for a GPU."""
    if not compiled or not jnp.ndim(a):
        return a * b + c
    (found,) = triton.elementwise_inline_asm(
        "fma.rn.f32 $0, $1, $2, $3;",
        args=[a, b, c],
        constraints="=f,f,f,f",
        pack=1,
        result_shape_dtypes=[jax.typeof(a)],
    )
    return found


def _polynomial(coefficients, x):
    total = jnp.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total
