"""What arguments of environments are made of: laws, families, penalties, recorded data,
and environments that become others.

So that a game can be written down with words and numbers only. Laws and threshold
families are values; everything else is a `Maker`.
"""

from typing import Any

from jaxbandits import allocation, censored, laws
from jaxbandits.checks import numbers
from jaxbandits.laws import thresholds
from jaxbandits.registry import Maker, added_parts


def _params(kind: type, **columns: Any) -> Any:
    """Parameters of a law: lists, a row per arm, become arrays f64.

    Parameters of other laws (those of a `Product`) stay as they are.

    Raises:
      TypeError: if a field is missing or unknown, or a list is not of numbers.
    """
    arrays = {
        name: numbers(name, column) if type(column) in (list, tuple) else column
        for name, column in columns.items()
    }
    return kind(**arrays)


_KINDS = (
    laws.Bernoulli,
    laws.Beta,
    laws.Copula,
    laws.Discrete,
    laws.Exponential,
    laws.Gamma,
    laws.LogNormal,
    laws.Normal,
    laws.Pareto,
    laws.Product,
    laws.Uniform,
)
_LAWS: dict[str, Any] = {
    "bernoulli": laws.bernoulli,
    "beta": laws.beta,
    "clipped_lognormal": laws.clipped_lognormal,
    "clipped_pareto": laws.clipped_pareto,
    "discrete": laws.discrete,
    "empirical": laws.empirical,
    "exponential": laws.exponential,
    "gamma": laws.gamma,
    "normal": laws.normal,
    "truncated_gaussian": laws.truncated_gaussian,
    "uniform": laws.uniform,
    "product": Maker(laws.product),
    "gaussian_copula": Maker(laws.gaussian_copula),
    "empirical_params": Maker(laws.empirical_params),
    "truncated_gaussian_params": Maker(laws.truncated_gaussian_params),
} | {kind.__name__: Maker(_params, {"kind": kind}) for kind in _KINDS}

_PARTS: dict[str, dict[str, Any]] = {
    "censored": _LAWS
    | {
        "environment": Maker(censored.make_environment),
        "equidistant": Maker(censored.equidistant),
        "example1": Maker(censored.example1),
        "fast_track": Maker(censored.fast_track),
        "gaussian_covariance": Maker(censored.gaussian_covariance),
        "indep": Maker(censored.indep),
        "late_fee": Maker(censored.late_fee),
        "low_censoring": Maker(censored.low_censoring),
        "make_continuum": Maker(censored.make_continuum),
        "make_problem": Maker(censored.make_problem),
        "many_arms": Maker(censored.many_arms),
        "negcorr": Maker(censored.negcorr),
        "overtime": Maker(censored.overtime),
        "plain": Maker(censored.plain),
        "poscorr": Maker(censored.poscorr),
        "recorded": Maker(censored.recorded),
        "running_example": Maker(censored.running_example),
        "scaled": Maker(censored.scaled),
        "trap": Maker(censored.trap),
    },
    "budgeted": _LAWS,
    "farewell": _LAWS,
    "allocation": {
        "beta_one": thresholds.beta_one,
        "beta_shaped": thresholds.beta_shaped,
        "discrete_weibull": thresholds.discrete_weibull,
        "exponential": thresholds.exponential,
        "gamma": thresholds.gamma,
        "half_normal": thresholds.half_normal,
        "lomax": thresholds.lomax,
        "maxwell": thresholds.maxwell,
        "nakagami": thresholds.nakagami,
        "weibull": thresholds.weibull,
        "environment": Maker(allocation.make_environment),
        "criteo_like": Maker(allocation.criteo_like),
        "ednet_like": Maker(allocation.ednet_like),
        "simulation": Maker(allocation.simulation),
    },
}


def parts() -> dict[str, dict[str, Any]]:
    """By setting, what arguments are made of, by name; installed packages add some."""
    added = added_parts()
    return {setting: own | added.get(setting, {}) for setting, own in _PARTS.items()}
