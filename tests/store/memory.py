"""A place of a store that is no folder and no bucket."""

import errno
import io
import time


class Memory:
    """Files of this process, as long as it lives."""

    def __init__(self) -> None:
        self.name, self._files = "memory", dict[str, tuple[bytes, float]]()

    def names(self, folder: str) -> set[str]:
        return {*self.times(folder)}

    def times(self, folder: str) -> dict[str, float]:
        first = f"{folder}/" if folder else ""
        result = {
            name.removeprefix(first): made
            for name, (_, made) in self._files.copy().items()
            if name.startswith(first)
        }
        return {name: made for name, made in result.items() if "/" not in name}

    def open(self, name: str):
        if name not in self._files:
            raise FileNotFoundError(errno.ENOENT, "there is no such file", name)
        return io.BytesIO(self._files[name][0])

    def put(self, name: str, data: bytes) -> bool:
        mine = data, time.time()
        return self._files.setdefault(name, mine) is mine

    def drop(self, name: str) -> None:
        self._files.pop(name, None)
