"""Bounds for RCUCB and UCB in the game with censored consumption.

Bengs & Hüllermeier (2022), "Multi-Armed Bandits with Censored Consumption of
Resources": Proposition 1, Theorem 1 with Appendix B, Corollary 4 in Appendix G. Pairs
``(i, tau)`` of an arm and a limit are the entries of arrays ``[K, M]``, limits
ascending; lambda is the penalty.

The bounds are the printed ones. Where a proof gives another formula, ``form="proof"``
has it. What to know before laying a curve over a plot:

- Proposition 1 needs rounds that show whether ``C > tau``. Eq. (9) counts a round
  censored below tau as exceeding tau: the estimate is too low by up to lambda(tau), and
  optimism fails. A policy can be trapped at small limits. One arm, two limits,
  penalties 0.05 and 2, ``P(C <= tau)`` 0 and 0.8, rewards of 1: RCUCB (alpha = 1.01)
  plays the worse limit for good in 0.4% of the runs, in half of them without penalty
  radius. Its regret is then linear, and Theorem 1 false for large T.
- Theorem 1 subtracts pulls of neighbours, but its first part bounds how often a pair is
  chosen, not ``N_{i,tau}``. With ``probability=0`` it stands if Proposition 1 does.

Arguments, unless a function says otherwise; their ranges stand in the annotations:

- ``gaps``, real ``[K, M]``: ``Delta = nu^* - nu``; up to 1e-12 a tie, which contributes
  nothing; ``penalties``, real ``[M]``: lambda at the limits, which ascend;
- ``horizon``, real of any shape ``[...]``: T; ``alpha``, of the confidence length;
- ``epsilon``, and ``delta`` in (0, 1/2), at most `largest_delta`: of Theorem 1's second
  sum; ``form``: ``printed`` or ``proof``.

What comes back is f64 of the shape of ``horizon``, or of the broadcast shape.
"""

from typing import Annotated

import numpy as np

from jaxbandits.checks import MOST
from jaxbandits_studies.theory.domains import (
    AboveOne,
    AtLeastOne,
    Form,
    Inside,
    NonNegative,
    Numbers,
    OfLimits,
    Positive,
    Scalars,
    Share,
    Table,
    Whole,
    broadcast_domains,
    domains,
)
from jaxbandits_studies.theory.vacuous import checked

_TIE = 1e-12


@broadcast_domains
def confidence_length(
    pulls_reaching: NonNegative[Numbers],
    arm_pulls: NonNegative[Numbers],
    round_: AtLeastOne[Numbers],
    penalty: NonNegative[Numbers],
    alpha: Positive[Numbers],
    *,
    gain_radius: NonNegative[Scalars] = 1.0,
    penalty_radius: NonNegative[Scalars] = 1.0,
) -> np.ndarray:
    """Confidence length of the penalized expected gain (above Proposition 1).

    ``sqrt(2 alpha log(t) / N_{i,tau}) + lambda(tau) sqrt(2 alpha log(t) / N_{i,0})``.

    Args:
      pulls_reaching: real >= 0, N_{i,tau}: rounds of the arm with a limit >= tau.
      arm_pulls: real >= N_{i,tau}, N_{i,0}: all rounds of the arm.
      round_: real >= 1, t; z-RCUCB has ``K T^2 / delta`` in its place.
      penalty: real >= 0, lambda(tau).
      gain_radius: real >= 0, factor of the first term.
      penalty_radius: real >= 0, factor of the second.

    Returns:
      f64 of the broadcast shape; ``inf`` where N_{i,tau} is 0.
    """
    reaching, pulls = pulls_reaching, arm_pulls
    if np.any(reaching > pulls):
        raise ValueError(f"pulls_reaching must be <= arm_pulls, got {pulls_reaching}")
    seen, scale = reaching > 0, 2 * alpha * np.log(round_)
    gain = np.sqrt(scale / np.where(seen, reaching, 1))
    risk = np.sqrt(scale / np.where(pulls > 0, pulls, 1))
    length = gain_radius * gain + np.multiply(penalty_radius, penalty) * risk
    return np.where(seen, length, np.inf)


