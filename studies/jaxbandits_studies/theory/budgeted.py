"""Bounds for omega-UCB in the budgeted game.

Heyden, Arzamasov, Fouché & Böhm (2024), "Budgeted Multi-Armed Bandits with Asymmetric
Confidence Intervals", Section 4.2 and Appendix A. Every function evaluates what the
paper states. Two things to know before laying a curve over a plot:

- The bounds inherit the normal approximation of Theorem 1, and Lemma 1 evaluates the
  width of the interval at the mean where the shifted mean of Eq. (12) belongs. An arm
  with little reward and a cost near 1 is then granted too few pulls: with ``mu^r = 0``
  and ``mu^c = 1`` Theorem 4 allows ``1 + xi`` pulls and omega-UCB makes about
  ``2 rho log(tau) mu_1^c / mu_1^r``. ``form="proof"`` has the shifted mean.
- At practical budgets Theorem 5 often says less than `trivial_bound`.

Arguments, unless a function says otherwise; their ranges stand in the annotations:

- ``t`` and ``tau``, whole numbers of any shape ``[...]``, at most 1e9 where `xi` is in
  it: time steps; ``budgets``, real of any shape; ``rho``, the exploration parameter;
- ``mean_reward`` and ``mean_cost``, real ``[K]``, of the arms; ``eta_reward`` and
  ``eta_cost``, numbers or real ``[K]``: the variance of a reward or cost over that of a
  Bernoulli variable with its mean;
- ``form``, of n_k^*: ``printed`` or ``proof``.

What comes back is f64 of the shape of the first argument.
"""

from typing import Annotated, Any, TypeVar

import numpy as np
from scipy.stats import norm

from jaxbandits.checks import at_least_one, in_unit_interval, positive
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Form,
    Inside,
    NonNegative,
    Numbers,
    OfArms,
    Positive,
    Scalars,
    Share,
    broadcast_domains,
    domains,
)

T = TypeVar("T")
LARGEST_TAU = 10**9
"""`xi` sums term by term, some 1e8 terms in a few seconds; beyond this it refuses."""

_CHUNK = 2**18
_TIE = 1e-12


def whole_numbers(**values: Any) -> None:
    """Require values without a fraction."""
    for name, value in values.items():
        if np.any(np.asarray(value) != np.floor(value)):
            raise ValueError(f"{name} must be whole numbers, got {value}")


Cost = Annotated[T, in_unit_interval, positive]
Steps = Annotated[T, at_least_one, whole_numbers]


@domains
def gaps(mean_reward: Share[OfArms], mean_cost: Cost[OfArms]) -> np.ndarray:
    """Gaps ``Delta_k = max_i mu_i^r / mu_i^c - mu_k^r / mu_k^c`` (Section 2).

    Returns:
      f64[K] >= 0, reward per unit of cost. Ratios equal up to rounding, to 1e-12 of
      the best, are ties: their gap is exactly 0.
    """
    ratio = mean_reward / mean_cost
    best = np.max(ratio)
    gap = best - ratio
    return np.where(gap <= _TIE * best, 0.0, gap)


@domains
def proportional_gap(mean_reward: Share[OfArms], mean_cost: Cost[OfArms]) -> np.ndarray:
    """Proportional gaps ``delta_k = Delta_k / (Delta_k + 1 / mu_k^c)``.

    The share of its way to 1 that the mean reward, and of its way to 0 that the mean
    cost must go for the arm to equal the best one: the solution of Eq. (12).

    Returns:
      f64[K] in [0, 1), 0 for optimal arms.
    """
    gap = gaps(mean_reward, mean_cost)
    return np.asarray(gap / (gap + 1 / mean_cost))


