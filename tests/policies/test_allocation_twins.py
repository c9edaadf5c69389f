"""Every allocation policy splits the budget as its float64 twin does.

As in tests/censored: the twin is told what the policy played and what came of it. It
keeps every observation; a policy keeps likelihoods on a grid of rates, in float32.
So allocations agree up to a tolerance, a share of the budget: most differ by 1e-6.
"""

from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ndtri

from jaxbandits import allocation
from jaxbandits.allocation import View
from jaxbandits.allocation.policies.handing_out import units
from jaxbandits.allocation.policies.learning import start_allocation, turn
from jaxbandits.engine.tape import Stream, read
from jaxbandits.kernels.allocation import fill_in_order
from jaxbandits.laws.thresholds import discrete_weibull, exponential, lomax, weibull
from jaxbandits.testing import trace_run
from jaxbandits_studies.slips.allocation import printed_constants
from tests.games import given_arms
from tests.heavy import in_short
from tests.policies.followed import assert_sound, by_name
from tests.reference import allocation_policies as twins
from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import cascade_oracle, objective, oracle
from tests.reference.words import grid
from tests.registered import POLICIES
from tests.tables import assert_refused, each_row, for_all

ROUNDS, BUDGET, STEPS = 2000, 40.0, 100
EVERY = 17  # rounds between two comparisons; prime to K: all arms are boosted
SELDOM = 3 * EVERY  # where the twin takes long
TOLERANCE = 1e-5  # of the budget; 1e-6 to 3e-6 measured, where CASES has no other
NAMES = {
    exponential: "exponential",
    weibull: "weibull",
    lomax: "lomax",
    discrete_weibull: "discrete_weibull",
}


@cache
def game():
    """Ten exponential arms; two are worth most of the budget and need much of it."""
    p = [0.95, 0.9, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]
    rate = [0.05, 0.06, 0.3, 0.05, 0.04, 0.08, 0.05, 1.0, 0.5, 0.1]
    return given_arms(
        "ten arms", exponential, p, rate, BUDGET, lowest=1 / 40, highest=2
    )


def on_demand(twin):
    """The twin with bounds that are computed when they are asked for.

    An arm's bounds depend on its history and on the round of its last observation.
    """

    class OnDemand(twin):
        def __init__(self, problem, **options):
            super().__init__(problem, **options)
            self.last = {}

        def update(self, t, x, F):
            for i in self.observed(t, self.grow):
                self.arms[i].append(x[i], F[i])
                self.last[i] = t

        def renew(self):
            for i, t in self.last.items():
                self.bounds[i] = self.bounds_of(i, t)
            self.last = {}

        def parameters(self, t):
            self.renew()
            return super().parameters(t)

    return OnDemand


RaUcb, NoUcb, MgUcbDelta = map(on_demand, (twins.RaUcb, twins.NoUcb, twins.MgUcbDelta))


class Case(NamedTuple):
    """A policy, parameters that are not default, its twin, and the tolerance.

    `ties` is the share of rounds that may differ by more, where the two allocations are
    worth the same in float32. `every` is how many rounds lie between two comparisons,
    `rounds` how many there are.
    """

    policy: str
    params: dict
    twin: partial
    tolerance: float = TOLERANCE
    ties: float = 0.0
    every: int = EVERY
    rounds: int = ROUNDS