@broadcast_domains
def coverage_bound(
    round_: AtLeastOne[Numbers], alpha: AboveOne[Numbers], *, cap: bool = False
) -> np.ndarray:
    """Bound on the probability of one-sided error of an estimate (Proposition 1).

    ``2 (1 + log(t) / log((alpha + 1) / 2)) t^(-2 alpha / (alpha + 1))``: below 1 from
    t = 3100, 16, 6 and 3 on for alpha = 1.01, 1.5, 2 and 4. For eq. (9) only the error
    upwards, ``nu_hat - nu > c``, keeps to it: with C always between two limits, the
    larger played once and the smaller ever after, lambda = 9, alpha = 2 and t = 1000,
    nu_hat is certain to be 8.99 too low and c is 6.75.

    Appendix A takes the steps of its martingale to be at most 1. With ``R - c(C)`` in
    [-1, 1] they reach 2, but their range is 2, so Hoeffding's bound is the printed one.
    Lemma 5 multiplies by lambda^2 where it must divide; Proposition 1 does not use it.

    Args:
      round_: real >= 1, t.
      cap: whether to return at most 1.

    Returns:
      f64 of the broadcast shape; it says nothing where it is 1 or more.
    """
    bound = 2 * (1 + np.log(round_) / np.log((alpha + 1) / 2))
    bound = bound * round_ ** (-2 * alpha / (alpha + 1))
    return np.minimum(bound, 1) if cap else bound


@domains
def rcucb_pull_bound(
    gaps: NonNegative[Table],
    penalties: NonNegative[OfLimits],
    horizon: AtLeastOne[Numbers],
    alpha: AboveOne[float],
) -> np.ndarray:
    """Bound ``u_{i,tau}(T, alpha)`` on RCUCB's pulls of suboptimal pairs (Theorem 1).

    ``8 alpha (1 + lambda(tau))^2 log(T) / Delta^2 + 1
    + 8 / log((alpha + 1) / 2) ((alpha + 1) / (alpha - 1))^2``. It bounds how often a
    pair is chosen, E[T_{i,tau}]; the proof says E[N_{i,tau}], which is T for the
    smaller of one arm's two limits if the larger is always played. The last step
    of the proof needs ``log((alpha + 1) / 2) <= (alpha + 1) / (alpha - 1)``, that is
    alpha <= 6.71; from alpha = 11.12 on the sum itself exceeds the constant.

    Returns:
      f64[..., K, M]; ``inf`` for optimal pairs, of which the theorem says nothing.
    """
    gaps = _ties(gaps)
    return _pulls(gaps, 8 * alpha * (1 + penalties) ** 2, horizon, alpha, 8)


@domains
def rcucb_pull_lower(
    gaps: NonNegative[Table],
    penalties: NonNegative[OfLimits],
    horizon: AtLeastOne[Numbers],
    alpha: AboveOne[float],
    *,
    epsilon: Inside[float],
    delta: Inside[float],
    form: Form = "printed",
) -> np.ndarray:
    """Lower bound ``l_{i,tau}(T, alpha)`` on E[N_{i,tau}] (Theorem 1).

    ``alpha epsilon delta log(T) / H`` with H the maximum over the other pairs j of
    ``(8 (1 + lambda_j^2 alpha) / D + 1)^2 D^2 = (8 (1 + lambda_j^2 alpha) + D)^2``,
    ``D = Delta - Delta_j``: the product is finite where D is 0. The proof needs
    ``8 (1 + lambda_j)^2 alpha`` (a bracket is misplaced) and has epsilon^2 in place of
    epsilon, which ``form="proof"`` gives. H is 64 or so at least: below 1 to T = 1e50
    or so, the bound says no more than that every arm starts with its largest limit.

    Returns:
      f64[..., K, M] >= 0.
    """
    gaps = _ties(gaps)
    if delta >= 0.5:
        raise ValueError(f"delta must be in (0, 0.5), got {delta}")
    if np.any(delta > largest_delta(horizon, gaps.size)):
        raise ValueError(
            "delta must fulfil (K M - 1)^(1 - delta) T^(2 delta) <= T (largest_delta), "
            f"got {delta}"
        )
    proof = form == "proof"
    square = (1 + penalties) ** 2 * alpha if proof else 1 + penalties**2 * alpha
    # (shift_j + Delta)^2 is largest for the largest or the smallest other shift_j.
    shift = (8 * square - gaps).ravel()
    low, second_low = np.sort(shift)[:2]
    second_high, high = np.sort(shift)[-2:]
    low = np.where(shift == low, second_low, low)
    high = np.where(shift == high, second_high, high)
    H = np.maximum((low + gaps.ravel()) ** 2, (high + gaps.ravel()) ** 2)
    weight = alpha * (epsilon**2 if proof else epsilon) * delta
    return weight * np.log(horizon)[..., None, None] / H.reshape(gaps.shape)


@domains
def largest_delta(
    horizon: AtLeastOne[Numbers], num_pairs: Annotated[int, Whole(2, MOST**2)]
) -> np.ndarray:
    """Largest delta with ``(K M - 1)^(1 - delta) T^(2 delta) <= T`` (Theorem 1).

    ``log(T / (K M - 1)) / log(T^2 / (K M - 1))``, below 1/2 if there are three pairs.

    Args:
      num_pairs: K M, an integer >= 2.

    Returns:
      f64 of the shape of `horizon`; 0 or less, also -inf, where no delta will do.
    """
    T, others = np.log(horizon), np.log(num_pairs - 1)
    # Below, at T^2 <= K M - 1, only a delta above 1/2 would fulfil the condition.
    possible = others < 2 * T
    return np.where(possible, T - others, -np.inf) / np.where(
        possible, 2 * T - others, 1
    )


