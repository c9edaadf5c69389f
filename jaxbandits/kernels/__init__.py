"""Pure mathematics in JAX: importable one by one, used by laws and policies.

Kinds and shapes are checked, values are not: a kernel is part of a round. A number that
is out of its range gives NaN, or a number that says nothing.
"""

from jaxbandits.kernels import allocation
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.gamma import (
    beta_from_uniforms,
    beta_from_uniforms_small,
    beta_logit_from_uniforms,
    gamma_quantile,
    log_gamma_quantile,
)
from jaxbandits.kernels.grid import Grid, cell_at, limit_grid, split_cells
from jaxbandits.kernels.implicit import implicit_root, with_slope_of
from jaxbandits.kernels.interpolation import crossing, interpolate, maximum
from jaxbandits.kernels.intervals import (
    bernstein_interval,
    hoeffding_interval,
    wilson_interval,
)
from jaxbandits.kernels.lambert import beyond_mode, wright_omega
from jaxbandits.kernels.normal import (
    normal_quantile,
    normal_score,
    truncated_normal_quantile,
)
from jaxbandits.kernels.radii import (
    hoeffding_scale,
    kl_bernoulli,
    kl_ratio_bound,
    kl_upper_bound,
    peeling_scale,
)
from jaxbandits.kernels.truncated import truncated_exponential_mean

__all__ = [
    "Grid",
    "allocation",
    "beta_from_uniforms",
    "beta_from_uniforms_small",
    "beta_logit_from_uniforms",
    "beyond_mode",
    "bisect",
    "cell_at",
    "crossing",
    "bernstein_interval",
    "gamma_quantile",
    "hoeffding_interval",
    "hoeffding_scale",
    "implicit_root",
    "interpolate",
    "kl_bernoulli",
    "kl_ratio_bound",
    "kl_upper_bound",
    "limit_grid",
    "log_gamma_quantile",
    "maximum",
    "normal_quantile",
    "normal_score",
    "peeling_scale",
    "split_cells",
    "truncated_exponential_mean",
    "truncated_normal_quantile",
    "wilson_interval",
    "with_slope_of",
    "wright_omega",
]
