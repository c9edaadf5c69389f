"""``engine="vmap"``: the rollout with ``jax.vmap`` in place of the lanes transform.

It does not read JAX's programs. So it is the reference in tests of the lanes transform,
the baseline of benchmarks, and a way to go on where a new JAX breaks the transform. Its
results are the same up to rounding, and it is several times slower.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp

from jaxbandits.engine.legs import scan_legs
from jaxbandits.engine.rules import Engine


def lanes(
    fn: Callable, in_lanes: tuple, num_lanes: int, platform: str = "cpu", going=None
):
    """As `engine.cpu.lanes.lanes`; all outputs have the lane axis."""
    del platform  # the same program everywhere
    axes = jax.tree.map(lambda lane: -1 if lane else None, in_lanes)

    def mapped(*args):
        outputs = jax.vmap(fn, axes, -1, axis_size=num_lanes)(*args)
        if going is not None:
            keep = partial(jnp.where, going)
            outputs = jax.tree.map(keep, outputs, args[-1])
        return outputs, jax.tree.map(lambda _: True, outputs)

    return mapped


VMAP = Engine(scan_legs, lanes)
