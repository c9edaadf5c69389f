"""Policies that choose several arms in a round choose as their float64 twins do.

As in `test_twins`: the twin follows the policy's choices on the same words, and in each
round the two choose the same super arm, or the policy's is a near tie for the twin.
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
from tests.censored.twins import PENALTY_MAX, cost, penalty
from tests.policies.followed import assert_sound, by_name
from tests.reference import censored_policies as of_pairs
from tests.reference import combinatorial_policies as twins
from tests.reference.words import numbers
from tests.tables import for_all

ROUNDS = 600
K, SIZE, LIMITS = 5, 2, (0.3, 0.5, 0.7)


TWO = (K, LIMITS, cost, penalty)


class Case(NamedTuple):
    """An entry of the registry, parameters that are not default, and the twin."""

    params: dict
    twin: partial
    every: int = 1  # of how many rounds one is compared; all are played


def _sum(pairs, **options):
    return lambda: twins.SumOfIndices(pairs(*TWO, **options), SIZE)


CASES = {
    "rcucb": Case({}, _sum(twins.OptimisticPairs)),
    "rcucb, gain part": Case(
        {"penalty_radius": 0.0}, _sum(twins.OptimisticPairs, penalty_radius=0)
    ),
    "cell-thompson": Case({}, _sum(of_pairs.CellThompson, least=-cost(1.0)), every=5),
    "cucb": Case({}, _sum(twins.PairsAsArms, penalty_max=PENALTY_MAX)),
    "cucb, alpha": Case(
        {"alpha": 3.0}, _sum(twins.PairsAsArms, penalty_max=PENALTY_MAX, alpha=3.0)
    ),
    "super-arms-as-arms": Case(
        {}, partial(twins.SuperArmsAsArms, of_pairs.UCB, TWO, PENALTY_MAX, SIZE)
    ),
    "uniform": Case({}, lambda: twins.Uniform(of_pairs.Uniform(*TWO), SIZE)),
}


@cache
def game():
    """Arms that are alike enough for the choice to stay open."""
    arms = Product(Bernoulli(np.linspace(0.4, 0.6, K)), Exponential(np.full(K, 3.0)))
    problem = censored.running_example(K, LIMITS)
    law = product(bernoulli, exponential_law)
    return censored.combinatorial(
        censored.make_environment("five", problem, law, arms), SIZE
    )


def entry(label):
    """The registry's name of the policy of a case."""
    return f"combinatorial/{label.split(',')[0]}"


def test_every_policy_of_the_setting_has_a_twin():
    entries = {name for name in POLICIES if name.startswith("combinatorial/")}
    assert {*map(entry, CASES)} == entries


def assert_follows(name, tolerance):
    """Replay the twin along a run; return the share of equal choices."""
    case = CASES[name]
    policy = POLICIES[entry(name)](game().problem)
    params = policy.params._replace(**case.params) if case.params else None
    trace = trace_run(policy, game(), ROUNDS, params=params)
    assert_sound(trace.state)
    width = policy.words[0]
    words = numbers(read(0, 0, Stream.ACT, ROUNDS, width), "u" * width)
    columns = [x.tolist() for x in (*trace.actions, *trace.feedback)]
    twin, equal, compared, seen_all = case.twin(), 0, 0, set()
    for t, (arms, limits, *seen) in enumerate(zip(*columns, strict=True), start=1):
        played = [*zip(arms, limits, strict=True)]
        mine = twin.all.index(sorted(played))
        if t % case.every == 0:
            compared += 1
            index = twin.indices(t, words[t - 1])
            equal += np.argmax(index) == mine
            if name == "cell-thompson":
                least, most = twin.extremes(t, words[t - 1], GAMMA_CDF_ERROR)
                assert most[mine] >= least.max() - tolerance, f"round {t}"
            else:
                assert index[mine] >= index.max() - tolerance, f"round {t}"
        twin.update(t, None, played, *seen)
        seen_all.add(mine)
    assert len(seen_all) > 4  # or the twin's agreement would say nothing
    return equal / compared


def assert_chooses_as_its_twin(label, dtype="float32"):
    wide = dtype == "float64"
    with jax.enable_x64(wide):
        share = assert_follows(label, 1e-11 if wide else 2e-5)
    assert share >= (0.995 if wide else 0.98)


SHORT = [(label,) for label in CASES]


@pytest.mark.parametrize("runs", by_name(entry, SHORT, SHORT))
def test_policy_chooses_as_its_twin(runs):
    for_all(assert_chooses_as_its_twin, runs)


@pytest.mark.slow
def test_index_policies_choose_as_their_twins_in_float64():
    labels = "rcucb", "rcucb, gain part", "cucb", "super-arms-as-arms"
    for_all(assert_chooses_as_its_twin, [(label, "float64") for label in labels])
