"""The bivariate Gaussian conditioned on a box, sampled at a fixed cost.

The consumption C is drawn first, then the reward R given C. Given C, the reward is a
truncated normal variable with a known quantile function. The marginal law of C is a
truncated normal law whose density is multiplied by the probability of R's interval:

    f(c)  ~  phi((c - mu) / sigma) * P(lower < R < upper | C = c).

So C is a smooth, increasing function of the plain truncated normal quantile x at the
same uniform: ``C = x + (x - low) (high - x) p(x)``. `truncated_gaussian_params` fits p
to exact quantiles, stores it as a Chebyshev series and checks the outcome: errors of C
above `CONSUMPTION_ERROR` are refused, not hidden.

Used by Bengs & Huellermeier (2022), appendix E.2 (PosCorr, NegCorr).
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array
from jaxtyping import Int32
from numpy.polynomial import chebyshev

from jaxbandits.arrays import unit_interval
from jaxbandits.checks import (
    Numbers,
    finite,
    increasing,
    instance,
    non_negative,
    numbers,
    played,
    positive,
)
from jaxbandits.kernels.normal import truncated_normal_quantile
from jaxbandits.laws.law import (
    Cost,
    JointLaw,
    Moments,
    cost_of,
    expectation_below,
    of_arm,
)
from jaxbandits.protocol import Noise

DEGREE = 20
OUTERMOST = 2.0**-24  # the smallest uniform
CONSUMPTION_ERROR = 1e-4  # stated bound, in float32, relative to the box's width


class TruncatedGaussian(NamedTuple):
    """Parameters; f64[K] each unless stated.

    Attributes:
      reward_mean, consumption_mean: means before truncation.
      reward_scale, consumption_scale: standard deviations before truncation.
      correlation: before truncation, in (-1, 1).
      lower, upper: corners of the box, f64[K, 2], reward first.
      reach: f64[K, 2], the interval of x that uniforms reach.
      tilt: f64[K, DEGREE], Chebyshev coefficients of p on `reach`.
    """

    reward_mean: np.ndarray
    consumption_mean: np.ndarray
    reward_scale: np.ndarray
    consumption_scale: np.ndarray
    correlation: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    reach: np.ndarray
    tilt: np.ndarray


def truncated_gaussian_params(
    mean: Numbers,
    covariance: Numbers,
    lower: Numbers = (0.0, 0.0),
    upper: Numbers = (1.0, 1.0),
) -> TruncatedGaussian:
    """Parameters of K arms.

    Args:
      mean: f64[K, 2], reward first.
      covariance: f64[K, 2, 2], positive definite.
      lower: corner of the box (shared by the arms), reward first.
      upper: the opposite corner.

    Raises:
      ValueError: if shapes do not match, a covariance is not positive definite, the box
        is empty, or the box holds so little of the mass that float32 cannot sample it.
    """
    finite(mean=mean, covariance=covariance, lower=lower, upper=upper)
    played(mean=mean, covariance=covariance, lower=lower, upper=upper)
    mean, covariance = numbers("mean", mean), numbers("covariance", covariance)
    if mean.ndim != 2 or mean.shape[1] != 2:
        raise ValueError(f"mean must have shape [K, 2], got {mean.shape}")
    if covariance.shape != (*mean.shape, 2):
        raise ValueError(
            f"covariance must have shape {(*mean.shape, 2)}, got {covariance.shape}"
        )
    lower, upper = numbers("lower", lower), numbers("upper", upper)
    if lower.shape != (2,) or upper.shape != (2,):
        raise ValueError(
            f"lower and upper must be pairs, reward first, got {lower} and {upper}"
        )
    symmetric = np.allclose(covariance, covariance.swapaxes(1, 2))
    if not symmetric or not np.all(np.linalg.eigvalsh(covariance) > 0):
        raise ValueError("covariance must be symmetric and positive definite")
    if not np.all(lower < upper):
        raise ValueError(f"lower must lie below upper, got {lower} and {upper}")
    scales = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    params = TruncatedGaussian(
        mean[:, 0],
        mean[:, 1],
        scales[:, 0],
        scales[:, 1],
        covariance[:, 0, 1] / scales.prod(axis=1),
        np.broadcast_to(lower, mean.shape),
        np.broadcast_to(upper, mean.shape),
        np.zeros(mean.shape),
        np.zeros((mean.shape[0], DEGREE)),
    )
    params = params._replace(reach=_reach(params))
    return params._replace(tilt=_fit_tilt(params))


def _conditional(params: TruncatedGaussian, consumption: Any) -> tuple[Any, Any]:
    """Mean and scale of R given C = consumption, before truncation."""
    rho = params.correlation
    slope = rho * params.reward_scale / params.consumption_scale
    mean = params.reward_mean + slope * (consumption - params.consumption_mean)
    return mean, params.reward_scale * (1 - rho**2) ** 0.5


def _columns(params: TruncatedGaussian) -> TruncatedGaussian:
    """Parameters f64[K, ...] with a new last axis, to be used against points f64[n]."""
    return jax.tree.map(lambda x: np.asarray(x)[..., None], params)


def _reward_mass_and_mean(
    params: TruncatedGaussian, consumption: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P(R in its interval | C) and E[R | C, R in its interval]; host, f64[K, n]."""
    params = _columns(params)
    mean, scale = _conditional(params, consumption)
    a = (params.lower[:, 0] - mean) / scale
    b = (params.upper[:, 0] - mean) / scale
    flip = a + b > 0
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    mass = scipy.special.ndtr(b) - scipy.special.ndtr(a)
    density_gap = (np.exp(-(a**2) / 2) - np.exp(-(b**2) / 2)) / np.sqrt(2 * np.pi)
    shift = np.where(flip, -density_gap, density_gap) / np.maximum(mass, 1e-300)
    return mass, mean + scale * shift


