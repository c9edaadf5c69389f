"""Thompson sampling's rivals that fill one curve for every arm, on the tuning set.

    python studies/mean_curve.py [--seeds 64] [--horizon 10000] [CASE ...]

What an arm is worth, ``p G(x, rate)``, has a posterior of its own at every x. A mixture
of concave curves is concave, and is filled like one of them. Four forms:

* ``mean``: the posterior mean of the curve; best for the round to come (Bayes).
* ``mean + sd``: that and a posterior standard deviation of the curve at x.
* ``curves of 8 draws``: the mean of the curves of 8 draws, in place of their optima.
* ``7/8 mean, 1/8 draw``: of what ``mean`` gives and what one draw's optimum gives.

Prints regrets beside those of one draw and the mean of 8 draws' optima: the table of
theory/mean-allocation.md. An hour on a core.
"""

import argparse
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float

from jaxbandits import simulate
from jaxbandits.allocation import Action, Allocation, Problem, thompson
from jaxbandits.allocation.policies.estimates import FINE, Grid, probability_bound
from jaxbandits.allocation.policies.handing_out import best_way
from jaxbandits.allocation.policies.learning import start_allocation, turn
from jaxbandits.allocation.policies.posterior import State, after, draw, prior
from jaxbandits.allocation.solving import shape_array
from jaxbandits.arrays import unit_interval
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Policy
from jaxbandits_studies.allocation.parameters import CASES
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

PROTOCOL = PROTOCOLS["allocation"]
RATES, CHANCES = 7, 5  # nodes of the quadrature
AMOUNTS = 64  # at which slopes are computed; their logarithm is linear in between
DRAWS = 8
TINY = 1e-12


class Mixture(NamedTuple):
    """What an arm may be like: rates, their weights, and p given the rate, f[K, N]."""

    rate: Array
    weight: Array
    probability: Array
    square: Array  # the mean of p squared


def quadrature(problem: Problem, state: State) -> Mixture:
    """The posterior at the nodes of Gauss and Hermite."""
    z, weight = _normal(RATES)
    none = jnp.zeros(problem.num_arms)
    rate = jax.vmap(lambda z: draw(problem, state, z + none, none)[0])(z).T
    place = Grid.of(problem, FINE).place(rate)
    each = jax.vmap(jax.vmap(probability_bound, (None, 0, None)), (0, 0, None))
    weight = jnp.broadcast_to(weight[None], rate.shape)
    z, share = _normal(CHANCES)
    p = jax.vmap(lambda z: each(state.statistics, place, z))(z)
    moments = (jnp.tensordot(share, x, 1) for x in (p, p * p))
    return Mixture(rate, weight, *moments)


def _normal(nodes: int) -> tuple[Array, Array]:
    z, weight = np.polynomial.hermite_e.hermegauss(nodes)
    return jnp.asarray(z, float), jnp.asarray(weight / weight.sum(), float)


def filled(
    problem: Problem, arms: Mixture, budget: Array, deviations: float = 0.0
) -> Float[Array, " K"]:
    """The water-filling of mixtures (plus standard deviations of them), f[K]."""
    shape = shape_array(problem)
    column = None if shape is None else jnp.asarray(shape, float)[:, None, None]
    amounts = np.concatenate([[0.0], np.geomspace(1e-3, 1, AMOUNTS - 1)])
    x = jnp.asarray(amounts * problem.budget, float)
    above = jnp.maximum(x, 1e-6 * problem.budget)[None, None]
    at = above, arms.rate[..., None], column
    slope = jnp.exp(problem.family.log_pdf(*at))
    marginal = jnp.sum((arms.weight * arms.probability)[..., None] * slope, 1)
    if deviations:
        reached = problem.family.cdf(*at)
        mean = jnp.sum((arms.weight * arms.probability)[..., None] * reached, 1)
        second = (arms.weight * arms.square)[..., None] * reached
        variance = jnp.sum(second * reached, 1) - mean * mean
        half = jnp.sum(second * slope, 1) - mean * marginal  # of its slope
        marginal += deviations * half / jnp.sqrt(jnp.maximum(variance, TINY))
    # Of what is not concave: nothing is worth more than what lies before it.
    height = lax.cummin(jnp.log(jnp.maximum(marginal, TINY)), axis=1)

    def amount(level, height):
        """Where a falling line of AMOUNTS - 1 pieces is at a level."""
        return jnp.interp(-level, -height, x)

    def fill(level):
        found = jax.vmap(partial(amount, level))(height)
        return jnp.where(height[:, 0] > level, found, 0.0)

    top, low = jnp.max(height), jnp.min(height) - 1
    level = -bisect(lambda depth: jnp.sum(fill(-depth)) < budget, -top, -low)
    found = fill(level)
    return found * budget / jnp.maximum(jnp.sum(found), TINY)


