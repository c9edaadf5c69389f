"""Where a store lies: a Zarr `Store`, with the few operations that stores here need.

An object appears whole or not at all: a local file under a temporary name that is
renamed (`zarr.storage.LocalStore`, from 3.1.3), an object of a bucket by one request.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import zarr
from zarr.abc.store import Store
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.core.sync import sync
from zarr.storage import LocalStore

from jaxbandits import checks

_KINDS = ("s3", "gs", "az")
# Files by which programs know of one another, see `locks`; they are not of the store.
LOCKS = (".lock", ".root.lock")


class Home:
    """A store by the keys of its objects.

    Attributes:
      store: Zarr's, that can be written to.
      name: for messages.
      folder: of a local store, else None.
    """

    def __init__(self, store: Store, name: str, folder: Path | None = None) -> None:
        self.store, self.name, self.folder = store, name, folder
        # A local one that may write makes its folder when it is looked at.
        self.reading = store.with_read_only(True)

    def __str__(self) -> str:
        return self.name

    def exists(self) -> bool:
        """Whether there is anything but what another program begins just now."""
        if self.folder is not None and not self.folder.is_dir():
            return self.folder.exists()
        names = self.names() - set(LOCKS)
        return any(not name.endswith(".partial") for name in names)

    def get(self, key: str) -> bytes | None:
        """An object; None if it is not there."""
        try:
            found = self._done(self.reading.get(key, default_buffer_prototype()))
        except FileNotFoundError:  # There is no folder.
            return None
        return None if found is None else found.to_bytes()

    def put(self, key: str, data: bytes) -> None:
        """Make an object, or replace it."""
        self._done(self.store.set(key, _buffer(data)))

    def put_new(self, key: str, data: bytes) -> bool:
        """Make an object that nobody else has; whether it was this call.

        Args:
          key: its key.
          data: unlike what anybody else would put there.
        """
        self._done(self.store.set_if_not_exists(key, _buffer(data)))
        return self.get(key) == data

    def delete(self, key: str) -> None:
        """Remove an object, if it is there."""
        self._done(self.store.delete(key))

    def clear(self) -> None:
        """Remove everything."""
        self._done(self.store.clear())
        self.remove_folders()

    def remove_folders(self) -> None:
        """Remove the folders of a local store in which there is no file."""
        if self.folder is None:
            return
        for folder, _, _ in os.walk(self.folder, topdown=False):
            with suppress(OSError):
                os.rmdir(folder)

    def objects(self, folder: str) -> set[str]:
        """Names of the objects in a folder."""
        if self.folder is None:
            return self.names(folder)
        with suppress(FileNotFoundError), os.scandir(self.folder / folder) as entries:
            return {entry.name for entry in entries if entry.is_file()}
        return set()

    def names(self, folder: str = "") -> set[str]:
        """Names of the objects in a folder, and of folders in it."""
        try:
            return set(self._done(_listed(self.reading, folder)))
        except FileNotFoundError:
            return set()

    def _done(self, operation: Any) -> Any:
        """The result of an operation of Zarr; errors of a bucket name the store."""
        try:
            return sync(operation)
        except Exception as error:
            if not is_remote(error):
                raise
            raise OSError(f"store: cannot reach {self.name}: {said(error)}") from error

    def where(self, key: str) -> str:
        """An object in words."""
        return f"{self.name}/{key}"

    def group(self, consolidated: bool = True) -> zarr.Group:
        """The arrays, to be read, as the root says or as their own metadata do."""
        return zarr.open_group(self.reading, mode="r", use_consolidated=consolidated)


def is_remote(error: Exception) -> bool:
    """Whether an error is of the package that reaches buckets."""
    return type(error).__module__.startswith("obstore")


def said(error: Exception) -> str:
    """What an error says, in a line."""
    return " ".join(f"{error}".split())[:300]


def home_of(path: Any) -> Home:
    """The home of a store.

    Args:
      path: a folder of this machine, the URL of a bucket (``s3://bucket/x.zarr``, by
        the package obstore, which reads keys, region and endpoint from the environment,
        as ``AWS_ENDPOINT_URL``), a `zarr.abc.store.Store`, or a `Home`.

    Raises:
      TypeError: if it is nothing of these.
      ValueError: if it is empty, or a URL of another kind.
      ImportError: if it is a URL and obstore is not installed.
    """
    if isinstance(path, Home):
        return path
    if isinstance(path, LocalStore):
        return _of_folder(Path(path.root))
    if isinstance(path, Store):
        return Home(path.with_read_only(False), str(path))
    if isinstance(path, str) and "://" in path:
        return Home(_of_url(path), path)
    return _of_folder(checks.path("store", path))


def place_of(path: Any) -> Path | Home:
    """The path of a local store, the home of any other. Raises as `home_of`."""
    home = home_of(path)
    return home if home.folder is None else home.folder


def _of_folder(path: Path) -> Home:
    """Of an absolute path: what is read later is read there, whatever `chdir` says."""
    folder = path.absolute()
    if folder.is_file():
        raise ValueError(f"store must be a folder, and {path} is a file")
    return Home(LocalStore(folder), str(path), folder)


def _of_url(url: str) -> Store:
    kind = url.split("://")[0]
    if kind not in _KINDS:
        raise ValueError(
            f"store: {url} is a URL of an unknown kind; known are {', '.join(_KINDS)}, "
            "beside folders, and any zarr.abc.store.Store"
        )
    try:
        from obstore.store import from_url
        from zarr.storage import ObjectStore
    except ImportError as error:
        raise ImportError(
            f"store: {url} needs the package obstore: pip install 'jaxbandits[remote]'"
        ) from error
    try:
        return ObjectStore(from_url(url))
    except Exception as error:
        if not is_remote(error):
            raise
        raise ValueError(f"store: {url} is no URL of a bucket: {said(error)}") from None


async def _listed(store: Store, folder: str) -> list[str]:
    return [name async for name in store.list_dir(folder)]


def _buffer(data: bytes) -> Buffer:
    return default_buffer_prototype().buffer.from_bytes(data)