ALL = {"update": "all", "others": "point", "start": "uniform_split"}
SHARP = {"scale": 0.25, "initial": 2.0}
STEP = BUDGET / STEPS
CASES = {
    "RA-UCB": Case("ra-ucb", {}, partial(RaUcb, initial=9), every=SELDOM),
    "all": Case("ra-ucb-all", {}, partial(RaUcb, initial=9, **ALL)),
    # Second derivatives of float32 numbers, at the end of the grid for arms with few
    # successes; median 2e-5.
    "delta": Case("ra-ucb-delta", {}, partial(RaUcb, initial=9, radii="delta"), 5e-3),
    "printed": Case(
        "ra-ucb-printed", {}, partial(RaUcb, initial=9, estimator="printed")
    ),
    # As they are printed they hold all that is possible: scaled, so that they tell.
    "printed radii": Case(
        "ra-ucb-printed-radii",
        {"scale": 1e-6},
        partial(RaUcb, initial=9, radii="printed", scale=1e-6),
        ties=0.02,
    ),
    "ratio": Case(
        "ra-ucb",
        SHARP | {"ratio": 4.0},
        partial(RaUcb, scale=0.25, ratio=4.0, initial=2),
    ),
    "authors": Case(
        "ra-ucb-authors",
        {},
        partial(RaUcb, initial=1, estimator="printed", radii="code"),
    ),
    "MG-UCB": Case("mg-ucb", {}, partial(RaUcb, initial=9), every=SELDOM),
    "MG-UCB-Delta": Case(
        "mg-ucb-delta", {}, partial(MgUcbDelta, step=STEP, initial=9), every=SELDOM
    ),
    "difference": Case(
        "mg-ucb-delta-difference",
        {},
        partial(MgUcbDelta, step=STEP, greedy="difference", initial=9),
    ),
    "envelope": Case(
        "mg-ucb-delta-envelope",
        {},
        partial(MgUcbDelta, step=STEP, greedy="envelope", initial=9),
    ),
    # The last round to explore is one of an arm that matters.
    "RA-ETC": Case(
        "ra-etc", {"exploration": 462.0}, partial(twins.RaEtc, exploration=462)
    ),
    "RA-ETC, per arm": Case(
        "ra-etc-per-arm",
        {"exploration": 100.0},
        partial(twins.RaEtc, exploration=100, count="per_arm"),
    ),
    "NO-UCB": Case("no-ucb", {}, partial(NoUcb, initial=1), every=SELDOM),
    # Both draw from a posterior by quadrature, on grids of dozens and of 513 rates.
    "Thompson": Case(
        "thompson",
        {},
        partial(twins.ThompsonAllocation, start="uniform_split"),
        1e-2,
        # Few rounds, in which most draws are of broad laws.
        rounds=12 * EVERY,
    ),
    "Thompson, mean": Case(
        "thompson-mean",
        {},
        partial(twins.ThompsonAllocation, start="uniform_split", draws=8),
        1e-2,
    ),
    "Thompson, mean, feasible": Case(
        "thompson-mean-feasible",
        {},
        partial(
            twins.ThompsonAllocation, start="uniform_split", draws=8, feasible=True
        ),
        1e-2,
    ),
    "uniform": Case("uniform", {}, twins.UniformSplit),
}


# Left to the long run: much the same as another case of an entry, or as another entry
# with an option. test_allocation_estimates.py has tests of what is feasible.
LONG = {
    "RA-ETC, per arm",
    "MG-UCB-Delta",
    "Thompson, mean",
    "Thompson, mean, feasible",
    "ratio",
    "all",
    "envelope",
    "difference",
    "printed",
    "printed radii",
    "authors",
    "delta",
}


def twins_problem(problem):
    shapes = problem.shape or (1.0,) * problem.num_arms
    family = NAMES[problem.family]
    return twins.Problem(
        family,
        shapes,
        problem.lowest,
        problem.highest,
        problem.budget,
        problem.cascade,
    )


class Followed(NamedTuple):
    """What was compared: allocations of policy and twin, f64[N, K], and their values
    for the twin, f64[N, 2]; the final states of both."""

    played: np.ndarray
    chosen: np.ndarray
    value: np.ndarray
    state: object
    twin: object


