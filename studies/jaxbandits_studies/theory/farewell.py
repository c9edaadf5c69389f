"""Bounds for Wait-UCB in the game with waiting times.

Sharoff, Mehta & Ganti (2020), "A Farewell to Arms: Sequential Reward Maximization on a
Budget with a Giving Up Option", Sections 5 and 6 and Appendices B to D. Arm pairs
``(k, j)``, a macro-arm and a wait, are the entries of arrays ``[K, D]``.

Lemma 2 leaves out one rounding: its proof needs a whole number of pulls, so it holds
after adding 1. Where T is small Theorem 2 says less than `trivial_bound`: below some
1e5 to 1e6 with ten waits and gaps like the paper's.

Arguments, unless a function says otherwise; their ranges stand in the annotations:

- ``T``, real of any shape ``[...]``: the time budget;
- ``gaps``, real ``[K, D]``: ``Delta = max g - g`` with g the expected reward per unit
  of time, up to 1e-12 a tie; `dqzl_rate` and `fj_rate` compare as `wait_rate` does;
- ``mean_time``, real ``[K, D]``: mu, the expected time of a pull; ``waits``, real
  ``[D]``: the waits j, the last of which is D.

What comes back is f64 of the shape of ``T``, or of the broadcast shape.
"""

from typing import Annotated

import numpy as np

from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    NonNegative,
    Numbers,
    OfLimits,
    Positive,
    Share,
    Table,
    broadcast_domains,
    domains,
)

_TIE = 1e-12
OneArm = Annotated[Numbers, "1 D"]


@broadcast_domains
def radius(
    counts: AtLeastOne[Numbers],
    delta: Positive[Numbers],
    largest_cost: AtLeastOne[Numbers],
    mean_cost: AtLeastOne[Numbers],
) -> np.ndarray:
    """Radius of the ratio of a mean reward to a mean cost (Lemma 1).

    With probability at least ``1 - delta`` the ratio of the sample means, rewards in
    [0, 1] and costs in [1, B], is this close to the ratio of the expectations::

        sqrt((B-1) L / 2n) + 2 (B-1) L / (3 mu n) + sqrt(L / 2n),    L = log(4 / delta)

    The last term is Hoeffding's, the others are Bernstein's. Lemma 4 and its proof
    print one root over both of Bernstein's; solving the quadratic in the proof,
    ``n t^2 = L ((B-1) / 2 + 2 (B-1) t / (3 mu))``, gives the root of the first only.

    Args:
      counts: real >= 1, n, the size of the sample.
      delta: real in (0, 1], the error probability.
      largest_cost: real >= 1, B.
      mean_cost: real in [1, B], mu.
    """
    if np.any(delta > 1):
        raise ValueError(f"delta must be in (0, 1], got {delta}")
    if np.any(mean_cost > largest_cost):
        raise ValueError(f"mean_cost must be at most largest_cost, got {mean_cost}")
    share = np.log(4 / delta) / counts
    spread = largest_cost - 1
    bernstein = np.sqrt(spread * share / 2) + 2 * spread * share / (3 * mean_cost)
    return bernstein + np.sqrt(share / 2)


@domains
def constant_reward(
    T: Count, time: NonNegative[OfLimits], reward: NonNegative[OfLimits]
) -> np.ndarray:
    """Expected reward of a constant policy with t units of time (Theorem 1), exact.

    A renewal recursion on ``L = max{n : S_n <= t}``: ``m(t) = sum_{c <= t} (r_c + p_c
    m(t - c))``. The theorem's constant is ``A(t) = m(t) - t g``, where g is the reward
    per unit of time. It claims 0 <= A <= j; what holds is ``-1 < A <= j g`` for rewards
    in [0, 1]: L + 1 is a stopping time, so ``m(t) = g E[S_{L+1}] - E[r_{L+1}]``, the
    time ``S_{L+1}`` is in (t, t + j], and ``r_{L+1} <= 1``.

    Args:
      T: whole number >= 1, the largest time.
      time: real ``[j]`` >= 0 with sum 1, ``p_c``, probability that an epoch lasts c =
        1, ..., j.
      reward: real ``[j]`` in [0, p_c], ``r_c = E[r 1{epoch lasts c}]``.

    Returns:
      f64[T + 1], for t = 0, ..., T.
    """
    _check_epoch(time, reward)
    total = np.zeros(T + 1)
    for t in range(1, T + 1):
        most = min(t, time.size)
        ago = total[t - most : t][::-1]  # m(t - 1), m(t - 2), ...
        total[t] = reward[:most].sum() + time[:most] @ ago
    return total


