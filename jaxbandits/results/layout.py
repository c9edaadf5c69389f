"""What a store consists of: coordinates, and one array of all results.

The array ``results`` has the dims ``environment, policy, params, seed, variable,
checkpoint``. One block of a sweep, all its variables, is one object of the store (a
shard, in Zarr's words), so that a block is there at once or not at all; within it every
variable is a piece of its own, or several, that can be read alone. All numbers are
float64, which holds the integers among them (rounds, sessions) up to 2^53 exactly.

A variable has a slot, or with a shape of its own one for each number of it. Variables
that a store learns when it grows come after the others, perhaps in further shards.

Where only moments are kept a row of them stands for all seeds of a block, along a dim
``part`` in place of ``seed``; every metric that is a number has a table of
`moments.SHAPE`, whose rows are the pieces.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
import zarr
from zarr.abc.store import Store
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.storage import MemoryStore, StorePath

from jaxbandits.results.home import Home
from jaxbandits.results.moments import BINS, SHAPE
from jaxbandits.results.root import RESULTS, ROOT, read_root

DIMS = ("environment", "policy", "params", "seed", "checkpoint")
RUN_DIMS = DIMS[:-1]
PLAYED = "session"
ROUNDS = "rounds"
_COORDINATE_CHUNK = 1 << 16
# Of one variable at some checkpoints: what is read where little is asked for.
_PIECE_BYTES = 1 << 20
_SLOTS = "variables"
_ROW = "seeds_of_a_row"


class Layout(NamedTuple):
    """How results lie in a store.

    Attributes:
      variables: name -> shape that a value has beyond the dims of a sweep, in the order
        of their slots.
      block: parameter points and seeds of a block.
      width: slots of a shard.
      moments: whether only moments are kept.
    """

    variables: dict[str, tuple[int, ...]]
    block: tuple[int, int]
    width: int
    moments: bool = False

    @property
    def size(self) -> int:
        """Number of slots."""
        return sum(map(math.prod, self.variables.values()))

    @property
    def rows(self) -> int:
        """Seeds, or rows for all of them, of a block."""
        return 1 if self.moments else self.block[1]

    @property
    def piece(self) -> int:
        """Slots of a piece."""
        return BINS if self.moments else 1

    def slots(self, name: str) -> slice:
        """Where a variable lies."""
        begin = 0
        for other, shape in self.variables.items():
            if other == name:
                return slice(begin, begin + math.prod(shape))
            begin += math.prod(shape)
        raise KeyError(name)

    def shards(self) -> range:
        """Numbers of the shards along the slots, the first one last.

        It says that a block is there, and is written when the others are.
        """
        return range(-(-self.size // self.width) - 1, -1, -1)

    def labels(self) -> list[str]:
        """A name for every slot."""
        return [
            name + (f"[{','.join(map(str, place))}]" if shape else "")
            for name, shape in self.variables.items()
            for place in np.ndindex(*shape)
        ]


def new_layout(
    metrics: Mapping[str, tuple[int, ...]],
    block: tuple[int, int],
    moments: bool = False,
) -> Layout:
    """The layout of a new store.

    Args:
      metrics: name -> shape that a value has beyond the dims of a sweep.
      block: parameter points and seeds of a block.
      moments: whether to keep moments, of what is a number, in place of runs.
    """
    layout = Layout({}, (int(block[0]), int(block[1])), 1, moments)
    first = {PLAYED: (BINS,) if moments else ()}
    layout = with_metrics(layout._replace(variables=first), {ROUNDS: (), **metrics})
    return layout._replace(width=layout.size)


def with_metrics(layout: Layout, metrics: Mapping[str, tuple[int, ...]]) -> Layout:
    """A layout that has some more variables."""
    new = dict(metrics)
    if layout.moments:
        new = {name: SHAPE for name, shape in metrics.items() if not shape}
    return layout._replace(variables=layout.variables | new)


def array_of(home: Home, name: str, store: Store | None = None) -> Any:
    """An array of a store, as the root has it.

    It is made of its own metadata alone: a group would make all the others too, which
    takes longer than reading a block.

    Args:
      home: where it lies.
      name: of the array.
      store: by which it is reached; by default one that only reads.

    Raises: as `read_root`.
    """
    arrays = read_root(home)["consolidated_metadata"]["metadata"]
    return zarr.Array.from_dict(StorePath(store or home.reading, name), arrays[name])


def results_of(home: Home) -> Any:
    """The array of results, to be read. Raises as `read_root`."""
    return array_of(home, RESULTS)


def layout_of(results: Any) -> Layout:
    """The layout of a store, from its array."""
    variables = {n: tuple(s) for n, s in results.attrs[_SLOTS].items()}
    _, _, points, seeds, width, _ = results.shards
    moments = _ROW in results.attrs
    seeds = results.attrs.get(_ROW, seeds)
    return Layout(variables, (points, seeds), width, moments)


def metrics_of(layout: Layout) -> dict[str, tuple[int, ...]]:
    """The variables that are metrics."""
    return {
        name: () if layout.moments else shape
        for name, shape in layout.variables.items()
        if name not in (PLAYED, ROUNDS)
    }


def key_of(*numbers: int) -> str:
    """Key of a shard in the store, by its number along every dim but checkpoint."""
    return f"{RESULTS}/c.{'.'.join(map(str, numbers))}.0"


def numbers_of(name: str) -> tuple[int, ...] | None:
    """The numbers of `key_of`, from a name in the folder of results."""
    parts = name.split(".")
    fits = len(parts) == 7 and parts[0] == "c" and all(x.isdigit() for x in parts[1:])
    return tuple(map(int, parts[1:6])) if fits else None


def pieces_of(results: Any) -> int:
    """How many pieces a shard has."""
    sizes = zip(results.shards, results.chunks, strict=True)
    return math.prod(shard // piece for shard, piece in sizes)


def written(home: Home) -> set[tuple[int, ...]]:
    """Numbers of all shards of a store."""
    found = map(numbers_of, home.objects(RESULTS))
    return {numbers for numbers in found if numbers is not None}


def files_of(axes: xr.Dataset, layout: Layout) -> dict[str, bytes]:
    """All objects of an empty store but the root: metadata, and coordinates."""
    objects: dict[str, Any] = {}
    group = zarr.open_group(MemoryStore(objects), mode="w-")
    for name, coordinate in axes.coords.items():
        _coordinate(group, name, coordinate.dims, coordinate.values)
    _coordinate(group, "variable", ("variable",), np.array(layout.labels()))
    *games, seeds, checkpoints = (axes.sizes[dim] for dim in DIMS)
    block = layout.block[0], layout.rows
    group.create_array(
        RESULTS,
        shape=(
            *games,
            -(-seeds // layout.block[1]) if layout.moments else seeds,
            layout.size,
            checkpoints,
        ),
        chunks=(1, 1, *block, layout.piece, _checkpoints(layout, checkpoints)),
        shards=(1, 1, *block, layout.width, checkpoints),
        dtype="f8",
        fill_value=np.nan,
        dimension_names=(
            *RUN_DIMS[:-1],
            "part" if layout.moments else "seed",
            "variable",
            "checkpoint",
        ),
        chunk_key_encoding={"name": "default", "separator": "."},
        # The checksum last, so that it is of the very bytes of the piece.
        compressors=(ZstdCodec(level=0), Crc32cCodec()),
        attributes={_SLOTS: {n: list(s) for n, s in layout.variables.items()}}
        | ({_ROW: layout.block[1]} if layout.moments else {}),
    )
    del objects[ROOT]
    return {key: data.to_bytes() for key, data in objects.items()}


def coordinate_chunks(group: zarr.Group) -> Iterator[str]:
    """Keys of the chunks of all coordinates."""
    for name, array in group.arrays():
        if name != RESULTS:
            for place in np.ndindex(*array.cdata_shape):
                yield f"{name}/{array.metadata.encode_chunk_key(place)}"


def _coordinate(
    group: zarr.Group, name: str, dims: Iterable[str], values: np.ndarray
) -> None:
    text = values.dtype.kind in "UOT"
    missing = np.nan if values.dtype.kind == "f" else 0
    array = group.create_array(
        name,
        shape=values.shape,
        chunks=(1,) * (values.ndim - 1) + (_COORDINATE_CHUNK,),
        dtype=str if text else values.dtype,
        fill_value="" if text else np.array(missing, values.dtype)[()],
        dimension_names=dims,
        compressors=(ZstdCodec(level=0), Crc32cCodec()),
        # A chunk that is not there is one that was lost.
        config={"write_empty_chunks": True},
    )
    array[...] = values.astype(object) if text else values


def _checkpoints(layout: Layout, checkpoints: int) -> int:
    """Checkpoints of a piece: they divide all, so that pieces fill a shard."""
    numbers = layout.block[0] * layout.rows * layout.piece
    most = min(max(_PIECE_BYTES // (8 * numbers), 1), checkpoints)
    return max(
        x for x in range(1, checkpoints + 1) if checkpoints % x == 0 and x <= most
    )
