"""Policies for duels choose as their float64 twins do; the game is its twin.

As in `test_twins`: the twin follows the policy's choices on the same words, and in each
round both places hold the same pairs, or the policy's is a near tie for the twin.
"""

from functools import cache, partial
from typing import NamedTuple

import jax
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.engine.tape import Stream, read
from jaxbandits.kernels.gamma import GAMMA_CDF_ERROR
from jaxbandits.laws import Bernoulli, Exponential, Product, bernoulli, product
from jaxbandits.laws import exponential as exponential_law
from jaxbandits.registry import POLICIES
from jaxbandits.testing import trace_run
from tests.censored.twins import cost
from tests.policies.followed import assert_sound, by_name
from tests.reference import censored_policies as of_pairs
from tests.reference import duel_policies as twins
from tests.reference import laws
from tests.reference.censored_environment import CensoredEnvironment
from tests.reference.words import numbers
from tests.tables import for_all

ROUNDS = 600
K, LIMITS = 4, (0.3, 0.5, 0.7)
MEANS, RATE = np.linspace(0.4, 0.6, K), 3.0


def penalty(x):
    """lambda of Example 2 with a fee that lets rewards show: L = 1 beyond 0.5."""
    return x / 10 if x <= 0.5 else x


MOST = penalty(1.0)
FOUR = (K, LIMITS, cost, penalty)


class Case(NamedTuple):
    """Parameters that are not default, the twin, and how the two are compared.

    Attributes:
      kinds: of the words that `act` takes, letter by letter; none of it reads no words.
      every: of how many rounds one is compared; all are played.
    """

    params: dict
    twin: partial
    kinds: str = ""
    every: int = 1


DRAWS = "u" * (6 * K * len(LIMITS))
CASES = {
    "cell-self-sparring": Case(
        {}, partial(twins.CellSelfSparring, *FOUR), DRAWS, every=5
    ),
    "cell-self-sparring, parameters": Case(
        {"prior_ended": 1.5, "prior_passed": 2.0, "reward_spread": 1.0},
        partial(twins.CellSelfSparring, *FOUR, ended=1.5, passed=2.0, variances=1.0),
        DRAWS,
        every=5,
    ),
    "cell-self-sparring-apart": Case(
        {}, partial(twins.CellSelfSparring, *FOUR, apart=True), DRAWS, every=5
    ),
    "self-sparring": Case(
        {},
        partial(twins.Reduced, twins.SelfSparring, *FOUR, most=MOST),
        "u" * (4 * K * len(LIMITS)),
    ),
    "sparring-ucb": Case({}, partial(twins.Sparring, of_pairs.UCB, *FOUR, most=MOST)),
    "rucb": Case(
        {}, partial(twins.Reduced, twins.RelativeUCB, *FOUR, most=MOST), "npp"
    ),
    "rucb-preferences": Case(
        {},
        partial(twins.Reduced, twins.RelativeUCB, *FOUR, most=MOST, values=False),
        "npp",
    ),
    # With hardly any radius: who may beat all others are few, one, or none.
    "rucb-preferences, alpha": Case(
        {"alpha": 0.01},
        partial(
            twins.Reduced,
            partial(twins.RelativeUCB, alpha=0.01),
            *FOUR,
            most=MOST,
            values=False,
        ),
        "npp",
    ),
    "uniform": Case({}, partial(twins.OfDuels, *FOUR), "pp"),
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
    arms = Product(Bernoulli(MEANS), Exponential(np.full(K, RATE)))
    problem = censored.make_problem(
        K, LIMITS, censored.scaled(0.1), censored.fast_track(1.0, 0.5)
    )
    law = product(bernoulli, exponential_law)
    return censored.duels(censored.make_environment("four", problem, law, arms))


def entry(label):
    """The registry's name of the policy of a case."""
    return f"dueling/{label.split(',')[0]}"


def test_every_policy_of_the_setting_has_a_twin():
    entries = {name for name in POLICIES if name.startswith("dueling/")}
    assert {*map(entry, CASES)} == entries


def shortfalls(name, twin, t, words, mine, played):
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


def follow(name, rounds=ROUNDS):
    """Replay the twin along a run; the shortfalls of the rounds that are compared."""
    case, policy = CASES[name], POLICIES[entry(name)](game().problem)
    params = policy.params._replace(**case.params) if case.params else None
    trace = trace_run(policy, game(), rounds, params=params)
    assert_sound(trace.state)
    words = numbers(read(0, 0, Stream.ACT, rounds, policy.words[0]), case.kinds)
    told = read(0, 0, Stream.UPDATE, rounds, policy.words[1])
    told = numbers(told, "n" * (policy.words[1] // 2))
    columns = [x.tolist() for x in (*trace.actions, *trace.feedback)]
    twin, found, seen = case.twin(), [], set()
    for t, (arms, limits, *rest) in enumerate(zip(*columns, strict=True), start=1):
        played = [*zip(arms, limits, strict=True)]
        mine = [twin.number(pair) for pair in played]
        if t % case.every == 0:
            found.append(shortfalls(name, twin, t, words[t - 1], mine, played))
        if name != "uniform":
            twin.update(t, told[t - 1], played, *rest)
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


@pytest.mark.parametrize("runs", by_name(entry, SHORT, ALL))
def test_policy_chooses_as_its_twin(runs):
    for_all(assert_chooses_as_its_twin, runs)


@pytest.mark.slow
def test_policies_choose_as_their_twins_with_other_parameters_and_in_float64():
    for_all(assert_chooses_as_its_twin, zip(LONG))
    for label in ("rucb", "sparring-ucb"):
        with jax.enable_x64(True):
            assert np.max(follow(label)) < 1e-11, label


def test_the_game_is_its_twin():
    """On the same words: clocks, and who is preferred."""
    policy = POLICIES["dueling/uniform"](game().problem)
    trace = trace_run(policy, game(), ROUNDS)
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