def _marginal_density(params: TruncatedGaussian, x: np.ndarray) -> np.ndarray:
    """Density of C up to a constant; host, f64[K, n]."""
    column = _columns(params)
    z = (x - column.consumption_mean) / column.consumption_scale
    inside = (x >= column.lower[:, 1]) & (x <= column.upper[:, 1])
    return inside * np.exp(-(z**2) / 2) * _reward_mass_and_mean(params, x)[0]


def _reach(params: TruncatedGaussian) -> np.ndarray:
    """Plain quantiles at the outermost uniforms, f64[K, 2].

    For a narrow law, most of the box has probabilities that are never drawn; the fit
    must not depend on that part.
    """
    low, high = params.lower[:, 1], params.upper[:, 1]
    mean, scale = params.consumption_mean, params.consumption_scale
    flip = low + high > 2 * mean
    z = np.stack([low - mean, high - mean]) / scale
    below, above = scipy.special.ndtr(np.sort(np.where(flip, -z, z), axis=0))
    tail = OUTERMOST * (above - below)
    ends = scipy.special.ndtri(np.stack([below + tail, above - tail]))
    ends = mean + scale * np.where(flip, -ends[::-1], ends)
    return np.clip(ends, low, high).T


def _fit_tilt(params: TruncatedGaussian) -> np.ndarray:
    """Chebyshev coefficients of p for every arm, checked against exact quantiles."""
    nodes = np.cos(np.pi * (np.arange(8 * DEGREE) + 0.5) / (8 * DEGREE))
    low, high = params.lower[:, 1:], params.upper[:, 1:]
    first, last = params.reach[:, :1], params.reach[:, 1:]
    # The ends are excluded: at the box's own end the factor of p vanishes.
    plain = first + (last - first) * (1 + 0.999999 * nodes) / 2
    exact = _exact_map(params, plain)
    tilt = (exact - plain) / ((plain - low) * (high - plain))
    tilt = chebyshev.chebfit(nodes, tilt.T, DEGREE - 1).T
    single = jax.tree.map(
        lambda x: jnp.asarray(x, jnp.float32), params._replace(tilt=tilt)
    )
    error = np.max(
        np.abs(_all_tilted(jnp.asarray(plain, jnp.float32), single) - exact)
        / (high - low)
    )
    if not error <= CONSUMPTION_ERROR:
        raise ValueError(
            "mean and covariance bend the consumption's law too sharply within the "
            f"box: the sampler's error would be {error:.1e} of the box's width (at "
            f"most {CONSUMPTION_ERROR:.0e} is accepted)"
        )
    return tilt


