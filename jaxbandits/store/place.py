"""Folders and buckets, in which a file appears once, whole and for good.

A file of a folder is written under a temporary name and then linked to its own name; a
bucket stores an object only if there is none of that name. Files are called ``name`` or
``folder/name``.
"""

import errno
import io
import os
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from jaxbandits import checks

KINDS = ("s3", "gs", "az")  # schemes of the URLs of buckets
TEMPORARY = "."  # how names of unfinished files begin
OLD_SECONDS = 86_400.0  # age at which the writer of a temporary file is surely dead
# A file system without hard links says one of these.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


class Folder:
    """A folder of this machine, or of a file system that several machines share.

    Attributes:
      address: what `place_of` finds the same folder by, in another process too.
      name: how errors call the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()  # The program may change its working directory.
        self.address, self.name = str(self.path), str(path)

    def open(self, name: str) -> BinaryIO:
        """Open a file to read it. Raises FileNotFoundError if there is none."""
        with self._reaching("read"):
            return (self.path / name).open("rb")

    def read(self, name: str) -> bytes:
        """The content of a file. Raises as `open`."""
        with self._reaching("read"):
            return (self.path / name).read_bytes()

    def names(self, folder: str) -> set[str]:
        """Names of the files of a folder; none if the folder does not exist."""
        with suppress(FileNotFoundError), self._reaching("read"):
            entries = [*os.scandir(self.path / folder)]
            names = {entry.name for entry in entries if entry.is_file()}
            return {name for name in names if not name.startswith(TEMPORARY)}
        return set()

    def times(self, folder: str) -> dict[str, float]:
        """Seconds since 1970 at which each file was made; slow on shared disks."""
        result = {}
        for name in self.names(folder):
            with suppress(FileNotFoundError):
                result[name] = (self.path / folder / name).stat().st_mtime
        return result

    def put(self, name: str, data: bytes, safe: str = "") -> bool:
        """Make a file unless there is one of this name; return whether it was made.

        An OSError names the store and ends with `safe`, which says what is not lost.
        """
        file = self.path / name
        if file.is_file():
            return False
        temporary = file.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
        try:
            with self._reaching("write to", safe):
                file.parent.mkdir(parents=True, exist_ok=True)
                temporary.write_bytes(data)
                try:
                    os.link(temporary, file)  # Unlike a rename it replaces no file.
                except OSError as error:
                    if file.is_file():
                        return False
                    if error.errno not in _NO_LINKS:
                        raise
                    temporary.replace(file)
        finally:
            with suppress(OSError):
                temporary.unlink()
        return True

    def drop(self, name: str) -> None:
        """Remove a file, if it is there."""
        with self._reaching("write to"):
            (self.path / name).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove temporary files that are older than a day: their writers died."""
        name = TEMPORARY + 32 * "[0-9a-f]"
        for file in [*self.path.glob(name), *self.path.glob(f"*/{name}")]:
            with suppress(FileNotFoundError):
                if time.time() - file.stat().st_mtime > OLD_SECONDS:
                    file.unlink()

    @contextmanager
    def _reaching(self, act: str, safe: str = "") -> Iterator[None]:
        """Make an OSError of the disk one of the same kind that names the store."""
        try:
            yield
        except OSError as error:
            file = error.filename2 or error.filename
            words = f"{error.strerror or error}{f' ({file})' if file else ''}{safe}"
            words = f"store: cannot {act} {self.name}: {words}"
            raise OSError(error.errno, words) from error


class Bucket:
    """Objects of a bucket, by the package obstore, with the methods of `Folder`."""

    def __init__(self, url: str) -> None:
        self.address = self.name = url
        if url.split("://")[0] not in KINDS:
            raise ValueError(
                f"store: {url} is a URL of an unknown kind; known are "
                f"{', '.join(KINDS)} (as s3://bucket/x), beside folders"
            )
        checks.installed(f"store: {url}", "obstore", "remote")
        from obstore.store import from_url

        try:
            self._store = from_url(url)
        except Exception as error:
            if not _is_remote(error):
                raise
            words = _in_a_line(error)
            raise ValueError(f"store: {url} is no URL of a bucket: {words}") from None

    def open(self, name: str) -> BinaryIO:
        return io.BytesIO(self.read(name))

    def read(self, name: str) -> bytes:
        with self._reaching():
            return bytes(self._store.get(name).bytes())

    def names(self, folder: str) -> set[str]:
        return {*self.times(folder)}

    def times(self, folder: str) -> dict[str, float]:
        result = {}
        with self._reaching():
            # Without the objects of folders within.
            for each in self._store.list_with_delimiter(folder or None)["objects"]:
                name = each["path"].removeprefix(f"{folder}/")
                result[name] = each["last_modified"].timestamp()
        return result

    def put(self, name: str, data: bytes, safe: str = "") -> bool:
        from obstore.exceptions import AlreadyExistsError

        with self._reaching(safe):
            try:
                self._store.put(name, data, mode="create")
            except AlreadyExistsError:
                return False
        return True

    def drop(self, name: str) -> None:
        with suppress(FileNotFoundError), self._reaching():
            self._store.delete(name)

    @contextmanager
    def _reaching(self, safe: str = "") -> Iterator[None]:
        """Make errors of obstore an OSError that names the store."""
        try:
            yield
        except Exception as error:
            if not _is_remote(error) or isinstance(error, FileNotFoundError):
                raise
            words = f"store: cannot reach {self.name}: {_in_a_line(error)}{safe}"
            raise OSError(words) from error


Place = Folder | Bucket


def place_of(where: Any) -> Place:
    """The place of a store.

    Args:
      where: a folder of this machine, the URL of a bucket (``s3://bucket/x``; the
        package obstore reads keys, region and endpoint from the environment, as
        ``AWS_ENDPOINT_URL``), or a place.

    Raises:
      TypeError: if it is nothing of these.
      ValueError: if it is empty, a file, or a URL of another kind; or a URL, and
        obstore is not installed.
    """
    if isinstance(where, Place):
        return where
    if isinstance(where, str) and re.match(r"\w{2,}:/", where):  # perhaps by one slash
        return Bucket(where)
    path = checks.path("store", where)
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise ValueError(f"store must be a folder, and {part} is a file")
    return Folder(path)


def _is_remote(error: Exception) -> bool:
    """Whether obstore raised an error."""
    return type(error).__module__.startswith("obstore")


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{error}".split())[:300]
