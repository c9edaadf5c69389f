"""The files of a store's arrays: what must be there, and whether it is whole.

Every chunk ends with its CRC-32C. A block counts as played once it has a chunk of
`session`, which is written last; from then on it has a chunk of every other array of
results. Chunks of coordinates are always there.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import google_crc32c
import zarr
from zarr.storage import LocalStore

from jaxbandits.results.root import PLAYED

_CRC_BYTES = 4
_RUN_DIMS = 4  # environment, policy, params, seed


def is_whole(data: bytes) -> bool:
    """Whether a chunk is as it was written."""
    body, said = data[:-_CRC_BYTES], data[-_CRC_BYTES:]
    return said == google_crc32c.value(body).to_bytes(_CRC_BYTES, "little")


def is_result(array: zarr.Array) -> bool:
    """Whether an array has blocks; coordinates have not."""
    return array.ndim >= _RUN_DIMS


def chunk_files(array: zarr.Array, block: tuple[int, ...] | None = None):
    """Names of an array's chunks in the store; of a block, or all."""
    counts = array.cdata_shape
    begin = () if block is None else block
    for rest in product(*map(range, counts[len(begin) :])):
        yield f"{array.basename}/{array.metadata.encode_chunk_key((*begin, *rest))}"


def blocks_of(group: zarr.Group) -> Iterator[tuple[int, ...]]:
    """Numbers of all blocks: of environment, policy, and along points and seeds."""
    return product(*map(range, group[PLAYED].cdata_shape))


class CheckedStore(LocalStore):
    """A folder whose damaged or missing chunks are errors that name the file.

    Zarr itself takes a missing chunk for one that holds nothing but fill values.
    """

    async def get(self, key, prototype=None, byte_range=None):
        """As of any store of Zarr."""
        found = await super().get(key, prototype, byte_range)
        if found is None and self._lacks(key):
            # It may have been written just now.
            found = await super().get(key, prototype, byte_range)
        return self._checked(key, found, byte_range)

    def get_sync(self, key, *, prototype=None, byte_range=None):
        """As of any store of Zarr from 3.2."""
        found = super().get_sync(key, prototype=prototype, byte_range=byte_range)
        if found is None and self._lacks(key):
            found = super().get_sync(key, prototype=prototype, byte_range=byte_range)
        return self._checked(key, found, byte_range)

    def _checked(self, key, found, byte_range):
        if "/c/" in key and byte_range is None:
            if found is None and self._lacks(key):
                _refuse(self.root / key, "missing")
            if found is not None and not is_whole(found.to_bytes()):
                _refuse(self.root / key, "damaged")
        return found

    def _lacks(self, key: str) -> bool:
        """Whether a chunk has to be there, by name."""
        name, _, place = key.partition("/c/")
        numbers = place.split("/")
        if not place or name == PLAYED:
            return False
        if len(numbers) < _RUN_DIMS:
            return True
        played = "/".join([PLAYED, "c", *numbers[:_RUN_DIMS]])
        return (self.root / played).exists()


def _refuse(file: Path, what: str) -> None:
    raise ValueError(
        f"store: {file} is {what} and cannot be read; the next sweep into the store "
        "plays it again"
    )
