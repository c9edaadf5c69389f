"""Forms of Thompson sampling for allocation, on the tuning set: tables of three pages.

    python studies/allocation_forms.py curves [--case CASE ...]
    python studies/allocation_forms.py quiz
    python studies/allocation_forms.py starved [--feasible] [--draws 8] [--case CASE]

`curves` (theory/mean-allocation.md; an hour on a core): what an arm is worth, ``p G(x,
rate)``, has a posterior of its own at every x. A mixture of concave curves is concave,
and is filled like one of them: the posterior mean of the curve (best for the round to
come, by Bayes); that and a posterior standard deviation of the curve at x; the mean of
the curves of 8 draws, in place of their optima; and a mixture of the mean and a draw.

`quiz` (allocation-notes.md): when regret is paid for in the quiz (sigmoids), and what
means of draws would save which the library has not, as a mean of sigmoids' optima is no
optimum: of all optima, and of those that serve the same arms as the first draw's (the
others are looked for among these arms, which a fixed set makes a concave problem beyond
the modes).

`starved` (theory/mean-allocation.md): why runs get lost: rates that would need p > 1.
Of the runs of appendix A.1 with 30 arms, or of a case, that lose most in the second
half, the arms that get least of what is best for them: their truth, what they get in
the mean, and what is believed of them.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from forms.playing import regrets, row
from jax import Array, lax
from jaxtyping import Float

from jaxbandits import allocation
from jaxbandits.allocation import Action, Allocation, Plan, Problem, thompson
from jaxbandits.allocation.policies.estimates import FINE, Grid, probability_bound
from jaxbandits.allocation.policies.handing_out import default_hand_out
from jaxbandits.allocation.policies.learning import start_allocation, turn
from jaxbandits.allocation.policies.posterior import State, after, draw, prior
from jaxbandits.allocation.solving import shape_array
from jaxbandits.arrays import pick, unit_interval
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Environment, Policy
from jaxbandits.testing import trace_run
from jaxbandits_studies.allocation.parameters import CASES
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

TUNING = PROTOCOLS["allocation"].tuning
QUIZ = "EdNet-like 11"
RATES, CHANCES = 7, 5  # nodes of the quadrature
AMOUNTS = 64  # at which slopes are computed; their logarithm is linear in between
DRAWS = 8
TINY = 1e-12
SERVED = 1e-3  # of the budget
ARMS_SHOWN, RUNS_SHOWN = 2, 3


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
        results = jax.vmap(partial(amount, level))(height)
        return jnp.where(height[:, 0] > level, results, 0.0)

    top, low = jnp.max(height), jnp.min(height) - 1
    level = -bisect(lambda depth: jnp.sum(fill(-depth)) < budget, -top, -low)
    results = fill(level)
    return results * budget / jnp.maximum(jnp.sum(results), TINY)


class Round(NamedTuple):
    """What a form may look at.

    Attributes:
      problem, state: of the learner.
      z: f[8, 2, K], for eight draws.
      budget: of the round.
      serve: ``(p, rate) -> f[K]``, the optimum's amounts.
    """

    problem: Problem
    state: State
    z: Array
    budget: Array
    serve: Callable[[Array, Array], Array]


def _mean_curve(now: Round, deviations: float = 0.0) -> Array:
    return filled(
        now.problem, quadrature(now.problem, now.state), now.budget, deviations
    )


def _curves_of_draws(now: Round) -> Array:
    drawn = jax.vmap(lambda z: draw(now.problem, now.state, *z))(now.z)
    rate, p = (x.T for x in drawn)
    arms = Mixture(rate, jnp.full_like(p, 1 / DRAWS), p, p * p)
    return filled(now.problem, arms, now.budget)


def _mean_and_draw(now: Round) -> Array:
    amounts = _mean_curve(now)
    rate, p = draw(now.problem, now.state, *now.z[0])
    return amounts + (now.serve(p, rate) - amounts) / DRAWS


def _mean_of_optima(now: Round, same: bool) -> Array:
    """Of eight: of all, or of those that serve the same arms as the first."""

    def add(i, carried):
        total, count, among = carried
        rate, p = draw(now.problem, now.state, *pick(now.z, i))
        x = now.serve(jnp.where(among, p, 0.0) if same else p, rate)
        among = jnp.where(i == 0, x > SERVED * now.problem.budget, among)
        alike = jnp.ones((), bool)
        if same:
            alike = jnp.all((x > SERVED * now.problem.budget) == among)
        return total + jnp.where(alike, x, 0.0), count + alike.astype(float), among

    num_arms = now.problem.num_arms
    start = jnp.zeros(num_arms, float), jnp.zeros((), float), jnp.ones(num_arms, bool)
    total, count, _ = lax.fori_loop(0, DRAWS, add, start)
    return total / count


FORMS: dict[str, Callable[[Round], Array]] = {
    "mean": _mean_curve,
    "mean + sd": partial(_mean_curve, deviations=1.0),
    "curves of 8 draws": _curves_of_draws,
    "7/8 mean, 1/8 draw": _mean_and_draw,
    "mean of 8": partial(_mean_of_optima, same=False),
    "mean of 8, same arms": partial(_mean_of_optima, same=True),
}


@factory(Problem)
def form_of(problem: Problem, form: str) -> Policy[State, tuple[()], Action]:
    """A learner of `FORMS`, after a round of uniform play."""
    num_arms, start, hand_out = (
        problem.num_arms,
        "uniform_split",
        default_hand_out(problem),
    )

    def act(noise, view, state, params):
        del params
        z = normal_quantile(unit_interval(noise)).reshape(DRAWS, 2, num_arms)
        now = turn(problem, start, jnp.ones(()), view.round)
        alone = start_allocation(problem, start, now, view)

        def serve(p, rate):
            return hand_out(now.starting, alone, p, rate, view.budget).amounts

        amounts = FORMS[form](Round(problem, state, z, view.budget, serve))
        return Allocation(jnp.where(now.starting, alone, amounts))

    def update(noise, view, state, action, feedback, params):
        del noise, view, action, params
        return after(problem, state, feedback)

    words = (2 * num_arms * DRAWS, 0)
    return Policy(form, lambda params: prior(problem), act, update, words=words)


def table(
    title: str,
    game: Environment,
    entrants: Mapping[str, Any],
    ends: Sequence[int],
    seeds,
) -> None:
    """A line per entrant: regret at these rounds, with the median and worst run."""
    for name, policy in entrants.items():
        cells = []
        for regret in regrets([policy], game, ends, seeds, TUNING_SEED)[0]:
            error = np.std(regret, ddof=1) / len(regret) ** 0.5
            cells.append(
                f"{regret.mean():,.1f} ± {error:,.1f} "
                f"({np.median(regret):,.1f}; {regret.max():,.0f})"
            )
        row(title, name, *cells)


def _head(ends: Sequence[int]) -> None:
    row("case", "form", *(f"{T:,}: mean (median; worst)" for T in ends))
    row(*["---"] * (2 + len(ends)))


def curves(options: argparse.Namespace) -> None:
    """Regrets beside those of one draw and the mean of 8 draws' optima."""
    ends = sorted({max(options.horizon // 10, 1), options.horizon})
    _head(ends)
    for case in options.case or CASES[:2]:
        game = TUNING[case].environment()
        entrants = {
            "one draw": thompson(game.problem),
            "mean of 8 draws' optima": thompson(game.problem, draws=8),
        } | {form: form_of(game.problem, form) for form in [*FORMS][:4]}
        table(case, game, entrants, ends, options.seeds)


def quiz(options: argparse.Namespace) -> None:
    """Regret after 10, 30, 100, ... rounds."""
    game, horizon = TUNING[QUIZ].environment(), options.horizon
    start = {"scale": 0.05, "initial": float(int(math.log(horizon)))}
    tuned = cast("allocation", "learners")["RA-UCB, tuned"]
    entrants = {
        "one draw": thompson(game.problem),
        "RA-UCB, tuned": tuned.factory(game.problem).with_params(**start),
    } | {form: form_of(game.problem, form) for form in [*FORMS][4:]}
    ends = [t for t in (10, 30, 100, 300, 1_000, 3_000) if t < horizon] + [horizon]
    _head(ends)
    table(QUIZ, game, entrants, ends, options.seeds)


def starved(options: argparse.Namespace) -> None:
    """The runs that lose most in their second half, and their arms."""
    horizon, (case, *_) = options.horizon, options.case or [None]
    game = TUNING[case].environment() if case else allocation.simulation(30)
    policy = thompson(game.problem, draws=options.draws, feasible=options.feasible)
    ends = horizon // 2, horizon
    half, end = regrets([policy], game, ends, options.seeds, TUNING_SEED)[0]
    print(
        f"{policy.name}: {end.mean():.1f} ± {end.std(ddof=1) / len(end) ** 0.5:.1f}, "
        f"95 % {np.quantile(end, 0.95):.0f}, worst {end.max():.0f}"
    )
    for seed in np.argsort(half - end)[:RUNS_SHOWN].tolist():
        _show(policy, game, horizon, seed)


@factory(Problem)
def _truth(problem: Problem) -> Policy:
    """Plays what no learner knows, so that it is on record."""
    del problem

    def act(noise, view, state, params):
        del noise, state, params
        return Plan(view.oracle.probability, view.oracle.rate)

    return Policy("split", lambda params: (), act, lambda noise, view, state, *_: state)


def _show(policy: Policy, game: Environment, horizon: int, seed: int) -> None:
    """The arms of a run that are served worst in its second half."""
    where = {"root_seed": TUNING_SEED, "seed_index": seed}
    truth = trace_run(_truth(game.problem), game, 1, **where)
    p, rate = (np.asarray(x[0], np.float64) for x in truth.actions)
    best = np.asarray(truth.feedback.allocation[0], np.float64)
    run = trace_run(policy, game, horizon, **where)
    got = np.asarray(run.feedback.allocation[horizon // 2 :], np.float64).mean(0)
    results, seen = run.state.estimate, run.state.statistics.successes
    print(f"seed {seed}:")
    for arm in np.argsort(got - best)[:ARMS_SHOWN]:
        print(
            f"  p {p[arm]:.2f}, rate {rate[arm]:.3f}: best {best[arm]:.2f}, got "
            f"{got[arm]:.2f}; {seen[arm]:,} successes, believed p "
            f"{results.probability[arm]:.2f}, rate {results.rate[arm]:.3f}"
        )


# What is played -> seeds and rounds.
TABLES = {curves: (64, 10_000), quiz: (16, 1_000), starved: (64, 10_000)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for play, (seeds, horizon) in TABLES.items():
        command = commands.add_parser(play.__name__, help=play.__doc__)
        command.add_argument("--seeds", type=int, default=seeds)
        command.add_argument("--horizon", type=int, default=horizon)
        if play is not quiz:
            command.add_argument("--case", action="append", choices=[*TUNING])
        if play is starved:
            command.add_argument("--draws", type=int, default=8)
            command.add_argument("--feasible", action="store_true")
        command.set_defaults(play=play)
    options = parser.parse_args()
    options.play(options)


if __name__ == "__main__":
    main()
