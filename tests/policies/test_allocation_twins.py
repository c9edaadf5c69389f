"""Every allocation policy splits the budget as its float64 twin does.

The twin is told what the policy played and what came of it. It keeps every observation;
a policy keeps likelihoods on a grid of rates, in float32. So allocations agree up to a
tolerance, a share of the budget: most differ by 1e-6.
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
from jaxbandits.kernels.allocation import fill_in_order
from jaxbandits.laws.thresholds import discrete_weibull, exponential, lomax, weibull
from jaxbandits_studies.slips.allocation import printed_constants
from tests.games import given_arms
from tests.heavy import in_short
from tests.policies.followed import Case, played, twin_tests
from tests.reference import allocation_policies as twins
from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import cascade_oracle, objective, oracle
from tests.tables import assert_refused, each_row, for_all

ROUNDS, BUDGET, STEPS = 2000, 40.0, 100
EVERY = 17  # rounds between two comparisons; prime to K: all arms are boosted
SELDOM = 3 * EVERY  # where the twin takes long
TOLERANCE = 1e-5  # of the budget; 1e-6 to 3e-6 measured, where CASES has no other


@cache
def game():
    """Ten exponential arms; two are worth most of the budget and need much of it."""
    p = [0.95, 0.9, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]
    rate = [0.05, 0.06, 0.3, 0.05, 0.04, 0.08, 0.05, 1.0, 0.5, 0.1]
    return given_arms(
        "ten arms", exponential, p, rate, BUDGET, lowest=1 / 40, highest=2
    )


def _case(entry, twin, params=None, every=EVERY, **options):
    """Words are normal scores. `initial` rounds start each arm, where it starts."""
    made = partial(twin, **options)
    return Case(f"allocation/{entry}", made, params or {}, every)


STEP = BUDGET / STEPS
SHARP = {"scale": 0.25, "initial": 2.0}
_ra_ucb = partial(_case, twin=twins.RaUcb, initial=9)
_mg_ucb_delta = partial(_case, twin=twins.MgUcbDelta, initial=9, step=STEP)
_thompson = partial(_case, twin=twins.ThompsonAllocation, start="uniform_split")
CASES = {
    "RA-UCB": _ra_ucb("ra-ucb", every=SELDOM),
    "all": _ra_ucb("ra-ucb-all", update="all", others="point", start="uniform_split"),
    "delta": _ra_ucb("ra-ucb-delta", radii="delta"),
    "printed": _ra_ucb("ra-ucb-printed", estimator="printed"),
    # As they are printed they hold all that is possible: scaled, so that they tell.
    "printed radii": _ra_ucb(
        "ra-ucb-printed-radii", params={"scale": 1e-6}, radii="printed", scale=1e-6
    ),
    "ratio": _case(
        "ra-ucb", twins.RaUcb, SHARP | {"ratio": 4.0}, scale=0.25, ratio=4.0, initial=2
    ),
    "authors": _case(
        "ra-ucb-authors", twins.RaUcb, initial=1, estimator="printed", radii="code"
    ),
    "MG-UCB": _ra_ucb("mg-ucb", every=SELDOM),
    "MG-UCB-Delta": _mg_ucb_delta("mg-ucb-delta", every=SELDOM),
    "difference": _mg_ucb_delta("mg-ucb-delta-difference", greedy="difference"),
    "envelope": _mg_ucb_delta("mg-ucb-delta-envelope", greedy="envelope"),
    # The last round to explore is one of an arm that matters.
    "RA-ETC": _case("ra-etc", twins.RaEtc, {"exploration": 462.0}, exploration=462),
    "RA-ETC, per arm": _case(
        "ra-etc-per-arm",
        twins.RaEtc,
        {"exploration": 100.0},
        exploration=100,
        count="per_arm",
    ),
    "NO-UCB": _case("no-ucb", twins.NoUcb, every=SELDOM),
    "Thompson": _thompson("thompson"),
    "Thompson, mean": _thompson("thompson-mean", draws=8),
    "Thompson, mean, feasible": _thompson(
        "thompson-mean-feasible", draws=8, feasible=True
    ),
    "uniform": _case("uniform", twins.UniformSplit),
}
# Where it is not `TOLERANCE`. The delta method takes second derivatives of float32
# numbers, at the end of the grid for arms with few successes; median 2e-5. Of a
# posterior both draw by quadrature, on grids of dozens and of 513 rates.
TOLERANCES = {"delta": 5e-3, "Thompson": 1e-2}
TOLERANCES |= {"Thompson, mean": 1e-2, "Thompson, mean, feasible": 1e-3}
# Share of rounds that may differ by more, where the two allocations are worth the same.
TIES = {"printed radii": 0.02}
# Few rounds, in which most draws are of broad laws.
FEW = {"Thompson": 12 * EVERY}


# Left to the long run: much the same as another case of an entry, or as another entry
# with an option. test_allocation_estimates.py has tests of what is feasible.
LONG = {
    "RA-ETC, per arm",
    "Thompson, mean",
    "Thompson, mean, feasible",
    "ratio",
    "all",
    "envelope",
    "difference",
    "printed",
}


def twins_problem(problem):
    shapes = problem.shape or (1.0,) * problem.num_arms
    family = problem.family.name.lower().replace(" ", "_")
    return twins.Problem(
        family, shapes, problem.lowest, problem.highest, problem.budget, problem.cascade
    )


class Followed(NamedTuple):
    """What was compared: allocations of policy and twin, f64[N, K], and their values
    for the twin, f64[N, 2]; the final states of both."""

    played: np.ndarray
    chosen: np.ndarray
    value: np.ndarray
    state: object
    twin: object


def follow(case, environment, rounds=ROUNDS):
    """Replay the twin along a run."""
    problem = environment.problem
    twin = case.twin(twins_problem(problem))
    state, run = played(case, environment, rounds)
    given, chosen, value = [], [], []
    for t, words, _, _, (seen, x) in run:
        if t % case.every == 1 or case.every == 1:
            drawn = {"normal": ndtri(words)} if len(words) else {}
            given.append(x)
            chosen.append(twin.act(t, problem.budget, **drawn))
            if isinstance(twin, twins.RaUcb) and t > twin.length:
                weighed = twin.laws, *twin.parameters(t)
                value.append([objective(*weighed, each) for each in (x, chosen[-1])])
        twin.update(t, x, seen)
    return Followed(*map(np.array, (given, chosen, value)), state, twin)


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
    if found.twin.point:  # the policy has estimates for bounds
        expected = expected[:, [0, 0, 0, 3, 3, 3]]
    kept = [k for k, x in enumerate(found.state.bounds) if x is not None]
    assert {1, 2, 4, 5} <= set(kept)  # the ends, whoever needs the estimates
    state = np.stack([found.state.bounds[k] for k in kept], axis=1)
    np.testing.assert_allclose(state, expected[:, kept], rtol=rtol, atol=1e-7)


def assert_splits_as_its_twin(name, rounds=ROUNDS):
    found = follow(CASES[name], game(), FEW.get(name, rounds))
    error = differences(found, BUDGET)
    beyond = error >= TOLERANCES.get(name, TOLERANCE)
    if isinstance(found.twin, twins.MgUcbDelta):
        # A unit may go to either of two arms that are worth the same.
        assert np.mean(beyond) < 0.02
        assert np.max(error) < 1.01 / STEPS
    else:
        assert np.mean(beyond) <= TIES.get(name, 0.0)
        assert np.all(lost(found)[beyond] < 1e-7)
    if isinstance(found.twin, twins.RaUcb):
        assert_bounds(found, 5e-3 if "delta" in name else 1e-4)
        shares = found.chosen[found.chosen.max(axis=1) < BUDGET]
        assert len(shares) > 0.4 * len(found.chosen)  # something to agree about


ALL = [(label,) for label in CASES]
SHORT = [(label, ROUNDS // 2) for label in CASES if label not in LONG]
# The policy without a twin plays what it knows.
TestTwins = twin_tests(
    "allocation", CASES, assert_splits_as_its_twin, SHORT, ALL, {"clairvoyant"}
)


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
        for name, tolerance, rtol in (("ratio", 1e-6, 2e-5), ("delta", 5e-4, 1e-3)):
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
    case = CASES[name]._replace(every=SELDOM)
    if name == "NO-UCB":  # one round is not enough to see a success of every arm
        case = _case("no-ucb", twins.NoUcb, {"initial": 20.0}, SELDOM, initial=20)
    found = follow(case, environment, rounds=600)
    error = differences(found, budget)
    tolerance = max(TOLERANCES.get(name, TOLERANCE), 1e-3)
    first = 12 * EVERY // SELDOM
    # Arms that are drawn to succeed for sure, as some are at first, have no curvature:
    # what they get hangs on the last digits of the rates.
    assert np.median(error) < tolerance and np.max(error[first:]) < tolerance
    arms = found.twin.laws, p, environment.provenance["rate"], budget
    # Otherwise it would not matter which of the two is played.
    assert np.max(np.abs(oracle(*arms) - cascade_oracle(*arms))) > 0.5


@pytest.mark.slow
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


def ra_ucb(initial, every):
    params = {"initial": float(initial)}
    return _case("ra-ucb", twins.RaUcb, params, every, initial=initial)


@pytest.mark.slow
@each_row("family, shape", [(weibull, (0.7, 0.8, 0.6)), (lomax, (2.0, 1.0, 3.0))])
def test_ra_ucb_follows_its_twin_on_other_concave_families(family, shape):
    found = follow(ra_ucb(9, every=7), other_game(family, shape), rounds=500)
    assert np.max(differences(found, BUDGET)) < TOLERANCE
    assert_bounds(found, 1e-4)


@pytest.mark.slow
def test_ra_ucb_follows_its_twin_on_sigmoids():
    """The learner's search leaves out optima with an arm on its convex branch."""
    environment = other_game(weibull, (2.0, 1.5, 2.5), highest=1.0)
    found = follow(ra_ucb(5, every=1), environment, rounds=60)
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
    found = follow(ra_ucb(9, every=4), environment, rounds=200)
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


def test_after_an_even_start_the_arms_learn_in_turn():
    """Four rounds of all arms, then one arm a round, from the first."""
    problem = allocation.simulation(3).problem
    policy = allocation.ra_ucb(problem, start="uniform_split", initial=4.0)
    state, update = policy.init(policy.params), jax.jit(policy.update)
    seen = allocation.Feedback(jnp.full(3, 5.0), jnp.full(3, 10.0))
    for round_, learnt in ((4, [1, 1, 1]), (5, [1, 0, 0]), (6, [0, 1, 0])):
        view = View(jnp.int32(round_), jnp.float32(40), None)
        after = update(None, view, state, None, seen, policy.params)
        assert after.statistics.successes.tolist() == learnt
        changed = after.bounds.rate_high != state.bounds.rate_high
        assert changed.tolist() == [bool(x) for x in learnt]


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
