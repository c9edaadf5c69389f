"""Files of blocks: every bit is checked, and NumPy reads them."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxbandits.store.block_file import DamagedError, is_whole, packed, unpacked

ARRAYS = {"regret": np.arange(6.0).reshape(1, 2, 3), "rounds": np.ones((1, 2), "i4")}
DATA = packed(ARRAYS, {"key": "k"})


def test_a_block_holds_what_was_put_in(tmp_path):
    assert is_whole(DATA) and is_whole(packed(ARRAYS, {}, squeeze=True))
    for name, wanted in ARRAYS.items():
        head, (found,) = unpacked(io.BytesIO(DATA), name)
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert head == {"key": "k", "arrays": ["regret", "rounds"]}
    assert unpacked(io.BytesIO(DATA), "other")[1] == [None]
    (path := tmp_path / "a.npz").write_bytes(DATA)
    np.testing.assert_array_equal(np.load(path)["regret"], ARRAYS["regret"])


@given(st.integers(0, 8 * len(DATA) - 1))
@settings(max_examples=300, deadline=None)
def test_a_flipped_bit_is_found_and_never_read(bit):
    data = bytearray(DATA)
    data[bit // 8] ^= 1 << bit % 8
    assert not is_whole(bytes(data))
    for name, wanted in ARRAYS.items():
        try:
            head, (found,) = unpacked(io.BytesIO(bytes(data)), name)
        except DamagedError:
            continue
        assert head["key"] == "k"
        np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize(
    "length", [0, 1, 40, len(DATA) // 2, *(len(DATA) - x for x in (40, 9, 8, 1))]
)
def test_a_truncated_block_is_refused(length):
    assert not is_whole(DATA[:length])
    with pytest.raises(DamagedError):
        unpacked(io.BytesIO(DATA[:length]))
