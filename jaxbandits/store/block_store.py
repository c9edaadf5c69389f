"""A store: requests, blocks, who played them, and what was complete once."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from jaxbandits.results import spans
from jaxbandits.results.moments import NAMES, SKETCH, table_of
from jaxbandits.results.parts import (
    Block,
    Game,
    Part,
    Row,
    apart,
    digest,
    lacking,
    rows_of,
)
from jaxbandits.results.spans import Spans
from jaxbandits.store.block_file import (
    ARRAYS,
    DamagedError,
    array_of,
    head_of,
    is_whole,
    packed,
)
from jaxbandits.store.compare import additions, changes
from jaxbandits.store.place import Folder, place_of, writing
from jaxbandits.store.request import FORMAT, Json, Request, merged, request_from

FIRST, ASKED, BLOCKS, SESSIONS, DONE = (
    "sweep.json",
    "asked",
    "blocks",
    "sessions",
    "done",
)
_FOLDERS = {FIRST, ASKED, BLOCKS, SESSIONS, DONE, "work"}
ROUNDS = "rounds"
AGAIN = "the next sweep into the store plays it again"


class BlockStore:
    """A store, perhaps without anything in it yet.

    Attributes:
      place: where its files lie.
    """

    def __init__(self, where: Any) -> None:
        self.place = place_of(where)
        # What was read of files that never change.
        self._contents: dict[str, Json] = {}
        self._asked: dict[str, Request] = {}
        self._cut: dict[str, list[Block]] = {}

    def requests(self) -> list[Request]:
        """What was asked for, oldest first.

        Raises:
          FileNotFoundError: if there is no store.
          DamagedError: naming a file that is damaged.
          ValueError: if it is a store of another format.
        """
        result = self._requests()
        if not result:
            raise FileNotFoundError(
                f"store: there is no store at {self.place.name} (no {FIRST})"
            )
        return [*result.values()]

    @cached_property
    def keep(self) -> str:
        """What is kept: ``"runs"`` or ``"moments"``."""
        return self.requests()[0].keep

    def exists(self) -> bool:
        """Whether anything was asked for."""
        return FIRST in self.place.names("") or bool(self.place.names(ASKED))

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
        while True:
            known = self.requests()
            self.check_same(wanted)
            held: list[Any] = [part for each in known for part in each.parts]
            if wanted.keep == "moments":
                held = self.blocks()
            more = lacking(wanted.parts, held)
            if not more:
                break
            if not grow:
                raise ValueError(
                    f"store: {self.place.name} holds less than the spec:\n  "
                    + "\n  ".join(
                        f"only in the spec: {x}" for x in additions(held, more)
                    )
                    + "\nextend (--extend) adds what is new to what is there"
                )
            new = wanted._replace(parts=more, size=known[0].size, at=time.time())
            self._put_request(new)
        self._put_request(known[0])  # The first one has a copy, should it be damaged.

    def _check_empty(self) -> None:
        """Raise a ValueError if something else is where a store is to be."""
        place = self.place
        if isinstance(place, Folder) and place.path.is_dir():
            others = {file.name for file in place.path.iterdir()} - _FOLDERS
            if any(not name.startswith(".") for name in others):
                raise ValueError(
                    f"store: there is no store at {place.name}, and the folder is not "
                    "empty"
                )

    def check_same(self, wanted: Request) -> None:
        """Raise a ValueError if the store holds another sweep, saying what differs."""
        known = self.requests()
        lines = changes(merged(each.sweep for each in known), wanted.sweep)
        shapes = variables_of(known)
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
                + "\na store goes on with its own sweep only: give another one"
            )
        if wanted.keep != known[0].keep:
            raise ValueError(
                f"store: keep must be left out or {known[0].keep!r}, which "
                f"{self.place.name} keeps, got {wanted.keep!r}"
            )

    def blocks(self, wanted: Iterable[Part] | None = None) -> list[Block]:
        """The blocks that were asked for, layer by layer.

        Args:
          wanted: those with a run of one of these parts only.
        """
        requests = self.requests()
        result: dict[str, Block] = {}
        for name in self._requests():
            result |= {block.key: block for block in self._blocks(name)}
        blocks = [*result.values()]
        if len(requests) > 1 and self.keep == "moments":
            blocks = apart(blocks)  # Of moments each run counts once.
        return blocks if wanted is None else [*_overlapping(blocks, wanted)]

    def played(self) -> set[str]:
        """Keys of the blocks that are there."""
        return {name.removesuffix(".npz") for name in self.place.names(BLOCKS)}

    def missing(self, blocks: Iterable[Block]) -> list[Block]:
        """Those of some blocks that are not there."""
        there = self.played()
        return [block for block in blocks if block.key not in there]

    def seal(self) -> None:
        """Say of which requests all blocks are there: one that goes is lost."""
        there = self.played()
        done = {f"{DONE}/{name}" for name in self.place.names(DONE)}
        for name in self._requests():
            mark = f"{DONE}/{name.split('/')[-1]}"
            if mark not in done and all(x.key in there for x in self._blocks(name)):
                self._put_json(mark, {"complete": True})

    def lost(self) -> list[str]:
        """Names of the blocks that were there once, and are not."""
        there, done = self.played(), self.place.names(DONE)
        result: dict[str, None] = {}
        for name in self._requests():
            if name.split("/")[-1] in done:
                keys = (block.key for block in self._blocks(name))
                result |= dict.fromkeys(_file(key) for key in keys if key not in there)
        return [*result]

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
        with writing(self.place, safe):
            self.place.put(_file(block.key), data)

    def read(self, key: str, name: str) -> np.ndarray | None:
        """A variable of a block; None if the block has none of this name.

        Raises:
          FileNotFoundError, DamagedError: naming the file.
        """
        with self._open(key) as file, _naming(f"{self.place.name}/{_file(key)}"):
            head, values = array_of(file, name)
            self._check(head, key)
        return values

    def head(self, key: str) -> Json:
        """What a block says of itself. Raises as `read`."""
        with self._open(key) as file, _naming(f"{self.place.name}/{_file(key)}"):
            head = head_of(file)
            self._check(head, key)
        return head

    def enter(self, session: Json) -> None:
        """Put on record who is about to play."""
        with writing(self.place):
            self._put_json(_session_file(session), session)

    def sessions(self) -> dict[str, Json]:
        """Who has played, by the digest of their description, oldest first."""
        result = {}
        for name in self.place.names(SESSIONS):
            result[name.removesuffix(".json")] = self._json(f"{SESSIONS}/{name}")
        return dict(sorted(result.items(), key=lambda x: (x[1].get("at", 0), x[0])))

    def mend(self, blocks: Iterable[Block] = ()) -> list[str]:
        """Remove what is damaged, and put back what can be; names of those files.

        Args:
          blocks: which of them to read whole. Those that are damaged, or another's,
            are removed, so that they are played again.

        Raises:
          DamagedError: if no request can be read.
        """
        broken = self._mended_requests()
        for folder in (DONE, SESSIONS):
            for name in self.place.names(folder):
                broken += self._drop_if_damaged(f"{folder}/{name}")
        there, heads = self.played(), {}
        known = self.place.names(SESSIONS)
        for block in blocks:
            if block.key in there:
                try:
                    session = self._whole(block.key)["session"]
                except DamagedError:
                    self.place.drop(_file(block.key))
                    broken.append(_file(block.key))
                else:
                    heads[_session_file(session)] = session
        for name, session in heads.items():
            if name.split("/")[-1] not in known:
                self._put_json(name, session)
                broken.append(name)
        if isinstance(self.place, Folder):
            self.place.tidy()
        return broken

    def copy(self, sources: Iterable["BlockStore"]) -> None:
        """Put there what other stores of the same sweep hold.

        Raises:
          ValueError: if two of them hold other numbers of the same block.
        """
        for source in sources:
            for request in source.requests():
                if not self.exists():
                    self._put_request(request, FIRST)
                self._put_request(request)
            for session in source.sessions().values():
                self.enter(session)
            there = self.played()
            for key in source.played():
                if key in there:
                    self._check_equal(source, key)
                    continue
                with source._open(key) as file, writing(self.place):
                    self.place.put(_file(key), bytes(file.read()))
        self.seal()

    def _check_equal(self, other: "BlockStore", key: str) -> None:
        head = self.head(key)
        for name in head[ARRAYS]:
            stored, again = self.read(key, name), other.read(key, name)
            if stored is None or again is None or stored.tobytes() != again.tobytes():
                raise ValueError(
                    f"store: {other.place.name} holds other numbers than the stores "
                    f"before it: {name} of {head['environment']} {head['policy']}, "
                    f"seeds {head['seeds']}"
                )

    def examine(self) -> int:
        """Read every file; how many blocks there are.

        Raises:
          DamagedError: naming a file that is damaged or missing.
        """
        self.requests()
        self.sessions()
        for name in self.place.names(DONE):
            self._json(f"{DONE}/{name}")
        if lost := self.lost():
            raise DamagedError(
                f"store: {self.place.name}/{lost[0]} is missing; {AGAIN}"
            )
        there = self.played()
        keys = [block.key for block in self.blocks() if block.key in there]
        for key in keys:
            self._whole(key)
        return len(keys)

    def _whole(self, key: str) -> Json:
        """The head of a block, of which every bit was looked at."""
        with self._open(key) as file, _naming(f"{self.place.name}/{_file(key)}"):
            if not is_whole(bytes(file.read())):
                raise DamagedError("its checksum is another one")
            file.seek(0)
            head = head_of(file)
            self._check(head, key)
        return head

    def _open(self, key: str) -> Any:
        try:
            return self.place.open(_file(key))
        except FileNotFoundError:
            raise FileNotFoundError(
                f"store: {self.place.name}/{_file(key)} is missing; {AGAIN}"
            ) from None

    def _check(self, head: Json, key: str) -> None:
        if head["key"] != key:
            raise DamagedError(f"it is the block {head['key']}")

    def _blocks(self, name: str) -> list[Block]:
        """The blocks of a request, by its name."""
        if name not in self._cut:
            self._cut[name] = self._asked[name].blocks()
        return self._cut[name]

    def _requests(self) -> dict[str, Request]:
        """What was asked for by the name of its file, each once, oldest first."""
        names = [f"{ASKED}/{name}" for name in self.place.names(ASKED)]
        if FIRST in self.place.names(""):
            names.append(FIRST)
        result: dict[str, Request] = {}
        for file in names:
            content = self._json(file)
            if content["format"] != FORMAT:
                raise ValueError(
                    f"store: {self.place.name} has format {content['format']}, and "
                    f"this version reads {FORMAT}: finish it with the version that "
                    "made it, or play into a new one"
                )
            name = _request_name(content) if file == FIRST else file
            if name not in self._asked:
                self._asked[name] = request_from(content)
            result[name] = self._asked[name]
        known = sorted(result.items(), key=lambda x: (x[1].at, x[0]))
        for name, request in known[1:]:
            if lines := changes(known[0][1].sweep, request.sweep):
                raise DamagedError(
                    f"store: {self.place.name}/{name} is of another sweep: {lines[0]}"
                )
        return dict(known)

    def _put_request(self, request: Request, name: str | None = None) -> None:
        content = request.as_json()
        with writing(self.place):
            self._put_json(name or _request_name(content), content)

    def _mended_requests(self) -> list[str]:
        """Drop requests that are damaged, and write them anew from their copies."""
        names = [f"{ASKED}/{name}" for name in self.place.names(ASKED)]
        broken = [x for name in names for x in self._drop_if_damaged(name)]
        there = FIRST in self.place.names("")
        try:
            first = [self._json(FIRST)] if there else []
        except DamagedError:
            if not self.place.names(ASKED):
                raise
            self.place.drop(FIRST)
            first = []
        for content in first:
            self._put_json(_request_name(content), content)
            for name in self.place.names(ASKED):
                if changes(content["sweep"], self._json(f"{ASKED}/{name}")["sweep"]):
                    self.place.drop(f"{ASKED}/{name}")
                    broken.append(f"{ASKED}/{name}")
        if not first and (known := [*self._requests().values()]):
            self._put_request(known[0], FIRST)
            broken.append(FIRST)
        return broken

    def _drop_if_damaged(self, name: str) -> list[str]:
        try:
            self._json(name)
        except DamagedError:
            self.place.drop(name)
            return [name]
        except FileNotFoundError:
            pass
        return []

    def _put_json(self, name: str, content: Json) -> None:
        data = json.dumps(content)
        data = json.dumps({"digest": digest(json.loads(data)), "says": content})
        self.place.put(name, data.encode())

    def _json(self, name: str) -> Json:
        """What a file of JSON says. Raises a `DamagedError` that names it."""
        if name in self._contents:
            return self._contents[name]
        with self.place.open(name) as file:
            data = bytes(file.read())
        try:
            file_says: Json = json.loads(data)
            content: Json = file_says["says"]
            own = file_says["digest"] == digest(content) and len(file_says) == 2
            if own and _name_of(name, content) == name:
                self._contents[name] = content
                return content
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            pass
        raise DamagedError(
            f"store: {self.place.name}/{name} is damaged; the next sweep into the "
            "store mends it"
        )


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Errors of damage that name the file."""
    try:
        yield
    except (DamagedError, KeyError, TypeError) as error:
        words = f"store: {name} is damaged ({error}); {AGAIN}"
        raise DamagedError(words) from error


