"""A store: requests, blocks, who played them, and what was complete once."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from jaxbandits.results.moments import NAMES, SKETCH, table_of
from jaxbandits.results.parts import Block, Part, Runs, apart, digest, lacking
from jaxbandits.store.block_file import (
    ARRAYS,
    DamagedError,
    array_of,
    head_of,
    is_whole,
    packed,
)
from jaxbandits.store.place import Folder, place_of
from jaxbandits.store.request import (
    FORMAT,
    Json,
    Request,
    additions,
    changes,
    merged,
    request_from,
)

FIRST = "sweep.json"
ASKED, BLOCKS, SESSIONS, DONE = "asked", "blocks", "sessions", "done"
ROUNDS = "rounds"
AGAIN = "the next sweep into the store plays it again"


class BlockStore:
    """A store, perhaps without anything in it yet.

    Attributes:
      place: where its files lie.
    """

    def __init__(self, where: Any) -> None:
        self.place = place_of(where)
        # What was read of files that never change, by their names.
        self._contents: dict[str, Json] = {}
        self._asked: dict[str, tuple[Request, list[Block]]] = {}

    def requests(self) -> list[Request]:
        """What was asked for, oldest first.

        Raises:
          FileNotFoundError: if there is no store.
          DamagedError: naming a file that is damaged.
          ValueError: if it is a store of another format.
        """
        return [request for request, _ in self._requests().values()]

    def sweep(self) -> Json:
        """The description, with environments and policies of all requests."""
        return merged(each.sweep for each in self.requests())

    @cached_property
    def keep(self) -> str:
        """What is kept: ``"runs"`` or ``"moments"``."""
        return self.requests()[0].keep

    def exists(self) -> bool:
        """Whether anything was asked for."""
        return bool(self._request_files())

    def ask(self, wanted: Request, grow: bool = False) -> None:
        """Put on record what is wanted, if the store does not hold it yet.

        Args:
          wanted: what is asked for. Of a store that is there it takes over the size of
            blocks.
          grow: whether it may be more than was asked for before.

        Raises:
          ValueError: if the store holds another sweep, saying what differs, or less
            than is wanted and is not to grow.
        """
        if not self.exists():
            self._check_empty()
            self._put_request(wanted._replace(at=time.time()), FIRST)
        self.check_same(wanted)
        # Others may ask for more meanwhile.
        while more := lacking(wanted.parts, held := self._held()):
            if not grow:
                raise ValueError(
                    f"store: {self.place.name} holds less than the spec:\n  "
                    + "\n  ".join(
                        f"only in the spec: {x}" for x in additions(held, more)
                    )
                    + "\nextend (--extend) adds what is new to what is there"
                )
            size = self.requests()[0].size
            self._put_request(wanted._replace(parts=more, size=size, at=time.time()))
        # The first one has a copy, should it be damaged.
        self._put_request(self.requests()[0])

    def _held(self) -> list[Any]:
        """What was asked for. Of moments each run counts once: those of the blocks."""
        if self.keep == "moments":
            return self.blocks()
        return [part for each in self.requests() for part in each.parts]

    def _check_empty(self) -> None:
        """Raise a ValueError if something else is where a store is to be."""
        place, known = self.place, {FIRST, ASKED, BLOCKS, SESSIONS, DONE, "work"}
        if isinstance(place, Folder) and place.path.is_dir():
            others = {file.name for file in place.path.iterdir()} - known
            if any(not name.startswith(".") for name in others):
                raise ValueError(
                    f"store: there is no store at {place.name}, and the folder is not "
                    "empty"
                )

    def check_same(self, wanted: Request) -> None:
        """Raise a ValueError if the store holds another sweep, saying what differs."""
        lines = changes(self.sweep(), wanted.sweep)
        shapes = variables_of(self.requests())
        for name in shapes.keys() & wanted.variables.keys():
            if shapes[name] != wanted.variables[name]:
                lines.append(
                    f"metrics.{name}: shape {list(shapes[name])} in the store, "
                    f"{list(wanted.variables[name])} now"
                )
        if lines:
            raise ValueError(
                f"store: {self.place.name} holds another sweep:\n  "
                + "\n  ".join(lines)
                + "\na store holds one sweep: give another store"
            )
        if wanted.keep != self.keep:
            raise ValueError(
                f"store: keep must be left out or {self.keep!r}, which "
                f"{self.place.name} keeps, got {wanted.keep!r}"
            )

    def blocks(self, wanted: Iterable[Part] | None = None) -> list[Block]:
        """The blocks that were asked for, layer by layer.

        Args:
          wanted: those with a run of one of these parts only.
        """
        asked = self._requests().values()
        blocks = [*{block.key: block for _, own in asked for block in own}.values()]
        if len(asked) > 1 and self.keep == "moments":
            blocks = apart(blocks)  # Of moments each run counts once.
        if wanted is None:
            return blocks
        runs = Runs(wanted)
        return [block for block in blocks if runs.overlaps(block)]

    def played(self) -> set[str]:
        """Keys of the blocks that are there."""
        return {name.removesuffix(".npz") for name in self.place.names(BLOCKS)}

    def missing(self, blocks: Iterable[Block]) -> list[Block]:
        """Those of some blocks that are not there."""
        there = self.played()
        return [block for block in blocks if block.key not in there]

    def seal(self) -> None:
        """Say of which requests all blocks are there: one that goes is lost."""
        there, done = self.played(), self.place.names(DONE)
        for name, (_, blocks) in self._requests().items():
            mark = name.split("/")[1]
            if mark not in done and all(block.key in there for block in blocks):
                self._put_json(f"{DONE}/{mark}", {"complete": True})

    def lost(self) -> list[str]:
        """Names of the blocks that were there once, and are not."""
        done, asked = self.place.names(DONE), self._requests().items()
        blocks = [
            x for name, own in asked if name.split("/")[1] in done for x in own[1]
        ]
        return [*dict.fromkeys(_file(block.key) for block in self.missing(blocks))]

    def write(
        self,
        block: Block,
        values: Mapping[str, Any],
        session: Json,
        seconds: Mapping[str, float] = {},
        safe: str = "",
    ) -> None:
        """Put a block there.

        Args:
          block: which.
          values: arrays ``[points, seeds, checkpoints, ...]`` by name, and the rounds.
          session: who has played it, see `sessions`.
          seconds: that it took, by what.
          safe: what a full disk does not lose, for the error.

        Raises:
          OSError: if it cannot be written, naming the store.
        """
        head = {
            "key": block.key,
            "environment": block.game[0],
            "policy": block.game[1],
            "points": block.points.count,
            "seeds": block.seeds,
            "seconds": dict(seconds),
            "at": time.time(),
            "session": session,
        }
        arrays = stored_arrays(values, self.keep)
        data = packed(arrays, head, squeeze=self.keep == "moments")
        self.place.put(_file(block.key), data, safe)

    def read(self, key: str, name: str) -> np.ndarray | None:
        """A variable of a block; None if the block has none of this name.

        Raises:
          FileNotFoundError, DamagedError: naming the file.
        """
        with self._opened(key) as file:
            head, values = array_of(file, name)
            _check_key(head, key)
        return values

    def head(self, key: str, whole: bool = False) -> Json:
        """What a block says of itself; `whole` looks at every bit. Raises as `read`."""
        with self._opened(key) as file:
            if whole and not is_whole(bytes(file.read())):
                raise DamagedError("its checksum is another one")
            head = head_of(file)
            _check_key(head, key)
        return head

    def enter(self, session: Json) -> None:
        """Put on record who is about to play."""
        self._put_json(_name_of(SESSIONS, session), session)

    def sessions(self) -> dict[str, Json]:
        """Who has played, by the digest of their description, oldest first."""
        names = self.place.names(SESSIONS)
        known = {x.removesuffix(".json"): self._json(f"{SESSIONS}/{x}") for x in names}
        return dict(sorted(known.items(), key=lambda x: (x[1].get("at", 0), x[0])))

    def mend(self, blocks: Iterable[Block] = ()) -> list[str]:
        """Remove what is damaged, and put back what can be; names of those files.

        Args:
          blocks: which of them to read whole. Those that are damaged, or another's,
            are removed, so that they are played again.

        Raises:
          DamagedError: if no request can be read.
        """
        heads: list[Json] = []
        mended = dict.fromkeys(name for name, _ in self._damage(blocks, heads))
        files = self._request_files()
        left = [name for name in files if name not in mended]
        if files and not left:
            self.requests()  # None can be read: it says so.
        for name in mended:
            self.place.drop(name)
        if left and FIRST not in left:
            mended[FIRST] = None
            self._put_request(self.requests()[0], FIRST)
        there = {f"{SESSIONS}/{name}" for name in self.place.names(SESSIONS)}
        for head in heads:
            if (name := _name_of(SESSIONS, head["session"])) not in there:
                mended[name] = None
                self._put_json(name, head["session"])
        if isinstance(self.place, Folder):
            self.place.tidy()
        return [*mended]

    def examine(self) -> int:
        """Read every file; how many blocks there are.

        Raises:
          DamagedError: naming a file that is damaged or missing.
        """
        for name in self.lost():
            raise DamagedError(f"store: {self.place.name}/{name} is missing; {AGAIN}")
        heads: list[Json] = []
        for _, error in self._damage(self.blocks(), heads):
            raise error
        return len(heads)

    def _damage(
        self, blocks: Iterable[Block], heads: list[Json]
    ) -> Iterator[tuple[str, DamagedError]]:
        """Files that are damaged, or another's; the heads of blocks that are not."""
        first: Json | None = None
        files = [f"{x}/{n}" for x in (DONE, SESSIONS) for n in self.place.names(x)]
        for name in [*self._request_files(), *files]:
            try:
                content = self._json(name)
                if name == FIRST:
                    first = content["sweep"]
                elif name.startswith(ASKED) and first is not None:
                    self._check_sweep(name, first, content["sweep"])
            except DamagedError as error:
                yield name, error
        there = self.played()
        for block in blocks:
            if block.key in there:
                try:
                    heads.append(self.head(block.key, whole=True))
                except DamagedError as error:
                    yield _file(block.key), error

    def copy(self, other: "BlockStore") -> None:
        """Put there what another store of the same sweep holds.

        Raises:
          ValueError: if the two hold other numbers of the same block.
        """
        for request in other.requests():
            if not self.exists():
                self._put_request(request, FIRST)
            self._put_request(request)
        for session in other.sessions().values():
            self.enter(session)
        there = self.played()
        for key in other.played() - there:
            self.place.put(_file(key), other.place.read(_file(key)))
        for key in other.played() & there:
            head = self.head(key)
            for name in head[ARRAYS]:
                if not _same(self.read(key, name), other.read(key, name)):
                    raise ValueError(
                        f"store: {other.place.name} holds other numbers than the "
                        f"stores before it: {name} of {head['environment']} "
                        f"{head['policy']}, seeds {head['seeds']}"
                    )
        self.seal()

    @contextmanager
    def _opened(self, key: str) -> Iterator[Any]:
        """The file of a block, whose errors name it."""
        name = f"{self.place.name}/{_file(key)}"
        try:
            with self.place.open(_file(key)) as file:
                yield file
        except FileNotFoundError:
            raise FileNotFoundError(f"store: {name} is missing; {AGAIN}") from None
        except (DamagedError, KeyError, TypeError) as error:
            words = f"store: {name} is damaged ({error}); {AGAIN}"
            raise DamagedError(words) from error

    def _request_files(self) -> list[str]:
        """Names of the files of requests, `FIRST` before the others."""
        first = [FIRST] if FIRST in self.place.names("") else []
        return [*first, *(f"{ASKED}/{name}" for name in self.place.names(ASKED))]

    def _requests(self) -> dict[str, tuple[Request, list[Block]]]:
        """What was asked for and its blocks by its name, each once, oldest first."""
        result = {}
        for file in self._request_files():
            content = self._json(file)
            if content["format"] != FORMAT:
                raise ValueError(
                    f"store: {self.place.name} has format {content['format']}, and "
                    f"this version reads {FORMAT}: finish it with the version that "
                    "made it, or play into a new one"
                )
            name = _name_of(ASKED, content)
            if name not in self._asked:
                request = request_from(content)
                self._asked[name] = request, request.blocks()
            result[name] = self._asked[name]
        if not result:
            raise FileNotFoundError(
                f"store: there is no store at {self.place.name} (no {FIRST})"
            )
        known = sorted(result.items(), key=lambda x: (x[1][0].at, x[0]))
        for name, (request, _) in known[1:]:
            self._check_sweep(name, known[0][1][0].sweep, request.sweep)
        return dict(known)

    def _check_sweep(self, name: str, first: Json, other: Json) -> None:
        """Require that a request is of the same sweep as the first one."""
        if lines := changes(first, other):
            raise DamagedError(
                f"store: {self.place.name}/{name} is of another sweep: {lines[0]}"
            )

    def _put_request(self, request: Request, name: str = "") -> None:
        content = request.as_json()
        self._put_json(name or _name_of(ASKED, content), content)

    def _put_json(self, name: str, content: Json) -> None:
        data = json.dumps({"digest": digest(content), "says": content})
        self.place.put(name, data.encode())

    def _json(self, name: str) -> Json:
        """What a file of JSON says. Raises a `DamagedError` that names it."""
        if name not in self._contents:
            data = self.place.read(name)
            try:
                self._contents[name] = _content_of(name, data)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                raise DamagedError(
                    f"store: {self.place.name}/{name} is damaged; the next sweep into "
                    "the store mends it"
                ) from None
        return self._contents[name]