@domains
def constant_reward_limit(
    time: NonNegative[OfLimits], reward: NonNegative[OfLimits]
) -> float:
    """Limit of Theorem 1's ``A(t) = m(t) - t g`` for large times.

    ``g (mu_2 + mu) / (2 mu) - E[r c] / mu`` with the first two moments of an epoch's
    time c: the mean overshoot of a renewal process, and the reward of the epoch that
    overshoots, weighted by its length. Epochs must not all last a multiple of d > 1.
    """
    _check_epoch(time, reward)
    lasts = np.arange(1, time.size + 1)
    if np.gcd.reduce(lasts[time > 0]) > 1:  # type: ignore[call-overload]
        raise ValueError("time must not only have multiples of a unit above 1")
    mean, square = time @ lasts, time @ lasts**2
    rate = reward.sum() / mean
    return float(rate * (square + mean) / (2 * mean) - reward @ lasts / mean)


@broadcast_domains
def ratio_deviation(
    n: AtLeastOne[Numbers],
    epsilon: NonNegative[Numbers],
    largest_cost: AtLeastOne[Numbers],
) -> np.ndarray:
    """Bound on the chance that a ratio of means strays by epsilon (Corollary 1, (10)).

    ``4 exp(-x^2)`` with ``a x^2 + b x = epsilon``, ``a = 2 (B-1) / (3 n)`` and ``b =
    (sqrt(B-1) + 1) / sqrt(2 n)``: `radius` at a mean cost of 1, solved for ``log(4 /
    delta) = x^2``. Above 1 it says nothing.

    Args:
      n: real >= 1, the size of the sample.
      epsilon: real >= 0, the deviation.
      largest_cost: real >= 1, B.

    Returns:
      f64 of the broadcast shape, in (0, 4].
    """
    a = 2 * (largest_cost - 1) / (3 * n)
    b = (np.sqrt(largest_cost - 1) + 1) / np.sqrt(2 * n)
    # The positive root without its cancellation, which (10) has: finite at B = 1 too.
    x = 2 * epsilon / (b + np.sqrt(b**2 + 4 * a * epsilon))
    return 4 * np.exp(-(x**2))


@broadcast_domains
def wait_ucb_radius(
    count: NonNegative[Numbers], epochs: AtLeastOne[Numbers], wait: AtLeastOne[Numbers]
) -> np.ndarray:
    """Wait-UCB's radius ``alpha_j log s / n + beta_j sqrt(log s / n)`` (Section 5).

    `radius` at the error probability ``4 s^-4`` with its mean cost replaced by 1: the
    weights of Lemma 3 are exact.

    Args:
      count: real >= 0, n, pulls of the arm pair.
      epochs: real >= 1, s, epochs done.
      wait: real >= 1, j.

    Returns:
      f64 of the broadcast shape; ``inf`` for a pair without pulls (Algorithm 1).
    """
    alpha, beta = _weights(wait)
    share = np.log(epochs) / np.where(count > 0, count, 1.0)
    return np.where(count > 0, alpha * share + beta * np.sqrt(share), np.inf)


@domains
def pulls_bound(
    T: AtLeastOne[Numbers], gaps: Share[Table], waits: AtLeastOne[OfLimits]
) -> np.ndarray:
    """Bound on the expected pulls of the suboptimal arm pairs (Lemma 2).

    ``log(T) ((beta_j + sqrt(beta_j^2 + 2 alpha_j Delta)) / Delta)^2 + 4 pi^2 / 3``.

    Returns:
      f64[..., K, D]; ``inf`` for the optimal pairs, of which the lemma says nothing.
    """
    gaps = _ties(gaps)
    alpha, beta = _weights(waits)
    optimal = gaps == 0
    gaps = np.where(optimal, 1.0, gaps)
    root = (beta + np.sqrt(beta**2 + 2 * alpha * gaps)) / gaps
    pulls = np.log(T)[..., None, None] * root**2 + 4 * np.pi**2 / 3
    return np.where(optimal, np.inf, pulls)


@domains
def regret_bound(
    T: Numbers, gaps: Share[Table], mean_time: AtLeastOne[Table], waits: OfLimits
) -> np.ndarray:
    """Bound on the pseudo-regret ``sum mu Delta E[n]`` of Wait-UCB (Theorem 2).

    ``sum mu ((beta_j + sqrt(beta_j^2 + 2 alpha_j Delta))^2 log(T) / Delta
    + 4 pi^2 / 3 Delta)`` over the suboptimal pairs, with the constant of Appendix D.

    Returns:
      f64 of the shape of `T`. It says nothing where it is above `trivial_bound`.
    """
    pulls = pulls_bound(T, gaps, waits)
    gaps = _ties(gaps)
    weight = gaps * mean_time
    suboptimal = gaps > 0
    return np.sum(weight[suboptimal] * pulls[..., suboptimal], axis=-1)


