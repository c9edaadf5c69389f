"""Generalised gamma laws, the form of most threshold families.

With ``v = (unit rate x) ** power`` the law is ``G(x) = P(order, v)``, P the regularised
incomplete gamma function, and the density is

    power unit rate v**b exp(-v) / Gamma(order),        b = order - 1 / power.

The density is largest at ``v = b`` for b > 0 (a sigmoid), at 0 for b = 0, and infinite
at 0 for b < 0. For b <= 0, G is concave. The surrogate scale of Lemma D.1 is
``(other / rate) ** (power order)``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import erf, gammainc, gammaln, xlogy

from jaxbandits.arrays import log_survival, unit_interval
from jaxbandits.kernels.gamma import gamma_quantile
from jaxbandits.kernels.lambert import beyond_mode, wright_omega
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.kernels.truncated import truncated_exponential_mean
from jaxbandits.laws.thresholds.threshold import LEAST, Threshold, checked

MOST = 1e26  # largest v: sums of a million such numbers are finite
SMALL = 0.25  # v, below which a short series replaces the incomplete gamma function
VANISHING = 1e-20  # v, below which 1 - exp(-v) is v


def _log_gammainc_near_0(a: float | Array, log_v: Array) -> Array:
    """log P(a, v) for small v: ``v**a exp(-v) sum_m v**m / Gamma(a + m + 1)``."""
    v = jnp.exp(jnp.minimum(log_v, 0.0))
    term, total = 1.0, 1.0
    for m in range(1, 7):
        term = term * v / (a + m)
        total = total + term
    return a * log_v - v - gammaln(a + 1) + jnp.log(total)


class _GeneralisedGamma(NamedTuple):
    """The functions of a family; arguments as of `generalised_gamma` and `Threshold`.

    Attributes:
      of_level: P(order, v).
    """

    order: Callable[[Any], Any] | float
    power: Callable[[Any], Any] | float
    unit: Callable[[Any], Any] | float
    of_level: Callable[[Any, Array], Array]
    truncated_mean: Callable[[Array, Array], Array] | None

    @property
    def of_order_one(self) -> bool:
        """Whether the order is the number 1."""
        return self.order == 1.0

    def constants(self, shape: Any) -> tuple[Any, ...]:
        return tuple(f(shape) if callable(f) else f for f in self[:3])

    def log_gamma(self, a: Any) -> Any:
        # The case 1 is written out: GPU kernels have no rule for this function.
        return 0.0 if self.of_order_one else gammaln(a)

    def level(self, x: Any, rate: Any, shape: Any) -> Any:
        """v, positive for positive x even where it underflows, and finite."""
        _, q, c = self.constants(shape)
        return jnp.clip((c * rate * x) ** q, LEAST, MOST)

    def log_level(self, x: Any, rate: Any, shape: Any) -> Any:
        """log v, also where v underflows."""
        _, q, c = self.constants(shape)
        return q * jnp.log(jnp.maximum(c * rate * x, LEAST))

    def cdf(self, x: Any, rate: Any, shape: Any = None) -> Any:
        @jax.custom_jvp
        def of_product(z):
            a, _, _ = self.constants(shape)
            return jnp.where(z > 0, self.of_level(a, self.level(z, 1.0, shape)), 0.0)

        # At 0 the formula has no slope; the density has the right one.
        @of_product.defjvp
        def _(z, tangent):
            slope = jnp.exp(self.log_pdf(z[0], jnp.ones_like(z[0]), shape))
            return of_product(z[0]), slope * tangent[0]

        return of_product(jnp.asarray(rate * x))

    def hazard(self, low: Any, high: Any, rate: Any, shape: Any = None) -> Any:
        """v(high) - v(low)."""
        _, q, c = self.constants(shape)
        if self.power == 1.0:  # exact, and without a logarithm
            return c * rate * (high - low)
        top = jnp.maximum(high, LEAST)
        lower = jnp.log1p(-(high - low) / top)
        return -((c * rate * top) ** q) * jnp.expm1(q * lower)

    def log_pdf(self, x: Any, rate: Any, shape: Any = None) -> Any:
        a, q, c = self.constants(shape)
        v = self.level(x, rate, shape)
        if self.of_order_one and self.power == 1.0:
            return jnp.log(c * rate) - v
        height = (a - 1 / q) * self.log_level(x, rate, shape)
        return jnp.log(q * c * rate) + height - v - self.log_gamma(a)

    def log_cdf(self, x: Any, rate: Any, shape: Any = None) -> Any:
        a, _, _ = self.constants(shape)
        v = self.level(x, rate, shape)
        if not self.of_order_one:
            near = _log_gammainc_near_0(a, self.log_level(x, rate, shape))
            exact = jnp.log(jnp.maximum(self.of_level(a, v), LEAST))
            return jnp.where(v < SMALL, near, exact)
        # One logarithm for all: where 1 - exp(-v) rounds, what rounding did to the
        # distance from 1 was done to the logarithm too and is undone (Kahan's log1p).
        survival = jnp.exp(-v)
        rounded = 1 - survival
        large = v > 0.7
        log = jnp.log(jnp.where(large, rounded, -jnp.expm1(-v)))
        off = jnp.where(large & (rounded < 1), 1 - rounded, 1.0)
        exact = jnp.where(rounded < 1, log * (survival / off), -survival)
        log = jnp.where(v < VANISHING, self.log_level(x, rate, shape), log)
        return jnp.where(large, exact, log)

    def mean(self, x: Any, rate: Any, shape: Any = None) -> Any:
        if self.truncated_mean is not None:
            return self.truncated_mean(x, rate)
        a, q, c = self.constants(shape)
        v, above = self.level(x, rate, shape), a + 1 / q
        factor = jnp.exp(gammaln(above) - gammaln(a)) / (c * rate)
        return factor * gammainc(above, v) / jnp.maximum(self.of_level(a, v), LEAST)

    def scale(self, rate: Any, other: Any, shape: Any = None) -> Any:
        a, q, _ = self.constants(shape)
        return (other / rate) ** (a * q)

    def sample(self, noise: Array, rate: Any, shape: Any = None) -> Any:
        a, q, c = self.constants(shape)
        if self.of_order_one:
            v = -log_survival(*noise)
        else:
            # A gamma variate of order a < 1 is one of order a + 1 times U ** (1 / a).
            small = a < 1
            first, second = unit_interval(noise)
            above = gamma_quantile(normal_quantile(first), jnp.where(small, a + 1, a))
            v = above * jnp.where(small, second ** (1 / a), 1.0)
        return v ** (1 / q) / (c * rate)

    def peak(self, shape: Any) -> tuple[Any, ...]:
        """b and the logarithm of the largest ``v**b exp(-v)`` (of 1 for b <= 0)."""
        a, q, _ = self.constants(shape)
        b = a - 1 / q
        return b, jnp.where(b > 0, xlogy(b, jnp.maximum(b, LEAST)) - b, 0.0)

    def log_height(self, rate: Any, shape: Any = None) -> Any:
        a, q, c = self.constants(shape)
        return jnp.log(q * c * rate) + self.peak(shape)[1] - self.log_gamma(a)

    def fall(self, drop: Any, rate: Any, shape: Any = None) -> Any:
        _, q, c = self.constants(shape)
        b, _ = self.peak(shape)
        if np.all(self.exponent(shape) >= 0):
            v = beyond_mode(b, drop)
        else:
            # v - b log v = drop with b < 0.
            size = jnp.where(b < 0, -b, 1.0)
            unbounded = size * wright_omega(drop / size - jnp.log(size))
            v = jnp.where(b < 0, unbounded, beyond_mode(jnp.maximum(b, 0.0), drop))
            v = jnp.maximum(v, LEAST)  # a power of 0 has no derivative
        return v ** (1 / q) / (c * rate)

    def exponent(self, shape: Any) -> Any:
        """b on the host."""
        a, q, _ = self.on_host(shape)
        return np.asarray(a - 1 / q)

    def on_host(self, shape: Any) -> tuple[Any, ...]:
        return self.constants(None if shape is None else np.asarray(shape, np.float64))

    def sharpness(self, shape: Any) -> Any:
        """Square root of the information about log rate in an observed threshold."""
        a, q, _ = self.on_host(shape)
        return np.asarray(q * np.sqrt(np.maximum(a, 1.0)))

    def falling_hazard(self, shape: Any) -> Any:
        # That of Weibull's law and of the gamma law, for both at once (Glaser, 1980).
        a, q, _ = (np.asarray(each) for each in self.constants(shape))
        return (q <= 1) & (a * q <= 1)


def generalised_gamma(
    name: str,
    *,
    order: Callable[[Any], Any] | float = 1.0,
    power: Callable[[Any], Any] | float = 1.0,
    unit: Callable[[Any], Any] | float = 1.0,
    cdf: Callable[[Any, Array], Array] | None = None,
    truncated_mean: Callable[[Array, Array], Array] | None = None,
) -> Threshold:
    """A threshold family with a generalised gamma law.

    Args:
      name: name of the family.
      order, power, unit: numbers, or functions of the known shape.
      cdf: P(order, v) where there is a closed form; by default that of order 1 if
        `order` is the number 1, else the incomplete gamma function.
      truncated_mean: ``(x, rate) -> E[X | X <= x]`` where there is a closed form.
    """
    if cdf is None:
        cdf = (lambda a, v: -jnp.expm1(-v)) if order == 1.0 else gammainc
    family = _GeneralisedGamma(order, power, unit, cdf, truncated_mean)
    exponential = family.of_order_one and power == 1.0
    made = Threshold(
        name,
        any(callable(f) for f in (order, power, unit)),
        family.cdf,
        family.log_pdf,
        family.log_cdf,
        family.mean,
        family.scale,
        family.sample,
        family.log_height,
        family.fall,
        concave=lambda shape: family.exponent(shape) <= 0,
        bounded=lambda shape: family.exponent(shape) >= 0,
        falling_hazard=family.falling_hazard,
        hazard=family.hazard if family.of_order_one else None,
        precise=exponential,
        memoryless=exponential,
        sharpness=family.sharpness,
    )
    return checked(made)


exponential = generalised_gamma(  # G(x) = 1 - exp(-rate x), appendix H
    "exponential",
    truncated_mean=lambda x, rate: x * truncated_exponential_mean(rate * x),
)
# Of known shape k: G(x) = 1 - exp(-(rate x) ** k).
weibull = generalised_gamma("Weibull", power=lambda shape: shape)
# Of known shape: density x**(shape - 1) exp(-rate x).
gamma = generalised_gamma("gamma", order=lambda shape: shape)
half_normal = generalised_gamma(  # |Z| / rate for a standard normal Z
    "half-normal",
    order=0.5,
    power=2.0,
    unit=0.5**0.5,
    cdf=lambda order, v: erf(jnp.sqrt(v)),
)
# Density x**2 exp(-(rate x)**2 / 2).
maxwell = generalised_gamma("Maxwell", order=1.5, power=2.0, unit=0.5**0.5)
nakagami = generalised_gamma(  # of shape m: density x**(2m - 1) exp(-m (rate x)**2)
    "Nakagami", order=lambda shape: shape, power=2.0, unit=lambda shape: shape**0.5
)
