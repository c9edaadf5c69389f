"""One run, whose random words are arguments: half the program of `trace_run`."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.contract.params import params_of
from jaxbandits.engine.accounting import accounts_of
from jaxbandits.engine.schedule import Schedule
from jaxbandits.engine.tape import Stream, instance_key, root_key
from jaxbandits.testing import Trace
from tests.reference.words import tape


def run_of(policy, environment, rounds, *, params=None, seed_index=0):
    """The `Trace` of `jaxbandits.testing.trace_run`, which has the same arguments."""
    game, (act, update) = environment.game, policy.words
    params = params_of(policy, params, Schedule([rounds], rounds), "params")
    widths = (
        (Stream.ACT, act),
        (Stream.ENVIRONMENT, game.words),
        (Stream.UPDATE, update),
    )
    with jax.threefry_partitionable(True):  # as `simulate` draws instances
        played = _played(
            policy.functions,
            game,
            params,
            jax.tree.map(_in_play, environment.setup),
            instance_key(root_key(0), jnp.uint32(seed_index)),
            [tape(stream, rounds, width, seed_index) for stream, width in widths],
        )
    return jax.tree.map(np.asarray, Trace(*played))


def metrics_of(environment, record):
    """The metrics of one run, numbers by name; of a game that draws no instance."""
    record = jax.tree.map(lambda x: np.asarray(x)[None, None], record)
    found = accounts_of(environment, (), record).metrics
    return {name: value.item() for name, value in found.items()}


def _in_play(x):
    """A number of 32 bits, or of 64 if they are enabled and it is no integer."""
    x = np.asarray(x)
    return x.astype(np.int32) if x.dtype.kind == "i" else x


@partial(jax.jit, static_argnums=(0, 1))
def _played(policy, game, params, setup, key, words):
    instance = game.sample(key, setup)

    def step(states, round_):
        (mine, its), (number, noise) = states, round_
        view = game.view(number, instance, its)
        action = policy.act(noise[0], view, mine, params)
        after, feedback = game.step(noise[1], instance, its, action)
        mine = policy.update(noise[2], view, mine, action, feedback, params)
        return (mine, after), (action, feedback)

    start = policy.init(params), game.init(instance)
    numbers = jnp.arange(1, len(words[0]) + 1, dtype=jnp.int32)
    (mine, its), (actions, feedback) = jax.lax.scan(step, start, (numbers, words))
    return actions, feedback, mine, its