@domains
def trivial_bound(
    T: AtLeastOne[Numbers], gaps: Share[Table], waits: AtLeastOne[OfLimits]
) -> np.ndarray:
    """Largest pseudo-regret of any policy, ``(T + D - 1) max Delta``.

    The time spent exceeds T by less than the last pull, which takes D at most.
    """
    return np.asarray((T + waits.max() - 1) * _ties(gaps).max())


@domains
def coarse_rate(
    T: AtLeastOne[Numbers],
    gaps: Share[Table],
    mean_time: AtLeastOne[Table],
    waits: AtLeastOne[OfLimits],
) -> np.ndarray:
    """Order of Wait-UCB's regret, ``sum mu_kj j / Delta_kj log T`` (eq. 5).

    An order of magnitude; 80/3 of it bounds the leading term of Theorem 2.
    """
    gaps = _ties(gaps)
    suboptimal = gaps > 0
    weight = mean_time * waits
    return np.sum(weight[suboptimal] / gaps[suboptimal]) * np.log(T)


@domains
def wait_rate(
    T: AtLeastOne[Numbers], gaps: Share[OneArm], mean_time: AtLeastOne[OneArm]
) -> np.ndarray:
    """Order of Wait-UCB's regret, ``D / Delta sum_j mu_j log T`` (WAIT).

    An order of magnitude; 80/3 of it bounds the leading term of Theorem 2.

    Args:
      T: real >= 1 of any shape, the time budget.
      gaps: real ``[1, D]`` in [0, 1]: the paper compares with a single macro-arm. Delta
        is the smallest positive gap.
      mean_time: real ``[1, D]`` >= 1, the expected time of a pull.

    Returns:
      f64 of the shape of `T`.
    """
    least = _smallest(gaps)
    return np.asarray(gaps.size / least * mean_time.sum() * np.log(T))


@domains
def dqzl_rate(
    T: AtLeastOne[Numbers], gaps: Share[OneArm], best_ratio: Share[float]
) -> np.ndarray:
    """Order of UCB-BV1's regret by Ding, Qin, Zhang & Liu (2013), labelled (DQZL).

    ``(D^4 + D^3 / Delta + D^2 / Delta^2) g^* log T``, an order of magnitude.

    Args:
      best_ratio: number in [0, 1], ``g^* = mu^(r) / mu^(c)`` of the optimal pair.
    """
    D, least = gaps.size, _smallest(gaps)
    return np.asarray((D**4 + D**3 / least + D**2 / least**2) * best_ratio * np.log(T))


@domains
def fj_rate(
    T: AtLeastOne[Numbers], gaps: Share[OneArm], mean_time: AtLeastOne[OneArm]
) -> np.ndarray:
    """Order of UCB-Simplex' regret by Flajolet & Jaillet (2017), labelled (FJ).

    ``D^2 / Delta sum_j 1 / mu_j log T``, an order of magnitude; the paper adds a
    constant of order D^3, which is left out.
    """
    least = _smallest(gaps)
    return np.asarray(gaps.size**2 / least * np.sum(1 / mean_time) * np.log(T))


def _check_epoch(time: np.ndarray, reward: np.ndarray) -> None:
    """Probabilities and rewards of an epoch's times."""
    if not np.isclose(time.sum(), 1, rtol=0, atol=1e-9):
        raise ValueError(f"time must be [j] with sum 1, got {time.tolist()}")
    if np.any(reward > time + 1e-12):
        raise ValueError("reward must lie in [0, time]")


def _weights(wait: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``alpha_j = 8 (j-1) / 3`` and ``beta_j = sqrt(2) (sqrt(j-1) + 1)`` (Lemma 3)."""
    return 8 * (wait - 1) / 3, np.sqrt(2) * (np.sqrt(wait - 1) + 1)


def _smallest(gaps: np.ndarray) -> float:
    """The smallest positive gap of a single macro-arm."""
    gaps = _ties(gaps)
    if not np.any(gaps > 0):
        raise ValueError("gaps must have a positive entry, got none above 1e-12")
    return float(gaps[gaps > 0].min())


def _ties(gaps: np.ndarray) -> np.ndarray:
    """The gaps, 0 of ties."""
    return np.where(gaps <= _TIE, 0.0, gaps)