@domains
def rcucb_regret_bound(
    gaps: NonNegative[Table],
    penalties: NonNegative[OfLimits],
    horizon: AtLeastOne[Numbers],
    alpha: AboveOne[float],
    *,
    probability: Share[float] = 0.0,
    epsilon: Inside[float] = 0.5,
    delta: Inside[float] = 0.1,
    form: Form = "printed",
) -> np.ndarray:
    """Bound on the cumulative regret of RCUCB (Theorem 1).

    ``sum Delta u_{i,tau} - P(A_epsilon) sum Delta l_{i,up(tau)}``, the second sum over
    the limits but the largest. The paper's ``up(tau)``, the next larger limit, leaves
    out tau_max; eq. (11) needs it, or the second largest has no neighbour. Here the
    neighbour of the second largest limit is the largest. The second sum is at most
    1/1000 or so of the first, and its proof has the gap named on top of this module.

    Args:
      probability: number in [0, 1], P(A_epsilon), which is not known; 0 leaves the
        second sum out, with its conditions.

    Returns:
      f64 of the shape of `horizon`. Warns with `VacuousBound` if it exceeds
      `trivial_bound` at every horizon.
    """
    pulls = rcucb_pull_bound(gaps, penalties, horizon, alpha)
    gaps = _ties(gaps)
    bound = _weighted(gaps, pulls)
    if probability > 0:
        lower = rcucb_pull_lower(
            gaps, penalties, horizon, alpha, epsilon=epsilon, delta=delta, form=form
        )
        saved = np.sum(gaps[:, :-1] * lower[..., 1:], axis=(-2, -1))
        bound = bound - probability * saved
    return checked(bound, trivial_bound(horizon, gaps))


@domains
def ucb_regret_bound(
    gaps: NonNegative[Table],
    max_penalty: NonNegative[float],
    horizon: AtLeastOne[Numbers],
    alpha: AboveOne[float],
) -> np.ndarray:
    """Bound on the cumulative regret of UCB on the pairs (Corollary 4).

    ``sum 2 alpha (1 + lambda(tau_max))^2 log(T) / Delta + Delta (1
    + 4 / log((alpha + 1) / 2) ((alpha + 1) / (alpha - 1))^2)`` over suboptimal pairs,
    right for alpha <= 6.71 as `rcucb_pull_bound`. Its first term is a quarter of
    Theorem 1's for the largest limit. It takes outcomes scaled by
    ``(x + lambda(tau_max)) / (1 + lambda(tau_max))`` to be in [0, 1], which needs
    ``c(tau) <= lambda(tau_max)``: with outcomes of -1 or 1, lambda = 0, 100 pulls,
    alpha = 2 and t = 1e4, the radius fails with probability 9e-4, not 1.1e-4.

    Args:
      max_penalty: number >= 0, lambda(tau_max).

    Returns:
      f64 of the shape of `horizon`. Warns as `rcucb_regret_bound`.
    """
    gaps = _ties(gaps)
    factor = np.asarray(2 * alpha * (1 + max_penalty) ** 2)
    bound = _weighted(gaps, _pulls(gaps, factor, horizon, alpha, 4))
    return checked(bound, trivial_bound(horizon, gaps))


@domains
def trivial_bound(horizon: AtLeastOne[Numbers], gaps: NonNegative[Table]) -> np.ndarray:
    """Largest cumulative regret of any policy, ``T max Delta``."""
    return np.asarray(horizon * _ties(gaps).max())


def _pulls(
    gaps: np.ndarray, factor: np.ndarray, horizon: Numbers, alpha: float, weight: float
) -> np.ndarray:
    optimal = gaps == 0
    leading = factor / np.where(optimal, 1.0, gaps) ** 2
    rest = weight / np.log((alpha + 1) / 2) * ((alpha + 1) / (alpha - 1)) ** 2
    pulls = np.log(horizon)[..., None, None] * leading + 1 + rest
    return np.where(optimal, np.inf, pulls)


def _weighted(gaps: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    suboptimal = gaps > 0
    return np.sum(gaps[suboptimal] * pulls[..., suboptimal], axis=-1)


def _ties(gaps: np.ndarray) -> np.ndarray:
    """The gaps, 0 of ties."""
    return np.where(gaps <= _TIE, 0.0, gaps)