def _content_of(name: str, data: bytes) -> Json:
    """What a file of JSON says, of which every bit is as it was written."""
    file_says: Json = json.loads(data)
    content: Json = file_says["says"]
    folder = name.split("/")[0]
    own = folder not in (ASKED, SESSIONS) or _name_of(folder, content) == name
    if not own or len(file_says) != 2 or file_says["digest"] != digest(content):
        raise ValueError("it says something else")
    return content


def _check_key(head: Json, key: str) -> None:
    if head["key"] != key:
        raise DamagedError(f"it is the block {head['key']}")


def variables_of(requests: list[Request]) -> dict[str, tuple[int, ...]]:
    """Variables of a store: name -> shape that a value has beyond the dims."""
    return {name: x for each in requests for name, x in each.variables.items()}


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    """Whether two arrays have the same bits."""
    return one is not None and other is not None and one.tobytes() == other.tobytes()


def stored_arrays(values: Mapping[str, Any], keep: str) -> dict[str, np.ndarray]:
    """What a block keeps of arrays ``[points, seeds, checkpoints, ...]`` by name.

    All of them; or of every point and checkpoint the moments and the sketch of all
    seeds, of what is a number.
    """
    arrays = {name: np.asarray(x, np.float64) for name, x in values.items()}
    if keep != "moments":
        return arrays | {ROUNDS: np.asarray(values[ROUNDS], np.int32)}
    result = {}
    for name, numbers in arrays.items():
        if numbers.ndim == 3:
            table = table_of(np.moveaxis(numbers, 1, -1).copy())[:, None]
            result[name] = table[..., 0, : len(NAMES)]
            result[f"{name}{SKETCH}"] = table
    return result


def _file(key: str) -> str:
    return f"{BLOCKS}/{key}.npz"


def _name_of(folder: str, content: Json) -> str:
    """The name of a request (whenever it was asked) or of a session."""
    if folder == ASKED:
        content = {name: x for name, x in content.items() if name != "at"}
    return f"{folder}/{digest(content)}.json"
