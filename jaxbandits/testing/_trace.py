"""One run, played round by round in the plainest way; twins and checks use it."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import hint, kinds, whole
from jaxbandits.checks import instance as instance_of
from jaxbandits.checks.fit import check_fit
from jaxbandits.contract.environment import environment_of
from jaxbandits.contract.params import params_of
from jaxbandits.contract.round import refuse_keys
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.schedule import Schedule
from jaxbandits.engine.tape import (
    Stream,
    draw_words,
    instance_key,
    root_key,
    stream_keys,
)
from jaxbandits.protocol import Environment, Game, Policy

MOST_PLAYED = 10**7  # most rounds of a trace, which records all of them
MOST_LOOKED_AT = 30  # rounds whose reads of noise are checked


class Trace(NamedTuple):
    """One run, round by round, on the host.

    Attributes:
      actions: the policy's actions, leaves ``[T, ...]``.
      feedback: what the environment answered, leaves ``[T, ...]``.
      state: the policy's final state.
      environment: the environment's final state.
    """

    actions: Any
    feedback: Any
    state: Any
    environment: Any


def trace_run(
    policy: Policy,
    environment: Environment,
    rounds: int,
    *,
    params: Any = None,
    root_seed: int = 0,
    seed_index: int = 0,
) -> Trace:
    """Play one run in the plainest way and record every action and feedback.

    The noise is the one that `simulate` gives this seed. The engine's transforms are
    not used, so that this is an independent check of them.

    Args:
      policy: the policy, built for the environment.
      environment: the environment.
      rounds: number of rounds; also the horizon of a policy that needs one and has
        none.
      params: the policy's parameters, or a mapping of those that are not default.
      root_seed: root seed of the run.
      seed_index: number of the seed.

    Returns:
      A `Trace`. A state may hold infinity for an arm that was not played yet, and the
      consumption of a censored round is infinite.

    Raises:
      TypeError, ValueError: if an argument or a parameter is wrong; also if the policy
        needs a budget and `params` does not give it, or plays what is no action of the
        game.
    """
    instance_of("policy", policy, Policy, "of a setting or your own")
    environment_of(environment)
    check_sizes(rounds, root_seed)
    whole("seed_index", seed_index, 0, 2**32 - 1)
    trace, _ = played(policy, environment, rounds, params, root_seed, seed_index)
    instance = instance_for(environment, root_seed, seed_index)
    check_played(policy, environment, instance, trace.actions)
    return trace


def check_played(
    policy: Policy, environment: Environment, instance: Any, actions: Any
) -> None:
    """Require actions ``[T, ...]`` that the game has.

    Raises:
      ValueError: naming the policy, the first action that is none, and its round.
    """
    has = environment.game.actions
    if has is None:
        return
    allowed = _allowed(has.allowed, instance, actions)
    if not np.all(allowed):
        number = int(np.argmin(allowed))
        action = jax.tree.map(lambda x: x[number].tolist(), actions)
        raise ValueError(
            f"policy {policy.name!r} plays {action} in round {number + 1}, not "
            f"{has.text}"
        )


@partial(jax.jit, static_argnums=0)
def _allowed(allowed, instance, actions):
    return jax.vmap(allowed, (None, 0))(instance, actions)


class Round(NamedTuple):
    """The data of a round.

    Attributes:
      view, state: the policy's view and its state before the round.
      environment: the environment's state before the round.
      action, feedback: the policy's action and its feedback.
    """

    view: Any
    state: Any
    environment: Any
    action: Any
    feedback: Any


class Watch(NamedTuple):
    """What checks look at in every round, the start before them.

    Attributes:
      first: a `Round` of the first N rounds, leaves ``[N, ...]``.
      nan: the policy's state, for every leaf whether it held NaN, bool[1 + T].
      round: the round that the view showed, i32[T].
      spent: the amount spent, f32[1 + T].
    """

    first: Any
    nan: Any
    round: Any
    spent: Any


def played(
    policy: Policy,
    environment: Environment,
    rounds: int,
    params: Any,
    root_seed: int,
    seed_index: int,
    looked_at: int = 0,
) -> tuple[Trace, Watch | None]:
    """The run of `trace_run`, and a `Watch` with its first rounds, if there are any."""
    check_fit(policy.name, policy, environment)
    params = params_of(policy, params, Schedule([rounds], rounds), "params")
    refuse_keys("init", "the state", jax.eval_shape(policy.init, params))
    # Without what is not played, so that games that differ in it share their program.
    functions = policy.functions._replace(recommend=None, report=None)
    game = environment.game._replace(metrics=None, record=None, actions=None)
    seed = root_key(root_seed), jnp.uint32(seed_index)
    with jax.threefry_partitionable(True):  # as `simulate` draws instances
        *trace, watch = _rollout(
            functions,
            game,
            rounds,
            looked_at,
            params,
            jax.tree.map(to_device, environment.setup),
            stream_keys(*seed),
            instance_key(*seed),
        )
    return jax.tree.map(np.asarray, (Trace(*trace), watch))


def each_of(rounds: Round) -> list[Round]:
    """Rounds one by one."""
    count = len(jax.tree.leaves(rounds.action)[0])
    return [jax.tree.map(lambda x, i=i: x[i], rounds) for i in range(count)]


def check_sizes(rounds: int, root_seed: int) -> None:
    """Require rounds that can be recorded, and a root seed."""
    whole("rounds", rounds, 1, MOST_PLAYED)
    whole("root_seed", root_seed, 0, 2**64 - 1)


def instance_for(environment: Environment, root_seed: int, seed_index: int) -> Any:
    """The instance that `trace_run` draws for a seed."""
    with jax.threefry_partitionable(True):
        key = instance_key(root_key(root_seed), jnp.uint32(seed_index))
        setup = jax.tree.map(to_device, environment.setup)
        return jax.jit(environment.game.sample)(key, setup)


@kinds
def altered(environment: Environment, **changes) -> Environment:
    """An environment in which some fields, or fields of its game, are replaced.

    Args:
      environment: the environment.
      **changes: fields of `Environment` or `Game`, as ``step=`` or ``metrics=``.

    Raises:
      TypeError: if there is no such field.
    """
    fields = {*Game._fields, *Environment._fields}
    if unknown := sorted(changes.keys() - fields):
        raise TypeError(f"an environment has no {unknown}{hint(unknown[0], fields)}")
    its = {name: changes.pop(name) for name in Game._fields if name in changes}
    game = environment.game._replace(**its)
    return environment._replace(game=game)._replace(**changes)


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _rollout(
    policy, game, rounds, looked_at, params, setup, key, first_key
) -> tuple[Any, ...]:
    instance = game.sample(first_key, setup)
    act_width, update_width = policy.words

    @jax.jit  # traced once, for its shapes and in the loop
    def play(key, instance, params, state, env_state, round_):
        view = game.view(round_, instance, env_state)
        noise = draw_words(key[Stream.ACT], round_, act_width)
        action = policy.act(noise, view, state, params)
        noise = draw_words(key[Stream.ENVIRONMENT], round_, game.words)
        after_round, feedback = game.step(noise, instance, env_state, action)
        noise = draw_words(key[Stream.UPDATE], round_, update_width)
        after = policy.update(noise, view, state, action, feedback, params)
        return after, after_round, Round(view, state, env_state, action, feedback)

    def watched(state, env_state):
        spent = (
            jnp.float32(0)
            if game.spent is None
            else jnp.asarray(game.spent(instance, env_state))
        )
        return jax.tree.map(lambda x: jnp.any(x != x), state), spent

    def step(carry, round_):
        state, env_state, first = carry
        *after, all_of_it = play(key, instance, params, state, env_state, round_)
        seen = None
        if looked_at:  # later rounds lie beyond what is kept, and are dropped
            first = jax.tree.map(
                lambda kept, x: kept.at[round_ - 1].set(x, mode="drop"),
                first,
                all_of_it,
            )
            seen = watched(*after), all_of_it.view.round
        return (*after, first), (all_of_it.action, all_of_it.feedback, seen)

    start, first = (policy.init(params), game.init(instance)), None
    if looked_at:
        *_, form = jax.eval_shape(play, key, instance, params, *start, jnp.int32(1))
        first = jax.tree.map(lambda x: jnp.zeros((looked_at, *x.shape), x.dtype), form)
    numbers = jnp.arange(1, rounds + 1, dtype=jnp.int32)
    (state, env_state, first), answers = jax.lax.scan(step, (*start, first), numbers)
    actions, feedback, seen = answers
    if looked_at:
        after, shown = seen
        both = jax.tree.map(
            lambda x, later: jnp.append(x[None], later), watched(*start), after
        )
        seen = Watch(first, both[0], shown, both[1])
    return actions, feedback, state, env_state, seen
