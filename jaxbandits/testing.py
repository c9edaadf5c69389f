"""Contract checks for policies and environments, and traces to compare with twins.

Usable by anyone who writes their own: ``check_policy(policy, environment)`` raises an
AssertionError that says which clause of the protocol is broken.
"""

from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arguments import (
    by_name,
    environment_of,
    is_policy,
    points_of,
    root_seed_of,
)
from jaxbandits.checks import MOST_ROUNDS, whole
from jaxbandits.checks import instance as instance_of
from jaxbandits.contract import check_round
from jaxbandits.engine.books import closed
from jaxbandits.engine.lanes import lanes
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.rules import NO_BUDGET
from jaxbandits.engine.tape import (
    Stream,
    draw_words,
    instance_key,
    root_key,
    stream_key,
)
from jaxbandits.fit import check_fit
from jaxbandits.laws.contract import check_law as check_law
from jaxbandits.points import Points
from jaxbandits.protocol import Environment, Game, Policy
from jaxbandits.schedule import Schedule

MOST_PLAYED = 10**7  # rounds, of which every one is on record


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
    """Play one run in the plainest way, with every action and feedback on record.

    Draws the very noise that `simulate` gives this seed, and is written without the
    engine's transforms: an independent check of them.

    Args:
      policy: the policy.
      environment: the environment.
      rounds: how many rounds, from the first.
      params: the policy's parameters; its defaults if None.
      root_seed: root seed of the run.
      seed_index: which seed.

    Raises:
      TypeError, ValueError: naming the argument that is wrong.
    """
    instance_of("policy", policy, Policy, "of jaxbandits.policies or your own")
    environment_of(environment)
    _check_sizes(rounds, root_seed)
    whole("seed_index", seed_index, 0, 2**32 - 1)
    with jax.threefry_partitionable(True):  # as `simulate` draws instances
        (state, env_state), (actions, feedback) = jax.tree.map(
            np.asarray,
            _rollout(
                policy.functions,
                environment.game,
                rounds,
                jax.tree.map(to_device, policy.params if params is None else params),
                jax.tree.map(to_device, environment.setup),
                root_key(root_seed),
                jnp.uint32(seed_index),
            ),
        )
    return Trace(actions, feedback, state, env_state)


@partial(jax.jit, static_argnums=(0, 1, 2))
def _rollout(policy, game, rounds, params, setup, root, seed_index):
    key = {s: stream_key(root, seed_index, s) for s in Stream if s != Stream.INSTANCE}
    instance = game.sample(instance_key(root, seed_index), setup)
    act_width, update_width = policy.words

    def step(carry, round_):
        state, env_state = carry
        view = game.view(round_, instance, env_state)
        noise = draw_words(key[Stream.ACT], round_, act_width)
        action = policy.act(noise, view, state, params)
        noise = draw_words(key[Stream.ENVIRONMENT], round_, game.words)
        env_state, feedback = game.step(noise, instance, env_state, action)
        noise = draw_words(key[Stream.UPDATE], round_, update_width)
        state = policy.update(noise, view, state, action, feedback, params)
        return (state, env_state), (action, feedback)

    start = policy.init(params), game.init(instance)
    return jax.lax.scan(step, start, jnp.arange(1, rounds + 1, dtype=jnp.int32))


def altered(environment: Environment, **changes) -> Environment:
    """An environment with some parts in place of its own, or of its game's.

    Args:
      environment: the environment.
      **changes: fields of `Environment` or `Game`, as ``step=`` or ``metrics=``.
    """
    its = {name: changes.pop(name) for name in Game._fields if name in changes}
    game = environment.game._replace(**its)
    return environment._replace(game=game)._replace(**changes)