@broadcast_domains
def ratio_bound(
    mean_reward: Share[Numbers],
    mean_cost: Share[Numbers],
    count: AtLeastOne[Numbers],
    alpha: Inside[Numbers],
    eta_reward: Share[Scalars] = 1.0,
    eta_cost: Share[Scalars] = 1.0,
) -> np.ndarray:
    """``Omega(alpha)``, below the true ratio with probability <= alpha (Theorem 2).

    The upper end of the reward's interval over the lower end of the cost's (Theorem 1
    on [0, 1]), each of level ``1 - alpha``: either end fails with ``alpha / 2``. As far
    as the normal approximation of Theorem 1 goes.

    Args:
      mean_reward: real of any shape in [0, 1], observed means.
      mean_cost: real in [0, 1].
      count: real >= 1, observations of each.
      alpha: real in (0, 1).
      eta_reward: number or array in [0, 1], as in `sufficient_pulls`.
      eta_cost: the same for the cost.

    Returns:
      f64 of the broadcast shape; ``inf`` where the mean cost is 0.
    """
    z2 = norm.isf(alpha / 2) ** 2
    upper = _wilson(mean_reward, count, z2 * eta_reward)[1]
    lower = _wilson(mean_cost, count, z2 * eta_cost)[0]
    free = lower <= 0
    return np.where(free, np.inf, upper / np.where(free, 1.0, lower))


@domains
def normal_score(t: Steps[Numbers], rho: Positive[float]) -> np.ndarray:
    """``z_rho(t) = sqrt(2 rho log t)``, of omega-UCB's interval (Theorem 3)."""
    return np.sqrt(2 * rho * np.log(t))


@domains
def failure_bound(t: Steps[Numbers], rho: Positive[float]) -> np.ndarray:
    """Bound ``1 - sqrt(1 - t^-rho)`` on the probability alpha(t) (Theorem 3, Eq. 8).

    That omega-UCB's index of an arm at time t is below the arm's true ratio. The
    probability of the score itself, ``2 norm.sf(normal_score(t, rho))``, is smaller.

    Returns:
      f64 of the shape of `t`, in (0, 1].
    """
    return _failure(t, rho)


@domains
def sufficient_pulls(
    tau: Steps[Numbers],
    rho: Positive[float],
    mean_reward: Share[OfArms],
    mean_cost: Cost[OfArms],
    eta_reward: Share[Scalars] = 1.0,
    eta_cost: Share[Scalars] = 1.0,
    form: Form = "printed",
) -> np.ndarray:
    """Pulls ``n_k^*(tau)`` after which a suboptimal arm looks suboptimal (Lemma 1).

    ``8 rho log(tau) / delta_k^2`` times the larger of ``eta^r mu^r / (1 - mu^r)`` and
    ``eta^c (1 - mu^c) / mu^c``. The module's docstring says where Lemma 1 fails. With
    ``form="proof"`` the widths are those at the shifted means, where the argument needs
    them: ``(1 - delta)`` times ``eta^r (mu^r + delta (1 - mu^r)) / (1 - mu^r)`` and
    ``eta^c (1 - mu^c + delta mu^c) / mu^c`` (errata.md, B6).

    Returns:
      f64[..., K]; ``inf`` for optimal arms, which never look suboptimal, and for
      suboptimal arms with ``mu^r = 1`` and ``eta^r > 0``, where it divides by 0.
    """
    delta = proportional_gap(mean_reward, mean_cost)
    for name, eta in (("eta_reward", eta_reward), ("eta_cost", eta_cost)):
        if (own := np.shape(eta)) not in ((), delta.shape):
            raise ValueError(
                f"{name} must be a number or have shape {delta.shape}, got {own}"
            )
    shift = delta if form == "proof" else 0.0
    # Eqs. (17), (18): the variance at a mean over the squared distance from its end.
    spread = (1 - shift) * np.maximum(
        _odds(mean_reward, eta_reward, shift),
        eta_cost * (1 - mean_cost + shift * mean_cost) / mean_cost,
    )
    finite = (delta > 0) & np.isfinite(spread)
    factor = np.where(finite, spread, 0.0) / np.where(finite, delta, 1.0) ** 2
    return np.where(finite, 8 * rho * np.log(tau)[..., None] * factor, np.inf)


