"""What the GPU engine writes, operation by operation, against the plain function.

The text is built as C++ and called; no GPU is needed.
"""

import itertools
import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from jaxbandits.arrays import argmax, multiply_add, outermost, select, stored
from jaxbandits.engine.elementwise import ELEMENTWISE
from jaxbandits.engine.gpu.rounds import tape_row
from jaxbandits.engine.tape import Key, draw_words
from jaxbandits.kernels.interpolation import interpolate
from tests.engine.gpu_mapped import mapped, written
from tests.heavy import in_short

LANES = 4
# Of matrices; every one of them is compiled.
SIZES = [(3, 5), (1, 1), (1, 4), (6, 1), (5, 6)]
sized = pytest.mark.parametrize("size", in_short(SIZES, SIZES[1:]), ids=str)


@pytest.fixture
def both():
    """``both(fn, *args)``: mapped by `jax.vmap`, and in a kernel, gives the same."""

    def agree(fn, *args, atol=0.0):
        @jax.jit
        def played(*args):
            plain = jax.vmap(fn, in_axes=-1, out_axes=-1)(*args)
            return plain, mapped(fn, *args)

        plain, found = played(*args)
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6, atol=atol),
            found,
            plain,
        )

    return agree


def numbers(*shape, kind=np.float32):
    """Few values, so that ties are common; ``[*shape, LANES]``."""
    rng = np.random.default_rng(len(shape) + sum(shape))
    return rng.integers(-2, 3, (*shape, LANES)).astype(kind)


REDUCTIONS = {
    "sum": jnp.sum,
    "max": jnp.max,
    "min": jnp.min,
    "prod": jnp.prod,
    "any": lambda x, axis=None: jnp.any(x > 1, axis),
    "all": lambda x, axis=None: jnp.all(x > -2, axis),
    "first": lambda x, axis=None: argmax.first_argmax(x if axis is None else x * axis),
}


@pytest.mark.slow
@pytest.mark.parametrize("axis", in_short([None, 0, 1], {1}))
@sized
def test_reductions(both, axis, size):
    both(
        lambda x: {name: fn(x, axis=axis) for name, fn in REDUCTIONS.items()},
        numbers(*size),
    )


RUNNING = (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin)


@pytest.mark.slow
@pytest.mark.parametrize("reverse", in_short([False, True], {False}))
@sized
def test_running_totals(both, reverse, size):
    both(lambda x: [fn(x, axis=1, reverse=reverse) for fn in RUNNING], numbers(*size))


@pytest.mark.slow
@sized
def test_pick_and_put(both, size):
    n, m = size
    table, index = numbers(n, m), np.arange(LANES, dtype=np.int32) % n
    both(
        lambda x, i: (select.put(x, i, 7.0), select.pick(x, i), select.pick(x > 0, i)),
        table,
        index,
    )
    # Under a map, rows are picked from every array of a stack.
    many = np.broadcast_to(np.arange(n)[:, None] % m, (n, LANES)).astype(np.int32)
    both(jax.vmap(select.pick), table, many)


@pytest.mark.parametrize(
    "case", in_short([(2, 1, 3), (1, 0, 1), (6, 3, 6)], {(1, 0, 1), (6, 3, 6)}), ids=str
)
def test_slices(both, case):
    n, low, length = case
    x = numbers(n + 3, 3)
    stop = min(low + length, n + 3)
    both(lambda x: (x[low:stop], x[low:stop][-1], x[low:, 1:]), x)
    both(lambda x: x[-1, :2] + x[0, 1:], x)
    start = np.arange(LANES, dtype=np.int32)  # beyond the last possible one, too
    part = lax.dynamic_slice_in_dim
    both(lambda x, i: (part(x, i, length), part(x, i, 1)), numbers(6), start)


JOINED = [(2, 1, 4), (6, 5, 4, 3), (2, 3, 1, 2, 3, 4)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "sizes",
    in_short(JOINED, JOINED[1:]),
    ids=str,
)
def test_concatenation(both, sizes, axis):
    parts = [numbers(*((n, 3) if axis == 0 else (3, n))) for n in sizes]
    both(lambda *x: jnp.concatenate(x, axis), *parts)


