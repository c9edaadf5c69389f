"""Bounds for z-RCUCB and StoOO, which may choose any limit up to the largest.

Bengs & Hüllermeier (2022), "Multi-Armed Bandits with Censored Consumption of
Resources": Theorem 2 with Appendix C. Value curves are arrays ``[K, G]`` over
equidistant limits; lambda is the penalty, nu the penalized expected gain.

The bounds are the printed ones. Where a proof gives another formula, ``form="proof"``
has it. What to know before laying a curve over a plot: Lemma 2 takes a union over
infinitely many grid points. Theorem 2 is not proved for the pair that is returned:
small limits are refined along with the larger ones that are played, and Lemma 3 says
nothing of them. One arm, C uniform, rewards of 0.6, ``lambda = 0.3 tau``, m = 2, alpha
= 1.01, delta = 0.1, T = 53500: d = 0, C = 5, the bound is 0.39, and all points of the
finest level lose 0.57 or more.

Arguments, unless a function says otherwise; their ranges stand in the annotations:

- ``horizon``, real of any shape: T; ``setup``, a `Zooming`; ``near``, a
  `NearOptimality`, of which d and C are read; ``levels``: where to stop the maximum
  over the levels l; ``form``: ``printed`` or ``proof``;
- ``values``, real ``[K, G]``: nu at the limits ``max_limit (1, ..., G) / G``;
  ``epsilons``, real ``[E]``; ``eta``: the width of a set over its epsilon.

What comes back is f64 of the shape of ``horizon``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxbandits import checks
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Finite,
    Form,
    NonNegative,
    Numbers,
    Positive,
    Scalars,
    Table,
    broadcast_domains,
    domains,
)
from jaxbandits_studies.theory.vacuous import checked

_TIE = 1e-12


class NearOptimality(NamedTuple):
    """What Definition 3 asks of value curves, over a range of epsilon.

    Attributes:
      dimension: d >= 0.
      constant: the smallest C with ``packing <= C epsilon^-d`` over the range.
      epsilons: f64[E] ascending.
      packing: i64[E], numbers of disjoint sets.
    """

    dimension: float
    constant: float
    epsilons: np.ndarray
    packing: np.ndarray


class Zooming(NamedTuple):
    """A game for z-RCUCB and its parameters.

    Attributes:
      num_arms: K, an integer >= 1.
      penalty: function of an array of limits in [0, max_limit], lambda >= 0.
      max_limit: number > 0, tau_max.
      alpha: number > 1 in theory, > 0 in use.
      delta: number in (0, 1), the error probability.
      splits: m, an integer >= 2.
    """

    num_arms: int
    penalty: Callable[[Any], Any]
    max_limit: float = 1.0
    alpha: float = 2.0
    delta: float = 0.1
    splits: int = 3


@domains
def packing_numbers(
    values: Finite[Table],
    max_limit: Positive[float],
    epsilons: Positive[Numbers],
    *,
    eta: Positive[float] = 1 / 3,
) -> np.ndarray:
    """Largest numbers of disjoint near-optimal sets ``{i} x (a, b]`` (Definition 3).

    ``b`` is a point of the grid with ``nu_{i,b} >= nu^* - epsilon`` and ``b - a = eta
    epsilon``. The paper asks for widths of *at most* this: any number of sets would do.
    Lemma 4 counts sets m times narrower than its epsilon allows (on a flat curve m^l
    of them, not m^(l-1)); it holds with ``eta = 1 / (3 m)``.

    Returns:
      i64[E]: exact for ends on the grid, by taking the leftmost set that fits.
    """
    limits = _grid(max_limit, values.shape[1])
    counts = [
        sum(
            _disjoint(limits[row >= values.max() - eps - _TIE], eta * eps)
            for row in values
        )
        for eps in np.atleast_1d(epsilons)
    ]
    return np.array(counts, np.int64)


@domains
def near_optimality(
    values: Finite[Table],
    max_limit: Positive[float],
    *,
    epsilons: Positive[Numbers] | None = None,
    eta: Positive[float] = 1 / 3,
    dimension: NonNegative[float] | None = None,
) -> NearOptimality:
    """Estimate the near-optimality dimension d and constant C (Definition 3).

    An estimate: the definition asks for all epsilon > 0, a grid shows a range. A peak
    ``nu^* - |x|^p`` has the dimension ``1 - 1 / p`` for p >= 1, a flat curve 1.

    Args:
      values: real ``[K, G]``, nu at the limits ``max_limit (1, ..., G) / G``.
      max_limit: number > 0, tau_max.
      epsilons: real ``[E]`` > 0; 40 of them by default, from sets of 8 grid steps to
        sets of the whole range, beyond which no set fits.
      eta: number > 0, as in `packing_numbers`.
      dimension: number >= 0, d; by default the slope of the packing numbers over
        1 / epsilon on log scales, fitted to the smaller half of epsilons.

    Returns:
      `NearOptimality`.
    """
    if epsilons is None:
        finest = min(8 / values.shape[1], 1 / 2)
        epsilons = np.geomspace(finest, 1, 40) * max_limit / eta
    epsilons = np.sort(np.ravel(epsilons))
    packing = packing_numbers(values, max_limit, epsilons, eta=eta)
    if dimension is None:
        small = (epsilons <= np.median(epsilons)) & (packing > 0)
        if small.sum() < 2:
            raise ValueError("epsilons must have two that sets fit, to fit a dimension")
        slope, _ = np.polyfit(np.log(epsilons[small]), np.log(packing[small]), 1)
        dimension = max(-slope, 0.0)
    constant = np.max(packing * epsilons**dimension)
    return NearOptimality(float(dimension), float(constant), epsilons, packing)


@domains
def zooming_rate(dimension: NonNegative[Numbers]) -> np.ndarray:
    """Exponent ``1 / (d + 2)`` of z-RCUCB's loss, ``(log T / T)^(1 / (d + 2))``."""
    return np.asarray(1 / (dimension + 2))