def check_policy(
    policy: Policy, environment: Environment, rounds: int = 30, root_seed: int = 0
) -> None:
    """Check that a policy keeps the protocol's promises in an environment.

    * it is a `Policy` whose `params` are a NamedTuple of finite numbers, built for the
      environment's problem;
    * `init` returns arrays (no Python scalars), and does so again when called again;
    * `update` keeps the state's structure, shapes and dtypes;
    * actions have the structure, shapes and dtypes that the environment steps on, and
      are among those that it has (so is a recommendation);
    * `act` and `update` work with the declared number of words, read no others, and
      are one program each time that they are traced: no randomness but their noise;
    * nothing becomes NaN in play, and integer statistics (counts) stay >= 0;
    * a run is a pure function of its seed;
    * a recommendation has the form of an action, and reports are arrays without NaN;
    * the lanes transform of `init` gives what `init` gives.

    Raises:
      AssertionError: saying which clause is broken.
    """
    _check_sizes(rounds, root_seed)
    assert isinstance(policy, Policy), f"not a Policy: policy is {policy!r}"
    with _refused():
        environment_of(environment)
        _check_values(policy)
        check_fit(policy.name, policy, environment)
    params = jax.tree.map(to_device, policy.params)
    state = _tried(policy.init, params)
    for leaf in jax.tree.leaves(state):
        assert isinstance(leaf, jax.Array), f"init returned {leaf!r}, not an array"
    with _refused():
        check_round(policy.name, policy, environment, twice=True)
    _assert_equal(state, policy.init(params), "init is not a pure function")
    for seed_index in range(2):
        trace = trace_run(
            policy, environment, rounds, root_seed=root_seed, seed_index=seed_index
        )
        for name in ("actions", "state"):
            for leaf in jax.tree.leaves(getattr(trace, name)):
                assert not np.any(np.isnan(leaf)), (
                    f"policy {policy.name!r}: {name} must not hold NaN after play"
                )
        _check_counts(trace.state)
        instance = _instance(environment, root_seed, seed_index)
        _check_actions(environment, instance, trace, rounds)
        _check_notes(policy, params, trace, environment, instance)
        again = trace_run(
            policy, environment, rounds, root_seed=root_seed, seed_index=seed_index
        )
        _assert_equal(trace, again, "a run is not a pure function of its seed")
    _check_lanes(policy, params, state)


def check_environment(
    environment: Environment, policy: Policy, rounds: int = 30, root_seed: int = 0
) -> None:
    """Check that an environment keeps the protocol's promises.

    * `sample`, `init` and `record` return arrays of fixed shapes and dtypes;
    * `step` keeps the state's structure, shapes and dtypes and works with the
      declared number of words;
    * feedback holds no NaN;
    * metrics are finite numbers.

    Args:
      environment: the environment.
      policy: any policy that plays it.
      rounds: how long to play.
      root_seed: root seed.

    Raises:
      AssertionError: saying which clause is broken.
    """
    _check_sizes(rounds, root_seed)
    assert isinstance(environment, Environment), f"not an Environment: {environment!r}"
    assert isinstance(policy, Policy), f"not a Policy: policy is {policy!r}"
    with _refused():
        environment_of(environment)
    setup = jax.tree.map(to_device, environment.setup)
    instance = _tried(environment.game.sample, jax.random.key(root_seed), setup)
    state = _tried(environment.game.init, instance)
    for leaf in jax.tree.leaves((instance, state)):
        assert isinstance(leaf, jax.Array), (
            f"the environment's sample and init gave {leaf!r}, which is not an array"
        )
    with _refused():
        check_round(policy.name, policy, environment)
    trace = trace_run(policy, environment, rounds, root_seed=root_seed)
    for leaf in jax.tree.leaves(trace.feedback):
        assert not np.any(np.isnan(leaf)), "step gives NaN: feedback holds NaN"
    metrics = _books(environment, instance, trace).metrics
    assert metrics, "the environment's metrics must name at least one, got none"
    for name, value in metrics.items():
        assert value.shape == (1, 1), f"metric {name!r} must be a number"
        assert np.all(np.isfinite(value)), f"metric {name!r} is not finite"


