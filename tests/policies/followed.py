"""Twins follow what a policy plays, round by round.

The twin is told what the policy played and what came of it, so that a difference shows
in the round in which it arises and does not multiply. In each round that is compared
the two choose alike, or the policy's choice is a near tie for the twin: as good as any
for numbers that are off by what the package states of them.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from jaxbandits.engine.tape import Stream
from jaxbandits.kernels.gamma import GAMMA_CDF_ERROR
from tests.games import game_for
from tests.reference.words import numbers, tape
from tests.registered import POLICIES
from tests.rollout import run_of
from tests.tables import for_all

FIRST = 10  # rounds, of which all are compared


class Case(NamedTuple):
    """A policy of the registry, its parameters and its twin.

    Attributes:
      entry: name in the registry.
      twin: builds the twin.
      params: what differs from the defaults.
      every: of how many rounds one is compared beside the first; all are played.
      kinds: of the numbers that `act` reads, letter by letter; a position where it
        reads one word, else uniforms.
      problem: what the policy is told, if it is not the game's.
      make: the policy's factory, if it is not that of the registry.
    """

    entry: str
    twin: Callable[[], Any]
    params: dict[str, float] = {}
    every: int = 1
    kinds: str | None = None
    problem: Any = None
    make: Callable[..., Any] | None = None


class Round(NamedTuple):
    """t, from 1 on; the numbers that the policy reads; what it plays and sees."""

    t: int
    act: np.ndarray
    update: np.ndarray
    action: tuple
    feedback: tuple


def policy_of(case: Case, environment):
    """The policy of a case in a game."""
    make = case.make or POLICIES[case.entry]
    return make(case.problem or environment.problem)


def played(case: Case, environment, rounds: int) -> tuple[Any, Iterator[Round]]:
    """The final state of one run, and its rounds."""
    policy = policy_of(case, environment)
    params = policy.params._replace(**case.params) if case.params else None
    trace = run_of(policy, environment, rounds, params=params)
    assert_sound(trace.state)
    act, update = policy.words
    kinds = case.kinds or ("p" if act == 1 else "u" * act), "n" * (update // 2)
    streams = zip((Stream.ACT, Stream.UPDATE), policy.words, kinds, strict=True)
    noise = (numbers(tape(which, rounds, n), kind) for which, n, kind in streams)
    actions = trace.actions if isinstance(trace.actions, tuple) else (trace.actions,)
    columns = (
        zip(*(x.tolist() for x in part), strict=True)
        for part in (actions, trace.feedback)
    )
    return trace.state, map(Round, range(1, rounds + 1), *noise, *columns)


def assert_sound(state):
    """What the contract asks of a state: no number is NaN, no count negative."""
    for leaf in map(np.asarray, jax.tree.leaves(state)):
        assert not np.any(leaf != leaf)
        assert leaf.dtype.kind != "i" or np.all(leaf >= 0)


def assert_follows(case, environment, rounds, *, share, slack=0.0, relative=0.0):
    """The twin chooses as the policy does; returns it, and the policy's last state.

    Args:
      case, environment, rounds: as of `played`.
      share: least share of equal choices; the others must be near ties.
      slack, relative: how far below the best index one is a near tie, as a number and
        as a share of the best.
    """
    twin, equal, choices = case.twin(), [], set()
    state, run = played(case, environment, rounds)
    for t, act, update, action, feedback in run:
        if t % case.every == 0 or t <= FIRST:
            choice = twin.position(*action)
            equal.append(twin.act(t, act) == choice)
            choices.add(choice)
            if not equal[-1]:
                least, most = twin.ends(t, act, GAMMA_CDF_ERROR)
                best = np.max(least)
                near = best - slack - relative * abs(best)
                tied = most[choice] == best or most[choice] >= near
                assert tied, f"round {t}: {action}"
        twin.update(t, update, *action, *feedback)
    assert np.mean(equal) >= share, np.mean(equal)
    return twin, state, choices


def assert_defaults_are_those_of_the_twin(case):
    """Of parameters that both call by one name."""
    policy = POLICIES[case.entry](game_for(case.entry).problem)
    parameters = inspect.signature(case.twin).parameters
    for name, value in (policy.params._asdict() if policy.params else {}).items():
        own = parameters[name].default if name in parameters else None
        if isinstance(own, float | int) and name not in policy.game_params:
            assert value == pytest.approx(own), f"{case.entry}: {name}"


def twin_tests(setting, cases, check, short, every, without=()):
    """The tests of a setting's twins, in a class.

    Args:
      setting: the first part of the names in the registry.
      cases: `Case` by label.
      check: called with a label, and what else a run has.
      short: runs of the short run: tuples, of which the first is the label of a case.
      every: all runs.
      without: policies without a twin, by the last part of their names.

    Returns:
      A class for pytest: of the short runs, of all runs, by policy, and of the cases:
      every policy of the registry has one, whose parameters are by default its own.
    """
    names = dict.fromkeys(cases[label].entry for label, *_ in every)

    def runs_of(runs):
        return {
            name: [run for run in runs if cases[run[0]].entry == name] for name in names
        }

    short, every = runs_of(short), runs_of(every)
    # The first run of a policy that has no short one is left to the long run.
    params = [
        pytest.param(
            short[name] or every[name][:1],
            id=name,
            marks=[] if short[name] else [pytest.mark.slow],
        )
        for name in names
    ]

    @pytest.mark.usefixtures("quickly")
    class Twins:
        @staticmethod
        @pytest.mark.parametrize("runs", params)
        def test_policy_chooses_as_its_twin(runs):
            for_all(check, runs)

        @staticmethod
        @pytest.mark.slow
        @pytest.mark.parametrize("runs", every.values(), ids=every)
        def test_policy_chooses_as_its_twin_in_all_games(runs):
            for_all(check, runs)

        @staticmethod
        def test_every_policy_of_the_setting_has_a_twin():
            entries = {name for name in POLICIES if name.startswith(f"{setting}/")}
            assert {case.entry for case in cases.values()} == entries - {
                f"{setting}/{name}" for name in without
            }
            for case in cases.values():
                if not case.params and case.problem is None:
                    assert_defaults_are_those_of_the_twin(case)

    return Twins
