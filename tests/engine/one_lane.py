"""Functions of one lane, which every engine must map over lanes as ``jax.vmap`` does.

Few and small numbers, so that ties are common and sums exact.
"""

import itertools
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.arrays import (
    first_argmax,
    multiply_add,
    outermost,
    pick,
    put,
    random_argmax,
    stored,
    tally,
    when,
)
from jaxbandits.engine.cpu.rows import MANY_ROWS
from jaxbandits.engine.cpu.trees import WIDTH
from jaxbandits.kernels.interpolation import interpolate

LANES = 5


def floats(*shape, seed=0):
    draw = np.random.default_rng(seed).standard_normal((*shape, LANES))
    return draw.astype(np.float32)


def integers(*shape, seed=0, high=9):
    draw = np.random.default_rng(seed).integers(-high, high, (*shape, LANES))
    return draw.astype(np.int32)


def halves(*shape, seed=0):
    """Few values."""
    return integers(*shape, seed=seed, high=4).astype(np.float32) / 2


def bools(*shape, seed=0):
    return integers(*shape, seed=seed) > 0


def index(length):
    """A place of each lane."""
    return np.arange(LANES, dtype=np.int32) % length


def at_once(cases: dict[str, Any]):
    """One function, ``{name: args} -> {name: outputs}``; what is shared is constant."""

    def call(name, args):
        fn, *all_args = cases[name]
        given = iter(args)
        return fn(*(x if is_shared(x) else next(given) for x in all_args))

    args = {
        name: [x for x in args if not is_shared(x)]
        for name, (_, *args) in cases.items()
    }
    return lambda args: {name: call(name, x) for name, x in args.items()}, args


def is_shared(argument):
    """An array of JAX is shared by all lanes; one of NumPy has a lane axis."""
    return isinstance(argument, jax.Array)


X, Y, Z = floats(3), floats(3, seed=1), floats()
MATRIX, CUBE = floats(3, 4), floats(2, 3, 4)
TABLE = jnp.arange(3.0)
WORDS = np.arange(2 * LANES, dtype=np.uint32).reshape(2, LANES)
WORD = np.linspace(0.05 * 2**32, 0.95 * 2**32, LANES).astype(np.uint32)


@jax.custom_vjp
def _with_rule(x):
    return jnp.sin(x) * x


_with_rule.defvjp(lambda x: (_with_rule(x), x), lambda x, g: (g,))


@jax.custom_jvp
def _clipped(x):
    return jnp.clip(x, 0, 1)


_clipped.defjvp(lambda primals, tangents: (_clipped(*primals), tangents[0]))


ELEMENTWISE = {
    "shared": (lambda x, w, z: (x * w - w, x * z + 2 * x + jnp.pi), X, TABLE, Z),
    "shared scalar": (lambda x, s: x * s, X, jnp.float32(3)),
    "clamp": (lambda x, z: lax.clamp(-jnp.abs(z), x, jnp.abs(z)), X, Z),
    "select": (lambda z, x, y: lax.select(z > 0, x, y), Z, X, Y),
    "where": (
        lambda w, x, z: (jnp.where(w > 1, x, z), jnp.where(z > 0, x, 0)),
        *(TABLE, X, Z),
    ),
    "where shared": (jnp.where, jnp.bool_(True), X, Y),
    "casts": (lambda x, b: (x.astype(int), b + 1, b.astype(x.dtype)), X, bools(3)),
    "multiply_add": (
        lambda x: (multiply_add(x, x / 3, x), multiply_add(x, 0.25, jnp.sum(x))),
        halves(20),
    ),
    "tables": (
        lambda x: (
            jnp.where(x > np.float32([0.1, 0.25, 0.7]), 0.5, x),
            x + pick(jnp.float32([3, 5, 7]), (x[0] > 0) + 0),
            jnp.where(jnp.arange(12).reshape(3, 4) == 6, 1.0, x[:, None]),
        ),
        X,
    ),
    "read twice": (lambda x: (jnp.sum(x * jnp.exp(x[:1])), jnp.exp(x[:1]) + 1), X),
    "stored": (lambda x: jnp.sum(stored(x * x) + stored(x)) * stored(jnp.exp(x)), X),
}


