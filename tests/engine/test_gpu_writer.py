"""What the GPU engine writes, operation by operation, against the plain function.

The text is built as C++ and called; no GPU is needed.
"""

import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxbandits.arrays import select, stored
from jaxbandits.engine.elementwise import ELEMENTWISE
from tests.engine.gpu_mapped import mapped, written
from tests.engine.one_lane import at_once

LANES = 4


def assert_same(found, plain, atol=0.0):
    same = partial(np.testing.assert_allclose, rtol=1e-6, atol=atol)
    jax.tree.map(same, found, plain)


def numbers(*shape, kind=np.float32):
    """Few values, so that ties are common; ``[*shape, LANES]``."""
    rng = np.random.default_rng(len(shape) + sum(shape))
    return rng.integers(-2, 3, (*shape, LANES)).astype(kind)


NUMBERS = [0, -0.0, 0.5, 1.5, -2.5, 3.75, 1e-30, -1e-3, 88, -7e9]
NUMBERS = np.float32([*NUMBERS, np.inf, -np.inf, np.nan])
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


def test_logarithms_are_exact_to_two_units():
    rng = np.random.default_rng(0)
    large, near = np.exp(rng.uniform(-87.3, 88.7, 4_000)), rng.normal(0, 1e-3, 1_000)
    x = np.r_[large, 1 + near, rng.uniform(0.6, 1.4, 5_000)]
    x = x.astype(np.float32).reshape(-1, LANES)
    found, exact = jax.jit(partial(mapped, jnp.log))(x), np.log(x.astype(float))
    unit = np.spacing(np.abs(exact).astype(np.float32))
    assert np.all(np.abs(np.asarray(found) - exact) <= 2 * unit)
    ends = np.float32([1e-40, np.finfo(np.float32).max])
    found = jax.jit(partial(mapped, jnp.log))(ends)
    np.testing.assert_allclose(found, [-np.inf, 88.72284], rtol=1e-7)


def test_a_polynomial_that_begins_with_zero_costs_no_product():
    def fn(x):
        first = (0.0 * x + 2.0) * x + x, (1.0 * x + 2.0) * x
        others = 0.0 * x + 1.0, (0.0 * x + 3.0) * x[0], jnp.where(x > 0, x, 0.0 * x + 4)
        return first, others

    x = np.where(np.arange(12) % 5 == 1, np.nan, numbers(3).ravel()).reshape(3, LANES)
    x = x.astype(np.float32)
    assert_same(jax.jit(partial(mapped, fn))(x), jax.vmap(fn, -1, -1)(x))
    assert written(fn, x)[0].source.count("multiply_add(0.0f") == 3


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


def one_row_twice(x, y, i):
    """First with little effort, then with much: the last one stays."""
    once = select.put(x, 1, select.pick(y, 0))
    row = select.pick(once, 1)
    for _ in range(8):  # each as dear as all before
        row = row + row
    return select.put(once, 1, row), y


# What may happen to two arrays, of whose rows one is chosen by each run.
CHANGES = {
    "swapped": lambda x, y, i: (y, x),
    "turned": lambda x, y, i: (x[::-1], y + x),
    "turned and flat": lambda x, y, i: (x[::-1].reshape(-1).reshape(x.shape), y),
    "rolled": lambda x, y, i: (jnp.roll(x, 1, 0), jnp.roll(y, 2, 1)),
    "transposed sums": lambda x, y, i: (x + jnp.sum(y, 0)[None], y * jnp.cumsum(x, 1)),
    "compensated": lambda x, y, i: (x + y, y - ((x + y) - x)),
    "rows": lambda x, y, i: (
        select.put(select.put(x, 0, 2 * select.pick(x, 1)), 1, select.pick(x, 0) + 1),
        select.put(y, 2, select.pick(x, 0) + select.pick(y, 1)),
    ),
    "rows and all": lambda x, y, i: (select.put(x, 1, select.pick(y, 0)), y + x[1:2]),
    "rows turned": lambda x, y, i: (
        select.put(x, 0, select.pick(x, 0)[::-1]),
        select.put(y, 0, jnp.cumsum(select.pick(x, 0))),
    ),
    "one or the other": lambda x, y, i: (
        jnp.where(x[0, 0] > 0, select.put(x, 1, 3.0), x),
        jnp.where(y > 0, x, y),
    ),
    "one row twice": one_row_twice,
    "as they are": lambda x, y, i: (x, y),
    "rows swapped": lambda x, y, i: (
        select.put(select.put(x, 0, select.pick(x, 1)), 1, select.pick(x, 0)),
        y,
    ),
    "a row of the other": lambda x, y, i: (x, select.put(y, i, select.pick(x, 2))),
    "read after put": lambda x, y, i: (
        select.put(x, i, select.pick(y, 0)),
        y + select.pick(select.put(x, i, select.pick(y, 0)), 1)[None],
    ),
    "in a branch": lambda x, y, i: select.when(
        i > 1, lambda s: (select.put(s[0], 0, select.pick(s[1], i)), s[0]), (x, y)
    ),
    "a row of each run": lambda x, y, i: (x + select.pick(y, i)[None], y),
}