@contextmanager
def _refused(whose: str = ""):
    """What is refused in play is a broken clause."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{whose}{error}") from error


def _tried(function, *args):
    """A result, or None where there is none: `check_round` says why, by name."""
    try:
        return function(*args)
    except Exception:  # noqa: BLE001 - whatever a user's function raises
        return None


def _check_sizes(rounds, root_seed):
    whole("rounds", rounds, 1, MOST_PLAYED)
    root_seed_of(root_seed)


def _check_values(policy: Policy) -> None:
    """Require a name and parameters that can be played, all of them finite."""
    by_name(policy, "policies", is_policy, "a Policy")
    schedule = Schedule([MOST_ROUNDS], MOST_ROUNDS)  # nobody asks for it
    points_of(policy.name, policy._replace(told=()), Points({}), schedule, "params")
    if not isinstance(policy.told, tuple) or set(policy.told) - set(
        getattr(policy.params, "_fields", ())
    ):
        raise TypeError(f"told must name parameters, got {policy.told!r}")
    if not np.all(np.isfinite(policy.params)):
        raise ValueError(f"params must be finite numbers, got {policy.params!r}")


def _assert_equal(left, right, message):
    import chex  # takes as long to import as JAX

    chex.assert_trees_all_equal(left, right, custom_message=message)


def _instance(environment, root_seed, seed_index):
    key = instance_key(root_key(root_seed), jnp.uint32(seed_index))
    return environment.game.sample(key, jax.tree.map(to_device, environment.setup))


def _check_actions(environment, instance, trace, rounds):
    """All that were played are the game's, and its books count them."""
    actions = environment.game.actions
    if actions is not None:
        allowed = jax.vmap(actions.allowed, (None, 0))(instance, trace.actions)
        first = int(np.argmin(allowed))
        action = jax.tree.map(lambda x: x[first].tolist(), trace.actions)
        assert np.all(allowed), (
            f"it plays {action} in round {first + 1}, not {actions.text}"
        )
    counted = _books(environment, instance, trace).counted
    assert counted is None or np.all(counted >= rounds), (
        f"it plays {rounds} rounds, and the environment counts {counted.item()} with "
        "an action that the game has: act must give no other"
    )


def _books(environment, instance, trace):
    """Of one run, at its end."""
    state = jax.tree.map(jnp.asarray, trace.environment)
    record = environment.game.record(instance, state, jnp.int32(NO_BUDGET))
    record = jax.tree.map(lambda x: np.asarray(x)[None, None], record)
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    with _refused():
        return closed(environment, batch, record)


def _check_counts(state):
    for leaf in jax.tree.leaves(state):
        if np.issubdtype(leaf.dtype, np.integer):
            assert np.all(leaf >= 0), (
                "update must keep integer statistics (counts) >= 0: an integer of the "
                f"state is negative, {leaf.min()}"
            )


def _check_notes(policy, params, trace, environment, instance):
    state, actions = jax.tree.map(jnp.asarray, trace.state), environment.game.actions
    if policy.recommend is not None:
        found = policy.recommend(state, params)
        for leaf in jax.tree.leaves(found):
            assert isinstance(leaf, jax.Array), f"recommend gives {leaf!r}"
        assert actions is None or actions.allowed(instance, found), (
            f"recommend gives {found}, not {actions.text}"
        )
    if policy.report is not None:
        metrics = _books(environment, instance, trace).metrics
        for name, value in policy.report(state, params).items():
            assert name not in metrics, f"report {name!r} has the name of a metric"
            assert isinstance(value, jax.Array), f"report {name!r} is not an array"
            assert not np.any(np.isnan(value)), f"report {name!r} holds NaN"


def _check_lanes(policy, params, state):
    """`init` mapped over lanes is `init`, lane by lane."""
    batch = jax.tree.map(
        lambda x: jnp.broadcast_to(x[..., None], (*x.shape, 3)), params
    )
    out, flags = lanes(policy.init, (True,), 3)(batch)
    for leaf, flag, single in zip(
        *map(jax.tree.leaves, (out, flags, state)), strict=True
    ):
        expected = jnp.broadcast_to(single[..., None], (*single.shape, 3))
        found = leaf if flag else jnp.broadcast_to(leaf[..., None], expected.shape)
        assert np.array_equal(found, expected, equal_nan=True), "lanes change init"
