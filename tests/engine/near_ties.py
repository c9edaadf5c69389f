"""Where two engines part: how near an index was to another choice.

Sums are taken in another order by each, so that an index may differ in its last digit.
A run may then choose another arm in one of them, but only where two indices are almost
equal.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.jaxprs import called, inner_of, walk
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.rules import play_round
from jaxbandits.engine.tape import instance_key, root_key, stream_keys
from tests.engine.legs import rules_of

CHOICES = {PREFIX + "first_argmax", PREFIX + "random_argmax"}


def smallest_gaps(policy, environment, seeds, rounds: int) -> np.ndarray:
    """f32[S, rounds]: in each round of a run, between the largest index and the next.

    Relative to the index where it is above 1, and of all choices of the round the
    smallest; played by a plain program.
    """
    rules = rules_of(policy, environment, engine=None)

    @jax.jit
    def played(seed, params, setup):
        root = root_key(0)
        keys = stream_keys(root, seed)
        instance = rules.game.sample(instance_key(root, seed), setup)
        start = policy.init(params), rules.game.init(instance)

        def one(states, round_):
            def play(states):
                return play_round(rules, round_, keys, instance, params, states)

            closed, shapes = jax.make_jaxpr(play, return_shape=True)(states)
            gaps = [jnp.float32(jnp.inf)]
            outputs = _evaluated(closed, jax.tree.leaves(states), gaps)
            after = jax.tree.unflatten(jax.tree.structure(shapes), outputs)
            return after, jnp.min(jnp.stack(gaps))

        return jax.lax.scan(one, start, jnp.arange(1, rounds + 1))[1]

    numbers = jax.tree.map(to_device, (policy.params, environment.setup))
    return np.stack([played(jnp.uint32(seed), *numbers) for seed in seeds])


def gap(x):
    """Between the largest entry and the next: f32[], +inf where the largest is."""
    second, first = jnp.sort(x.reshape(-1))[-2:] if x.size > 1 else (-jnp.inf, x[0])
    apart = jnp.where(jnp.isinf(first), 0.0, first) - second
    apart = jnp.where(jnp.isinf(first), jnp.inf, apart)
    return (apart / jnp.maximum(jnp.abs(first), 1.0)).astype(jnp.float32)


def _evaluated(closed: ClosedJaxpr, args, gaps: list) -> list:
    """The outputs of a program; the gaps of its choices are added to `gaps`."""

    def emit(eqn, inputs):
        if (inner := inner_of(eqn)) is None:
            outputs = eqn.primitive.bind(*inputs, **eqn.params)
            return outputs if eqn.primitive.multiple_results else [outputs]
        if called(eqn) in CHOICES:
            gaps.append(gap(inputs[0]))
        return _evaluated(inner, inputs, gaps)

    return walk(closed, args, lambda x, dtype: jnp.asarray(x, dtype), emit)
