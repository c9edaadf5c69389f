"""Both engines map the functions of `one_lane` over lanes as ``jax.vmap`` does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.engine.cpu.lanes import fill, lanes
from tests.engine.gpu_mapped import mapped
from tests.engine.one_lane import CASES, FALLBACKS, LANES, at_once

pytestmark = pytest.mark.oldest


def assert_same(found, wanted, rtol, atol=0.0):
    """Same values, shapes and dtypes; exact unless the output is inexact."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    inexact = jnp.issubdtype(found.dtype, jnp.floating)
    np.testing.assert_allclose(found, wanted, *((rtol, atol) if inexact else (0, 0)))


def test_lanes_and_a_kernel_are_like_vmap(subtests):
    """All in one program: XLA takes longer for several. All but what is beyond the GPU
    engine in one kernel, of which some outputs lie where the inputs did."""
    call, every = at_once(CASES | FALLBACKS)

    @jax.jit
    def run(args):
        nonlocal flags
        in_lanes, flags = lanes(call, (True,), LANES)(args)
        kernel = mapped(call, {name: args[name] for name in CASES})
        return in_lanes, kernel, jax.vmap(call, -1, -1, axis_size=LANES)(args)

    flags = {}
    in_lanes, kernel, plain = run(every)
    for name, wanted in plain.items():
        with subtests.test(name, engine="lanes"):
            found = fill(in_lanes[name], flags[name], LANES)
            jax.tree.map(lambda a, b: assert_same(a, b, 2e-6), found, wanted)
        if name in CASES:
            with subtests.test(name, engine="kernel"):
                found = kernel[name]
                jax.tree.map(lambda a, b: assert_same(a, b, 1e-6, 1e-5), found, wanted)
