"""The lanes transform against ``jax.vmap`` with the batch axis last."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxbandits.arrays import first_argmax, pick, put, random_argmax, tally
from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.cpu import expression
from jaxbandits.engine.cpu.lanes import KERNELS, fill, lanes
from jaxbandits.engine.cpu.trees import MOST_READS, WIDTH
from tests.heavy import in_short

pytestmark = pytest.mark.oldest

LANES = 5
SHARED = "shared"  # marks an argument without a lane axis


def both(fn, *args, jit=True):
    """Outputs and flags of `lanes`, and the outputs of ``vmap``, lane axis last.

    An argument is an array with a lane axis, or ``(SHARED, array)``.
    """
    flags = tuple(not isinstance(x, tuple) for x in args)
    args = [x if flag else x[1] for x, flag in zip(args, flags, strict=True)]
    out_flags = None

    axes = [-1 if flag else None for flag in flags]

    def run(*args):
        nonlocal out_flags
        out, out_flags = lanes(fn, flags, LANES)(*args)
        return out, jax.vmap(fn, axes, -1, axis_size=LANES)(*args)

    # One program, as XLA takes longer for a second one than for the two in one.
    out, expected = (jax.jit(run) if jit else run)(*args)
    return out, out_flags, expected


def assert_like_vmap(fn, *args, rtol=1e-6):
    """Same values, shapes and dtypes; exact unless the output is inexact."""
    out, flags, expected = both(fn, *args)

    def compare(found, wanted):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        tolerance = rtol if jnp.issubdtype(found.dtype, jnp.floating) else 0
        np.testing.assert_allclose(found, wanted, rtol=tolerance)

    jax.tree.map(compare, fill(out, flags, LANES), expected)


def floats(*shape, seed=0):
    draw = np.random.default_rng(seed).standard_normal((*shape, LANES))
    return draw.astype(np.float32)


def integers(*shape, seed=0, high=9):
    draw = np.random.default_rng(seed).integers(-high, high, (*shape, LANES))
    return draw.astype(np.int32)


def bools(*shape, seed=0):
    return integers(*shape, seed=seed) > 0


@jax.custom_vjp
def _with_rule(x):
    return jnp.sin(x) * x


_with_rule.defvjp(lambda x: (_with_rule(x), x), lambda x, g: (g,))


@jax.custom_jvp
def _clipped(x):
    return jnp.clip(x, 0, 1)


_clipped.defjvp(lambda primals, tangents: (_clipped(*primals), tangents[0]))


def _collatz(n):
    """A while loop whose number of trips differs from lane to lane."""

    def body(carry):
        n, steps = carry
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lax.while_loop(lambda carry: carry[0] > 1, body, (jnp.abs(n) + 1, 0))


def _scan(x, y):
    return lax.scan(lambda carry, row: (carry + row, carry * row), x, y)


def _branch(flag, x):
    return lax.cond(flag, lambda x: x * 2, lambda x: x - 1, x)


def _draw(words):
    key = jax.random.wrap_key_data(words)
    first, second = jax.random.split(key)
    return jax.random.normal(first, (3,)), jax.random.randint(second, (), 0, 10)


X, Y, Z = floats(3), floats(3, seed=1), floats()
MATRIX, CUBE = floats(3, 4), floats(2, 3, 4)
TABLE = (SHARED, np.arange(3, dtype=np.float32))
WORDS = np.arange(2 * LANES, dtype=np.uint32).reshape(2, LANES)

CASES = {
    # element-wise, broadcasting
    "add": (jnp.add, X, Y),
    "scalar and vector": (lambda x, z: x * z + 1, X, Z),
    "shared and batched": (lambda x, w: x * w - w, X, TABLE),
    "shared scalar": (lambda x, s: x * s, X, (SHARED, np.float32(3))),
    "literal": (lambda x: 2 * x + jnp.pi, X),
    "outer": (lambda x, y: x[:, None] * y[None, :], X, Y),
    "outer with shared": (lambda x, w: x[:, None] + w[None, :], X, TABLE),
    "broadcast scalar": (lambda z: jnp.broadcast_to(z, (2, 3)), Z),
    "broadcast row": (lambda x: jnp.broadcast_to(x, (2, 3)), X),
    "broadcast size one": (lambda x: jnp.broadcast_to(x[:1], (4,)) + 0, X),
    "transcendental": (lambda x: jnp.log1p(jnp.exp(x)) + lax.erf(x) ** 3, X),
    "power": (lambda x, y: jnp.abs(x) ** y, X, Y),
    "clamp by lane": (lambda x, z: lax.clamp(-jnp.abs(z), x, jnp.abs(z)), X, Z),
    "select scalar predicate": (lambda z, x, y: lax.select(z > 0, x, y), Z, X, Y),
    "where scalar predicate": (lambda z, x: jnp.where(z > 0, x, 0.0), Z, X),
    "where shared predicate": (jnp.where, (SHARED, np.True_), X, Y),
    "where shared vector": (
        lambda w, x, z: jnp.where(w > 1, x, z),
        TABLE,
        X,
        Z,
    ),
    # integers and bools
    "integer division": (lambda i, j: (i // (j**2 + 1), i % 7), *2 * [integers(3)]),
    "bits": (lambda i: (i << 2) ^ (i >> 1) | ~i & 5, integers(3)),
    "logic": (lambda a, b: (a & ~b) ^ (a | b), bools(3), bools(3, seed=1)),
    "casts": (lambda x, b: (x.astype(int), b + 1, b.astype(x.dtype)), X, bools(3)),
    "population count": (lax.population_count, integers(3)),
    "unsigned": (lambda u: u * jnp.uint32(2654435761) >> jnp.uint32(9), WORDS),
    # structure
    "reshape": (lambda x: x.reshape(4, 3).reshape(-1), MATRIX),
    "transpose": (lambda x: jnp.transpose(x, (2, 0, 1)), CUBE),
    "slice": (lambda x: x[1:3], X),
    "strided slice": (lambda x: x[::2, 1::3], MATRIX),
    "index": (lambda x: x[1, 2], MATRIX),
    "reverse": (lambda x: x[::-1], X),
    "squeeze": (lambda x: jnp.squeeze(x[:, None], 1)[None], X),
    "concatenate": (lambda x, w: jnp.concatenate([x, w, x]), X, TABLE),
    "stack": (lambda x, y: jnp.stack([x, y], axis=1), X, Y),
    "cumsum": (lambda x: jnp.cumsum(x, axis=0), MATRIX),
    "cumsum, last axis": (lambda x: jnp.cumsum(x, axis=1), MATRIX),
    "reverse cumulative": (lambda x: lax.cumsum(x, 1, reverse=True), MATRIX),
    "cumulative": (
        lambda x: (jnp.cumprod(x, 0), lax.cummax(x, 1), lax.cummin(x)),
        MATRIX,
    ),
    # fallbacks
    "gather": (lambda x, i: x[i], X, np.array([0, 2, 1, 1, 0], np.int32)),
    "gather from shared": (
        lambda w, i: jnp.take(w, jnp.abs(i) % 3),
        TABLE,
        integers(2),
    ),
    "scatter": (lambda x: x.at[1].add(2.0), X),
    "dynamic slice": (lambda x, i: lax.dynamic_slice(x, (i % 2,), (2,)), X, integers()),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(-x)), X),
    "argmax": (lambda x: (jnp.argmax(x, 0), jnp.argmin(x)), MATRIX),
    "dot": (jnp.dot, X, Y),
    "dot with shared": (lambda x, w: w[None, :] @ x, MATRIX, TABLE),
    "einsum": (lambda x, y: jnp.einsum("ij,i->j", x, y), MATRIX, X),
    "pad": (lambda x: jnp.pad(x, (1, 2)), X),
    # control flow
    "cond": (_branch, bools(), X),
    "cond, shared flag": (_branch, (SHARED, np.True_), X),
    "while": (_collatz, integers()),
    "while, shared trips": (
        lambda x: lax.fori_loop(0, 4, lambda i, s: s * 0.5 + i, x),
        X,
    ),
    "scan": (_scan, Z, X),
    "scan over shared": (_scan, Z, TABLE),
    # calls
    "relu": (jax.nn.relu, X),
    "softplus": (jax.nn.softplus, X),
    "logsumexp": (jax.nn.logsumexp, X),
    "custom jvp": (_clipped, X),
    "custom vjp": (_with_rule, X),
    "checkpoint": (jax.checkpoint(lambda x: jnp.sin(x) * 2), X),
    "nested jit": (jax.jit(lambda x: jax.jit(jnp.tanh)(x) + 1), X),
    "barrier": (lambda x, w: lax.optimization_barrier((x, w)), X, TABLE),
    "random": (_draw, WORDS),
}


@pytest.mark.parametrize("name", in_short(CASES, {"random"}))
def test_like_vmap(name):
    fn, *args = CASES[name]
    assert_like_vmap(fn, *args)


REDUCTIONS = (jnp.sum, jnp.max, jnp.min, jnp.prod)
AXES = (0, 1, 2, (0, 1), (1, 2), (0, 2), None)


@pytest.mark.parametrize("axis", in_short(AXES, {0, 1, 2, (0, 1), (1, 2)}))
def test_reductions_over_any_axes(axis):
    def fn(x, b):
        kept = jnp.sum(x, axis, keepdims=True)
        logical = [f(b, axis) for f in (jnp.any, jnp.all, jnp.sum)]
        return [f(x, axis) for f in REDUCTIONS], kept, logical

    assert_like_vmap(fn, integers(2, 3, 4), bools(2, 3, 4))


LONG = [
    ((WIDTH,), 0),
    ((WIDTH + 1,), 0),
    ((3, 300), 1),
    ((2, 200, 2), (0, 1)),
    ((2 * WIDTH - 1,), 0),
    ((20_000,), 0),
    ((2, 200, 2), (0, 2)),
]


@pytest.mark.parametrize("case", in_short(LONG, {*LONG[2:]}), ids=str)
def test_reductions_over_long_axes(case):
    shape, axis = case

    def fn(i, x):
        return jnp.sum(i, axis), jnp.mean(x, axis)

    assert_like_vmap(fn, integers(*shape), np.abs(floats(*shape)), rtol=1e-5)


@pytest.mark.parametrize("axis", [0, (0, 1), ()])
def test_reductions_over_nothing(axis):
    assert_like_vmap(lambda x: jnp.sum(x[:0], axis), MATRIX)
    assert_like_vmap(lambda x: lax.reduce_max_p.bind(x, axes=(), out_sharding=None), X)


SHAPES = [(1,), (5,), (3, 4), (WIDTH,), (WIDTH + 1,), (40, 25), (20_000,)]


@pytest.mark.parametrize(
    "shape", in_short(SHAPES, {(5,), (WIDTH,), (40, 25), (20_000,)})
)
def test_first_argmax(shape):
    """Lane 0 all +inf, lane 1 all -inf, lanes 2 and 3 with +inf at the ends, ties."""
    values = integers(*shape, high=3).astype(np.float32)
    values[..., 0], values[..., 1] = np.inf, -np.inf
    flat = values.reshape(-1, LANES)
    flat[-1, 2:4] = flat[0, 3] = np.inf
    (found, of_integers), _, _ = both(
        lambda x, i: (first_argmax(x), first_argmax(i)), values, integers(*shape)
    )
    assert found.dtype == of_integers.dtype == jnp.int32
    np.testing.assert_array_equal(found, np.argmax(flat, axis=0))
    flat = integers(*shape).reshape(-1, LANES)
    np.testing.assert_array_equal(of_integers, np.argmax(flat, axis=0))


WORD = np.linspace(0.05 * 2**32, 0.95 * 2**32, LANES).astype(np.uint32)
SOME = np.uint32(0.7 * 2**32)


def _first_word(x, u, v):
    return random_argmax(x, u)


def _shared_word_and_formula(x, u, v):
    return random_argmax(x * 2 + x, v)


WORDS_AND_LENGTHS = [
    *[(_first_word, n) for n in (1, 2, 10, WIDTH - 1, WIDTH, WIDTH + 1, 300)],
    *[(_shared_word_and_formula, n) for n in (3, WIDTH + 1)],
]
SHORT = {1, 10, WIDTH, WIDTH + 1}


@pytest.mark.parametrize(
    "case",
    in_short(
        WORDS_AND_LENGTHS,
        [(fn, n) for fn, n in WORDS_AND_LENGTHS[:-2] if n not in SHORT],
    ),
    ids=lambda case: f"{case[0].__name__}-{case[1]}",
)
def test_random_argmax(case):
    """Lanes of +inf, of -inf, with two +inf, with one largest entry, with ties."""
    fn, length = case
    values = integers(length, high=3).astype(np.float32)
    values[:, 0], values[:, 1] = np.inf, -np.inf
    values[[0, -1], 2], values[length // 2, 3] = np.inf, 9
    found, _, expected = both(fn, values, WORD, (SHARED, SOME))
    assert found.dtype == jnp.int32
    np.testing.assert_array_equal(found, expected)
    # And what it should be, in plain NumPy.
    for lane, x in enumerate(values.T):
        tied = np.flatnonzero(x == np.max(x))
        word = WORD[lane] if fn is _first_word else SOME
        assert found[lane] == tied[int(word) * tied.size >> 32]


@pytest.mark.parametrize("x64", [False, True])
def test_random_argmax_of_entries_that_all_lanes_share(x64):
    """Only the word differs from lane to lane: it decides among the ties."""
    with jax.enable_x64(x64):
        shared = (SHARED, jnp.asarray([1.0, 2.0, 2.0, 0.0, 2.0]))
        (found,), _, (expected,) = both(
            lambda w, u: (random_argmax(w, u),), shared, WORD
        )
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, [1, 1, 2, 4, 4])


def test_kernels_are_replaced(monkeypatch):
    """Where a lane is involved, inside other calls too; else they are left alone."""
    seen = []

    def spied(name, form):
        def replaced(inputs, scope, default):
            seen.append((name.removeprefix(PREFIX), inputs[0].shape))
            return form(inputs, scope, default)

        return replaced

    for name, form in KERNELS.items():
        monkeypatch.setitem(KERNELS, name, spied(name, form))
    both(lambda x, w: (jax.jit(first_argmax)(x), first_argmax(w)), X, TABLE)
    assert seen == [("first_argmax", (3,))]
    half = (SHARED, np.uint32(2**31))

    def fn(x, w, u):
        return jax.jit(random_argmax)(x, u), random_argmax(w, u)

    both(fn, X, TABLE, half)
    assert seen[1:] == [("random_argmax", (3,))]


@pytest.mark.slow
def test_kernels_of_many_rows_are_not_taken_for_kernels_of_one(monkeypatch):
    """Inside a ``vmap`` of the policy the same operations stand for many rows."""
    for name in KERNELS:
        monkeypatch.setitem(KERNELS, name, None)
    square = floats(40, 40)
    index = np.arange(LANES, dtype=np.int32)
    position = (SHARED, np.arange(40, dtype=np.int32))
    assert_like_vmap(jax.vmap(first_argmax), square)
    assert_like_vmap(jax.vmap(pick, (0, None)), square, index)
    assert_like_vmap(jax.vmap(pick), square, position)
    assert_like_vmap(jax.vmap(put, (0, None, None)), square, index, floats())
    assert_like_vmap(jax.vmap(tally, (0, None)), integers(40, 40), index)


def test_the_largest_entry_is_found_in_one_pass():
    """And not as the kernel does it: maximum first, then a search for its equal."""
    mapped = lanes(lambda x: first_argmax(x), (True,), LANES)
    jaxpr = jax.make_jaxpr(lambda x: mapped(x)[0])(X)
    assert "eq" not in {eqn.primitive.name for eqn in jaxpr.eqns}


def test_outputs_without_a_lane_stay_without():
    def fn(x, w):
        return {"a": x + w, "b": (w * 2, jnp.zeros(2)), "c": jnp.int32(3), "d": w}

    out, flags, _ = both(fn, X, TABLE)
    assert flags == {"a": True, "b": (False, False), "c": False, "d": False}
    assert jax.tree.map(jnp.shape, out) == {
        "a": (3, LANES),
        "b": ((3,), (2,)),
        "c": (),
        "d": (3,),
    }
    assert jax.tree.map(jnp.shape, fill(out, flags, LANES)) == {
        "a": (3, LANES),
        "b": ((3, LANES), (2, LANES)),
        "c": (LANES,),
        "d": (3, LANES),
    }
    assert_like_vmap(fn, X, TABLE)


def test_work_that_all_lanes_share_is_done_once():
    def fn(x, w):
        return x + jnp.sum(jnp.exp(w))

    mapped = lanes(fn, (True, False), LANES)
    jaxpr = jax.make_jaxpr(lambda *args: mapped(*args)[0])(X, TABLE[1])
    (exponential,) = (e for e in jaxpr.eqns if e.primitive.name == "exp")
    assert exponential.outvars[0].aval.shape == (3,)


def test_pytrees_and_prefixes_of_flags():
    def fn(state, shared):
        return {"x": state["x"] * shared[0], "y": state["y"] + shared[1]}

    mapped = lanes(fn, ({"x": True, "y": False}, False), LANES)
    w = TABLE[1]
    out, flags = mapped({"x": X, "y": w}, (w, w))
    assert flags == {"x": True, "y": False}
    np.testing.assert_allclose(out["x"], X * w[:, None])
    np.testing.assert_allclose(out["y"], 2 * w)


def test_flags_must_match_the_arguments():
    with pytest.raises(ValueError):
        lanes(jnp.add, (True,), LANES)(X, Y)


def test_no_lane_axis_moves():
    """The index of a policy: nothing is transposed, nothing gathered."""

    def index(pulls, total, log_t):
        count = jnp.maximum(pulls, 1).astype(jnp.float32)
        bonus = jnp.sqrt(log_t / count)
        return first_argmax(jnp.where(pulls == 0, jnp.inf, total / count + bonus))

    mapped = lanes(index, (True, True, False), LANES)
    args = (np.abs(integers(3, 4)), MATRIX, np.float32(2))
    jaxpr = str(jax.make_jaxpr(lambda *args: mapped(*args)[0])(*args))
    assert "transpose" not in jaxpr and "gather" not in jaxpr
    assert_like_vmap(index, *args[:2], (SHARED, args[2]))


# Deferred expressions. Values are small integers, so that all arithmetic is exact.

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
    "deep": lambda x, y, z: jnp.max(
        sum((x + k) * (y - k) for k in range(2 * expression.MAX_DEPTH))
    ),
    "one axis": lambda x, y, z: jnp.sum(x[:, None] * y[None, :] + z, axis=0),
    "casts": lambda x, y, z: jnp.sum((x > y).astype(jnp.int32)) + jnp.any(x == z),
    "not cheap": lambda x, y, z: jnp.max(jnp.sqrt(jnp.abs(x)) + y),
}


@pytest.mark.parametrize("name", DEFERRED)
def test_deferred_expressions_are_the_materialised_ones(name, monkeypatch):
    fn = DEFERRED[name]
    args = [
        integers(*s, seed=k).astype(np.float32) for k, s in enumerate([(3,), (3,), ()])
    ]
    deferred, _, expected = both(fn, *args)
    monkeypatch.setattr(expression, "CHEAP", frozenset())
    materialised, _, _ = both(fn, *args)
    jax.tree.map(np.testing.assert_array_equal, deferred, materialised)
    jax.tree.map(np.testing.assert_array_equal, deferred, expected)


def test_a_reduction_of_a_deferred_index_writes_no_array():
    """The point of deferring: no [K, L] array of the index appears."""
    mapped = lanes(lambda x, y: jnp.max(x + y), (True, True), LANES)
    jaxpr = jax.make_jaxpr(lambda *args: mapped(*args)[0])(X, Y)
    assert all(v.aval.shape != X.shape for e in jaxpr.eqns for v in e.outvars)


def test_an_index_of_many_reads_is_stored():
    """In one expression with the argmax it would not become vector code."""

    def index(x, y, z):
        return first_argmax(x + y * z)

    def stored(n):
        args = [integers(n, seed=k).astype(np.float32) for k in range(3)]
        assert_like_vmap(index, *args)
        mapped = lanes(index, (True, True, True), LANES)
        jaxpr = jax.make_jaxpr(lambda *args: mapped(*args)[0])(*args)
        return any(v.aval.shape == (n, LANES) for e in jaxpr.eqns for v in e.outvars)

    assert MOST_READS < 3 * WIDTH
    assert not stored(MOST_READS // 3) and stored(MOST_READS // 3 + 1)


def test_eager_and_compiled_agree():
    fn = partial(jnp.where, True)
    eager, _, expected = both(lambda x, y: fn(x, y) + 1, X, Y, jit=False)
    np.testing.assert_array_equal(eager, expected)


@pytest.mark.parametrize("kernel", [first_argmax, lambda x: random_argmax(x, SOME)])
def test_named_kernels_inside_a_vmap(kernel):
    """The engine's forms are for one row; many rows keep the kernel's own."""
    assert_like_vmap(jax.vmap(kernel), floats(4, 6))


# Loops stay loops; what of theirs has a lane may differ.

ROWS = floats(4, 3)  # four rows of a column, with lanes
TABLE_ROWS = (SHARED, np.arange(12, dtype=np.float32).reshape(4, 3) / 12)


def _with_constants(constant, carry, rows, **options):
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


def _records(z, length):
    """Outputs that all lanes share beside others, and a carry of integers."""

    def body(carry, _):
        count, total = carry
        return (count + 1, total + z * count), (count, 2.0 * count, total, total > 0)

    return lax.scan(body, (jnp.int32(0), jnp.float32(0)), None, length=length)


def _forgetting(z, rows):
    """The body replaces a carry with lanes by what all lanes share."""
    return lax.scan(lambda carry, row: (jnp.sum(row), carry + row), z, rows)


def _halving(x, least, step):
    """Lanes end after different numbers of trips, some after none."""

    def going(carry):
        count, x = carry
        return (jnp.max(jnp.abs(x)) > least) & (count < 50)

    def halve(carry):
        count, x = carry
        return count + step, x * 0.5

    return lax.while_loop(going, halve, (jnp.int32(0), x))


def _turns(x, turns):
    """All lanes go on for as long; only one of the carries has lanes."""

    def body(carry):
        left, total = carry
        return left - 1, total + x * left

    return lax.while_loop(lambda carry: carry[0] > 0, body, (turns, jnp.float32(0)))


SHARED_ROW = (SHARED, np.float32([0.5, -1, 2]))
ONE = (SHARED, np.int32(1))
LOOPS = {
    "while, lane by lane": (_halving, X, np.float32([9, 1, 0.1, 1e-3, 1e-9]), ONE),
    "while, shared bound": (_halving, X, (SHARED, np.float32(0.1)), ONE),
    "while, shared start": (_halving, SHARED_ROW, np.float32([9, 1, 0.1, 1, 1]), ONE),
    "while, all shared": (_halving, SHARED_ROW, (SHARED, np.float32(0.1)), ONE),
    "while, in step": (_turns, Z, (SHARED, np.int32(3))),
    "while, no trips": (_turns, Z, (SHARED, np.int32(0))),
    "while inside a loop": (
        lambda x, rows: lax.scan(
            lambda c, row: (_halving(c + row, 0.1, 1)[1], 0), x, rows
        ),
        X,
        ROWS,
    ),
    "all with lanes": (_with_constants, X, Y, ROWS),
    "shared constant": (_with_constants, SHARED_ROW, Y, ROWS),
    "shared carry": (_with_constants, X, SHARED_ROW, ROWS),
    "shared columns": (_with_constants, X, Y, TABLE_ROWS),
    "only constants": (_with_constants, X, SHARED_ROW, TABLE_ROWS),
    "only the carry": (_with_constants, SHARED_ROW, Y, TABLE_ROWS),
    "only columns": (_with_constants, SHARED_ROW, SHARED_ROW, ROWS),
    "nothing": (_with_constants, SHARED_ROW, SHARED_ROW, TABLE_ROWS),
    "reverse": (partial(_with_constants, reverse=True), X, SHARED_ROW, ROWS),
    "unrolled": (partial(_with_constants, unroll=3), X, Y, TABLE_ROWS),
    "carries that come to have lanes": (
        _spreading,
        *[(SHARED, np.float32(k)) for k in (1, 2, 3)],
        Z,
    ),
    "a carry that loses its lanes": (_forgetting, Z, TABLE_ROWS),
    "records": (partial(_records, length=3), Z),
    "no trips": (partial(_records, length=0), Z),
    "nested": (_nested, X, ROWS),
    "nested, shared start": (_nested, SHARED_ROW, ROWS),
    "a deferred carry": (
        lambda x, z, rows: _with_constants(x * z, x + z, rows),
        X,
        Z,
        ROWS,
    ),
    "fori_loop over rows": (
        lambda x, w: lax.fori_loop(0, 3, lambda i, s: s + w[i] * x[i], 0.0),
        X,
        TABLE,
    ),
    "fori_loop that selects an arm": (
        lambda x: lax.fori_loop(
            0, 5, lambda i, s: s + (jnp.arange(3) == first_argmax(x - s)), 0 * x
        ),
        X,
    ),
    "a loop for every entry": (
        jax.vmap(lambda c, row: lax.fori_loop(0, 3, lambda i, s: s * c + i, row)),
        MATRIX,
        MATRIX,
    ),
}


# Beside loops that share all but one of these, or none.
LONG_LOOPS = {
    "shared constant",
    "shared carry",
    "shared columns",
    "nothing",
    "nested, shared start",
}


@pytest.mark.parametrize("name", in_short(LOOPS, LONG_LOOPS))
def test_loops_play_as_under_vmap(name):
    fn, *args = LOOPS[name]
    assert_like_vmap(fn, *args, rtol=2e-6)


def test_loops_stay_loops():
    """One scan, whose body is mapped: no batch axis in front, nothing transposed."""
    mapped = lanes(_with_constants, (True, False, True), LANES)
    args = (X, SHARED_ROW[1], ROWS)
    jaxpr = jax.make_jaxpr(lambda *args: mapped(*args)[0])(*args)
    assert [eqn.primitive.name for eqn in jaxpr.eqns].count("scan") == 1
    assert "transpose" not in str(jaxpr)


def test_what_a_loop_shares_stays_shared():
    """Records and carries that no lane enters come back without the lane axis."""
    mapped = lanes(partial(_records, length=3), (True,), LANES)
    ((count, total), records), flags = mapped(Z)
    assert flags == ((False, True), (False, False, True, True))
    assert count.shape == () and total.shape == (LANES,)
    assert [x.shape for x in records] == [(3,), (3,), (3, LANES), (3, LANES)]