def follow(case, environment, rounds=None, every=None):
    """Replay the twin along a run."""
    problem = environment.problem
    rounds, every = rounds or case.rounds, every or case.every
    policy = POLICIES[f"allocation/{case.policy}"](problem)
    twin = case.twin(twins_problem(problem))
    params = policy.params._replace(**case.params) if case.params else None
    trace = trace_run(policy, environment, rounds, params=params)
    assert_sound(trace.state)
    normal = ndtri(grid(read(0, 0, Stream.ACT, rounds, policy.words[0])))
    seen, given = (np.asarray(x, np.float64) for x in trace.feedback)
    played, chosen, value = [], [], []
    for t in range(1, rounds + 1):
        if t % every == 1 or every == 1:
            drawn = {"normal": normal[t - 1]} if policy.words[0] else {}
            x = twin.act(t, problem.budget, **drawn)
            if isinstance(twin, twins.MgUcbDelta):
                x = twins.allocate(x, twin.step, problem.budget, problem.num_arms)
            played.append(given[t - 1])
            chosen.append(x)
            if isinstance(twin, twins.RaUcb) and t > twin.length:
                weighed = twin.laws, *twin.parameters(t)
                value.append([objective(*weighed, each) for each in (given[t - 1], x)])
        twin.update(t, given[t - 1], seen[t - 1])
    return Followed(*map(np.array, (played, chosen, value)), trace.state, twin)


def differences(found, budget):
    """Largest difference of an arm's share, for every round compared."""
    return np.max(np.abs(found.played - found.chosen), axis=1) / budget


def lost(found):
    """Share of the objective between the two, for every round; +inf in the start."""
    values = np.reshape(found.value, (-1, 2))
    share = np.full(len(found.played), np.inf)
    if len(values):
        share[-len(values) :] = np.abs(values[:, 0] / values[:, 1] - 1)
    return share


def assert_bounds(found, rtol):
    """Estimates and bounds of the last round, arm by arm."""
    found.twin.renew()
    expected = np.array(found.twin.bounds)
    if isinstance(found.twin, twins.NoUcb):  # the policy has estimates for bounds
        expected = expected[:, [0, 0, 0, 3, 3, 3]]
    kept = [k for k, x in enumerate(found.state.bounds) if x is not None]
    assert {1, 2, 4, 5} <= set(kept)  # the ends, whoever needs the estimates
    state = np.stack([found.state.bounds[k] for k in kept], axis=1)
    np.testing.assert_allclose(state, expected[:, kept], rtol=rtol, atol=1e-7)


def entry(label):
    """The registry's name of the policy of a case."""
    return f"allocation/{CASES[label].policy}"


def test_every_policy_of_the_setting_has_a_twin():
    entries = {name for name in POLICIES if name.startswith("allocation/")}
    assert {*map(entry, CASES)} == entries - {
        "allocation/clairvoyant"
    }  # it plays what it knows


def assert_splits_as_its_twin(name):
    case = CASES[name]
    found = follow(case, game())
    error = differences(found, BUDGET)
    if isinstance(found.twin, twins.MgUcbDelta):
        # A unit may go to either of two arms that are worth the same.
        assert np.mean(error > case.tolerance) < 0.02
        assert np.max(error) < 1.01 / STEPS
    else:
        beyond = error >= case.tolerance
        assert np.mean(beyond) <= case.ties
        assert np.all(lost(found)[beyond] < 1e-7)
    if isinstance(found.twin, twins.RaUcb):
        assert_bounds(found, 5e-3 if "delta" in name else 1e-4)
        shares = found.chosen[found.chosen.max(axis=1) < BUDGET]
        assert len(shares) > 0.4 * len(found.chosen)  # something to agree about


ALL = [(label,) for label in CASES]
SHORT = [(label,) for label in CASES if label not in LONG]


@pytest.mark.parametrize("runs", by_name(entry, SHORT, ALL))
def test_policy_splits_as_its_twin(runs):
    for_all(assert_splits_as_its_twin, runs)


@pytest.mark.slow
def test_policies_in_other_forms_split_as_their_twins():
    alone = {entry(label) for label in LONG} - {entry(label) for (label,) in SHORT}
    others = [label for label in LONG if entry(label) not in alone]
    for_all(assert_splits_as_its_twin, zip(others))