@domains
def zooming_constant(
    horizon: AtLeastOne[Numbers],
    setup: Zooming,
    near: NearOptimality,
    *,
    levels: Count = 6,
    reuse: bool = True,
) -> np.ndarray:
    """Constant C tilde of z-RCUCB, or of StoOO (Theorem 2).

    ``(4 alpha C m^2 (H_T + (1 + lambda(tau_max))^2) / (3^d (1 - m^-(d+2))))^(1/(d+2))``
    with ``H_T = max (1 + lambda(tau_(l,j)))^2 - (1 + lambda(tau_(l-1,s)) c_T)^2 / m^2``
    and ``c_T = sqrt(2 alpha log(K T^2 / delta) / T) (1 + lambda(tau_max)) / tau_max``,
    cut off at 1: above it no arm can be refined in T rounds (eq. 28).

    The grid is equidistant; printed eq. (20) lacks the left end of the cell. The s of
    the text, ``floor(j / m) + 1``, belongs to the parent of j + 1, as eq. (29) needs
    (Appendix C's to that of j + 2). Up to rounding at the last level
    ``H_T >= (1 - 1 / m^2) H~_T``: reuse improves the constant by 7% at most.

    Args:
      reuse: whether rounds with larger limits are reused; False replaces H_T by
        StoOO's ``H~_T = max (1 + lambda(tau_(l,j)))^2``.
    """
    share = _share(horizon, setup)
    checks.instance("near", near, NearOptimality, "of near_optimality")
    m, d = setup.splits, near.dimension
    rate, largest = zooming_rate(d), 1 + _penalty_at(setup, setup.max_limit)
    checks.positive(constant=near.constant)
    checks.above_one(alpha=setup.alpha)
    c_T = np.minimum(np.sqrt(share) * largest / setup.max_limit, 1.0)[..., None]
    H = -np.inf
    for l in range(1, levels + 1):
        own = 1 + _penalty_at(setup, _grid(setup.max_limit, m**l)[:-1])
        parent = _penalty_at(setup, _grid(setup.max_limit, m ** (l - 1)))
        spared = ((1 + parent[np.arange(1, m**l) // m] * c_T) / m) ** 2 if reuse else 0
        H = np.maximum(H, np.max(own**2 - spared, axis=-1))
    factor = 4 * setup.alpha * near.constant * m**2 / (3**d * (1 - m ** -(d + 2)))
    return (factor * (H + largest**2)) ** rate + 0 * share


@domains
def zooming_loss_bound(
    horizon: AtLeastOne[Numbers],
    setup: Zooming,
    near: NearOptimality,
    *,
    levels: Count = 6,
    form: Form = "printed",
) -> np.ndarray:
    """Bound on z-RCUCB's loss with probability at least 1 - delta (Theorem 2).

    ``C~ (log(T^2 / delta) / T)^(1 / (d + 2))``. Proposition 5 bounds the loss by
    ``3 m^-(l(T) - 1)``; the 3 is lost in Theorem 2, and ``form="proof"`` has it.

    Returns:
      f64 of the shape of `horizon`. Warns with `VacuousBound` if it exceeds
      ``1 + lambda(tau_max)``, the paper's bound on any loss, at every horizon.
    """
    bound = _loss(horizon, setup, near, levels, form, reuse=True)
    return checked(bound, 1 + _penalty_at(setup, setup.max_limit))


@domains
def stoo_loss_bound(
    horizon: AtLeastOne[Numbers],
    setup: Zooming,
    near: NearOptimality,
    *,
    levels: Count = 6,
    form: Form = "printed",
) -> np.ndarray:
    """`zooming_loss_bound` for StoOO on the pairs: H~_T for H_T (Section 4.2)."""
    bound = _loss(horizon, setup, near, levels, form, reuse=False)
    return checked(bound, 1 + _penalty_at(setup, setup.max_limit))


@broadcast_domains
def zooming_levels(
    horizon: AtLeastOne[Numbers],
    setup: Zooming,
    *,
    limit: NonNegative[Scalars] = 0.0,
    gain_radius: Positive[Scalars] = 1.0,
    penalty_radius: NonNegative[Scalars] = 1.0,
    smoothness: Positive[Scalars] = 1.0,
) -> np.ndarray:
    """Finest level that a grid point of z-RCUCB can reach in T rounds (criterion 14).

    A cell of level l, of width ``tau_max m^-l``, is refined once `smoothness` times
    its width is at least its confidence length. The best case: all rounds are the
    arm's, with limits that reach the point, so that both counts are T.

    Args:
      limit: real in [0, max_limit], the point, whose penalty counts; small ones are
        refined first.
      gain_radius: real > 0, as in `confidence_length`.
      penalty_radius: real >= 0, as in `confidence_length`.
      smoothness: real > 0, the factor of the widths in eqs. (13) and (14).

    Returns:
      i64 of the broadcast shape: 0 where nothing is refined.
    """
    share = _share(horizon, setup)
    factor = gain_radius + np.multiply(penalty_radius, _penalty_at(setup, limit))
    length = np.sqrt(share) * factor
    widest = np.multiply(smoothness, setup.max_limit) / length
    depth = np.floor(np.log(widest) / np.log(setup.splits) + _TIE)
    return np.maximum(depth + 1, 0).astype(np.int64)


def _loss(
    horizon: np.ndarray,
    setup: Zooming,
    near: NearOptimality,
    levels: int,
    form: str,
    *,
    reuse: bool,
) -> np.ndarray:
    factor = 3 if form == "proof" else 1
    constant = zooming_constant(horizon, setup, near, levels=levels, reuse=reuse)
    share = (2 * np.log(horizon) - np.log(setup.delta)) / horizon
    return factor * constant * share ** zooming_rate(near.dimension)


def _share(horizon: np.ndarray, setup: Zooming) -> np.ndarray:
    """``2 alpha log(K T^2 / delta) / T``, the squared length after T rounds."""
    checks.instance("setup", setup, Zooming, "of theory.zooming")
    checks.positive(alpha=setup.alpha, max_limit=setup.max_limit)
    checks.between_zero_and_one(delta=setup.delta)
    checks.whole("splits", setup.splits, 2)
    arms = checks.whole("num_arms", setup.num_arms, 1)
    log = np.log(arms / setup.delta) + 2 * np.log(horizon)
    return np.asarray(2 * setup.alpha * log / horizon)


def _disjoint(ends: np.ndarray, width: float) -> int:
    """How many disjoint ``(b - width, b]`` in (0, inf) have b in `ends`, ascending."""
    count, left, k = 0, 0.0, -1
    # On from the last one, also where the width is less than what counts as a tie.
    while (k := max(int(np.searchsorted(ends, left + width - _TIE)), k + 1)) < len(
        ends
    ):
        count, left = count + 1, ends[k]
    return count


def _grid(max_limit: float, size: int) -> np.ndarray:
    return max_limit * np.arange(1, size + 1) / size


def _penalty_at(setup: Zooming, limits: Scalars) -> np.ndarray:
    values = checks.function("penalty", setup.penalty)(np.asarray(limits, np.float64))
    checks.non_negative(penalty=values)
    return np.broadcast_to(np.asarray(values, np.float64), np.shape(limits))
