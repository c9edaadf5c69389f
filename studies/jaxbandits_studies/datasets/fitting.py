"""Maximum-likelihood Weibull laws of response times and of impression counts.

Appendix A.2 of the allocation paper fits a truncated Weibull law to the response times
of each EdNet question and a discrete Weibull law to the impressions before a click of
each Criteo campaign.

All likelihoods are maximised over the logarithms of the shape k and of the cumulative
hazard ``a = (x0 / scale)^k`` at a typical value x0 of the sample: at the maximum a is
of order 1 whatever the units, and only where there is no maximum do k or a run away.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, stats

from jaxbandits import checks

QUANTILES = (0.025, 0.975)  # appendix A.2

# How far log k and log a may go from the start. At a = exp(-12) the law is a power law
# to all intents, and the likelihood almost flat.
_REACH = np.array([[-8.0, -12.0], [8.0, 25.0]])
_LARGEST_LOG = 600.0  # sums of exp(600) are still finite
_TINY = 1e-300
_SPREAD_OF_LOGS = np.pi / np.sqrt(6)  # standard deviation of log X at k = 1


class WeibullFit(NamedTuple):
    """``F(x) = 1 - exp(-(x / scale)^shape)``, conditional on [low, high].

    Attributes:
      shape: k > 0.
      scale: in the units of the sample.
      low: lower end of the truncation, 0 if there is none.
      high: upper end, ``inf`` if there is none.
      log_likelihood: of the whole sample, at the maximum.
    """

    shape: float
    scale: float
    low: float
    high: float
    log_likelihood: float

    def cdf(self, x: checks.Numbers) -> np.ndarray:
        """P(X <= x | low <= X <= high), f64 of the shape of `x`."""
        x = np.clip(np.asarray(x, np.float64), self.low, self.high)
        with np.errstate(over="ignore"):  # far above the scale the hazard is inf
            start, end, here = (
                np.power(v / self.scale, self.shape) for v in (self.low, self.high, x)
            )
        return np.expm1(start - here) / np.expm1(start - end)


class DiscreteWeibullFit(NamedTuple):
    """``P(X > x) = exp(-(rate x)^shape)``, x = 0, 1, ...: X is 1 or more.

    An arm that gets x impressions succeeds if and only if ``X <= x``.

    Attributes:
      shape: k > 0.
      rate: lambda > 0, per impression.
      largest: the law is conditional on ``X <= largest``; ``inf`` if it is not.
      log_likelihood: of the whole sample, at the maximum.
    """

    shape: float
    rate: float
    largest: float
    log_likelihood: float

    def cdf(self, x: checks.Numbers) -> np.ndarray:
        """P(X <= x | X <= largest), f64 of the shape of `x`, which may be real."""
        x = np.floor(np.clip(np.asarray(x, np.float64), 0, self.largest))
        with np.errstate(over="ignore"):
            here, end = (np.power(self.rate * v, self.shape) for v in (x, self.largest))
        return np.expm1(-here) / np.expm1(-end)

    def quantile(self, u: checks.Numbers) -> np.ndarray:
        """Smallest x in 1, 2, ... with ``cdf(x) >= u``, f64 of the shape of `u`.

        Of uniform u this is a draw of X. Rounding down in place of up would give
        ``P(X > x) = exp(-(rate (x + 1))^shape)``, a law with a mass at 0.

        Raises:
          ValueError: if `u` is not in [0, 1).
        """
        u = checks.numbers("u", u)
        if not np.all((u >= 0) & (u < 1)):
            raise ValueError("u must be in [0, 1)")
        with np.errstate(over="ignore"):
            mass = -np.expm1(-np.power(self.rate * self.largest, self.shape))
        hazard = -np.log1p(-u * mass)
        x = np.ceil(hazard ** (1 / self.shape) / self.rate)
        return np.clip(x, 1, self.largest)


class Trimmed(NamedTuple):
    """A sample without its tails.

    Attributes:
      sample: f64[n], what is kept, in its order.
      kept: bool[N], where.
      low: lower quantile, the least value that could be kept.
      high: upper quantile.
    """

    sample: np.ndarray
    kept: np.ndarray
    low: float
    high: float


class FittedArms(NamedTuple):
    """Per question, f64[Q].

    Attributes:
      probability: p, the share of correct answers.
      shape: k.
      scale: in the units of the times.
      statistic: Kolmogorov-Smirnov distance of the times from the fitted law.
    """

    probability: np.ndarray
    shape: np.ndarray
    scale: np.ndarray
    statistic: np.ndarray


def fit_weibull(
    sample: checks.Numbers, truncation: Sequence[float] | None = None
) -> WeibullFit:
    """Maximum-likelihood Weibull law with location 0.

    Args:
      sample: real[n] > 0, at least two different values.
      truncation: ``(low, high)`` with every value in between: the likelihood is that of
        values known to lie there. By default there is no truncation. An end that is the
        least or largest value of the sample biases the fit.

    Returns:
      The fit.

    Raises:
      ValueError: if an argument is out of its range, or if the truncated likelihood has
        no maximum: a sample that looks like a power law between its ends does not tell
        a scale.
    """
    sample = _sample(sample=sample)
    low, high = (0.0, np.inf) if truncation is None else _pair(truncation=truncation)
    if not 0 <= low < high:
        raise ValueError(f"truncation must have 0 <= low < high, got {truncation}")
    if sample.min() < low or sample.max() > high:
        raise ValueError(f"truncation must contain the whole sample, got {truncation}")

    logs = np.log(sample)
    typical = logs.mean()
    log_x = logs - typical
    log_low, log_high = _log(np.array([low, high])) - typical

    def log_likelihood(log_k, log_a):
        k = np.exp(log_k)
        since_low = _hazard_between(log_a, k, log_x, log_low - log_x)
        in_all = _hazard_between(log_a, k, log_high, log_low - log_high)
        # k log(x / x0) has mean 0: x0 is the geometric mean.
        return log_k + log_a - typical - np.mean(since_low) - _log_share(in_all)

    log_k = np.log(_SPREAD_OF_LOGS / np.std(logs))
    # The geometric mean of the hazard of a Weibull variable is exp(-Euler's gamma).
    start = np.array([log_k, -np.euler_gamma])
    shape, log_a, largest = _maximum(log_likelihood, start, "sample")
    scale = np.exp(typical - log_a / shape)
    return WeibullFit(shape, float(scale), low, high, largest * sample.size)


def fit_discrete_weibull(
    counts: checks.Numbers, largest: int | None = None
) -> DiscreteWeibullFit:
    """Maximum-likelihood discrete Weibull law on 1, 2, ...

    Args:
      counts: integers[n] >= 1 that span at least three numbers. Of two neighbours m and
        m + 1 the likelihood grows with the shape for ever.
      largest: integer; the likelihood is that of counts known not to exceed it.

    Returns:
      The fit.

    Raises:
      ValueError: if an argument is out of its range, or the likelihood has no maximum.
      TypeError: if `largest` is not an integer.
    """
    counts = _sample(counts=counts)
    if np.any(counts != np.floor(counts)):
        raise ValueError("counts must be integers of at least 1")
    if np.ptp(counts) < 2:
        raise ValueError("counts must not be two neighbours only: no law fits best")
    if largest is None:
        largest = np.inf
    elif checks.whole("largest", largest, 1) < counts.max():
        raise ValueError(f"largest must be at least {counts.max():.0f}, got {largest}")

    values, repeats = np.unique(counts, return_counts=True)
    weights = repeats / counts.size
    mean = counts.mean()
    log_x, log_before, log_end = (
        _log(v / mean) for v in (values, values - 1, np.float64(largest))
    )
    log_ratio = np.where(values > 1, np.log1p(-1 / np.maximum(values, 2)), -np.inf)

    def log_likelihood(log_k, log_a):
        k = np.exp(log_k)
        before = _hazard_between(log_a, k, log_before, -np.inf)
        within = _hazard_between(log_a, k, log_x, log_ratio)
        in_all = _hazard_between(log_a, k, log_end, -np.inf)
        return weights @ (_log_share(within) - before) - _log_share(in_all)

    log_k = np.log(_SPREAD_OF_LOGS / np.std(np.log(counts - 0.5)))
    start = np.array([log_k, 0.0])
    shape, log_a, best = _maximum(log_likelihood, start, "counts")
    rate = np.exp(log_a / shape) / mean
    return DiscreteWeibullFit(shape, float(rate), float(largest), best * counts.size)


def trim(sample: checks.Numbers, quantiles: Sequence[float] = QUANTILES) -> Trimmed:
    """Discard what lies outside two quantiles of the sample (appendix A.2).

    Args:
      sample: real[n], finite.
      quantiles: two numbers, ``0 <= lower < upper <= 1``. The quantiles are NumPy's
        default, linear between order statistics; values equal to one are kept.

    Raises:
      ValueError: if an argument is out of its range.
    """
    checks.finite(sample=sample)
    sample = checks.numbers("sample", sample, 1)
    if sample.size == 0:
        raise ValueError("sample must be finite numbers of shape [n] with n >= 1")
    lower, upper = _pair(quantiles=quantiles)
    if not 0 <= lower < upper <= 1:
        raise ValueError(f"quantiles must be 0 <= lower < upper <= 1, got {quantiles}")
    low, high = np.quantile(sample, [lower, upper])
    kept = (sample >= low) & (sample <= high)
    return Trimmed(sample[kept], kept, float(low), float(high))


def kolmogorov_smirnov(sample: checks.Numbers, fit: WeibullFit) -> float:
    """``sup |empirical cdf - fitted cdf|``, the latter truncated where the fit is.

    Args:
      sample: real[n], n >= 1.
      fit: of `fit_weibull`.

    Raises:
      ValueError: if the sample is empty, or not finite and non-negative.
    """
    checks.non_negative(sample=sample)
    checks.instance("fit", fit, WeibullFit, "of fit_weibull")
    if not np.size(sample):
        raise ValueError("sample must not be empty")
    return float(stats.kstest(np.ravel(sample), fit.cdf).statistic)


def fit_arms(
    seconds: checks.Numbers,
    correct: checks.Numbers,
    quantiles: Sequence[float] = QUANTILES,
    truncated: bool = True,
) -> FittedArms:
    """Weibull law and share of correct answers of every question (appendix A.2).

    By default as the appendix says: times outside the quantiles are discarded, the law
    is fitted conditional on the interval between them, and p counts the retained
    answers only.

    The table of fitted arms that goes with the paper's 5,000 x 20 answers follows
    another convention, which ``quantiles=(0, 1), truncated=False`` reproduces: plain
    fits and shares of all answers. Differences are at most 4e-6 in k and 8e-5 s in the
    scale, the tolerance of SciPy's fit, and 0 in p. The two conventions are far apart,
    since some answers took many minutes: the appendix gives shapes of 1.67 to 2.35
    where the table has 1.20 to 1.94, scales 1.3 to 3.3 s smaller, p up to 0.010 off,
    and statistics of 0.013 to 0.033 in place of 0.046 to 0.149.

    Args:
      seconds: real[U, Q] > 0 (those between the quantiles), response times.
      correct: bool[U, Q], whether the answer was right.
      quantiles: what to retain per question; ``(0, 1)`` is all.
      truncated: fit conditional on the interval between the quantiles. Not for
        ``(0, 1)``, where this interval depends on two answers only.

    Raises:
      ValueError: if an argument is out of its range.
    """
    seconds, correct = checks.numbers("seconds", seconds), np.asarray(correct)
    if seconds.ndim != 2 or seconds.shape[1] == 0:
        raise ValueError(f"seconds must have shape [U, Q], got {seconds.shape}")
    if correct.shape != seconds.shape:
        raise ValueError(
            f"correct must have the shape of seconds, {seconds.shape}, got "
            f"{correct.shape}"
        )
    if not np.all((correct == 0) | (correct == 1)):
        raise ValueError("correct must be 0 or 1")
    if checks.flag("truncated", truncated) and tuple(quantiles) == (0, 1):
        raise ValueError("truncated must be False for quantiles (0, 1)")

    def fitted(question):
        times = trim(seconds[:, question], quantiles)
        ends = (times.low, times.high) if truncated else None
        try:
            fit = fit_weibull(times.sample, ends)
        except ValueError as error:
            raise ValueError(f"seconds, question {question}: {error}") from None
        share = correct[times.kept, question].mean()
        distance = kolmogorov_smirnov(times.sample, fit)
        return share, fit.shape, fit.scale, distance

    arms = [fitted(question) for question in range(seconds.shape[1])]
    return FittedArms(*np.array(arms, np.float64).T)


def _sample(**named: checks.Numbers) -> np.ndarray:
    """A sample as f64[n]: positive, finite, not all equal."""
    checks.positive(**named)
    ((name, values),) = named.items()
    values = np.asarray(values, np.float64)
    if values.ndim != 1:
        raise ValueError(f"{name} must have shape [n], got {values.shape}")
    if np.unique(values).size < 2:
        raise ValueError(f"{name} must have at least two different values")
    return values


def _pair(**named: checks.Numbers) -> tuple[float, float]:
    """Two numbers."""
    ((name, values),) = named.items()
    values = checks.numbers(name, values)
    if values.shape != (2,):
        raise ValueError(f"{name} must be two numbers, got shape {values.shape}")
    return tuple(values.tolist())


def _log(x: np.ndarray) -> np.ndarray:
    """Logarithm with ``log 0 = -inf``."""
    return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), -np.inf)


def _hazard_between(log_a: float, k: float, log_end: Any, log_ratio: Any) -> Any:
    """``a (end^k - start^k)`` with ``log_ratio = log(start / end)``.

    The difference of the two hazards would lose its digits where k is small.
    """
    end = np.exp(np.minimum(log_a + k * log_end, _LARGEST_LOG))
    return -end * np.expm1(k * log_ratio)


def _log_share(hazard: Any) -> Any:
    """``log(1 - exp(-hazard))``, the probability of an interval given its start."""
    return np.log(np.maximum(-np.expm1(-hazard), _TINY))


def _maximum(
    log_likelihood: Callable[[float, float], float], start: np.ndarray, name: str
) -> tuple[float, float, float]:
    """Shape, log a and value at the maximum over log k and log a.

    Without derivatives: the likelihoods have ridges and plateaus on which Newton steps
    fail.
    """
    least, most = start + _REACH
    simplex = start + np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])
    result = optimize.minimize(
        lambda point: -log_likelihood(*point),
        start,
        method="Nelder-Mead",
        bounds=list(zip(least, most, strict=True)),
        options={
            "initial_simplex": simplex,
            "xatol": 1e-9,
            "fatol": 1e-13,
            "maxiter": 1000,
        },
    )
    inside = np.all((result.x > least + 0.1) & (result.x < most - 0.1))
    if not (result.success and inside):
        raise ValueError(f"{name}: the likelihood of Weibull laws has no maximum")
    return float(np.exp(result.x[0])), float(result.x[1]), float(-result.fun)
