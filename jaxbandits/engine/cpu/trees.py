"""Reductions over a lane's own axes as balanced trees of element-wise operations."""

import itertools
import math

import jax.numpy as jnp
from jax import lax

from jaxbandits.arrays import position, stored
from jaxbandits.engine.cpu.expression import Lane, Scope, align

WIDTH = 128  # entries that are reduced in one expression; longer axes take several
# The most loads of one expression, entries times the arrays of which each is computed:
# beyond some 250 the compiler makes no vector code (80 entries of three arrays take
# 1.1 ns each, 90 take 5).
MOST_READS = 240


def reduce(operation, lane: Lane, axes: tuple[int, ...]) -> Lane:
    """Reduce `axes` of a lane's value with a commutative, associative operation."""
    if len(axes) == len(lane.shape) and math.prod(lane.shape) <= WIDTH:
        return Lane(stored(_tree(operation, _entries(lane))), True)
    x = lane.value
    axes = sorted(axes)
    if axes == list(range(axes[0], axes[0] + len(axes))):
        # Neighbouring axes are one axis in memory: one tree instead of several. Stored
        # first: a loop that computes in one shape and writes in another is not vector
        # code.
        merged = math.prod(x.shape[a] for a in axes)
        shape = (*x.shape[: axes[0]], merged, *x.shape[axes[-1] + 1 :])
        x = (stored(x) if len(axes) > 1 else x).reshape(shape)
        axes = axes[:1]
    for axis in reversed(axes):
        while x.shape[axis] > 1:
            x = stored(_shorten(operation, x, axis))
        x = jnp.squeeze(x, axis)
    return Lane(x, True)


def first_argmax(inputs: list[Lane], scope: Scope, default) -> Lane:
    """Position (row-major) of the first largest entry, as `arrays.first_argmax`."""
    del default
    (lane,) = inputs
    if math.prod(lane.shape) > WIDTH:
        return _long_argmax(lane)

    def better(left, right):
        # Strictly: on a tie the left one, which comes first, stays.
        wins = right[0] > left[0]
        one = (jnp.where(wins, r, f) for f, r in zip(left[:2], right[:2], strict=True))
        return *one, left[2] | right[2]

    entries = [(x, jnp.int32(i), x != x) for i, x in enumerate(_entries(lane))]
    _, position, has_nan = _tree(better, entries)
    position = jnp.where(has_nan, jnp.int32(len(entries)), position)
    position = jnp.broadcast_to(position, (scope.num_lanes,))
    return Lane(stored(position), True)


def random_argmax(inputs: list[Lane], scope: Scope, default) -> Lane:
    """Position of the largest entry, ties at random, as `arrays.random_argmax`.

    The number of entries whose rank among the ties is at most the chosen one, by
    running counts: unrolled, because XLA's cumulative sums are slow on CPUs (and its
    compiler is on long unrolled ones).
    """
    del default
    lane, word = inputs
    # Stored, because it is read twice.
    x = stored(align(lane, lane.shape, scope.num_lanes))
    largest = reduce(jnp.maximum, Lane(x, True), (0,)).value
    if x.shape[0] > WIDTH:
        rank = jnp.cumsum(x == largest[None], axis=0, dtype=jnp.int32)
        before = rank <= position(word.value, rank[-1])[None]
        return reduce(jnp.add, Lane(before.astype(jnp.int32), True), (0,))
    ranks, rank = [], 0
    for entry in _entries(Lane(x, True)):
        rank = rank + (entry == largest).astype(jnp.int32)
        ranks.append(rank)
    chosen = position(word.value, rank)
    before = [(rank <= chosen).astype(jnp.int32) for rank in ranks]
    return Lane(stored(_tree(jnp.add, before)), True)


def _long_argmax(lane: Lane) -> Lane:
    """The largest entry first, then the first position that equals it."""
    # Stored in its own shape: a loop that computes in one shape and writes in another
    # is not vector code.
    x = stored(lane.value).reshape(-1, lane.value.shape[-1])
    largest = reduce(jnp.maximum, Lane(x, True), (0,)).value
    positions = jnp.arange(x.shape[0], dtype=jnp.int32)[:, None]
    candidates = jnp.where(x == largest[None], positions, jnp.int32(x.shape[0]))
    return reduce(jnp.minimum, Lane(candidates, True), (0,))


def _entries(lane: Lane) -> list:
    if math.prod(lane.shape) * lane.reads > MOST_READS:
        lane = Lane(stored(lane.value), lane.batched)
    return [lane.entry(p) for p in itertools.product(*map(range, lane.shape))]


def _shorten(operation, x, axis):
    """Reduce `axis` to 1 if it fits one tree, else to the width of one piece."""
    length = x.shape[axis]
    pieces = length if length <= WIDTH else min(-(-length // WIDTH), WIDTH)
    width = length // pieces
    cuts = [
        lax.slice_in_dim(x, i * width, (i + 1) * width, axis=axis)
        for i in range(pieces)
    ]
    rest = length - pieces * width
    if rest:
        # The remainder goes through with the next, shorter pass.
        tail = lax.slice_in_dim(x, pieces * width, length, axis=axis)
        return lax.concatenate([_tree(operation, cuts), tail], axis)
    return _tree(operation, cuts)


def _tree(operation, items):
    while len(items) > 1:
        pairs = [items[i : i + 2] for i in range(0, len(items), 2)]
        items = [operation(*p) if len(p) == 2 else p[0] for p in pairs]
    return items[0]
