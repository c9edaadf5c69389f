"""Whether the objects of a store are as they were written.

A chunk of a coordinate ends with its CRC-32C. A shard consists of pieces that end with
theirs, and of an index of their places, with one too (the sharding codec of Zarr 3).
"""

import struct

import google_crc32c

_CRC_BYTES = 4
_ENTRY_BYTES = 16
_EMPTY = 2**64 - 1


def chunk_is_whole(data: bytes) -> bool:
    """Whether a chunk, a piece or an index is as it was written."""
    body, said = data[:-_CRC_BYTES], data[-_CRC_BYTES:]
    return said == google_crc32c.value(body).to_bytes(_CRC_BYTES, "little")


def shard_is_whole(data: bytes, pieces: int) -> bool:
    """Whether every byte of a shard of so many pieces is as it was written."""
    size = _ENTRY_BYTES * pieces + _CRC_BYTES
    index = data[-size:]
    if len(index) < size or not chunk_is_whole(index):
        return False
    numbers = struct.unpack(f"<{2 * pieces}Q", index[:-_CRC_BYTES])
    places = zip(numbers[::2], numbers[1::2], strict=True)
    there = [place for place in places if place != (_EMPTY, _EMPTY)]
    return sum(length for _, length in there) == len(data) - size and all(
        chunk_is_whole(data[begin : begin + length]) for begin, length in there
    )