def test_means_of_draws_are_refused_where_they_are_no_better():
    rows = []
    for draws, options, words in (
        (0, {}, "^draws must be"),
        (1001, {}, "^draws must be at most 1000"),
        (2, {"family": weibull, "shape": 2.0}, "^draws must be 1 unless"),
        (2, {"family": discrete_weibull, "shape": 1.0}, "^draws must be 1 unless"),
        (2, {"known": False}, "^draws must be 1 unless"),
    ):
        given = {"family": exponential, "num_arms": 3, "budgets": BUDGET} | options
        problem = allocation.make_problem(**given, lowest=1 / 40, highest=2.0)
        assert allocation.thompson(problem, draws=1).name == "Thompson"
        rows.append((partial(allocation.thompson, problem, draws), words))
    assert_refused(rows)


@pytest.mark.slow
def test_in_float64_the_error_of_the_grid_remains():
    """Interpolation between rates: 5e-8 of the budget, but for the delta method, whose
    second derivatives lose two orders of the spacing (1.4e-4)."""
    with jax.enable_x64(True):
        for name, tolerance, rtol in (
            ("ratio", 1e-6, 2e-5),
            ("delta", 5e-4, 1e-3),
        ):
            found = follow(CASES[name], game())
            assert np.max(differences(found, BUDGET)) < tolerance
            assert_bounds(found, rtol)


# Other families: three arms, RA-UCB as it is by default.


@cache
def other_game(family, shape, highest=2.0, budget=BUDGET):
    rate = np.array([0.06, 0.1, 0.15])
    return given_arms(
        "three arms",
        family,
        [0.8, 0.6, 0.7],
        rate if family is not discrete_weibull else 4 * rate,
        budget,
        shape=shape,
        lowest=1 / 40,
        highest=highest,
    )


def assert_follows_in_a_cascade(name, family, shape):
    budget, p = 10.0, [0.9, 0.5, 0.3, 0.6]
    environment = given_arms(
        name,
        family,
        p,
        [0.05, 0.1, 0.4, 0.2],
        budget,
        shape=shape,
        lowest=0.025,
        highest=1.6,
        cascade=True,
    )
    case = CASES[name]
    if name == "NO-UCB":  # one round is not enough to see a success of every arm
        case = Case("no-ucb", {"initial": 20.0}, partial(NoUcb, initial=20))
    found = follow(case, environment, rounds=600, every=SELDOM)
    error, tolerance = differences(found, budget), max(case.tolerance, 1e-3)
    first = 12 * EVERY // SELDOM
    # Arms that are drawn to succeed for sure, as some are at first, have no curvature:
    # what they get hangs on the last digits of the rates.
    assert np.median(error) < tolerance and np.max(error[first:]) < tolerance
    arms = found.twin.laws, p, environment.provenance["rate"], budget
    # Otherwise it would not matter which of the two is played.
    assert np.max(np.abs(oracle(*arms) - cascade_oracle(*arms))) > 0.5


def test_ra_etc_follows_its_twin_where_a_round_pays_once():
    """In cascades: other optima of the same estimates."""
    assert_follows_in_a_cascade("RA-ETC", exponential, None)


@pytest.mark.slow
def test_policies_follow_their_twins_where_a_round_pays_once():
    rows = [
        ("Thompson", exponential, None),
        ("Thompson, mean", lomax, 1.5),
        ("NO-UCB", weibull, 0.7),
    ]
    for_all(assert_follows_in_a_cascade, rows)


def ra_ucb(initial):
    return Case("ra-ucb", {"initial": float(initial)}, partial(RaUcb, initial=initial))


@pytest.mark.slow
@each_row("family, shape", [(weibull, (0.7, 0.8, 0.6)), (lomax, (2.0, 1.0, 3.0))])
def test_ra_ucb_follows_its_twin_on_other_concave_families(family, shape):
    found = follow(ra_ucb(9), other_game(family, shape), rounds=500, every=7)
    assert np.max(differences(found, BUDGET)) < TOLERANCE
    assert_bounds(found, 1e-4)