# Each by itself, and some one after the other.
RANDOM = np.random.default_rng(0)
SEQUENCES = [[name] for name in CHANGES]
SEQUENCES += [RANDOM.choice([*CHANGES], RANDOM.integers(2, 5)) for _ in range(6)]


def test_what_is_read_is_read_before_it_is_written(subtests):
    """New values over old ones that they are computed from, whatever their size: three
    columns lie in registers, twenty are walked in a loop."""
    index = np.array([0, 1, 2, 1], np.int32)
    args = [
        (numbers(3, columns), numbers(3, columns) + 1, index)
        for columns in (3, 20)
        for _ in SEQUENCES
    ]

    def fn(args):
        results = []
        for names, (x, y, i) in zip(2 * SEQUENCES, args, strict=True):
            for name in names:
                x, y = CHANGES[name](x, y, i)
            results.append((x, y, i))  # at the places of the arguments
        return results

    @jax.jit
    def change(number, x, y, i):
        every = [jax.vmap(each, -1, -1) for each in CHANGES.values()]
        return lax.switch(number, every, x, y, i)

    found = jax.jit(partial(mapped, fn))(args)
    for names, (x, y, i), one in zip(2 * SEQUENCES, args, found, strict=True):
        with subtests.test(names=[*names], columns=x.shape[1]):
            for name in names:
                x, y = change([*CHANGES].index(name), x, y, i)
            assert_same(one, (x, y, i))


def a_loop(x, y, i):
    """A row that others read after the loop is copied, and not all the rows."""
    row, first = select.pick(x, i), x[0] + 1
    later = jnp.exp(row) + y[0]

    def once(state):
        x, row = state
        x = select.put(select.put(x, 0, row + 1), 1, select.pick(x, 2))
        return x, row * 3

    x, row = select.when(i > 0, once, (x, row))
    return x, y + later[None] * row[None], first


def fewer(x):
    """A condition looks at an array."""
    return lax.while_loop(lambda x: jnp.any(x > 0), lambda x: x - (x > 0), x + 1)


# Functions whose results lie where their arguments did.
P, Q, ROWS = numbers(1), numbers(1) + 1, numbers(3, 20)
INDEX, BEYOND = np.array([[0, 1, 2, 1], [-1, 0, 3, 2**30]], np.int32)
LOOP = numbers(9, 20), numbers(9, 20) + 1, INDEX
OVER = {
    "a row": (lambda x, row: (select.put(x, 1, row), row + x[0]), ROWS, numbers(20)),
    "a number of it": (lambda x, p, q: (x + 1, x[0, :1], p), ROWS, P, Q),
    "numbers": (lambda x, p, q: (x + 1, q, p), ROWS, P[0], Q[0]),
    "a loop": (a_loop, *LOOP),
    # In a loop, for runs that are done at different times.
    "a condition": (lambda x, i: (select.when(i > 0, fewer, x), i), numbers(20), INDEX),
    "no row": (lambda x, i: (select.put(x, i, 7.0), i), ROWS, BEYOND),
    "no entry": (
        lambda x, i: (select.tally(x, i, i), i),
        numbers(3, 2, kind=np.int32),
        BEYOND,
    ),
}


def test_what_is_written_lies_where_its_arguments_did(subtests):
    fn, args = at_once(OVER)
    found, plain = jax.jit(lambda args: (mapped(fn, args), jax.vmap(fn, -1, -1)(args)))(
        args
    )
    for name in OVER:
        with subtests.test(name):
            assert_same(found[name], plain[name])


def test_a_loop_works_where_its_values_lie():
    text, *_ = written(a_loop, *LOOP)
    own = sum(map(int, re.findall(r"  [FIUB] a\d+\[(\d+)\];", text.source)))
    assert own + text.words < 9 * 20  # entries of arrays of a run beside its arguments


def test_what_a_program_stores_is_computed_once():
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
    own = partial(fn, store=stored)
    assert_same(jax.jit(partial(mapped, own))(x), jax.vmap(own, -1, -1)(x), 1e-6)
    assert times(stored) == 1


def test_nothing_is_read_out_of_range():
    """But the nearest row. A library that reads beyond an array gives an error."""

    def fn(x, i):
        up, down = jnp.exp(x), jnp.exp(-x)
        rows = select.pick(up, i), select.pick(down, i)
        return rows, jnp.sum(up), jnp.sum(down)

    index = np.array([-1, 0, 20, 2**30], np.int32)
    found = jax.jit(partial(mapped, fn))(numbers(20), index)
    assert_same(found, jax.vmap(fn, -1, -1)(numbers(20), np.clip(index, 0, 19)))
