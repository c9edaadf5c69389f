"""Pure maths in JAX: importable one by one, used by the policies and the engine."""

from jaxbandits.kernels.argmax import first_argmax, first_true, random_argmax
from jaxbandits.kernels.gamma import (
    beta_from_uniforms,
    beta_from_uniforms_small,
    beta_logit_from_uniforms,
    gamma_quantile,
    log_gamma_quantile,
)
from jaxbandits.kernels.intervals import (
    bernstein_interval,
    hoeffding_interval,
    wilson_interval,
)
from jaxbandits.kernels.normal import normal_quantile, truncated_normal_quantile
from jaxbandits.kernels.radii import (
    hoeffding_scale,
    kl_bernoulli,
    kl_ratio_bound,
    kl_upper_bound,
    peeling_scale,
)
from jaxbandits.kernels.select import one_hot, pick, put, split_index
from jaxbandits.kernels.sums import CompensatedSum
from jaxbandits.kernels.threefry import threefry, unit_interval

__all__ = [
    "CompensatedSum",
    "beta_from_uniforms",
    "beta_from_uniforms_small",
    "beta_logit_from_uniforms",
    "bernstein_interval",
    "first_argmax",
    "first_true",
    "gamma_quantile",
    "hoeffding_interval",
    "hoeffding_scale",
    "kl_bernoulli",
    "kl_ratio_bound",
    "kl_upper_bound",
    "log_gamma_quantile",
    "normal_quantile",
    "one_hot",
    "peeling_scale",
    "pick",
    "put",
    "random_argmax",
    "split_index",
    "threefry",
    "truncated_normal_quantile",
    "unit_interval",
    "wilson_interval",
]
