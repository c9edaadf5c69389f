"""Every farewell policy chooses as its float64 twin does, on the same tape.

A near tie is within 1e-5 of the largest index, relative.
"""

from functools import cache, partial

import jax
import numpy as np
import pytest

from jaxbandits import farewell, laws
from jaxbandits.engine.tape import Stream, read
from tests.games import four_waits, waits_with_gaps
from tests.heavy import in_short
from tests.policies.followed import Case, assert_follows, played, twin_tests
from tests.reference import farewell_policies as twins
from tests.reference.choosing import Uniform
from tests.reference.farewell_environment import Environment as EnvironmentTwin
from tests.reference.words import numbers

EPOCHS, FEW = 5000, 2000  # in the long run and in the short one
NEAR_TIE = 1e-5
INSTANCES = {
    "1a": farewell.figure_1a,
    "1b": farewell.optimum_in_the_middle,
    "1c": farewell.optimum_at_one,
    "2b": farewell.display_advertising,
    "own": waits_with_gaps,
}


def _case(entry, twin, twin_params=None, every=5, **params):
    options = params if twin_params is None else twin_params
    return Case(f"farewell/{entry}", partial(twin, **options), params, every)


CASES = {
    "Wait-UCB": _case("wait-ucb", twins.WaitUCB),
    "shorter": _case("wait-ucb-shorter", twins.WaitUCB, {"observe": "shorter"}),
    "naive": _case("wait-ucb-naive", twins.WaitUCB, {"observe": "naive"}),
    "product limit": _case(
        "product-limit", twins.WaitUCB, {"observe": "product_limit"}
    ),
    "UCB-Simplex": _case("ucb-simplex", twins.UCBSimplex),
    "UCB-Simplex, kappa": _case("ucb-simplex", twins.UCBSimplex, kappa=2.0),
    "Budget-UCB": _case("budget-ucb", twins.OnPairs, {"twin": "BudgetUCB"}),
    "Budget-UCB, code": _case(
        "budget-ucb",
        twins.OnPairs,
        {"twin": "BudgetUCB", "log_factor": 2.0},
        log_factor=2.0,
    ),
    "UCB-BV1": _case("ucb-bv1", twins.OnPairs, {"twin": "UCBBV1"}),
    "omega": _case("omega-ucb", twins.OmegaUCB),
    "omega, rho": _case("omega-ucb", twins.OmegaUCB, rho=0.25),
    "omega, shorter": _case(
        "omega-ucb-shorter", twins.OmegaUCB, {"observe": "shorter"}
    ),
    "omega*": _case("omega-star-ucb", twins.OmegaUCB, {"star": True}),
    "omega*, shrunk": _case(
        "omega-star-ucb-shrunk", twins.OmegaUCB, {"star": True, "variance": "shrunk"}
    ),
    "omega*, shorter": _case(
        "omega-star-ucb-shorter", twins.OmegaUCB, {"star": True, "observe": "shorter"}
    ),
    "omega*, shorter, shrunk": _case(
        "omega-star-ucb-shorter-shrunk",
        twins.OmegaUCB,
        {"star": True, "observe": "shorter", "variance": "shrunk"},
    ),
    "omega*, product limit": _case(
        "omega-star-ucb-product-limit", twins.ProductLimitOmega, every=25
    ),
    "omega*, product limit, shrunk": _case(
        "omega-star-ucb-product-limit-shrunk",
        twins.ProductLimitOmega,
        {"variance": "shrunk"},
        every=100,
    ),
    "UCB-SC+": _case("ucb-sc-plus", twins.OnPairs, {"twin": "UCBSCPlus"}),
    "KUBE": _case("kube", twins.OnPairs, {"twin": "KUBE"}),
    "PD-BwK": _case(
        "pd-bwk",
        twins.OnPairs,
        {"twin": "PDBwK", "budget": 20_000.0, "horizon": 6000.0},
        every=1,  # its weights grow by the bounds of its last choice
        budget=20_000.0,
        horizon=6000.0,
    ),
    "hazard TS": _case("hazard-thompson", twins.HazardThompson, every=100),
    "hazard TS, prior": _case(
        "hazard-thompson",
        twins.HazardThompson,
        {"ended": 2.0, "passed": 5.0},
        every=100,
        prior_ended=2.0,
        prior_passed=5.0,
    ),
    "hazard TS, joint": _case(
        "hazard-thompson-joint", twins.JointHazardThompson, every=100
    ),
    "BTS": _case("bts", twins.OnPairs, {"twin": "BTS"}, every=20),
    "UCB1": _case("ucb1", twins.UCB1),
    "uniform": _case("uniform", twins.Chosen, {"choice": Uniform}),
}
# Shares of equal choices; those of the others are near ties. On 1b long waits have one
# law: pairs tie but for rounding, and draws of units that hardly anybody enters decide.
# Of PD-BwK many bounds are 0 or 1, and many indices alike but for rounding.
EQUAL = {
    ("omega*, product limit", "1b"): 0.97,
    ("omega*, product limit, shrunk", "1b"): 0.97,
    ("omega*, product limit, shrunk", "2b"): 0.98,  # one in 60
    ("omega*, product limit, shrunk", "own"): 0.98,
    ("Budget-UCB", "1b"): 0.98,
    ("UCB-SC+", "1b"): 0.98,
    ("KUBE", "1b"): 0.98,
    ("PD-BwK", "1b"): 0.8,
    ("PD-BwK", "1c"): 0.8,
    ("hazard TS", "1b"): 0.95,
    ("hazard TS, joint", "1b"): 0.95,
}


