"""Files that appear whole or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary name beside `path`, moved onto `path` when the block succeeds.

    A reader sees the old file or the new one, never a part; an error in the block keeps
    the old file and removes the temporary one.

    Yields:
      The name to write to. It has the suffix of `path`, by which some writers choose
      the format.

    Raises:
      ValueError: if the folder does not exist, or `path` is a folder or a device.
      PermissionError: if the folder cannot be written to.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(f"path: there is no folder {path.parent} to write {path} in")
    if path.is_dir():
        raise ValueError(f"path: {path} is a folder, not a file")
    if path.exists() and not path.is_file():
        raise ValueError(f"path: {path} is a device, which a file would replace")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"path: the folder {path.parent} cannot be written to")
    # In the same folder, as a rename is atomic within one file system only. `tempfile`
    # would make a file that others cannot read, whatever the user's umask.
    temporary = path.with_name(f".{uuid.uuid4().hex}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
