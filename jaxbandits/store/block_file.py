"""A block as a file: ``.npz``, whose every bit is checked.

Each array has a CRC-32 that whoever reads it checks; any NumPy reads it. The last bytes
of the file, the comment of the zip archive, are a CRC-32 of everything before them.
The entry ``head.json`` says which block this is, and names its arrays.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

HEAD = "head.json"
ARRAYS = "arrays"  # the entry of a head that names the arrays
_DIGITS = 8  # of the checksum of the file


class DamagedError(ValueError):
    """A file is not as it was written."""


def packed(
    arrays: Mapping[str, np.ndarray], head: Mapping[str, Any], squeeze: bool = False
) -> bytes:
    """The file of a block.

    Args:
      arrays: by name.
      head: what describes them, as JSON can hold it.
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


def head_of(file: BinaryIO) -> dict[str, Any]:
    """The head. Raises a `DamagedError` unless it is as it was written."""
    with _opened(file) as archive:
        head: dict[str, Any] = json.loads(_entry(archive, HEAD))
    return head


def array_of(file: BinaryIO, name: str) -> tuple[dict[str, Any], np.ndarray | None]:
    """The head, and one of the arrays; None if the block has none of this name.

    Raises:
      DamagedError: unless both are as they were written.
    """
    with _opened(file) as archive:
        head: dict[str, Any] = json.loads(_entry(archive, HEAD))
        if name not in head[ARRAYS]:
            return head, None
        data = io.BytesIO(_entry(archive, f"{name}.npy"))
    return head, np.lib.format.read_array(data)


def is_whole(data: bytes) -> bool:
    """Whether every bit of a file is as it was written."""
    return data[-_DIGITS:] == _checksum(data[:-_DIGITS])


def _checksum(data: bytes) -> bytes:
    return b"%08x" % zlib.crc32(data)


def _opened(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except Exception as error:  # A bit can be wrong in many ways.
        raise DamagedError(f"{type(error).__name__}: {error}") from error


def _entry(archive: zipfile.ZipFile, name: str) -> bytes:
    # Not by `numpy.load`, which reads no further than a damaged array tells it to.
    try:
        return archive.read(name)
    except Exception as error:
        raise DamagedError(f"{type(error).__name__}: {error}") from error
