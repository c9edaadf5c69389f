"""Policies for duels choose as their float64 twins do; the game is its twin.

In each round both places hold the same pairs, or the policy's is a near tie for the
twin.
"""

from functools import cache, partial

import jax
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.engine.tape import Stream, read
from jaxbandits.kernels.gamma import GAMMA_CDF_ERROR
from jaxbandits.registry import POLICIES
from tests.censored.twins import cost
from tests.games import timed_coins
from tests.policies.followed import Case, played, twin_tests
from tests.reference import censored_policies as of_pairs
from tests.reference import duel_policies as twins
from tests.reference import laws
from tests.reference.censored_environment import CensoredEnvironment
from tests.reference.words import numbers
from tests.rollout import run_of

ROUNDS = 600
K, LIMITS = 4, (0.3, 0.5, 0.7)
MEANS, RATE = np.linspace(0.4, 0.6, K), 3.0


def penalty(x):
    """lambda of Example 2 with a fee that lets rewards show: L = 1 beyond 0.5."""
    return x / 10 if x <= 0.5 else x


MOST = penalty(1.0)
FOUR = (K, LIMITS, cost, penalty)


def _case(entry, kind, *args, kinds=None, every=1, params=None, **options):
    twin = partial(kind, *args, *FOUR, **options)
    return Case(f"dueling/{entry}", twin, params or {}, every, kinds)


cells = partial(_case, kind=twins.CellSelfSparring, every=5)
rucb = partial(_case, kinds="npp", most=MOST)
reduced = twins.Reduced, twins.RelativeUCB
CASES = {
    "cell-self-sparring": cells("cell-self-sparring"),
    "cell-self-sparring, parameters": cells(
        "cell-self-sparring",
        params={"prior_ended": 1.5, "prior_passed": 2.0, "reward_spread": 1.0},
        ended=1.5,
        passed=2.0,
        variances=1.0,
    ),
    "cell-self-sparring-apart": cells("cell-self-sparring-apart", apart=True),
    "self-sparring": _case(
        "self-sparring", twins.Reduced, twins.SelfSparring, most=MOST
    ),
    "sparring-ucb": _case("sparring-ucb", twins.Sparring, of_pairs.UCB, most=MOST),
    "rucb": rucb("rucb", *reduced),
    "rucb-preferences": rucb("rucb-preferences", *reduced, values=False),
    # With hardly any radius: who may beat all others are few, one, or none.
    "rucb-preferences, alpha": rucb(
        "rucb-preferences",
        twins.Reduced,
        partial(twins.RelativeUCB, alpha=0.01),
        values=False,
        params={"alpha": 0.01},
    ),
    "uniform": _case("uniform", twins.OfDuels, kinds="pp"),
}


# Another with an option or other parameters.
LONG = {
    "self-sparring",
    "cell-self-sparring, parameters",
    "cell-self-sparring-apart",
    "rucb-preferences",
    "rucb-preferences, alpha",
}


@cache
def game():
    """Arms that are alike enough for the choice to stay open."""
    problem = censored.make_problem(
        K, LIMITS, censored.scaled(0.1), censored.fast_track(1.0, 0.5)
    )
    return censored.duels(timed_coins(problem, MEANS, np.full(K, RATE)))


def shortfalls(name, twin, t, words, mine, pairs):
    """How much worse than the best the twin finds the pairs that the policy chose."""
    if name.startswith("cell"):
        bounds = twin.extremes(t, words, GAMMA_CDF_ERROR)
    elif name == "self-sparring":
        bounds = twin.policy.extremes(words, GAMMA_CDF_ERROR)
    elif name == "sparring-ucb":
        # What was not played, and what is not chosen in the first rounds: infinite.
        bounds = [2 * [np.clip(index, -9, 9)] for index in twin.indices(t)]
    elif name == "uniform":
        chosen = [twins.one_of([*range(K * len(LIMITS))], word) for word in words]
        return [float(one != two) for one, two in zip(chosen, mine, strict=True)]
    else:
        chosen = twin.policy.act(t, words)
        return [float(one != two) for one, two in zip(chosen, mine, strict=True)]
    gaps = []
    for (least, most), number in zip(bounds, mine, strict=True):
        gaps.append(np.max(least) - np.ravel(most)[number])
    return gaps


def follow(name):
    """Replay the twin along a run; the shortfalls of the rounds that are compared."""
    case = CASES[name]
    twin, found, seen = case.twin(), [], set()
    for t, words, told, action, feedback in played(case, game(), ROUNDS)[1]:
        pairs = [*zip(*action, strict=True)]
        mine = [twin.number(pair) for pair in pairs]
        if t % case.every == 0:
            found.append(shortfalls(name, twin, t, words, mine, pairs))
        if name != "uniform":
            twin.update(t, told, pairs, *feedback)
        seen |= {*mine}
    assert len(seen) > 4  # or the twin's agreement would say nothing
    return np.array(found)


def assert_chooses_as_its_twin(label):
    gaps = follow(label)
    if "rucb" in label:
        # A bound near 1/2 may lie on the other side of it in float32.
        assert np.mean(np.max(gaps, axis=1) == 0) >= 0.99
    else:
        assert np.max(gaps) < 2e-5
    assert np.mean(gaps <= 0) >= 0.98


ALL = [(label,) for label in CASES]
SHORT = [(label,) for label in CASES if label not in LONG]


TestTwins = twin_tests("dueling", CASES, assert_chooses_as_its_twin, SHORT, ALL)


@pytest.mark.slow
def test_policies_choose_as_their_twins_in_float64():
    for label in ("rucb", "sparring-ucb"):
        with jax.enable_x64(True):
            assert np.max(follow(label)) < 1e-11, label


def test_the_game_is_its_twin():
    policy = POLICIES["dueling/uniform"](game().problem)
    trace = run_of(policy, game(), ROUNDS)
    words = read(0, 0, Stream.ENVIRONMENT, ROUNDS, game().game.words)
    uniforms = numbers(words, "n" + 2 * "nn")
    equal = []
    for t, (coin, *own) in enumerate(uniforms):
        runs = []
        for place in range(2):
            arm, limit = trace.actions.arm[t, place], trace.actions.limit[t, place]

            def draw(u, arm=arm):
                reward = laws.bernoulli(u[:1], MEANS[arm])
                return reward, laws.exponential(u[1:], RATE)

            run = CensoredEnvironment([draw])
            runs.append(run.step(own[2 * place :][:2], 0, LIMITS[limit]))
        for place, (_, consumption, censored_) in enumerate(runs):
            assert trace.feedback.censored[t, place] == censored_
            found = trace.feedback.consumption[t, place]
            assert found == pytest.approx(consumption, rel=1e-5)
        equal.append(twins.duel(coin, runs) == trace.feedback.first_preferred[t])
    assert all(equal)