@pytest.mark.parametrize(
    "sides", in_short([(2, 1), (0, 0), (0, 3)], {(0, 0), (0, 3)}), ids=str
)
def test_padding(both, sides):
    both(lambda x: jnp.pad(x, ((0, 1), sides), constant_values=9.0), numbers(2, 4))


@pytest.mark.slow
@sized
def test_shapes(both, size):
    x, (n, m) = numbers(*size), size
    along = np.arange(m, dtype=np.float32)[None, None]
    both(lambda x: (x.T, x.reshape(-1), x.reshape(m, n), x[None] + along), x)
    both(lambda x: (x - lax.stop_gradient(x.T).T, (x > 0).reshape(1, m, n)), x)
    both(lambda x: x[:, None] * x.T[None, :, 0][..., None], numbers(n, n))


@pytest.mark.parametrize("n", in_short([5, 1, 2], {1, 2}))
def test_argmax_with_ties(both, n):
    word = np.linspace(0, 2**32 - 1, LANES).astype(np.uint32)
    both(argmax.random_argmax, numbers(n), word)
    both(argmax.first_argmax, numbers(n, 3))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    in_short(itertools.product([6, 20], [False, True]), {(6, True), (20, False)}),
    ids=str,
)
def test_a_window_that_starts_anywhere(both, case):
    n, vmapped = case
    position = np.linspace(0, n - 1, LANES).astype(np.float32)
    if not vmapped:
        both(interpolate, numbers(n), position, atol=1e-5)
        return
    position = np.stack([position, position[::-1]])
    both(jax.vmap(interpolate), numbers(2, n), position, atol=1e-5)