FORMS = ("mean", "mean + sd", "curves of 8 draws", "7/8 mean, 1/8 draw")


@factory(Problem)
def of_curves(problem: Problem, form: str) -> Policy[State, tuple[()], Action]:
    """A policy that fills curves, after a round of uniform play; one of `FORMS`."""
    num_arms, start, hand_out = problem.num_arms, "uniform_split", best_way(problem)

    def init(params):
        del params
        return prior(problem)

    def drawn(noise, state):
        """f[8, K] each."""
        z = normal_quantile(unit_interval(noise)).reshape(DRAWS, 2, num_arms)
        return jax.vmap(lambda z: draw(problem, state, *z))(z)

    def act(noise, view, state, params):
        del params
        now = turn(problem, start, jnp.ones(()), view.round)
        alone = start_allocation(problem, start, now, view)
        if form == "curves of 8 draws":
            rate, p = (x.T for x in drawn(noise, state))
            arms = Mixture(rate, jnp.full_like(p, 1 / DRAWS), p, p * p)
        else:
            arms = quadrature(problem, state)
        deviations = 1.0 if form == "mean + sd" else 0.0
        amounts = filled(problem, arms, view.budget, deviations)
        if form == "7/8 mean, 1/8 draw":
            rate, p = (x[0] for x in drawn(noise, state))
            one = hand_out(now.starting, alone, p, rate, view.budget).amounts
            amounts += (one - amounts) / DRAWS
        return Allocation(jnp.where(now.starting, alone, amounts))

    def update(noise, view, state, action, feedback, params):
        del noise, view, action, params
        return after(problem, state, feedback)

    return Policy(form, init, act, update, words=(2 * num_arms * DRAWS, 0))


RIVALS: dict[str, Callable[[Problem], Policy]] = {
    "one draw": thompson,
    "mean of 8 draws' optima": partial(thompson, draws=8),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", metavar="CASE", nargs="*", default=CASES[:2])
    parser.add_argument("--seeds", type=int, default=64)
    parser.add_argument("--horizon", type=int, default=10_000)
    options = parser.parse_args()
    ends = sorted({max(options.horizon // 10, 1), options.horizon})
    print("| case | form |", *(f"{T:,}: mean (median; worst) |" for T in ends))
    print("|---|---|" + "---|" * len(ends))
    forms = RIVALS | {form: partial(of_curves, form=form) for form in FORMS}
    for case in options.cases:
        environment = PROTOCOL.tuning[case].environment()
        for name, make in forms.items():
            data = simulate(
                {name: make(environment.problem)},
                environment,
                seeds=options.seeds,
                horizon=ends[-1],
                checkpoints=ends,
                root_seed=TUNING_SEED,
            )
            cells = []
            for regret in data["regret"].isel(policy=0, params=0).values.T:
                error = np.std(regret, ddof=1) / len(regret) ** 0.5
                cells.append(
                    f"{regret.mean():,.1f} ± {error:,.1f} "
                    f"({np.median(regret):,.1f}; {regret.max():,.0f}) |"
                )
            print(f"| {case} | {name} |", *cells, flush=True)


if __name__ == "__main__":
    main()
