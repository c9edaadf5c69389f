"""Where files lie: a folder or a bucket. A file appears whole, once, for good.

A file of a folder is written under a temporary name and linked to its own; a bucket
puts an object only if there is none. Names of files are ``folder/name`` or ``name``,
one level deep.
"""

import errno
import io
import os
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from jaxbandits import checks

KINDS = ("s3", "gs", "az")  # of buckets, by the scheme of their URLs
TEMPORARY = "."  # how the names of files begin that are not whole
OLD_SECONDS = 86_400.0  # after which a temporary file is nobody's
# A file system without hard links says one of these.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


class Place(ABC):
    """What a store asks of the place where its files lie.

    Args:
      address: by which places are equal.
      name: for people.
    """

    def __init__(self, address: str | Path, name: str) -> None:
        self._address, self.name = address, name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def read(self, name: str) -> bytes:
        """All of a file. Raises as `open`."""
        with self.open(name) as file:
            return bytes(file.read())

    def names(self, folder: str) -> set[str]:
        """Names of the files of a folder; none if there is no such folder."""
        return {*self.times(folder)}

    @abstractmethod
    def times(self, folder: str) -> dict[str, float]:
        """When each file was made, in seconds since 1970; slow on shared disks."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """A file to be read. Raises a FileNotFoundError if there is none."""

    @abstractmethod
    def put(self, name: str, data: bytes, safe: str = "") -> bool:
        """Make a file if there is none of this name; whether this call made it.

        Raises:
          OSError: that names the store, and says what is `safe`.
        """

    @abstractmethod
    def drop(self, name: str) -> None:
        """Remove a file, if it is there."""


class Folder(Place):
    """Files of this machine, or of a file system that several machines share."""

    def __init__(self, path: Path) -> None:
        # Of the place that was meant, whatever `chdir` says later.
        self.path = path.absolute()
        super().__init__(self.path, str(path))

    def names(self, folder: str) -> set[str]:
        with suppress(FileNotFoundError), os.scandir(self.path / folder) as entries:
            return {
                entry.name
                for entry in entries
                if not entry.name.startswith(TEMPORARY) and not entry.is_dir()
            }
        return set()

    def times(self, folder: str) -> dict[str, float]:
        result = {}
        for name in self.names(folder):
            with suppress(FileNotFoundError):
                result[name] = (self.path / folder / name).stat().st_mtime
        return result

    def open(self, name: str) -> BinaryIO:
        return (self.path / name).open("rb")

    def put(self, name: str, data: bytes, safe: str = "") -> bool:
        file = self.path / name
        if file.exists():
            return False
        temporary = file.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
            try:
                os.link(temporary, file)  # Unlike a rename it refuses where one is.
            except OSError as error:
                if file.exists():
                    return False
                if error.errno not in _NO_LINKS:
                    raise
                temporary.replace(file)
        except OSError as error:
            words = f"cannot write to {self.name}: {error.strerror or error}{safe}"
            raise OSError(error.errno, f"store: {words}") from error
        finally:
            with suppress(OSError):
                temporary.unlink()
        return True

    def drop(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove temporary files of programs that were killed a day ago or earlier."""
        name = TEMPORARY + 32 * "[0-9a-f]"
        for file in [*self.path.glob(name), *self.path.glob(f"*/{name}")]:
            with suppress(FileNotFoundError):
                if time.time() - file.stat().st_mtime > OLD_SECONDS:
                    file.unlink()


class Bucket(Place):
    """Objects of a bucket, by the package obstore."""

    def __init__(self, url: str) -> None:
        super().__init__(url, url)
        if url.split("://")[0] not in KINDS:
            raise ValueError(
                f"store: {url} is a URL of an unknown kind; known are "
                f"{', '.join(KINDS)}, beside folders"
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

    def __reduce__(self) -> tuple[Any, ...]:
        return Bucket, (self.name,)

    def times(self, folder: str) -> dict[str, float]:
        result = {}
        with self._reaching():
            # Of the folder alone, not of those in it.
            for each in self._store.list_with_delimiter(folder or None)["objects"]:
                name = each["path"].removeprefix(f"{folder}/")
                result[name] = each["last_modified"].timestamp()
        return result

    def open(self, name: str) -> BinaryIO:
        with self._reaching():
            return io.BytesIO(bytes(self._store.get(name).bytes()))

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
        """Errors of a bucket that name the store."""
        try:
            yield
        except Exception as error:
            if not _is_remote(error) or isinstance(error, FileNotFoundError):
                raise
            words = f"store: cannot reach {self.name}: {_in_a_line(error)}{safe}"
            raise OSError(words) from error


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
    if isinstance(where, str) and "://" in where:
        return Bucket(where)
    path = checks.path("store", where)
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise ValueError(f"store must be a folder, and {part} is a file")
    return Folder(path)


def _is_remote(error: Exception) -> bool:
    """Whether an error is of the package that reaches buckets."""
    return type(error).__module__.startswith("obstore")


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{error}".split())[:300]