@domains
def xi(tau: Steps[Numbers], rho: Positive[float], num_arms: Count) -> np.ndarray:
    """Expected plays ``xi(tau, rho)`` when a confidence bound fails (Theorem 4).

    ``(tau - K) (2 - sqrt(1 - tau^-rho)) - sum_{t=K+1}^tau sqrt(1 - t^-rho)``, written
    with the probabilities ``f(t) = 1 - sqrt(1 - t^-rho)`` of Eqs. (10) and (11):
    ``(tau - K) f(tau) + sum_{t=K+1}^tau f(t)``. The sum is exact, term by term.

    Args:
      num_arms: K, an integer >= 1.

    Returns:
      f64 of the shape of `tau`, >= 0; 0 where ``tau <= K``, the start-up in which every
      arm is played at most once.
    """
    if np.any(tau > LARGEST_TAU):
        raise ValueError(f"tau must be at most {LARGEST_TAU}, got {tau.max():g}")
    end, where = np.unique(np.maximum(tau, num_arms), return_inverse=True)
    value = (end - num_arms) * _failure(end, rho) + _failure_sums(end, rho, num_arms)
    return np.asarray(value[where].reshape(tau.shape))


@domains
def suboptimal_pulls_bound(
    tau: Numbers,
    rho: float,
    mean_reward: OfArms,
    mean_cost: OfArms,
    eta_reward: Scalars = 1.0,
    eta_cost: Scalars = 1.0,
    form: Form = "printed",
) -> np.ndarray:
    """Bound ``1 + n_k^*(tau) + xi(tau, rho)`` on ``E[n_k(tau)]`` (Theorem 4).

    Returns:
      f64[..., K]; ``inf`` for optimal arms, of which the theorem says nothing.
    """
    pulls = sufficient_pulls(
        tau, rho, mean_reward, mean_cost, eta_reward, eta_cost, form
    )
    return 1 + pulls + xi(tau, rho, pulls.shape[-1])[..., None]


@domains
def tau_of_budget(budgets: Positive[Numbers], mean_cost: Cost[OfArms]) -> np.ndarray:
    """Time steps ``tau_B = floor(2 B / min_k mu_k^c)`` (Theorem 5).

    Twice as long as B lasts on the cheapest arm: hardly ever does it last longer.

    Returns:
      f64 whole numbers, of the shape of `budgets`.
    """
    return np.asarray(np.floor(2 * budgets / np.min(mean_cost)))


@domains
def regret_bound(
    budgets: Numbers,
    rho: float,
    mean_reward: OfArms,
    mean_cost: OfArms,
    eta_reward: Scalars = 1.0,
    eta_cost: Scalars = 1.0,
    tail_constant: NonNegative[float] = 0.0,
    form: Form = "printed",
) -> np.ndarray:
    """Bound on the regret of omega-UCB (Theorem 5, Eq. 3).

    ``sum_k Delta_k (1 + n_k^*(tau_B) + xi(tau_B, rho)) + X(B) sum_k Delta_k
    + 2 mu_1^r / mu_1^c`` over the suboptimal arms k. The paper gives the order of X(B)
    only: here ``X(B) = tail_constant B / mu_min^c exp(-B mu_min^c / 2)``. The default
    of 0 leaves it out, which is fair where ``B mu_min^c`` is above 50 or so.

    Args:
      budgets: at least half the smallest mean cost, so that tau_B is 1 or more.
      tail_constant: number >= 0, the unknown constant of X(B).

    Returns:
      f64 of the shape of `budgets`; ``inf`` if a suboptimal arm has ``mu^r = 1``. It
      says nothing where it is above `trivial_bound`.
    """
    gap = gaps(mean_reward, mean_cost)
    tau = tau_of_budget(budgets, mean_cost)
    if np.any(tau < 1):
        raise ValueError(
            f"budgets must be at least half the smallest mean cost, "
            f"{mean_cost.min() / 2:g}, got {np.min(budgets):g}"
        )
    pulls = suboptimal_pulls_bound(
        tau, rho, mean_reward, mean_cost, eta_reward, eta_cost, form
    )
    suboptimal = gap > 0
    learning = np.sum(gap[suboptimal] * pulls[..., suboptimal], axis=-1)
    tail = tail_constant * _tail_order(budgets, mean_cost.min())
    last = 2 * np.max(mean_reward / mean_cost)
    return np.asarray(learning + tail * gap.sum() + last)


