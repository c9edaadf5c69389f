"""Whether an environment keeps the protocol's promises."""

from typing import Any

import jax
import numpy as np

from jaxbandits.checks import require
from jaxbandits.checks.rounds import reported
from jaxbandits.contract.accounts import judged
from jaxbandits.contract.environment import environment_of
from jaxbandits.contract.round import check_round, program_of
from jaxbandits.engine.accounting import tables_of
from jaxbandits.engine.rules import Notes
from jaxbandits.protocol import Environment, Policy
from jaxbandits.testing._clauses import (
    always,
    check_entries,
    check_first_rounds,
    indexing,
    of,
    play_twice,
    record_of,
    refused,
    require_arrays,
    results,
    tried,
)
from jaxbandits.testing._trace import (
    Watch,
    check_sizes,
    instance_for,
)


def check_environment(
    environment: Environment, policy: Policy, rounds: int = 30, root_seed: int = 0
) -> None:
    """Check that an environment keeps the protocol's promises.

    * `sample`, `init` and `record` return arrays of fixed shapes and dtypes;
    * `step` keeps the state's structure, shapes and dtypes, works with the declared
      number of words, and reads no other words;
    * every function gives the same program each time that it is traced;
    * a view shows the round that is played;
    * a run is a pure function of its seed;
    * the policy's actions are valid, and the accounts count every round once;
    * feedback holds no NaN and lies in the ranges of its problem; the amount spent is a
      number that never falls;
    * metrics, and the judge's values of an action of the policy, are finite numbers
      under valid, different names;
    * metrics and `step` do not index arrays out of range;
    * the oracle returns numbers.

    Args:
      environment: the environment.
      policy: any policy that plays it.
      rounds: number of rounds to play.
      root_seed: root seed.

    Raises:
      AssertionError: naming the broken clause.
    """
    check_sizes(rounds, root_seed)
    require(
        isinstance(environment, Environment), f"not an Environment: {environment!r}"
    )
    require(isinstance(policy, Policy), f"not a Policy: policy is {policy!r}")
    with of(f"environment {environment.name!r}"):
        _check(environment, policy, rounds, root_seed)


def _check(
    environment: Environment, policy: Policy, rounds: int, root_seed: int
) -> None:
    """The clauses of `check_environment`."""
    with refused():
        environment_of(environment)
    instance = tried(instance_for, environment, root_seed, 0)
    # As `init` gives it: of a number that is no array the trace itself makes one.
    started: list[Any] = []
    tried(jax.eval_shape, lambda x: started.append(environment.game.init(x)), instance)
    require_arrays("the environment's sample", instance)
    require_arrays("the environment's init", started)
    with refused():
        check_round(policy.name, policy, environment, compared="environment")
        trace, watch = play_twice(policy, environment, rounds, root_seed)
    _check_watch(watch, environment.game.by_the_clock)
    width, game = environment.game.words, environment.game

    def call(words, x):
        noise = words.integers(2**32, size=width, dtype=np.uint32)
        return noise, instance, x.environment, x.action

    calls = [("the environment's step", game.step, call)]
    check_first_rounds(calls, watch.first)
    for leaf in jax.tree.leaves(trace.feedback):
        require(not np.any(np.isnan(leaf)), "step gives NaN: feedback holds NaN")
    if hasattr(problem := environment.problem, "check_feedback"):
        answers = trace.actions, trace.feedback
        with refused("the environment's step: "):
            for number in range(rounds):
                action, answer = jax.tree.map(lambda x, i=number: x[i], answers)
                answer = reported(problem, "feedback", answer)
                problem.check_feedback(None, action, answer)
    # The policy's last action stands for a recommendation, which the judge is shown.
    judge = environment.judge
    last = jax.tree.map(lambda x: x[-1], trace.actions) if judge else {}
    known = results(policy, environment, instance, trace, Notes(last, {}))
    for name, value in known.items():
        require(np.all(np.isfinite(value)), f"metric {name!r} is not finite")
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    _check_metrics(environment, batch, trace.environment)
    if judge is not None:
        last = jax.tree.map(lambda x: x[None, None], last)
        always("judge", lambda: judged(environment, batch, last, (1, 1)))
    if environment.oracle is not None:
        _check_oracle(environment.oracle, batch)


def _check_watch(watch: Watch, by_the_clock: bool) -> None:
    """Require views of their round, and an amount spent that never falls."""
    other = watch.round != 1 + np.arange(len(watch.round))
    words = f"the environment's view shows not round {1 + np.argmax(other)} in it"
    require(not other.any(), words)
    falls = ~(watch.spent >= np.append(0, watch.spent[:-1]))
    when = f"in round {np.argmax(falls)}" if not falls[0] else "at the start"
    require(
        not falls.any(),
        "the environment's spent must be a number >= 0 that never falls, which it is "
        f"not {when}",
    )
    require(
        not by_the_clock or np.all(watch.spent == np.floor(watch.spent)),
        "the environment's spent must be in whole units, as it is by_the_clock",
    )


def _check_metrics(environment: Environment, batch: Any, state: Any) -> None:
    """Require metrics that give the same program each time, from equal tables, and do
    not index arrays out of range."""
    with refused():
        tables = always("tables", lambda: tables_of(environment, batch))
    with refused(), jax.enable_x64(True):
        instance = jax.tree.map(lambda x: x[0], batch)
        record = record_of(environment, instance, state)
        given = jax.tree.map(lambda x: x[0], tables), instance, record
        program_of("the environment's metrics", environment.game.metrics, *given)
    with jax.enable_x64(True):
        program = indexing(environment.game.metrics, *given)
        check_entries("the environment's metrics", program, [given])


def _check_oracle(oracle, batch) -> None:
    with refused("the environment's oracle failed: "):
        answer = always("oracle", lambda: oracle(batch))
        facts = [np.asarray(leaf) for leaf in jax.tree.leaves(answer)]
    for leaf in facts:
        numbers = leaf.dtype.kind in "biuf"
        # Some may be NaN, as those of arms that do not exist in an instance.
        require(
            numbers and not np.all(np.isnan(leaf)),
            f"the environment's oracle must know numbers, got {leaf!r}",
        )
