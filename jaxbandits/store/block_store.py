"""A store: its requests, its blocks, who played them, and what was complete once."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from jaxbandits.results.moments import NAMES, SKETCH, table_of
from jaxbandits.results.parts import Part, Runs, apart, digest, lacking
from jaxbandits.store.block_file import (
    ARRAYS,
    DamagedError,
    is_whole,
    packed,
    unpacked,
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
    """A store, which may have no request yet.

    Attributes:
      place: folder or bucket of its files.
    """

    def __init__(self, where: Any) -> None:
        self.place = place_of(where)
        # Files never change, so each is read once: contents, requests and their blocks.
        self._contents: dict[str, Json] = {}
        self._asked: dict[str, tuple[Request, list[Part]]] = {}

    def requests(self) -> list[Request]:
        """All requests, the oldest first.

        Raises:
          FileNotFoundError: if there is no store.
          DamagedError: naming a file that is damaged.
          ValueError: if it is a store of another format.
        """
        return [request for request, _ in self._requests().values()]

    def sweep(self) -> Json:
        """The description of the sweep, with what later requests added."""
        return merged(each.sweep for each in self.requests())

    @cached_property
    def keep(self) -> str:
        """``"runs"`` or ``"moments"``."""
        return self.requests()[0].keep

    def exists(self) -> bool:
        """Whether there is a request."""
        return bool(self._request_files())

    def text(self) -> str:
        """The text of the file of the sweep, or ""."""
        return next((each.text for each in self.requests() if each.text), "")

    def variables(self) -> dict[str, tuple[int, ...]]:
        """Shape of a value beyond the dims of a sweep, by name of the variable."""
        return {n: x for each in self.requests() for n, x in each.variables.items()}

    def ask(self, wanted: Request, grow: bool = False) -> None:
        """Add a request for what the store was not asked for yet.

        A store that exists keeps its size of blocks.

        Raises:
          ValueError: if the store holds another sweep, saying what differs, or holds
            less than is wanted and may not `grow`.
        """
        if not self.exists():
            self._check_empty()
            self._put_request(wanted._replace(at=time.time()), FIRST)
        self.check_same(wanted)
        # Other programs may add requests meanwhile.
        while more := lacking(wanted.parts, self._held()):
            if not grow:
                raise ValueError(
                    f"store: {self.place.name} holds less than the spec:\n  "
                    + "\n  ".join(f"only in the spec: {x}" for x in additions(more))
                    + "\nextend (--extend) adds what is new to what is there"
                )
            size = self.requests()[0].size
            self._put_request(wanted._replace(parts=more, size=size, at=time.time()))
        self._put_request(self.requests()[0])  # a copy, if the first file is damaged

    def _held(self) -> list[Part]:
        """What was requested; of moments only the blocks that count."""
        if self.keep == "moments":
            return self.blocks()
        return [part for each in self.requests() for part in each.parts]

    def _check_empty(self) -> None:
        """Raise a ValueError if the folder of a new store holds other files."""
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
        lines, shapes = changes(self.sweep(), wanted.sweep), self.variables()
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

    def blocks(self, wanted: Iterable[Part] | None = None) -> list[Part]:
        """The blocks of all requests, or those that share a run with some parts."""
        asked = self._requests().values()
        blocks = [*{block.key: block for _, own in asked for block in own}.values()]
        if len(asked) > 1 and self.keep == "moments":
            blocks = apart(blocks)  # Moments must count every run once.
        if wanted is None:
            return blocks
        runs = Runs(wanted)
        return [block for block in blocks if runs.overlaps(block)]

    def played(self) -> set[str]:
        """Keys of the blocks that are there."""
        return {name.removesuffix(".npz") for name in self.place.names(BLOCKS)}

    def missing(self, blocks: Iterable[Part]) -> list[Part]:
        """The blocks that are not there."""
        there = self.played()
        return [block for block in blocks if block.key not in there]

    def seal(self) -> None:
        """Mark requests of which all blocks are there: one that goes then is lost."""
        there, done = self.played(), self.place.names(DONE)
        for name, (_, blocks) in self._requests().items():
            mark = name.split("/")[1]
            if mark not in done and all(block.key in there for block in blocks):
                self._put_json(f"{DONE}/{mark}", {"complete": True})

    def check_lost(self) -> None:
        """Raise a DamagedError that names a block that was there once and is gone."""
        done, asked = self.place.names(DONE), self._requests().items()
        once = [
            x for name, (_, own) in asked if name.split("/")[1] in done for x in own
        ]
        for block in (lost := self.missing(once)):
            raise DamagedError(
                f"store: {self.place.name}/{_file(block.key)} is missing ("
                f"{len(lost)} files are); {AGAIN}"
            )

    def write(
        self,
        block: Part,
        values: Mapping[str, Any],
        session: Json,
        seconds: Mapping[str, float] = {},
        safe: str = "",
    ) -> None:
        """Write a block of values ``[points, seeds, checkpoints, ...]`` by name.

        The session says who played it, `seconds` how long it took. An OSError (from a
        full disk) names the store and ends with `safe`, which says what is not lost.
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
        """A variable of a block, or None if the block lacks it.

        Raises:
          FileNotFoundError, DamagedError: naming the file.
        """
        values: np.ndarray | None
        _, (values,) = self._read(key, name)
        return values

    def head(self, key: str, whole: bool = False) -> Json:
        """The head of a block; `whole` checks all its bits. Raises as `read`."""
        return self._read(key, whole=whole)[0]

    def _read(
        self, key: str, *names: str, whole: bool = False
    ) -> tuple[Json, list[Any]]:
        name = f"{self.place.name}/{_file(key)}"
        try:
            with self.place.open(_file(key)) as file:
                if whole and not is_whole(bytes(file.read())):
                    raise DamagedError("its checksum is another one")
                head, arrays = unpacked(file, *names)
            if head["key"] != key:
                raise DamagedError(f"it is the block {head['key']}")
        except FileNotFoundError:
            raise FileNotFoundError(f"store: {name} is missing; {AGAIN}") from None
        except (DamagedError, KeyError, TypeError) as error:
            words = f"store: {name} is damaged ({error}); {AGAIN}"
            raise DamagedError(words) from error
        return head, arrays

    def differing(self, block: Part, arrays: Mapping[str, Any]) -> list[str]:
        """A line for each of some arrays that a block holds with other bits."""
        return [
            f"{name} of {' '.join(block.game)}, seeds {block.seeds}"
            for name, array in arrays.items()
            if (own := self.read(block.key, name)) is None
            or own.tobytes() != array.tobytes()
        ]

    def enter(self, session: Json) -> bool:
        """Record who is about to play; whether this was not recorded before."""
        return self._put_json(_name_of(SESSIONS, session), session)

    def sessions(self) -> dict[str, Json]:
        """Who played, by the digests of the descriptions, the oldest first."""
        names = self.place.names(SESSIONS)
        known = {x.removesuffix(".json"): self._json(f"{SESSIONS}/{x}") for x in names}
        return dict(sorted(known.items(), key=lambda x: (x[1].get("at", 0), x[0])))

    def mend(self, blocks: Iterable[Part] = ()) -> list[str]:
        """Remove damaged files, and write again those that have a copy.

        Among blocks only those that are given are read. A damaged block is removed, so
        that it is played again. The names of all these files are returned.

        Raises:
          DamagedError: if no request can be read.
        """
        players: dict[str, Json] = {}
        mended = dict.fromkeys(name for name, _ in self._damage(blocks, players))
        files = self._request_files()
        left = [name for name in files if name not in mended]
        if files and not left:
            raise DamagedError(
                f"store: {self.place.name}/{files[0]} is damaged, and its copies are: "
                "nothing says what the blocks are, give another store"
            )
        for name in mended:
            self.place.drop(name)
        if left and FIRST not in left:
            mended[FIRST] = None
            self._put_request(self.requests()[0], FIRST)
        mended |= dict.fromkeys(x for x, who in players.items() if self.enter(who))
        if isinstance(self.place, Folder):
            self.place.tidy()
        return [*mended]

    def examine(self) -> int:
        """Read every file; return the number of blocks.

        Raises a DamagedError that names a file that is damaged or missing.
        """
        self.check_lost()
        blocks = self.blocks()
        for _, error in self._damage(blocks, {}):
            raise error
        return len(blocks) - len(self.missing(blocks))

    def _damage(
        self, blocks: Iterable[Part], players: dict[str, Json]
    ) -> Iterator[tuple[str, DamagedError]]:
        """Names and errors of damaged files; `players` gets the sessions of blocks."""
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
                    session = self.head(block.key, whole=True)["session"]
                    players[_name_of(SESSIONS, session)] = session
                except DamagedError as error:
                    yield _file(block.key), error

    def copy(self, other: "BlockStore") -> None:
        """Copy another store of the sweep, whose numbers of a block must be equal."""
        twice = self.played() & other.played()
        folders = [f"{x}/{n}" for x in (SESSIONS, BLOCKS) for n in other.place.names(x)]
        for file in [*other._request_files(), *folders]:
            self.place.put(file, other.place.read(file))
        for block in self.blocks():
            if block.key in twice:
                names = other.head(block.key)[ARRAYS]
                arrays = {name: other.read(block.key, name) for name in names}
                for line in self.differing(block, arrays):
                    raise ValueError(
                        f"store: {other.place.name} holds other numbers than the "
                        f"stores before it: {line}"
                    )
        self.seal()

    def _request_files(self) -> list[str]:
        """Names of the files of requests, `FIRST` before the others."""
        first = [FIRST] if FIRST in self.place.names("") else []
        return [*first, *(f"{ASKED}/{name}" for name in self.place.names(ASKED))]

    def _requests(self) -> dict[str, tuple[Request, list[Part]]]:
        """The different requests with their blocks by name, the oldest first."""
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
        """Require that a request belongs to the sweep of the first one."""
        if lines := changes(first, other):
            raise DamagedError(
                f"store: {self.place.name}/{name} is of another sweep: {lines[0]}"
            )

    def _put_request(self, request: Request, name: str = "") -> None:
        content = request.as_json()
        self._put_json(name or _name_of(ASKED, content), content)

    def _put_json(self, name: str, content: Json) -> bool:
        data = json.dumps({"digest": digest(content), "says": content})
        return self.place.put(name, data.encode())

    def _json(self, name: str) -> Json:
        """The content of a JSON file. Raises a `DamagedError` that names it."""
        if name not in self._contents:
            data = self.place.read(name)
            try:
                self._contents[name] = _content_of(name, data)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                raise DamagedError(
                    f"store: {self.place.name}/{name} is damaged; the next sweep into "
                    "the store mends it, if there is a copy"
                ) from None
        return self._contents[name]


def _content_of(name: str, data: bytes) -> Json:
    """What a JSON file says. Raises any error if a bit of it is wrong."""
    file: Json = json.loads(data)
    content: Json = file["says"]
    folder = name.split("/")[0]
    own = folder not in (ASKED, SESSIONS) or _name_of(folder, content) == name
    if not own or len(file) != 2 or file["digest"] != digest(content):
        raise ValueError("it says something else")
    return content


def stored_arrays(values: Mapping[str, Any], keep: str) -> dict[str, np.ndarray]:
    """The arrays that a block keeps of values ``[points, seeds, checkpoints, ...]``.

    With moments: for every point and checkpoint the moments and the sketch of all
    seeds, of variables that are numbers.
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
    """The file of a request (whenever it was made) or of a session."""
    if folder == ASKED:
        content = {name: x for name, x in content.items() if name != "at"}
    return f"{folder}/{digest(content)}.json"
