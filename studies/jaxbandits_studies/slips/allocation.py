"""RA-UCB with the paper's estimator and radii, and as its authors published it.

* Eqs. (6) to (10) take thresholds for truncated at the whole budget, and not at what
  the arm had at the time (errata.md, A1).
* The Hoeffding radii of section 4.3 are vacuous with the constants of the theorems: the
  policy gives all budget to one arm, in turn (A1).
* The authors' code has `CODE_D` in place of the theorems' constant, its blocks of K
  rounds for t, its hundredths (A3).
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.boosting import Options, Params, boosting
from jaxbandits.allocation.policies.estimates import NODES, Estimator, Likelihood
from jaxbandits.allocation.policies.handing_out import optimum, require_additive
from jaxbandits.allocation.policies.learning import Learner
from jaxbandits.allocation.policies.radii import RADII, Ends, Radius, Scales, Seen
from jaxbandits.arrays import CompensatedSum, constant, pick
from jaxbandits.checks import one_of
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.interpolation import interpolate
from jaxbandits.laws.thresholds import exponential, inverse_truncated_mean
from jaxbandits.protocol import Policy

CODE_D = 0.07  # for |g'(M)|, 448 times what Lemma H.1 gives in appendix A.1
LARGE = 1e30  # stands for an infinite radius


class Statistics(NamedTuple):
    """As in `estimates`, and the sum of the thresholds seen."""

    successes: Int32[Array, "*arms"]
    likelihood: CompensatedSum
    exposure: CompensatedSum
    thresholds: CompensatedSum
    last: Float[Array, "*arms"]
    squares: CompensatedSum | None = None


class PrintedEstimator(Estimator):
    """Thresholds truncated at the whole budget: the inverse of the truncated mean."""

    def zeros(self) -> Statistics:
        plain = super().zeros()
        sums = CompensatedSum.zeros(self.problem.num_arms, float)
        return Statistics(*plain[:3], sums, *plain[3:])

    def observe(
        self, statistics: Statistics, threshold: Array, amount: Array, shape: Any
    ) -> Statistics:
        new = super().observe(statistics, threshold, amount, shape)
        seen = jnp.where(threshold < jnp.inf, threshold, 0.0)
        return Statistics(*new[:3], statistics.thresholds.add(seen), *new[3:])

    def log_share(
        self, success: Array, amount: Array, reached: Array, rates: Array, shape: Any
    ) -> Array:
        bound = jnp.where(success, self.problem.budget, 1.0)
        return self.problem.family.log_cdf(bound, rates, shape)

    def likeliest(
        self, statistics: Statistics, known: Likelihood, shape: Any
    ) -> tuple[Array, Array]:
        count = jnp.maximum(statistics.successes, 1).astype(float)
        problem = self.problem
        rate = inverse_truncated_mean(
            problem.family,
            statistics.thresholds.total / count,
            problem.budget,
            problem.lowest,
            problem.highest,
            shape,
        )
        place = self.grid.place(rate)
        return place, interpolate(known.values, place, NODES)


class Constants(NamedTuple):
    """Lipschitz constants of Assumptions 2.3 and 4.1, one per arm: f64[K].

    Attributes:
      cdf: L_lambda, of G in the rate.
      mean: L_mu, one over that of the inverse of the truncated mean.
    """

    cdf: np.ndarray
    mean: np.ndarray


def printed_constants(problem: Problem) -> Constants:
    """The constants of a problem (host); the paper's for exponential thresholds.

    For other families the extreme slopes on a fine grid of rates and allocations.
    """
    if problem.family is exponential:
        top = problem.highest * problem.budget  # M
        slope = 1 / top**2 - np.exp(-top) / np.expm1(-top) ** 2  # D, Lemma H.1
        ones = np.ones(problem.num_arms)
        return Constants(problem.budget * ones, problem.budget**2 * slope * ones)
    family = problem.family
    with jax.enable_x64(True):
        rates = jnp.asarray(np.geomspace(problem.lowest, problem.highest, 129))
        amounts = jnp.asarray(np.linspace(0, problem.budget, 2049)[1:])[:, None]
        shapes = problem.shape or (None,) * problem.num_arms

        def slope(function, x, shape):
            rows = tuple(jnp.broadcast_arrays(x, rates))
            tangent = (jnp.zeros_like(rows[0]), jnp.ones_like(rows[1]))
            return jax.jvp(lambda x, r: function(x, r, shape), rows, tangent)[1]

        def constants(shape):
            steepest = jnp.max(slope(family.cdf, amounts, shape))
            flattest = jnp.min(
                jnp.abs(slope(family.truncated_mean, problem.budget, shape))
            )
            return float(steepest), float(flattest)

        different = {shape: constants(shape) for shape in set(shapes)}
    return Constants(*np.array([different[shape] for shape in shapes]).T)


def printed(problem: Problem) -> Radius:
    """The displayed formulas of section 4.3, times the scales."""
    constants = printed_constants(problem)

    def radius(estimator: Estimator, seen: Seen, scales: Scales, round_: Array) -> Ends:
        own = Constants(*(pick(x, seen.arm) for x in constant(list(constants))))
        statistics, result = seen.statistics, seen.estimate
        log_t = jnp.log(round_)
        count = jnp.maximum(statistics.successes, 1).astype(float)
        root = jnp.sqrt(3 * log_t / (2 * count))
        budget = problem.budget
        width = scales.rate * budget / own.mean * root
        # C_hat = G(x_t, m/B) with the x_t that is about to be chosen is circular: this
        # is the arm's last observed allocation.
        floor = problem.family.cdf(statistics.last, problem.lowest, seen.shape)
        factor = own.cdf / own.mean * budget * (1 + result.probability)
        spread = scales.probability * factor * root / jnp.maximum(floor, 1e-30)
        spread = jnp.minimum(spread, LARGE)
        return (
            jnp.maximum(result.rate - width, problem.lowest),
            jnp.minimum(result.rate + width, problem.highest),
            jnp.maximum(result.probability - spread, 0.0),
            jnp.minimum(result.probability + spread, 1.0),
        )

    return radius


def code(estimator: Estimator, seen: Seen, scales: Scales, round_: Array) -> Ends:
    """``compute_confidence_bounds`` of ``main_exponential.ipynb``.

    Clipped to Lambda above, too, which the code is not.
    """
    problem, statistics, result = estimator.problem, seen.statistics, seen.estimate
    block = jnp.floor((round_ - 1) / problem.num_arms)
    count = statistics.successes.astype(float) + 0.01
    root = jnp.sqrt(3 * jnp.log(block + 1) / (2 * count))
    width = scales.rate * root / (problem.budget * CODE_D)
    floor = -jnp.expm1(-statistics.last / problem.budget)
    spread = scales.probability * 0.01 * (1 + result.probability) * root
    spread = spread / (floor * CODE_D + 0.01)
    return (
        jnp.maximum(result.rate - width, problem.lowest),
        jnp.minimum(result.rate + width, problem.highest),
        jnp.maximum(result.probability - spread, 0.001),
        jnp.clip(result.probability + spread, 0.001, 1.0),
    )


ESTIMATORS = {"truncated": Estimator, "printed": PrintedEstimator}
SLIPS = ("printed", "code")


@factory(Problem)
def ra_ucb_printed(
    problem: Problem,
    estimator: str = "printed",
    radii: str = "profile",
    update: str = "boosted",
    others: str = "pessimistic",
    start: str = "one_arm",
) -> Policy[Learner, Params, Action]:
    """RA-UCB with the paper's estimator or radii.

    Args:
      problem: what is known of the game.
      estimator: ``printed`` or ``truncated``.
      radii: as for `allocation.ra_ucb`; or ``printed``, or of the authors' ``code``,
        for exponential thresholds only.
      update, others, start: as for `allocation.ra_ucb`.

    Raises:
      ValueError: as `allocation.ra_ucb`, or on radii that the family has not.
    """
    kind = ESTIMATORS[one_of("estimator", estimator, ESTIMATORS)]
    one_of("radii", radii, (*RADII, *SLIPS))
    if radii == "code" and problem.family is not exponential:
        raise ValueError(
            f"radii: 'code' is for exponential thresholds, got {problem.family.name}"
        )
    radius = {"printed": printed, "code": lambda problem: code}.get(radii)
    return boosting(
        "RA-UCB",
        problem,
        optimum(require_additive(problem)),
        Options("profile" if radius else radii, update, others, start),
        kind(problem, variances=radii == "delta"),
        radius and radius(problem),
    )


@factory(Problem)
def ra_ucb_authors(problem: Problem) -> Policy[Learner, Params, Action]:
    """RA-UCB as the authors' published code configures it, as far as a learner can.

    Their estimator and radii, one round of start per arm. The code calls its oracle
    with the *true* p (it computes the optimistic one and does not use it) and leaves
    the start out of p's estimate; this does neither.

    Args:
      problem: what is known of the game, with exponential thresholds.

    Raises:
      ValueError: as `ra_ucb_printed`.
    """
    policy = ra_ucb_printed(problem, radii="code")
    params = policy.params._replace(initial=1.0)
    return policy._replace(name="RA-UCB, authors", params=params)