@domains
def trivial_bound(
    budgets: Positive[Numbers], mean_reward: OfArms, mean_cost: OfArms
) -> np.ndarray:
    """Largest regret of any policy, ``(B + 1) max_k Delta_k``: what a bound must beat.

    The regret is ``sum_k mu_k^c Delta_k E[n_k]``, and by Wald's identity the expected
    spend ``sum_k mu_k^c E[n_k]`` exceeds B by one last cost at most.
    """
    return np.asarray((budgets + 1) * gaps(mean_reward, mean_cost).max())


@domains
def regret_rate(budgets: AtLeastOne[Numbers], rho: Positive[float]) -> np.ndarray:
    """Order of the regret of omega-UCB (Theorem 6).

    ``B^(1 - rho)`` for ``0 < rho < 1`` and ``log B`` for ``rho >= 1``, without the
    constant: scale it to a curve before comparing.
    """
    return np.asarray(budgets ** (1 - rho) if rho < 1 else np.log(budgets))


def _failure(t: np.ndarray, rho: float) -> np.ndarray:
    """``1 - sqrt(1 - t^-rho)`` (Theorem 3), accurate for large t and for small rho."""
    exponent = -rho * np.log(t)
    # 1 - sqrt(1 - u) = u / (1 + sqrt(1 - u)): nothing cancels.
    return np.exp(exponent) / (1 + np.sqrt(-np.expm1(exponent)))


def _failure_sums(ends: np.ndarray, rho: float, start: int) -> np.ndarray:
    """``sum_{t=start+1}^end f(t)`` for ascending ends, each term computed once."""
    sums, total = [], 0.0
    for end in ends:
        for low in np.arange(start, end, _CHUNK):
            t = np.arange(low + 1, min(low + _CHUNK, end) + 1)
            total += _failure(t, rho).sum()
        start = end
        sums.append(total)
    return np.array(sums)


def _tail_order(budgets: np.ndarray, cheapest: float) -> np.ndarray:
    """The order of X(B), ``B / mu_min^c exp(-B mu_min^c / 2)`` (Theorem 5)."""
    return budgets / cheapest * np.exp(-0.5 * budgets * cheapest)


def _wilson(
    mean: np.ndarray, count: np.ndarray, z2: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of Theorem 1's interval on [0, 1], ``z2`` with eta in it."""
    centre = 2 * count * mean + z2
    root = np.sqrt(z2) * np.sqrt(z2 + 4 * count * mean * (1 - mean))
    # The lower end without a difference: the product of both is known.
    lower = np.where(
        mean > 0, 2 * count * mean**2 / np.maximum(centre + root, 1e-300), 0
    )
    return lower, np.minimum((centre + root) / (2 * (count + z2)), 1.0)


def _odds(mean: np.ndarray, eta: Scalars, shift: Scalars) -> np.ndarray:
    """``eta (mean + shift (1 - mean)) / (1 - mean)``; at 1, inf, or 0 without eta."""
    certain = mean == 1
    odds = eta * (mean + shift * (1 - mean)) / np.where(certain, 1.0, 1 - mean)
    return np.where(certain & (eta > 0), np.inf, odds)
