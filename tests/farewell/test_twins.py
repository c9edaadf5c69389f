"""Every farewell policy chooses as its float64 twin does, on the same tape.

As in tests/censored: the twin is told what the policy played and what came of it, and
in each epoch the two must choose alike, or the policy's choice must be a near tie for
the twin (within 1e-5 of the largest index, relative).
"""

from functools import cache, partial
from typing import NamedTuple

import jax
import numpy as np
import pytest

from jaxbandits import farewell
from jaxbandits.engine.tape import Stream, read
from jaxbandits.kernels.gamma import GAMMA_CDF_ERROR
from jaxbandits.laws import Beta, beta
from jaxbandits.testing import trace_run
from tests.games import waits_with_gaps
from tests.heavy import in_short
from tests.policies.followed import assert_sound, by_name
from tests.reference import farewell_policies as twins
from tests.reference.farewell_environment import Environment as EnvironmentTwin
from tests.reference.words import numbers
from tests.registered import POLICIES
from tests.tables import for_all

EPOCHS = 5000
NEAR_TIE = 1e-5
INSTANCES = {
    "1a": farewell.figure_1a,
    "1b": farewell.optimum_in_the_middle,
    "1c": farewell.optimum_at_one,
    "2b": farewell.display_advertising,
    "own": waits_with_gaps,
}


class Case(NamedTuple):
    """An entry of the registry, parameters that are not default, and the twin."""

    entry: str
    params: dict
    twin: partial
    every: int = 5  # of how many epochs one is compared; all are played
    equal: dict = {}  # shares of equal choices, by instance; the others are near ties


def _case(entry, twin, twin_params=None, every=5, equal=None, **params):
    options = params if twin_params is None else twin_params
    return Case(entry, params, partial(twin, **options), every, equal or {})


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
        # On 1b all long waits are alike, and so are the indices of those that see it.
        "omega-star-ucb-product-limit",
        twins.ProductLimitOmega,
        {},
        every=25,
        equal={"1b": 0.97},
    ),
    "omega*, product limit, shrunk": _case(
        "omega-star-ucb-product-limit-shrunk",
        twins.ProductLimitOmega,
        {"variance": "shrunk"},
        every=100,
        equal={"1b": 0.97},
    ),
    # On 1b six waits have one law: pairs of theirs tie but for rounding.
    "UCB-SC+": _case(
        "ucb-sc-plus", twins.OnPairs, {"twin": "UCBSCPlus"}, equal={"1b": 0.98}
    ),
    "KUBE": _case("kube", twins.OnPairs, {"twin": "KUBE"}, equal={"1b": 0.98}),
    "PD-BwK": _case(
        "pd-bwk",
        twins.OnPairs,
        {"twin": "PDBwK", "budget": 20_000.0, "horizon": 6000.0},
        every=1,  # its weights grow by the bounds of its last choice
        # Many bounds are 0 or 1, and many indices alike but for rounding.
        equal={"1b": 0.8, "1c": 0.8},
        budget=20_000.0,
        horizon=6000.0,
    ),
    # On 1b long waits are alike: the draws of units that hardly anybody enters decide.
    "hazard TS": _case(
        "hazard-thompson", twins.HazardThompson, {}, every=100, equal={"1b": 0.95}
    ),
    "hazard TS, prior": _case(
        "hazard-thompson",
        twins.HazardThompson,
        {"ended": 2.0, "passed": 5.0},
        every=100,
        prior_ended=2.0,
        prior_passed=5.0,
    ),
    "hazard TS, joint": _case(
        "hazard-thompson-joint",
        twins.JointHazardThompson,
        {},
        every=100,
        equal={"1b": 0.95},
    ),
    "BTS": _case("bts", twins.OnPairs, {"twin": "BTS"}, every=20),
    "UCB1": _case("ucb1", twins.UCB1),
    "uniform": _case("uniform", twins.Uniform),
}


# Left to the long run: another with an option, or a budgeted policy over the pairs.
LONG = {
    "naive",
    "omega*, shorter",
    "omega*, shrunk",
    "omega*, shorter, shrunk",
    "omega*, product limit",
    "omega*, product limit, shrunk",
    "hazard TS, joint",
    *("BTS", "KUBE", "PD-BwK", "UCB-SC+"),
}

# What not all policies take, or look at: giving up that costs a unit; rewards that are
# no coins.
OTHERS = {
    "auction": farewell.second_price_auction,
    "spread": lambda: farewell.make_environment(
        "spread",
        [[0.3, 0.1, 0.2, 0.3, 0.1], [0.1, 0.0, 0.4, 0.3, 0.2]],
        Beta(3.0 + np.zeros((2, 5)), [[1.0, 2, 3, 4, 5], [5.0, 4, 3, 2, 1]]),
        delays=[1, 3, 4, 9, 40],
        waits=[2, 4, 10],
        reward_law=beta,
    ),
}


@cache
def game(instance):
    return (INSTANCES | OTHERS)[instance]()


def policy_of(case, instance):
    return POLICIES[f"farewell/{case.entry}"](game(instance).problem)


