"""The tape's words: those of a cipher of JAX's own, at counters of their own."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.extend.random import threefry_2x32

from jaxbandits.engine import tape
from tests.tables import each_row

WORD = st.integers(0, 2**32 - 1)


def cipher(key, first, second):
    words = threefry_2x32(jnp.array(key, "u4"), jnp.array([*first, *second], "u4"))
    return np.asarray(words)


NUMBERS = {"INSTANCE": 0, "ENVIRONMENT": 1, "ACT": 2, "UPDATE": 3}


@each_row("stream", NUMBERS)
@given(high=WORD, low=WORD, seed=WORD, round_=st.integers(1, 2**31 - 2))
@settings(max_examples=8)
def test_words_by_the_cipher(stream, high, low, seed, round_):
    """With other counters every run there is would be another."""
    key = cipher((high, low), [seed], [NUMBERS[stream]])
    root = tape.root_key((high << 32) + low)
    own = tape.stream_key(root, jnp.uint32(seed), tape.Stream[stream])
    for width, half in ((0, 0), (1, 1), (4, 2), (5, 3)):
        expected = cipher(key, [round_] * half, range(half))[:width]
        found = tape.draw_words(own, jnp.int32(round_), width)
        np.testing.assert_array_equal(found, expected, strict=True)


def test_rounds_are_read_from_the_first_one_on():
    found = tape.read(2**32 + 2, 7, tape.Stream.ACT, 3, 5)
    key = tape.stream_key(tape.root_key(2**32 + 2), jnp.uint32(7), tape.Stream.ACT)
    expected = [tape.draw_words(key, round_, 5) for round_ in (1, 2, 3)]
    np.testing.assert_array_equal(found, expected, strict=True)


def test_an_instance_has_a_stream_of_its_own():
    key = tape.instance_key(tape.root_key(2**32 + 2), jnp.uint32(7))
    np.testing.assert_array_equal(jax.random.key_data(key), cipher((1, 2), [7], [0]))


def test_every_bit_of_a_root_seed_counts():
    keys = {tuple(map(int, tape.root_key(2**bit))) for bit in range(64)}
    assert len(keys) == 64
    assert tuple(map(int, tape.root_key(2**64 - 1))) == (2**32 - 1, 2**32 - 1)
