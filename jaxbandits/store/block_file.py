"""The file of a block: ``.npz`` with a check of every bit.

NumPy reads the arrays, each with a CRC-32 of its own; the entry ``head.json`` describes
the block and names them. The comment of the zip archive, the last bytes of the file, is
a CRC-32 of all bytes before it.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

HEAD = "head.json"
ARRAYS = "arrays"  # key of the head that lists the names of the arrays
_DIGITS = 8  # of the checksum


class DamagedError(ValueError):
    """A file differs from what was written."""


def packed(
    arrays: Mapping[str, np.ndarray], head: Mapping[str, Any], squeeze: bool = False
) -> bytes:
    """The content of a block's file.

    Args:
      arrays: by name.
      head: description of the block, as JSON can hold it.
      squeeze: whether to compress the arrays, which takes twenty times as long.
    """
    method = zipfile.ZIP_DEFLATED if squeeze else zipfile.ZIP_STORED
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
        archive.comment = bytes(_DIGITS)
        archive.writestr(HEAD, json.dumps({**head, ARRAYS: [*arrays]}))
        for name, array in arrays.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, np.asarray(array), allow_pickle=False)
            archive.writestr(f"{name}.npy", data.getbuffer())
    body = file.getvalue()[:-_DIGITS]
    return body + _checksum(body)


def unpacked(file: BinaryIO, *names: str) -> tuple[dict[str, Any], list[Any]]:
    """The head of a block, and arrays by name: None for an array that it lacks.

    Raises:
      DamagedError: unless the head and these arrays are as they were written.
    """
    try:  # A wrong bit can raise almost any error.
        with zipfile.ZipFile(file) as archive:
            if len(archive.comment) != _DIGITS:
                raise ValueError("its end is missing")
            head: dict[str, Any] = json.loads(archive.read(HEAD))
            # `numpy.load` would read only as far as a damaged array says.
            data = {x: archive.read(f"{x}.npy") for x in names if x in head[ARRAYS]}
        arrays = {
            name: np.lib.format.read_array(io.BytesIO(each))
            for name, each in data.items()
        }
        return head, [arrays.get(name) for name in names]
    except Exception as error:
        raise DamagedError(f"{type(error).__name__}: {error}") from error


def is_whole(data: bytes) -> bool:
    """Whether every bit of a file is as it was written."""
    return data[-_DIGITS:] == _checksum(data[:-_DIGITS])


def _checksum(data: bytes) -> bytes:
    return b"%08x" % zlib.crc32(data)