def _exact_map(params: TruncatedGaussian, plain: np.ndarray) -> np.ndarray:
    """Consumption with the tilted law at the same probability as `plain`, f64[K, n]."""
    exact = np.empty_like(plain)
    for arm in range(plain.shape[0]):
        one = jax.tree.map(lambda x, arm=arm: np.asarray(x)[arm : arm + 1], params)
        edges = np.linspace(one.lower[0, 1], one.upper[0, 1], 4001)
        z = (edges - one.consumption_mean) / one.consumption_scale
        normal = np.exp(-(z**2) / 2)
        tilted = _marginal_density(one, edges)[0]
        if not (normal.max() > 1e-12 and tilted.max() > 1e-12 * normal.max()):
            raise ValueError("mean and covariance must leave some mass in the box")
        # Each half is matched in its own tail, where probabilities keep their digits.
        below = [_cumulative(f, edges) for f in (normal, tilted)]
        above = [_cumulative(f[::-1], edges)[::-1] for f in (normal, tilted)]
        from_below = _match(edges, below, plain[arm])
        from_above = _match(edges[::-1], [f[::-1] for f in above], plain[arm])
        middle = np.interp(plain[arm], edges, below[0]) < 0.5
        exact[arm] = np.where(middle, from_below, from_above)
    return exact


def _cumulative(density: np.ndarray, edges: np.ndarray) -> np.ndarray:
    mass = scipy.integrate.cumulative_simpson(density, x=edges, initial=0.0)
    return mass / mass[-1]


def _match(
    edges: np.ndarray, masses: list[np.ndarray], points: np.ndarray
) -> np.ndarray:
    """Positions whose second mass equals the first mass at `points`."""
    source, target = masses
    # Steps of denormal size would have an infinite slope.
    keep = np.concatenate([[True], np.diff(target) > 1e-100])
    order = np.argsort(edges)
    at_points = scipy.interpolate.CubicSpline(edges[order], source[order])(points)
    inverse = scipy.interpolate.PchipInterpolator(target[keep], edges[keep])
    return inverse(np.clip(at_points, 0.0, 1.0))


def _tilted(plain: Array, params: TruncatedGaussian) -> Array:
    """``x + (x - low) (high - x) p(x)``; traced, one arm."""
    low, high = params.lower[1], params.upper[1]
    first, last = params.reach[0], params.reach[1]
    # Clenshaw's recurrence on [-1, 1].
    x = (2 * plain - first - last) / (last - first)
    b1 = b2 = jnp.zeros_like(plain)
    for k in range(DEGREE - 1, 0, -1):
        b1, b2 = 2 * x * b1 - b2 + params.tilt[k], b1
    p = x * b1 - b2 + params.tilt[0]
    return jnp.clip(plain + (plain - low) * (high - plain) * p, low, high)


# Of all arms at many points.
_all_tilted = jax.jit(jax.vmap(jax.vmap(_tilted, (0, None))))


def _check(params: TruncatedGaussian) -> None:
    """Parameters come from `truncated_gaussian_params`, which has checked the rest."""
    instance("params", params, TruncatedGaussian, "of truncated_gaussian_params")
    positive(
        reward_scale=params.reward_scale, consumption_scale=params.consumption_scale
    )
    if not np.all((params.lower[:, 0] >= 0) & (params.upper[:, 0] <= 1)):
        raise ValueError("lower and upper must keep the reward in [0, 1]")
    non_negative(lower=params.lower[:, 1])


def _sample(
    noise: Noise, params: TruncatedGaussian, arm: Int32[Array, ""]
) -> tuple[Array, Array]:
    params = of_arm(params, arm)
    # Densities on a box: events rarer than a uniform's grid have negligible effect.
    first, second = unit_interval(noise)
    own = params.consumption_mean, params.consumption_scale
    plain = truncated_normal_quantile(first, *own, params.lower[1], params.upper[1])
    consumption = _tilted(plain, params)
    mean, scale = _conditional(params, consumption)
    reward = truncated_normal_quantile(
        second, mean, scale, params.lower[0], params.upper[0]
    )
    return reward, consumption


def _moments(params: TruncatedGaussian, limits: np.ndarray, cost: Cost) -> Moments:
    increasing(limits=limits)
    low, high = params.lower[0, 1], params.upper[0, 1]  # one box for all arms
    # There is no mass beyond the box: a limit there acts as the box's end.
    points, position = np.unique(np.clip(limits, low, high), return_inverse=True)

    density = partial(_marginal_density, params)

    def below(function):
        table = expectation_below(density, function, np.append(points, high), (low,))
        return table[:, position]

    mass = expectation_below(density, np.ones_like, [high], (low,))
    return Moments(
        below(lambda x: _reward_mass_and_mean(params, x)[1]) / mass,
        below(lambda x: cost_of(cost, x)) / mass,
        below(np.ones_like) / mass,
    )


truncated_gaussian = JointLaw(
    "truncated bivariate Gaussian", 2, _sample, _check, _moments
)
