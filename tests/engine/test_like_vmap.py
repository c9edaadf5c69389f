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


def in_both_engines(args):
    """What lanes make of all cases and a kernel of all that it can, of which some
    outputs lie where the inputs did. In one program: XLA takes longer for several."""
    flags = {}

    @jax.jit
    def run(args):
        nonlocal flags
        in_lanes, flags = lanes(CALL, (True,), LANES)(args)
        return in_lanes, mapped(CALL, {name: args[name] for name in CASES})

    in_lanes, kernel = run(args)
    filled = {name: fill(x, flags[name], LANES) for name, x in in_lanes.items()}
    return filled, kernel


def like_vmap(call, args):
    return jax.jit(jax.vmap(call, -1, -1, axis_size=LANES))(args)


CALL, ARGS = at_once(CASES | FALLBACKS)


def test_lanes_and_a_kernel_agree(subtests):
    """On what only lanes can, lanes agree with vmap."""
    found, kernel = in_both_engines(ARGS)
    plain = like_vmap(*at_once(FALLBACKS))
    for name, wanted in (kernel | plain).items():
        with subtests.test(name):
            close = (2e-6, 1e-5) if name in kernel else (2e-6,)
            jax.tree.map(
                lambda a, b, c=close: assert_same(a, b, *c), found[name], wanted
            )


@pytest.mark.slow
def test_lanes_and_a_kernel_are_like_vmap(subtests):
    found, kernel = in_both_engines(ARGS)
    for name, wanted in like_vmap(CALL, ARGS).items():
        with subtests.test(name, engine="lanes"):
            jax.tree.map(lambda a, b: assert_same(a, b, 2e-6), found[name], wanted)
        if name in CASES:
            with subtests.test(name, engine="kernel"):
                each = kernel[name]
                jax.tree.map(lambda a, b: assert_same(a, b, 1e-6, 1e-5), each, wanted)
