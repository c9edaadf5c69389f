"""Whether an environment keeps the protocol's promises."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arguments import environment_of
from jaxbandits.contract import check_round
from jaxbandits.play import judged
from jaxbandits.protocol import Environment, Policy
from jaxbandits.results.names import check_variable
from jaxbandits.testing._clauses import books, first, refused, tried
from jaxbandits.testing._trace import (
    Trace,
    altered,
    check_sizes,
    instance_for,
    trace_run,
)


def check_environment(
    environment: Environment, policy: Policy, rounds: int = 30, root_seed: int = 0
) -> None:
    """Check that an environment keeps the protocol's promises.

    * `sample`, `init` and `record` return arrays of fixed shapes and dtypes;
    * `step` keeps the state's structure, shapes and dtypes and works with the
      declared number of words, and reads no others;
    * all functions are one program each time that they are traced;
    * a view shows the round that is played;
    * feedback holds no NaN, and what is spent is a number that never falls;
    * metrics are finite numbers, under names that results can have, and so is what the
      judge says of an action of the policy;
    * the oracle knows numbers.

    Args:
      environment: the environment.
      policy: any policy that plays it.
      rounds: how long to play.
      root_seed: root seed.

    Raises:
      AssertionError: saying which clause is broken.
    """
    check_sizes(rounds, root_seed)
    assert isinstance(environment, Environment), f"not an Environment: {environment!r}"
    assert isinstance(policy, Policy), f"not a Policy: policy is {policy!r}"
    with refused():
        environment_of(environment)
    instance = tried(instance_for, environment, root_seed, 0)
    state = tried(environment.game.init, instance)
    for leaf in jax.tree.leaves((instance, state)):
        assert isinstance(leaf, jax.Array), (
            f"the environment's sample and init gave {leaf!r}, which is not an array"
        )
    with refused():
        check_round(policy.name, policy, environment, twice=True)
        trace = trace_run(policy, _watched(environment), rounds, root_seed=root_seed)
    trace = _check_watch(trace)
    for leaf in jax.tree.leaves(trace.feedback):
        assert not np.any(np.isnan(leaf)), "step gives NaN: feedback holds NaN"
    metrics = books(environment, instance, trace).metrics
    assert metrics, "the environment's metrics must name at least one, got none"
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    _check_facts("metrics", metrics)
    if environment.judge is not None:
        last = jax.tree.map(lambda x: x[-1][None, None], trace.actions)
        with refused():
            found = judged(environment, batch, last, (1, 1))
        _check_facts("judge", found)
    if environment.oracle is not None:
        _check_oracle(environment.oracle, batch)


class _Watched(NamedTuple):
    """An environment's state, and when it first was not as it must be, i32[]."""

    state: Any
    round: Any
    view: Any
    spent: Any


def _watched(environment: Environment) -> Environment:
    """An environment that keeps a record of what it should not show or spend."""
    game = environment.game

    def spent(instance, state):
        return jnp.float32(0) if game.spent is None else game.spent(instance, state)

    def init(instance):
        state, never = game.init(instance), jnp.int32(0)
        amount = spent(instance, state)
        return _Watched(state, never, never, first(never, -1, ~(amount >= 0)))

    def view(round_, instance, watch):
        return game.view(round_, instance, watch.state)

    def step(noise, instance, watch, action):
        round_ = watch.round + 1
        shown = game.view(round_, instance, watch.state).round
        state, feedback = game.step(noise, instance, watch.state, action)
        falls = ~(spent(instance, state) >= spent(instance, watch.state))
        return _Watched(
            state,
            round_,
            first(watch.view, round_, shown != round_),
            first(watch.spent, round_, falls),
        ), feedback

    return altered(environment, init=init, view=view, step=step)


def _check_watch(trace: Trace) -> Trace:
    """Require that nothing was broken in any round; the trace of the environment."""
    watch = trace.environment
    assert not watch.view, f"the environment's view shows not round {watch.view} in it"
    assert not watch.spent, (
        "the environment's spent must be a number >= 0 that never falls, which it is "
        f"not {'at the start' if watch.spent < 0 else f'in round {watch.spent}'}"
    )
    return trace._replace(environment=watch.state)


def _check_facts(what: str, numbers: dict[str, Any]) -> None:
    for name, value in numbers.items():
        assert isinstance(name, str), f"{what}: names must be strings, got {name!r}"
        with refused():
            check_variable(what, name)
        assert np.shape(value) == (1, 1), f"metric {name!r} must be a number"
        assert np.all(np.isfinite(value)), f"metric {name!r} is not finite"


def _check_oracle(oracle, batch) -> None:
    with refused("the environment's oracle failed: "):
        facts = [np.asarray(leaf) for leaf in jax.tree.leaves(oracle(batch))]
    for leaf in facts:
        numbers = leaf.dtype.kind in "biuf"
        # Some may be NaN, as those of arms that an instance has not.
        assert numbers and not np.all(np.isnan(leaf)), (
            f"the environment's oracle must know numbers, got {leaf!r}"
        )