@pytest.mark.parametrize("n", in_short([33, 1, 2, 20], {1, 20, 33}))
def test_outermost_entries_are_counted(both, n):
    rng = np.random.default_rng(n)
    middle = rng.integers(0, n, LANES).astype(np.int32)
    left = np.array([0, n, 1, n // 2], np.int32).clip(0, middle + 1)
    right = np.array([0, n, n // 3, 1], np.int32).clip(0, n - 1 - middle)
    place = np.arange(n)[:, None]
    mask = (place < left) | (place >= n - right)

    def fn(x, middle):
        return jnp.stack(outermost(x > 0, middle))

    both(fn, mask.astype(np.float32), middle)
    found = jax.vmap(fn, in_axes=-1)(mask.astype(np.float32), middle)
    np.testing.assert_array_equal(found, np.stack([left, right], 1))


def test_a_function_of_a_policy_may_have_the_name_of_an_array_primitive(both):
    @jax.jit
    def pick(x, index):
        return x[1] - index

    both(lambda x: pick(x, 2.0), numbers(3))


def test_products_that_are_added(both):
    both(multiply_add, numbers(3), numbers(3)[::-1], numbers(3) / 3)
    both(lambda x: multiply_add(x, 0.25, jnp.sum(x)), numbers(20))


def test_tables_of_the_program(both):
    limits = np.array([0.1, 0.25, 0.7], np.float32)
    both(lambda x: jnp.where(x > limits, limits, x), numbers(3))
    both(lambda x: x + select.pick(jnp.asarray(limits), (x[0] > 0) + 0), numbers(3))
    grid = jnp.arange(6).reshape(2, 3)
    both(lambda x: jnp.sum(jnp.where(grid == 4, x, 0.0)), numbers(2, 3))


def test_what_a_loop_has_computed_is_not_taken_out_of_it(both):
    def fn(x):
        first = jnp.exp(x[:1])
        return jnp.sum(x * first), first + 1

    both(fn, numbers(20))


def test_loops(both):
    x = numbers(3)
    both(lambda x: lax.fori_loop(0, 5, lambda i, s: 0.5 * s + i, x), x)
    both(
        lambda x: lax.while_loop(lambda s: s < 9, lambda s: s * 2, 1 + jnp.abs(x[0])), x
    )
    both(lambda x: select.when(x[0] > 0, lambda s: s + x, x), x)
    both(lambda x: lax.scan(lambda s, row: (s + row, s * row), 1.0, x), x)
    both(lambda x: lax.scan(lambda s, r: (s - r, s), 1.0, x, reverse=True), x)


@pytest.mark.parametrize("width", in_short([1, 2, 5, 20], {1, 2, 20}))
def test_words_are_those_of_the_tape(width):
    key = Key(np.arange(LANES, dtype=np.uint32) + 3, np.full(LANES, 7, np.uint32))
    # As a policy takes them: all, one, some, in another shape, at a place of its own.
    ways = [
        lambda x: x,
        lambda x: x[-1],
        lambda x: x[width // 2 :].reshape(1, -1),
        lambda x: x.reshape(1, width)[0] + x[0],
        lambda x: select.pick(x, (x[0] % width).astype(jnp.int32)),
        lambda x: jnp.max(x.reshape(width, 1), axis=0),
    ]

    def plain(key):
        row = draw_words(key, 9, width)
        return [way(row) for way in ways]

    def drawn(key):
        return [way(tape_row(key, 9, width)) for way in ways]

    @jax.jit
    def played(key):
        return mapped(drawn, key), jax.vmap(plain, -1, -1)(key)

    for a, b in zip(*played(key), strict=True):
        np.testing.assert_array_equal(a, b)


NUMBERS = np.array(
    [
        0.0,
        -0.0,
        0.5,
        1.5,
        -2.5,
        3.75,
        1e-30,
        -1e-3,
        88.0,
        -7e9,
        np.inf,
        -np.inf,
        np.nan,
    ],
    np.float32,
)
WHOLES = np.array([0, 1, -1, 5, -7, 31, 32, 40, 2**31 - 1, -(2**31)], np.int32)
KINDS = {
    "float32": NUMBERS,
    "int32": WHOLES,
    "uint32": WHOLES.astype(np.uint32),
    "bool": np.array([True, False]),
}
# Functions of which the libraries' last digits are not those of XLA.
NEAR = {name: 1e-5 for name in "cbrt erfc exp exp2 pow sinh cosh tan tanh".split()}
PARAMS = {
    "convert_element_type": [
        {"new_dtype": np.dtype(kind), "weak_type": False, "sharding": None}
        for kind in KINDS
    ],
    "integer_pow": [{"y": y} for y in (-3, -1, 2, 5)],
    "round": [{"rounding_method": how} for how in lax.RoundingMethod],
    **{
        name: [{"accuracy": None}]
        for name in "sqrt rsqrt cbrt exp exp2 expm1 log log1p sin cos tan tanh "
        "logistic".split()
    },
}


def operands(name):
    """Every pair (or triple) of numbers that a primitive takes, by their kind."""
    primitive = getattr(lax, f"{name}_p")
    for kind, x in KINDS.items():
        for number in (1, 2, 3):
            kinds = [x] * number
            if name == "select_n":
                kinds = [KINDS["bool"], x, x]
            try:
                shapes = [jax.ShapeDtypeStruct((), x.dtype) for x in kinds]
                jax.eval_shape(
                    partial(primitive.bind, **PARAMS.get(name, [{}])[0]), *shapes
                )
            except Exception:  # not of this kind, or not of so many
                continue
            yield kind, [x.ravel() for x in np.meshgrid(*kinds, indexing="ij")]


def test_elementwise_primitives_are_those_of_xla(subtests):
    """At the ends of their ranges, too: NaN, infinities, shifts by 32, 1 / 0."""
    names, functions, arrays = [], [], []
    for name, each in ELEMENTWISE.items():
        if each.text is None or name == "multiply_add":  # of ours
            continue
        primitive = getattr(lax, f"{name}_p")
        for kind, numbers in operands(name):
            if name == "integer_pow" and kind != "float32":
                continue  # there is none in policies
            for params in PARAMS.get(name, [{}]):
                names.append(f"{name} of {kind} {params or ''}")
                functions.append(partial(primitive.bind, **params))
                arrays.append(numbers)
        assert names[-1].startswith(f"{name} of "), name
    length = max(x.shape[-1] for each in arrays for x in each)
    arrays = jax.tree.map(lambda x: np.resize(x, length), arrays)

    def fn(arrays):
        return [f(*each) for f, each in zip(functions, arrays, strict=True)]

    found, plain = jax.jit(partial(mapped, fn))(arrays), jax.jit(fn)(arrays)
    for name, a, b in zip(names, found, plain, strict=True):
        with subtests.test(name):
            rtol = NEAR.get(name.split()[0], 2e-6)
            np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-37)


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (lambda x: jnp.sort(x), "sort"),
        (lambda x: x[jnp.argmax(x)], "argmax"),
        (lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), "cond"),
        (lambda x: lax.lgamma(x), "lgamma"),
    ],
)
def test_what_has_no_rule_is_named(fn, name):
    """With the line of its source."""
    with pytest.raises(
        NotImplementedError, match=rf"{name} \(test_gpu_writer.py:\d+\)"
    ):
        mapped(fn, numbers(3))


def test_rows_are_gathered(both):
    index = np.array([[0, 2, -1, 9], [1, 1, 0, -4]], np.int32)
    both(
        lambda x, i: (x[i], x[i, 1], jnp.take(x[0], i, mode="clip")),
        numbers(3, 2),
        index,
    )


def one_row_twice(x, y):
    """First with little effort, then with much: the last one stays."""
    once = select.put(x, 1, select.pick(y, 0))
    row = select.pick(once, 1)
    for _ in range(8):  # each as dear as all before
        row = row + row
    return select.put(once, 1, row), y


# New values over old ones that they are computed from: each is read before it is
# written, whatever its size (in registers, in a loop, or by way of scratch).
OVERWRITTEN = {
    "swapped": lambda x, y: (y, x),
    "turned": lambda x, y: (x[::-1], y + x),
    "rolled": lambda x, y: (jnp.roll(x, 1, 0), jnp.roll(y, 2, 1)),
    "transposed sums": lambda x, y: (x + jnp.sum(y, 0)[None], y * jnp.cumsum(x, 1)),
    "compensated": lambda x, y: (x + y, y - ((x + y) - x)),
    "rows": lambda x, y: (
        select.put(select.put(x, 0, 2 * select.pick(x, 1)), 1, select.pick(x, 0) + 1),
        select.put(y, 2, select.pick(x, 0) + select.pick(y, 1)),
    ),
    "rows and all": lambda x, y: (select.put(x, 1, select.pick(y, 0)), y + x[1:2]),
    "rows turned": lambda x, y: (
        select.put(x, 0, select.pick(x, 0)[::-1]),
        select.put(y, 0, jnp.cumsum(select.pick(x, 0))),
    ),
    "one or the other": lambda x, y: (
        jnp.where(x[0, 0] > 0, select.put(x, 1, 3.0), x),
        jnp.where(y > 0, x, y),
    ),
    "one row twice": one_row_twice,
    "as they are": lambda x, y: (x, y),
}


# Three columns lie in registers, twenty are walked in a loop: in the short run each
# happens at the width that asks more of it.
IN_LOOPS = ["swapped", "rolled", "transposed sums", "rows and all", "rows turned"]


@pytest.mark.parametrize(
    "case",
    in_short(
        itertools.product(OVERWRITTEN, [3, 20]),
        {(name, 3 if name in IN_LOOPS else 20) for name in OVERWRITTEN}
        | {("turned", 3), ("rows", 3), ("one or the other", 3), ("rows turned", 20)}
        | {("rolled", 20), ("transposed sums", 20)},
    ),
    ids=lambda case: f"{case[0]}, {case[1]}",
)
def test_what_is_read_is_read_before_it_is_written(both, case):
    name, columns = case
    both(OVERWRITTEN[name], numbers(3, columns), numbers(3, columns) + 1)


# What may happen to two arrays, of whose rows one is chosen by each run.
HAPPENINGS = {
    "rows swapped": lambda x, y, i: (
        select.put(select.put(x, 0, select.pick(x, 1)), 1, select.pick(x, 0)),
        y,
    ),
    "arrays swapped": lambda x, y, i: (y, x),
    "a row of the other": lambda x, y, i: (x, select.put(y, i, select.pick(x, 2))),
    "read after put": lambda x, y, i: (
        select.put(x, i, select.pick(y, 0)),
        y + select.pick(select.put(x, i, select.pick(y, 0)), 1)[None],
    ),
    "turned": lambda x, y, i: (x[::-1], y),
    "in a branch": lambda x, y, i: select.when(
        i > 1, lambda s: (select.put(s[0], 0, select.pick(s[1], i)), s[0]), (x, y)
    ),
    "a row of each run": lambda x, y, i: (x + select.pick(y, i)[None], y),
}


@pytest.mark.parametrize("columns", in_short([3, 20], {20}))
def test_one_thing_after_the_other(both, columns):
    """Whatever is read after it was written, or written before it is read."""
    names = ["read after put", "arrays swapped", "a row of the other"]
    both(*in_turn(names, columns))


@pytest.mark.slow
@settings(max_examples=4)
@given(
    names=st.lists(st.sampled_from(sorted(HAPPENINGS)), min_size=2, max_size=4),
    columns=st.sampled_from([3, 20]),
)
def test_all_sorts_of_things_after_one_another(both, names, columns):
    both(*in_turn(names, columns))


def in_turn(names, columns):
    """A function, and its arguments."""

    def fn(x, y, i):
        for name in names:
            x, y = HAPPENINGS[name](x, y, i)
        return x, y

    index = np.array([0, 1, 2, 1], np.int32)
    return fn, numbers(3, columns), numbers(3, columns) + 1, index


def copies_of(fn, *args) -> int:
    """Entries of arrays of a run beside its arguments."""
    text, *_ = written(fn, *args)
    own = sum(map(int, re.findall(r"  [FIUB] a\d+\[(\d+)\];", text.source)))
    return own + text.words


@pytest.mark.slow
def test_a_loop_works_where_its_values_lie(both):
    """A row that others read after the loop is copied, and not all the rows."""

    def fn(x, y, i):
        row = select.pick(x, i)
        later = jnp.exp(row) + y[0]

        def once(state):
            x, row = state
            x = select.put(select.put(x, 0, row + 1), 1, select.pick(x, 2))
            return x, row * 3

        x, row = select.when(i > 0, once, (x, row))
        return x, y + later[None] * row[None]

    index = np.array([0, 1, 2, 1], np.int32)
    args = numbers(9, 20), numbers(9, 20) + 1, index
    both(fn, *args)
    assert copies_of(fn, *args) < 9 * 20


@pytest.mark.slow
def test_a_condition_may_look_at_an_array(both):
    """Of a loop in a loop, too, for runs that are done at different times."""

    def fn(x, i):
        def fewer(x):
            return lax.while_loop(
                lambda x: jnp.any(x > 0), lambda x: x - (x > 0), x + 1
            )

        return select.when(i > 0, fewer, x)

    both(fn, numbers(20), np.array([0, 1, 2, 0], np.int32))


@pytest.mark.slow
def test_what_a_program_stores_is_computed_once(both):
    """Each of 20 entries, though every row of a chain reads the one before twice."""

    def fn(x, store):
        rows = [jnp.exp(jnp.log1p(jnp.abs(x)))]
        for _ in range(5):
            rows.append(store(rows[-1] * (2 - rows[-1])))
        return jnp.concatenate(rows)

    def times(store):
        text, *_ = written(partial(fn, store=store), x)
        return text.source.count("expf(")

    x = numbers(20) / 4
    both(partial(fn, store=stored), x, atol=1e-6)
    assert times(stored) == 1


def test_nothing_is_read_out_of_range():
    """But the nearest row. A library that reads beyond an array gives an error."""

    def fn(x, i):
        up, down = jnp.exp(x), jnp.exp(-x)
        rows = select.pick(up, i), select.pick(down, i)
        return rows, jnp.sum(up), jnp.sum(down)

    index = np.array([-1, 0, 20, 2**30], np.int32)
    found = jax.jit(partial(mapped, fn))(numbers(20), index)
    inside = np.clip(index, 0, 19)
    plain = jax.jit(jax.vmap(fn, in_axes=-1, out_axes=-1))(numbers(20), inside)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), found, plain)


def test_nothing_is_written_out_of_range(both):
    rows, index = numbers(3, 20), np.array([-1, 0, 3, 2**30], np.int32)
    both(lambda x, i: select.put(x, i, 7.0), rows, index)
    both(lambda x, i: select.tally(x, i, i), numbers(3, 2, kind=np.int32), index)


def test_axes_of_length_1_spread(both):
    both(
        lambda x, y: lax.add(x, y[:, None] * jnp.ones((3, 1))),
        numbers(3, 20),
        numbers(3),
    )
