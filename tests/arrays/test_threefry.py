"""Threefry against published vectors and JAX's own cipher."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from jax.extend.random import threefry_2x32

from jaxbandits.arrays import threefry
from tests.kernels.checks import assert_transforms_agree
from tests.tables import each_row

ONES = 0xFFFFFFFF
WORDS = st.integers(0, ONES)


def words(*values):
    return tuple(jnp.uint32(v) for v in values)


@each_row(
    "key, counter, expected",
    [  # Random123, kat_vectors: threefry2x32, 20 rounds
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_words_are_the_published_ones(key, counter, expected):
    for x64 in (False, True):
        with jax.enable_x64(x64):
            out = threefry(words(*key), words(*counter))
        assert [x.dtype for x in out] == [jnp.uint32, jnp.uint32]
        assert tuple(int(x) for x in out) == expected


@given(WORDS, WORDS, WORDS, WORDS)
def test_words_are_those_of_jax(k0, k1, c0, c1):
    theirs = threefry_2x32(jnp.array([k0, k1], jnp.uint32), jnp.array([c0, c1], "u4"))
    ours = threefry(words(k0, k1), words(c0, c1))
    np.testing.assert_array_equal(np.stack(ours), theirs)


def test_keys_and_counters_broadcast(rng):
    k, c = rng.integers(0, 2**32, (2, 6), np.uint32)
    table = threefry((k[:, None], k[:, None]), (c[None, :], jnp.uint32(3)))
    assert table[0].shape == table[1].shape == (6, 6)
    single = threefry((k[4], k[4]), (c[2], jnp.uint32(3)))
    assert (table[0][4, 2], table[1][4, 2]) == single
    assert_transforms_agree(lambda x, y: threefry((x, y), (y, x)), k, c)