# Left to the long run: another with an option, or a budgeted policy over the pairs.
LONG = {
    "naive",
    "omega*, shorter",
    "omega*, shrunk",
    "omega*, shorter, shrunk",
    "omega*, product limit, shrunk",
    *("BTS", "KUBE", "PD-BwK", "UCB-SC+"),
}

# What not all policies take, or look at: giving up that costs a unit; rewards that are
# no coins.
LOW = 0.1 * np.array([[5, 3, 2, 1, 0], [0, 1, 2, 3, 5]])
OTHERS = {
    "auction": farewell.second_price_auction,
    "unit": partial(four_waits, "unit"),
    "spread": lambda: farewell.make_environment(
        "spread",
        [[0.3, 0.1, 0.2, 0.3, 0.1], [0.1, 0.0, 0.4, 0.3, 0.2]],
        laws.Uniform(LOW, LOW + 0.5),
        delays=[1, 3, 4, 9, 40],
        waits=[2, 4, 10],
        reward_law=laws.uniform,
    ),
}


@cache
def game(instance):
    return (INSTANCES | OTHERS)[instance]()


# Where giving up costs a unit, or rewards are no coins: how often the two are compared.
OTHER_GAMES = {"hazard TS": 100, "hazard TS, joint": 40, "shorter": 5, "naive": 5}
# Where others teach shorter waits, all epochs on 1a have the longest wait.
ELSEWHERE = {"shorter": "2b", "product limit": "2b"}
ELSEWHERE |= {"hazard TS": "spread", "hazard TS, joint": "spread"}
SHORT = [(label, "1a") for label in CASES if label not in (*LONG, *ELSEWHERE)]
SHORT += [*ELSEWHERE.items(), ("naive", "unit")]
SHORT = [(*pair, None, FEW) for pair in SHORT]
ALL = [(label, instance) for label in CASES for instance in INSTANCES]
ALL += [(label, game) for label in OTHER_GAMES for game in ("auction", "unit")]
FLOAT64 = ["Wait-UCB", "product limit", "omega*, shorter", "omega*, product limit"]
ALL += [(label, "1a", 1e-12) for label in FLOAT64]


def assert_chooses_as_its_twin(label, instance, in_float64=None, epochs=EPOCHS):
    """With what is a near tie in float64, if it is to be in float64."""
    case, problem = CASES[label], game(instance).problem
    options = {}
    if instance in OTHERS:
        options, case = (
            {"failure": problem.failure},
            case._replace(every=OTHER_GAMES[label]),
        )
    waits = problem.waits or problem.num_waits
    case = case._replace(twin=partial(case.twin, problem.num_arms, waits, **options))
    share = 0.999 if in_float64 else EQUAL.get((label, instance), 0.99)
    relative = in_float64 or NEAR_TIE
    with jax.enable_x64(in_float64 is not None):
        assert_follows(case, game(instance), epochs, share=share, relative=relative)


# The policy without a twin plays what it is told.
TestTwins = twin_tests(
    "farewell", CASES, assert_chooses_as_its_twin, SHORT, ALL, {"fixed"}
)


@pytest.mark.parametrize("instance", in_short(INSTANCES, ["1b", "1c", "2b"]))
def test_environment_answers_as_its_twin(instance):
    environment = game(instance)
    noise = numbers(
        read(0, 0, Stream.ENVIRONMENT, EPOCHS, environment.game.words), "nn"
    )
    facts = environment.provenance
    twin = EnvironmentTwin(
        np.pad(facts["delay"], ((0, 0), (0, 1))),
        environment.setup.reward.probability,
        facts.get("delays"),
        facts.get("waits"),
    )
    _, rounds = played(CASES["uniform"], environment, EPOCHS)
    different = sum(
        twin.step(noise[one.t - 1], *one.action) != one.feedback for one in rounds
    )
    # A uniform within a rounding error of a cumulative probability.
    assert different <= 1
