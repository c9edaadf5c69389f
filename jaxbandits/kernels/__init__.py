"""Pure maths in JAX: importable one by one, used by the policies and the engine."""

from jaxbandits.kernels import allocation
from jaxbandits.kernels.argmax import first_argmax, first_true, random_argmax
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.constant import constant
from jaxbandits.kernels.gamma import (
    beta_from_uniforms,
    beta_from_uniforms_small,
    beta_logit_from_uniforms,
    gamma_quantile,
    log_gamma_quantile,
)
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
from jaxbandits.kernels.select import one_hot, pick, put, split_index, tally
from jaxbandits.kernels.sums import CompensatedSum
from jaxbandits.kernels.threefry import threefry
from jaxbandits.kernels.truncated import truncated_exponential_mean
from jaxbandits.kernels.words import (
    Bound,
    below,
    bound,
    log_survival,
    occurs,
    position,
    smaller_side,
    unit_interval,
)

__all__ = [
    "Bound",
    "CompensatedSum",
    "allocation",
    "below",
    "beta_from_uniforms",
    "beta_from_uniforms_small",
    "beta_logit_from_uniforms",
    "beyond_mode",
    "bisect",
    "bound",
    "constant",
    "crossing",
    "bernstein_interval",
    "first_argmax",
    "first_true",
    "gamma_quantile",
    "hoeffding_interval",
    "hoeffding_scale",
    "interpolate",
    "kl_bernoulli",
    "kl_ratio_bound",
    "kl_upper_bound",
    "log_gamma_quantile",
    "log_survival",
    "maximum",
    "normal_quantile",
    "normal_score",
    "occurs",
    "one_hot",
    "peeling_scale",
    "pick",
    "position",
    "put",
    "random_argmax",
    "smaller_side",
    "split_index",
    "tally",
    "threefry",
    "truncated_exponential_mean",
    "truncated_normal_quantile",
    "unit_interval",
    "wilson_interval",
    "wright_omega",
]
