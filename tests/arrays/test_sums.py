"""Compensated sums against exact sums."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from jax import lax

from jaxbandits.arrays import CompensatedSum
from tests.kernels.checks import assert_transforms_agree
from tests.programs import OPTIMISED


@partial(jax.jit, compiler_options=OPTIMISED)
def scan_sum(start, terms):
    """All terms added one after the other, compensated and plainly."""

    def step(carry, x):
        compensated, plain = carry
        return (compensated.add(x), plain + x), None

    zeros = CompensatedSum.zeros(start.shape, start.dtype).add(start)
    return lax.scan(step, (zeros, start), terms)[0]


def exact(sum_):
    return float(sum_.total) + float(sum_.lost)


def test_a_plain_sum_stalls_and_this_one_does_not():
    start = jnp.float32(2**24 - 1000)
    compensated, plain = scan_sum(start, jnp.ones(1_000_000, jnp.float32))
    assert plain == 2**24
    assert compensated.total == 2**24 - 1000 + 1_000_000
    assert exact(compensated) == 2**24 - 1000 + 1_000_000


def test_small_terms_are_not_lost():
    compensated, plain = scan_sum(jnp.float32(1), jnp.full(10_000, 1e-8, jnp.float32))
    assert plain == 1
    assert abs(exact(compensated) - (1 + 1e-4)) < 1e-10


def test_a_million_random_terms_are_summed_exactly(tape):
    terms = tape(1_000_000, 1)[:, 0]
    compensated, plain = scan_sum(jnp.float32(0), jnp.asarray(terms))
    truth = math.fsum(terms.tolist())
    assert abs(float(compensated.total) / truth - 1) < 1e-7
    assert abs(exact(compensated) / truth - 1) < 1e-10
    assert abs(float(plain) / truth - 1) > 1e-6


def test_arrays_in_float64_are_summed_exactly(rng):
    with jax.enable_x64(True):
        terms = rng.normal(size=(1000, 2, 3))
        compensated, _ = scan_sum(jnp.full((2, 3), 1e9), jnp.asarray(terms))
        assert compensated.total.dtype == compensated.lost.dtype == jnp.float64
        both = np.asarray(compensated.total - 1e9) + np.asarray(compensated.lost)
        for i, j in np.ndindex(2, 3):
            assert abs(both[i, j] - math.fsum(terms[:, i, j])) < 1e-13


@given(st.lists(st.floats(-1, 1, width=32), min_size=64, max_size=64))
def test_terms_of_either_sign_are_summed_to_half_a_unit(terms):
    compensated, _ = scan_sum(jnp.float32(100), jnp.asarray(terms, jnp.float32))
    truth = math.fsum([100, *terms])
    # Half a unit in the last place of every term, and of the total once.
    rounding = 64 * 2.0**-24
    assert abs(exact(compensated) - truth) <= rounding
    half_unit = np.spacing(np.float32(truth)) / 2
    assert abs(float(compensated.total) - truth) <= half_unit + rounding


def test_a_sum_begins_with_zeros_and_is_the_same_in_a_batch(tape):
    empty = CompensatedSum.zeros((2,))
    assert empty.total.dtype == jnp.float32 and not empty.total.any()
    np.testing.assert_array_equal(empty.add(1.5).total, [1.5, 1.5])
    u = tape(20, 3)
    assert_transforms_agree(lambda t, x: CompensatedSum(t, t * 0).add(x), u, u[:, ::-1])