@pytest.mark.slow
def test_ra_ucb_follows_its_twin_on_sigmoids():
    """The learner's search leaves out optima with an arm on its convex branch."""
    environment = other_game(weibull, (2.0, 1.5, 2.5), highest=1.0)
    found = follow(ra_ucb(5), environment, rounds=60, every=1)
    got, best = found.value.T
    assert np.all(got > best * (1 - 2e-3)) and np.all(got < best * (1 + 1e-5))
    assert np.mean(got > best * (1 - 1e-6)) > 0.8
    # Equal values: equal allocations.
    error = differences(found, BUDGET)[-len(got) :]
    assert np.max(error[got > best * (1 - 1e-6)]) < 5e-3
    assert_bounds(found, 1e-4)


@pytest.mark.slow
def test_ra_ucb_follows_its_twin_in_whole_units():
    environment = other_game(discrete_weibull, (0.8, 1.5, 1.0), budget=12.0)
    found = follow(ra_ucb(9), environment, rounds=200, every=4)
    np.testing.assert_array_equal(found.played, np.round(found.played))
    np.testing.assert_array_equal(found.played.sum(axis=1), 12)
    got, best = found.value.T
    np.testing.assert_allclose(got, best, rtol=1e-5)
    assert_bounds(found, 1e-4)


@each_row("known", [True, False])
def test_an_even_split_of_integers_is_in_whole_units(known):
    """Seven impressions for five campaigns, and three: nobody gets a fraction."""
    problem = allocation.make_problem(
        discrete_weibull, 5, [7, 3], shape=1.0, lowest=0.1, highest=2, known=known
    )
    policy = allocation.uniform(problem)
    twin = twins.UniformSplit(twins_problem(problem))
    given = np.zeros(5)
    for t in range(1, 11):
        budget = (7.0, 3.0)[t % 2]
        view = View(jnp.int32(t), jnp.float32(budget), None)
        action = policy.act(None, view, None, None)
        if not known:
            action = fill_in_order(action.arms, 5, action.step, budget)
        amounts = np.asarray(action if not known else action.amounts)
        np.testing.assert_array_equal(amounts, twin.act(t, budget))
        given += amounts
    np.testing.assert_array_equal(given, 10)  # of 50 units in ten rounds


def test_units_of_integers_are_whole_and_spend_the_budget():
    problem = allocation.make_problem(
        discrete_weibull, 2, 10, shape=1.0, lowest=0.1, highest=2, known=False
    )
    arms = np.zeros((3, 2), np.float32) + np.float32([[0], [1], [0.5]])
    order = units(problem, 3, "difference")(jnp.bool_(False), *arms, None)
    assert order.step == 4 and len(order.arms) == 3
    assert fill_in_order(order.arms, 2, order.step, 10.0).sum() == 10


def test_learners_start_with_whole_units():
    problem = allocation.make_problem(
        discrete_weibull, 5, 3, shape=1.0, lowest=0.1, highest=2
    )
    for round_, expected in ((1, [1, 1, 1, 0, 0]), (4, [1, 0, 0, 1, 1])):
        view = View(jnp.int32(round_), jnp.float32(3), None)
        now = turn(problem, "uniform_split", 9.0, view.round)
        found = start_allocation(problem, "uniform_split", now, view)
        np.testing.assert_array_equal(found, expected)


def test_after_an_even_start_the_arms_are_boosted_from_the_first():
    problem = allocation.simulation(3).problem
    turns = [turn(problem, "uniform_split", 4.0, jnp.int32(t)) for t in (4, 5, 6, 8)]
    assert [bool(now.starting) for now in turns] == [True, False, False, False]
    assert [int(now.arm) for now in turns[1:]] == [0, 1, 0]


@pytest.mark.parametrize("shape", in_short([None, 0.7], [0.7]))
def test_constants_of_the_printed_radii(shape):
    family = exponential if shape is None else weibull
    problem = allocation.make_problem(
        family, 2, BUDGET, shape=shape, lowest=1 / 40, highest=2
    )
    found = printed_constants(problem)
    known = twins_problem(problem)
    laws = make_laws(known.family, known.shapes)
    expected = [twins.printed_constants(law, known) for law in laws]
    np.testing.assert_allclose(np.stack(found, axis=1), expected, rtol=5e-3)