def _moved(x, z):
    n, m = x.shape
    along = jnp.arange(m, dtype=jnp.float32)[None, None]
    shapes = x.T, x.reshape(-1), x.reshape(m, n), x[None] + along, jnp.squeeze(x[None])
    parts = x[n // 2 :], x[::-1, 1:], x[-1], x[n - 1, ::2], x[0, m // 2]
    spread = x[:, None] * x.T[None, :, :1], jnp.broadcast_to(z, (2, 3)) + x[0, 0]
    joined = jnp.concatenate([x, x[:1] * 2, x[::-1]]), jnp.stack([x, -x], axis=1)
    many = jnp.concatenate([x[:, :1], x, x[:, :1] + z, x, x[:, :0]], axis=1)
    padded = jnp.pad(x, ((0, 1), (2, 0)), constant_values=9.0), jnp.pad(x, 1)
    return shapes, parts, spread, joined, many, padded


def _reduced(x, b):
    axes = None, 0, 1
    sums = [f(x, axis) for axis in axes for f in (jnp.sum, jnp.max, jnp.min, jnp.prod)]
    truths = [f(b, axis) for axis in axes for f in (jnp.any, jnp.all, jnp.sum)]
    running = lax.cumsum, lax.cumprod, lax.cummax, lax.cummin
    totals = [f(x, axis, reverse=axis > 0) for axis in (0, 1) for f in running]
    return sums, truths, totals, jnp.sum(x, 0, keepdims=True), first_argmax(x)


def _any_axes(x, b):
    axes = [*itertools.chain(*(itertools.combinations(range(3), n) for n in (1, 2, 3)))]
    others = [f(x, axis) for axis in ((0, 2), 1) for f in (jnp.max, jnp.min, jnp.prod)]
    truths = [f(b, axis) for axis in ((0, 2), 1) for f in (jnp.any, jnp.all)]
    return [jnp.sum(x, axis, keepdims=True) for axis in axes], others, truths


def _ends(*shape):
    """Lanes of +inf, of -inf, with one or two +inf at the ends, and with ties."""
    x = halves(*shape)
    flat = x.reshape(-1, LANES)
    flat[:, :2] = np.inf, -np.inf
    flat[-1, 2:4] = flat[0, 3] = np.inf
    return x


def _over(arrays):
    return [jnp.sum(x, axis) for x, (_, axis) in zip(arrays, LONG, strict=True)]


# In one expression, and as many entries as take several.
LENGTHS = 1, 10, WIDTH + 1
LONG = [(WIDTH + 1, 0), ((3, 300), 1), ((2, 200, 2), (0, 1)), (20_000, 0)]


def _many_rows(x, shared, own, place, row, same, number):
    """One of its own array or of a shared one is read; one is written, of its own, a
    shared one or a number; places below and beyond the array leave it as it is."""
    read = [pick(x, own), pick(x > 0, own), pick(shared, own)]
    rows = [put(x, place, each) for each in (row, same, number, 7.0)]
    return read, rows, put(put(x, place, row), 0, read[0])


def _same_row(x, row, *places):
    return pick(x, places[2]), [put(x, place, row) for place in places]


def _tallies(arrays, i):
    axes = [[(i + axis) % n for axis, n in enumerate(x.shape)] for x in arrays]
    return [tally(x, *place) for x, place in zip(arrays, axes, strict=True)]


SIZES = [(3, 5), (1, 4)]
MOVES = {f"moved, {n} x {m}": (_moved, halves(n, m), Z) for n, m in SIZES}
MOVES |= {
    f"reduced, {n} x {m}": (_reduced, halves(n, m), bools(n, m)) for n, m in SIZES
}
MOVES |= {
    f"{n} rows": (_many_rows, halves(n, 2, 5), jnp.asarray(halves(n, 2, 5)[..., 0]))
    + (
        index(n),
        np.int32([-2, 0, n - 1, n, n + 1]),
        halves(2, 5),
        jnp.asarray(halves(2, 5, seed=1)[..., 0]),
        Z,
    )
    for n in (3, MANY_ROWS)
}
MOVES |= {
    f"the same row of {n}": (_same_row, halves(n, 2), halves(2))
    + tuple(map(jnp.int32, (-1, 0, 2, n - 1, n)))
    for n in (3, 100)
}
MOVES |= {
    "tallies": (
        _tallies,
        [integers(*x) for x in [(10,), (4, 5), (100,), (10, 10), (2, 40)]],
        np.abs(integers(high=99)),
    ),
    "transpose": (lambda x: jnp.transpose(x, (2, 0, 1)), CUBE),
    "reduced over any axes": (_any_axes, integers(2, 3, 4), bools(2, 3, 4)),
    "outer product": (lambda x: jnp.sum(x[:, None] * x[None] * x[0]), halves(2)),
    "gather": (lambda x, i: (x[i], x[i, 1:]), MATRIX, index(3)),
    "gather by many": (
        lambda w, i: (jnp.take(w, i), jnp.take(w, i, mode="clip")),
        TABLE,
        integers(2, high=4),
    ),
    "dynamic slice": (
        lambda x, i: (
            lax.dynamic_slice(x, (i,), (2,)),
            lax.dynamic_slice(x, (i,), (1,)),
        ),
        X,
        index(5),  # beyond the last possible one, too
    ),
    "argmax of shared entries": (
        random_argmax,
        jnp.float32([1, 2, 2, 0, 2]),
        WORD,
    ),
    "over long axes": (_over, [halves(*np.atleast_1d(shape)) for shape, _ in LONG]),
    "first of many": (
        lambda arrays: [first_argmax(x) for x in arrays],
        [_ends(*np.atleast_1d(x)) for x in (1, WIDTH, WIDTH + 1, (3, 4), 20_000)]
        + [integers(3, 4)],
    ),
    # By a word of each lane, and of a formula by one that all share.
    "any of many": (
        lambda arrays, u, one: [
            (random_argmax(x, u), random_argmax(x * 2 + x, one)) for x in arrays
        ],
        [_ends(n) for n in LENGTHS],
        WORD,
        jnp.uint32(0.7 * 2**32),
    ),
    "argmax beside NaN": (
        lambda x, u: (first_argmax(x), random_argmax(x, u)),
        np.where(np.arange(9)[:, None] == index(9), np.float32(np.nan), halves(9)),
        WORD,
    ),
    "window": (interpolate, halves(20), np.linspace(0, 19, LANES, dtype=np.float32)),
    "windows": (
        jax.vmap(interpolate),
        halves(2, 6),
        np.stack([np.linspace(0, 5, LANES, dtype=np.float32)] * 2),
    ),
    "outermost": (
        lambda mask, i: outermost(mask, i),
        (np.arange(20)[:, None] < [0, 3, 1, 2, 4]) | (np.arange(20)[:, None] > 17),
        np.full(LANES, 9, np.int32),
    ),
    # Many rows are not taken for one.
    "rows of many": (
        lambda x, w, i, j, z: (
            jax.vmap(first_argmax)(x),
            jax.vmap(lambda row: random_argmax(row, w))(x),
            jax.vmap(pick, (0, None))(x, i),
            jax.vmap(pick)(x, j),
            jax.vmap(put, (0, None, None))(x, i, z),
            jax.vmap(tally, (0, None))((x > 0).astype(int), i),
        ),
        halves(40, 40),
        WORD,
        index(LANES),
        jnp.arange(40, dtype=np.int32),
        Z,
    ),
    "barrier": (lambda x, w: lax.optimization_barrier((x, w)), X, TABLE),
}
CALLS = {
    "functions": (
        lambda x: (jax.nn.relu(x), jax.nn.softplus(x), jax.nn.logsumexp(x)),
        X,
    ),
    "rules": (lambda x: (_clipped(x), _with_rule(x)), X),
    "checkpoint": (jax.checkpoint(lambda x: jnp.sin(x) * 2), X),
    "nested jit": (jax.jit(lambda x: jax.jit(jnp.tanh)(x) + 1), X),
    # A policy's own function may have the name of an array primitive.
    "names": (lambda x: jax.jit(lambda x, index: x[1] - index)(x, 2.0), X),
}


def with_constants(constant, carry, rows, **options):
    """A scan; each of the three may have lanes or not."""

    def body(carry, row):
        after = carry * 0.5 + constant * row
        return after, (jnp.sum(after), row - carry)

    return lax.scan(body, carry, rows, **options)


def _spreading(a, b, c, z):
    """From trip to trip one more carry depends on the lane: c, then b, then a."""

    def body(carry, _):
        a, b, c = carry
        return (a + b, b * c, c + z), a

    return lax.scan(body, (a, b, c), None, length=4)


def _nested(x, rows):
    def outer(carry, row):
        inner = lax.fori_loop(0, 3, lambda i, s: s * 0.5 + i * row, carry)
        return inner, jnp.max(inner)

    return lax.scan(outer, x, rows)


def records(z, length):
    """Outputs that all lanes share beside others, and a carry of integers."""

    def body(carry, _):
        count, total = carry
        return (count + 1, total + z * count), (count, 2.0 * count, total, total > 0)

    return lax.scan(body, (jnp.int32(0), jnp.float32(0)), None, length=length)


def _forgetting(z, rows):
    """The body replaces a carry with lanes by what all lanes share."""
    return lax.scan(lambda carry, row: (jnp.sum(row), carry + row), z, rows)


def in_a_loop(x, trips):
    """Rows are picked and put for a number of trips."""

    def body(carry):
        x, i = carry
        return put(x, i, pick(x, i) + 1), i + 1

    return lax.while_loop(lambda c: c[1] < trips, body, (x, jnp.int32(0)))[0]


def _halving(x, least, step):
    """Lanes end after different numbers of trips, some after none."""

    def going(carry):
        count, x = carry
        return (jnp.max(jnp.abs(x)) > least) & (count < 50)

    def halve(carry):
        count, x = carry
        return count + step, x * 0.5

    return lax.while_loop(going, halve, (jnp.int32(0), x))


ROWS = floats(4, 3)  # four rows of a column
ROW = jnp.float32([0.5, -1, 2])
TABLE_ROWS = jnp.arange(12.0).reshape(4, 3) / 12
ENDS = np.float32([9, 1, 0.1, 1e-3, 1e-9])
ONE = jnp.int32(1)
LOOPS = {
    "while, lane by lane": (_halving, X, ENDS, ONE),
    "while, shared bound": (_halving, X, jnp.float32(0.1), ONE),
    "while, shared start": (_halving, ROW, ENDS, ONE),
    "while, all shared": (_halving, ROW, jnp.float32(0.1), ONE),
    "while, no trips": (_halving, X, jnp.float32(1e9), ONE),
    "rows in a while": (in_a_loop, halves(40), index(40)),
    "while inside a loop": (
        lambda x, rows: lax.scan(
            lambda c, row: (_halving(c + row, 0.1, 1)[1], 0), x, rows
        ),
        X,
        ROWS,
    ),
    "when": (lambda x: when(x[0] > 0, lambda s: s + x, x), X),
    **{
        f"scan, {places or 'nothing'}": (
            with_constants,
            *(
                x if letter in places else shared
                for letter, x, shared in zip(
                    "kcr", (X, Y, ROWS), (ROW, ROW, TABLE_ROWS), strict=True
                )
            ),
        )
        for places in ("kcr", "cr", "kr", "kc", "k", "c", "r", "")
    },
    "reverse": (partial(with_constants, reverse=True), X, ROW, ROWS),
    "unrolled": (partial(with_constants, unroll=3), X, Y, TABLE_ROWS),
    "carries that come to have lanes": (
        _spreading,
        *map(jnp.float32, (1, 2, 3)),
        Z,
    ),
    "a carry that loses its lanes": (_forgetting, Z, TABLE_ROWS),
    "records": (partial(records, length=3), Z),
    "no trips": (partial(records, length=0), Z),
    "nested": (_nested, X, ROWS),
    "a deferred carry": (
        lambda x, z, rows: with_constants(x * z, x + z, rows),
        X,
        Z,
        ROWS,
    ),
    "over rows": (
        lambda x, w: lax.fori_loop(0, 3, lambda i, s: s + w[i] * x[i], 0.0),
        X,
        TABLE,
    ),
    "that selects an arm": (
        lambda x: lax.fori_loop(
            0, 5, lambda i, s: s + (jnp.arange(3) == first_argmax(x - s)), 0 * x
        ),
        X,
    ),
    "for every entry": (
        jax.vmap(lambda c, row: lax.fori_loop(0, 3, lambda i, s: s * c + i, row)),
        MATRIX,
        MATRIX,
    ),
}
# What a reduction computes entry by entry, and need not store; all numbers are exact.
DEFERRED = {
    "argmax of an index": lambda x, y, z: first_argmax(x + y * z),
    "used twice": lambda x, y, z: (x + y, jnp.sum(x + y), jnp.max(x + y) * z),
    "broadcasts": lambda x, y, z: jnp.sum(
        (x[:, None] + y[None, :]) * jnp.broadcast_to(z, (3, 3))
    ),
    "broadcast of size one": lambda x, y, z: jnp.sum(
        lax.broadcast_in_dim(x[1:2] + z, (2, 4), (1,)) * 2
    ),
    "outer maximum": lambda x, y, z: first_argmax(
        jnp.where(x[:, None] > z, x[:, None] * y[None, :], -z)
    ),
    "scalar predicate": lambda x, y, z: jnp.sum(lax.select(z > 0, x, y)),
    "shared operand": lambda x, y, z: jnp.max(x * jnp.arange(3.0) + jnp.float32(2)),
    "deep": lambda x, y, z: jnp.max(sum((x + k) * (y - k) for k in range(12))),
    "one axis": lambda x, y, z: jnp.sum(x[:, None] * y[None, :] + z, axis=0),
    "not cheap": lambda x, y, z: jnp.max(jnp.sqrt(jnp.abs(x)) + y),
}
FEW = halves(3), halves(3, seed=1), halves(seed=2)
DEFERRED = {f"deferred, {name}": (fn, *FEW) for name, fn in DEFERRED.items()}
CASES = ELEMENTWISE | MOVES | CALLS | LOOPS | DEFERRED


def _branch(flag, x):
    return lax.cond(flag, lambda x: x * 2, lambda x: x - 1, x)


def _draw(words):
    key = jax.random.wrap_key_data(words)
    first, second = jax.random.split(key)
    return jax.random.bits(first, (3,)), jax.random.uniform(second)


# Beyond the GPU engine.
FALLBACKS = {
    "sums of nothing": (lambda x: [jnp.sum(x[:0], a) for a in (0, (0, 1), ())], MATRIX),
    "over no axis": (lambda x: lax.reduce_max_p.bind(x, axes=(), out_sharding=None), X),
    "scatter": (lambda x: x.at[1].add(2.0), X),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(-x)), X),
    "jnp.argmax": (lambda x: (jnp.argmax(x, 0), jnp.argmin(x)), MATRIX),
    "dot": (lambda x, y, w: (jnp.dot(x, y), w[None, :] @ y), X, Y, TABLE),
    "einsum": (lambda x, y: jnp.einsum("ij,i->j", x, y), MATRIX, X),
    "cond": (_branch, bools(), X),
    "cond, shared flag": (_branch, jnp.bool_(True), X),
    "random": (_draw, WORDS),
}