def entry_of(label):
    """The registry's name of the policy of a case."""
    return f"farewell/{CASES[label].entry}"


def test_every_policy_of_the_setting_has_a_twin():
    entries = {name for name in POLICIES if name.startswith("farewell/")}
    # That policy plays what it is told.
    assert {*map(entry_of, CASES)} == entries - {"farewell/fixed"}


def near_tie(twin, t, noise, pair, tolerance):
    """Whether the twin finds the pair as good as any, up to the stated error."""
    if isinstance(twin, twins.HazardThompson):
        least, most = twin.extremes(noise, GAMMA_CDF_ERROR)
        return most[pair] >= least.max()
    if len(noise) > 1:  # BTS, see test_budgeted_twins.py
        signs = np.repeat([1, -1, -1, 1], len(noise) // 4) * GAMMA_CDF_ERROR
        most, least = (
            twin.indices(t, np.clip(noise + s * signs, 1e-12, 1 - 1e-12))
            for s in (1, -1)
        )
        return most[pair] >= least.max()
    index = twin.indices(t, noise)
    best = index.max()
    return index[pair] == best or index[pair] >= best * (1 - tolerance)


def assert_follows(case, instance, tolerance):
    """Replay the twin along a run; return the share of equal choices."""
    environment = game(instance)
    policy = policy_of(case, instance)
    params = policy.params._replace(**case.params) if case.params else None
    trace = trace_run(policy, environment, EPOCHS, params=params)
    assert_sound(trace.state)
    kind = "u" if policy.words[0] > 1 else "p"  # a position, or uniforms of BTS
    noise, coins = (
        numbers(read(0, 0, stream, EPOCHS, width), kinds)
        for stream, width, kinds in zip(
            (Stream.ACT, Stream.UPDATE),
            policy.words,
            (kind * policy.words[0], "n" * (policy.words[1] // 2)),
            strict=True,
        )
    )
    problem = environment.problem
    twin = case.twin(problem.num_arms, problem.waits or problem.num_waits)
    columns = [np.asarray(x, np.float64) for x in (*trace.actions, *trace.feedback)]
    equal = compared = 0
    for t, (arm, wait, reward, time, delay) in enumerate(
        zip(*columns, strict=True), start=1
    ):
        pair = int(arm), int(wait)
        if t % case.every == 0:
            compared += 1
            same = twin.act(t, noise[t - 1]) == pair
            equal += same
            tied = same or near_tie(twin, t, noise[t - 1], pair, tolerance)
            assert tied, f"epoch {t}: {pair}"
        twin.update(t, coins[t - 1], *pair, reward, time, delay)
    return equal / compared


# Where giving up costs a unit, or rewards are no coins: how often the two are compared.
OTHER_GAMES = {"hazard TS": 100, "hazard TS, joint": 40}
# Where others teach shorter waits, all of 5,000 epochs on 1a have the longest wait.
ELSEWHERE = {"shorter": "2b", "product limit": "2b"}
ELSEWHERE |= {"hazard TS": "spread", "hazard TS, joint": "spread"}
SHORT = [(label, "1a") for label in CASES if label not in (*LONG, *ELSEWHERE)]
SHORT += ELSEWHERE.items()
ALL = [(label, instance) for label in CASES for instance in INSTANCES]
ALL += [(label, "auction") for label in OTHER_GAMES]
FLOAT64 = ["Wait-UCB", "product limit", "omega*, shorter", "omega*, product limit"]
ALL += [(label, "1a", 1e-12) for label in FLOAT64]


def assert_chooses_as_its_twin(label, instance, in_float64=None):
    """With what is a near tie in float64, if it is to be in float64."""
    case = CASES[label]
    least = 0.999 if in_float64 else case.equal.get(instance, 0.99)
    if instance in OTHERS:
        twin = partial(case.twin, failure=game(instance).problem.failure)
        case = case._replace(twin=twin, every=OTHER_GAMES[label])
    with jax.enable_x64(in_float64 is not None):
        assert assert_follows(case, instance, in_float64 or NEAR_TIE) >= least


@pytest.mark.parametrize("runs", by_name(entry_of, SHORT, ALL))
def test_policy_chooses_as_its_twin(runs):
    for_all(assert_chooses_as_its_twin, runs)


@pytest.mark.slow
@pytest.mark.parametrize("runs", by_name(entry_of, ALL, ALL))
def test_policy_chooses_as_its_twin_in_all_games(runs):
    for_all(assert_chooses_as_its_twin, runs)


@pytest.mark.parametrize("instance", in_short(INSTANCES, ["1b", "1c", "own"]))
def test_environment_answers_as_its_twin(instance):
    environment = game(instance)
    trace = trace_run(policy_of(CASES["uniform"], instance), environment, EPOCHS)
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
    columns = [x.tolist() for x in (*trace.actions, *trace.feedback)]
    different = sum(
        twin.step(u, arm, wait) != tuple(answer)
        for u, arm, wait, *answer in zip(noise, *columns, strict=True)
    )
    # A uniform within a rounding error of a cumulative probability.
    assert different <= 1
