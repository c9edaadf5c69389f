"""Whether a policy keeps the protocol's promises."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import require
from jaxbandits.checks.fit import check_fit
from jaxbandits.checks.points import Points
from jaxbandits.contract.environment import environment_of
from jaxbandits.contract.params import points_of, unset_game_params
from jaxbandits.contract.round import check_round
from jaxbandits.engine.cpu.lanes import lanes
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.rules import notes_of
from jaxbandits.protocol import Environment, Policy
from jaxbandits.simulation.arguments import by_name
from jaxbandits.testing._clauses import (
    check_first_rounds,
    of,
    play_twice,
    refused,
    require_arrays,
    results,
    tried,
)
from jaxbandits.testing._trace import Trace, Watch, check_sizes, instance_for


def check_policy(
    policy: Policy, environment: Environment, rounds: int = 30, root_seed: int = 0
) -> None:
    """Check that a policy keeps the protocol's promises in an environment.

    * it is a `Policy` whose `params` are a NamedTuple of finite numbers, built for the
      environment's problem;
    * `init` returns arrays (no Python scalars), and equal ones when called again;
    * `update` keeps the state's structure, shapes and dtypes;
    * actions and recommendations have the structure, shapes and dtypes of the
      environment's actions, and are valid;
    * `act` and `update` work with the declared number of words and read no other words
      (at positions that are constant or occur in 30 rounds); they give the same program
      each time that they are traced: noise is their only randomness;
    * no function indexes an array out of range in the first 30 rounds: JAX would read
      another entry, or drop a write;
    * nothing becomes NaN in play;
    * a run is a pure function of its seed;
    * a recommendation has the form of an action, and reports are real arrays without
      NaN;
    * `init`, mapped over a batch of runs by the engine, gives the same as `init`.

    If the policy needs the horizon or budget and has none, `rounds` is taken.

    Raises:
      AssertionError: naming the broken clause.
    """
    check_sizes(rounds, root_seed)
    require(isinstance(policy, Policy), f"not a Policy: policy is {policy!r}")
    with of(f"policy {policy.name!r}"):
        _check(policy, environment, rounds, root_seed)


def _check(
    policy: Policy, environment: Environment, rounds: int, root_seed: int
) -> None:
    """The clauses of `check_policy`."""
    with refused():
        environment_of(environment)
        policy = _played(policy, rounds)
        check_fit(policy.name, policy, environment)
    params = jax.tree.map(to_device, policy.params)
    state = _started(policy, params)
    with refused():
        check_round(policy.name, policy, environment, compared="policy")
    noted = jax.jit(partial(notes_of, policy.functions))
    for seed_index in range(2):
        trace, watch = play_twice(policy, environment, rounds, root_seed, seed_index)
        _check_watch(policy, trace, watch)
        instance = instance_for(environment, root_seed, seed_index)
        notes = noted(jax.tree.map(jnp.asarray, trace.state), params)
        results(policy, environment, instance, trace, notes)
    check_first_rounds(_calls(policy), watch.first)
    _check_lanes(policy, params, state)


def _played(policy: Policy, rounds: int) -> Policy:
    """The policy with float parameters as in play, and with the game's end."""
    by_name(policy, "policies", lambda given: isinstance(given, Policy), "a Policy")
    own = policy._replace(game_params=())
    row = points_of(policy.name, own, Points({}), None, "params").row(0)
    if not isinstance(policy.game_params, tuple) or set(policy.game_params) - set(row):
        raise TypeError(f"game_params must name parameters, got {policy.game_params!r}")
    if not np.all(np.isfinite([*row.values()])):
        raise ValueError(f"params must be finite numbers, got {policy.params!r}")
    row |= dict.fromkeys(unset_game_params(policy), float(rounds))
    return own._replace(params=type(policy.params)(**row)) if row else own


def _started(policy: Policy, params: Any) -> Any:
    """The arrays that `init` returns, or None if it fails (see `check_round`)."""
    given = []

    def init(params):
        given.append(policy.init(params))
        return given[-1]

    state = tried(jax.jit(init), params)
    require_arrays("init", given)
    return state


def _check_watch(policy: Policy, trace: Trace, watch: Watch) -> None:
    """Require that nothing was NaN in any round."""
    for leaf in jax.tree.leaves(trace.actions):
        require(
            not np.any(np.isnan(leaf)),
            f"policy {policy.name!r}: actions must not hold NaN",
        )
    for path, wrong in jax.tree_util.tree_leaves_with_path(watch.nan):
        require(
            not wrong.any(),
            f"policy {policy.name!r}: state{jax.tree_util.keystr(path)} must not hold "
            f"NaN, and does in round {max(1, np.argmax(wrong))}",
        )


def _calls(policy):
    """A policy's functions with names, and ``(generator, Round) -> arguments``."""
    params, owner = jax.tree.map(to_device, policy.params), f"policy {policy.name!r}"

    def noise(words, place):
        return words.integers(2**32, size=policy.words[place], dtype=np.uint32)

    def acts(words, x):
        return noise(words, 0), x.view, x.state, params

    def updates(words, x):
        return noise(words, 1), x.view, x.state, x.action, x.feedback, params

    yield f"{owner}: act", policy.act, acts
    yield f"{owner}: update", policy.update, updates
    for what in ("recommend", "report"):
        if (function := getattr(policy, what)) is not None:
            yield f"{owner}: {what}", function, lambda _, x: (x.state, params)


def _check_lanes(policy, params, state):
    """`init` mapped over lanes is `init`, lane by lane."""
    batch = jax.tree.map(
        lambda x: jnp.broadcast_to(x[..., None], (*x.shape, 3)), params
    )
    flags = []

    @jax.jit
    def mapped(batch):
        out, flag = lanes(policy.init, (True,), 3)(batch)
        flags.extend(jax.tree.leaves(flag))
        return out

    leaves = map(np.asarray, jax.tree.leaves(mapped(batch)))
    for leaf, flag, single in zip(leaves, flags, jax.tree.leaves(state), strict=True):
        expected = np.broadcast_to(single[..., None], (*single.shape, 3))
        many = leaf if flag else np.broadcast_to(leaf[..., None], expected.shape)
        require(np.array_equal(many, expected, equal_nan=True), "lanes change init")