def variables_of(requests: list[Request]) -> dict[str, tuple[int, ...]]:
    """Variables of a store: name -> shape that a value has beyond the dims."""
    return {name: x for each in requests for name, x in each.variables.items()}


def _overlapping(blocks: Iterable[Block], wanted: Iterable[Part]) -> Iterator[Block]:
    """Those blocks that have a run of one of some parts."""
    by_game: dict[Game, list[tuple[set[Row], Spans]]] = {}
    for part in wanted:
        own = {*rows_of(part.points)}, part.seeds
        by_game.setdefault(part.game, []).append(own)
    rows: dict[int, list[Row]] = {}
    for block in blocks:
        for known, seeds in by_game.get(block.game, ()):
            if not spans.overlap(block.seeds, seeds):
                continue
            own = rows.setdefault(id(block.points), rows_of(block.points))
            if not known.isdisjoint(own):
                yield block
                break


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


def _name_of(name: str, content: Json) -> str:
    """The name that a file of JSON should have, by what it says."""
    folder = name.split("/")[0]
    names = {ASKED: _request_name, SESSIONS: _session_file}
    return names[folder](content) if folder in names else name


def _file(key: str) -> str:
    return f"{BLOCKS}/{key}.npz"


def _request_name(content: Json) -> str:
    """The name of a request, whenever it was asked."""
    what = {name: x for name, x in content.items() if name != "at"}
    return f"{ASKED}/{digest(json.loads(json.dumps(what)))}.json"


def session_digest(session: Json) -> str:
    """By which the file of a session is called."""
    return digest(json.loads(json.dumps(session)))


def _session_file(session: Json) -> str:
    return f"{SESSIONS}/{session_digest(session)}.json"
