"""Selecting and replacing by a traced index."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import (
    CompensatedSum,
    first_argmax,
    one_hot,
    pick,
    put,
    row,
    split_index,
    when,
    with_row,
)
from tests.kernels.checks import assert_transforms_agree
from tests.tables import assert_refused, each_row

LENGTHS = (1, 3, 64, 65)  # both forms of `pick`


def every_index(n):
    return jnp.arange(n, dtype=jnp.int32)


def test_one_hot_by_hand():
    np.testing.assert_array_equal(one_hot(1, 3), [False, True, False])
    for outside in (-1, 3):
        assert not one_hot(outside, 3).any()
    table = jax.vmap(one_hot, (0, None))(every_index(5), 5)
    np.testing.assert_array_equal(table, np.eye(5, dtype=bool))


@each_row(
    "shape, kind",
    [
        *[((1,), np.float32), ((3,), np.uint32), ((5,), bool), ((64,), np.int32)],
        *[((65,), np.float32), ((70,), bool), ((65,), np.int32), ((70,), np.uint32)],
        *[((3, 2, 2), np.float32), ((65, 2, 2), np.float32)],
    ],
)
def test_every_index_is_picked(shape, kind, rng):
    x = rng.normal(size=shape) if kind is np.float32 else rng.integers(0, 2, shape)
    x = jnp.asarray(x.astype(kind))
    picked = jax.jit(jax.vmap(pick, (None, 0)))(x, every_index(len(x)))
    np.testing.assert_array_equal(picked, x, strict=True)


def test_what_is_no_index_is_named():
    x, kind, shape = jnp.ones(3), TypeError, ValueError
    refused = [("x", kind), (None, kind), (0.5, kind), (jnp.ones(()), kind)]
    for index, error in [*refused, ([1], shape)]:
        assert_refused(
            [
                (partial(pick, x, index), "^index must"),
                (partial(put, x=x, index=index, row=2.0), "^index must"),
            ],
            error,
        )
    rows = [(partial(pick, x, index), r"^index must be in \[0, 3") for index in (-1, 3)]
    rows += [(partial(pick, 1.0, 0), "^x must"), (partial(put, 1.0, 0, 1.0), "^x must")]
    assert_refused([*rows, (partial(one_hot, 0, -1), "^length must")], ValueError)


def test_lists_are_arrays():
    assert pick([1.0, 2.0], 1) == 2 and first_argmax((1.0, 2.0)) == 1
    np.testing.assert_array_equal(put([1.0, 2.0], 0, 3.0), [3, 2])


@each_row("n", [3, 70])
def test_a_number_is_picked_beside_infinities_and_nan(n):
    picked = jax.jit(pick)
    for index in (0, 1, n - 1):
        for around in (np.nan, np.inf, -np.inf):
            x = np.where(np.arange(n) == index, 2.5, around).astype(np.float32)
            assert picked(x, index) == 2.5
        for value in (np.inf, -np.inf, np.nan):
            x = np.where(np.arange(n) == index, value, 0).astype(np.float32)
            np.testing.assert_array_equal(picked(x, index), value)


@each_row("n", LENGTHS)
def test_a_row_is_put_at_every_index(n, rng):
    x = jnp.asarray(rng.normal(size=(n, 3)), jnp.float32)
    rows = jnp.asarray(rng.normal(size=(n, 3)), jnp.float32)
    out = jax.jit(jax.vmap(put, (None, 0, 0)))(x, every_index(n), rows)
    expected = np.repeat(np.asarray(x)[None], n, axis=0)
    expected[np.arange(n), np.arange(n)] = np.asarray(rows)
    np.testing.assert_array_equal(out, expected, strict=True)


def test_numbers_and_infinities_are_put_by_hand():
    x = jnp.array([1.0, np.inf, np.nan])
    np.testing.assert_array_equal(put(x, jnp.int32(1), jnp.float32(7)), [1, 7, np.nan])
    np.testing.assert_array_equal(put(x, 0, 2.0), [2, np.inf, np.nan])
    np.testing.assert_array_equal(put(x, 2, jnp.float32(np.inf)), [1, np.inf, np.inf])
    for outside in (-1, 3):
        np.testing.assert_array_equal(put(x, outside, jnp.float32(7)), x)
    counts = put(jnp.arange(3, dtype=jnp.int32), 1, jnp.int32(9))
    np.testing.assert_array_equal(counts, np.array([0, 9, 2], np.int32), strict=True)


@each_row("rows, columns", [(1, 5), (5, 1), (7, 13)])
def test_an_index_is_split_into_row_and_column(rows, columns):
    flat = np.arange(rows * columns, dtype=np.int32)
    split = jax.jit(jax.vmap(lambda i: split_index(i, rows, columns)))
    row, column = split(flat)
    np.testing.assert_array_equal(row, flat // columns)
    np.testing.assert_array_equal(column, flat % columns)
    assert row.dtype == column.dtype == jnp.int32


def halved(tree):
    """A function of a pytree with two dtypes."""
    count, value = tree
    return count + 1, value / 2


def test_a_condition_decides_what_is_done():
    start = (jnp.int32(3), jnp.array([1.0, np.inf, -5.0]))
    for condition, expected in ((True, halved(start)), (False, start)):
        found = when(jnp.asarray(condition), halved, start)
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_array_equal(x, y, strict=True)


def test_what_depends_on_a_condition_is_done_once_and_only_when_needed():
    """In a batch: one trip if some entry needs it, none if no entry does."""
    calls = []

    def counted(x):
        jax.debug.callback(lambda: calls.append(1))
        return x + 1

    some = jax.jit(jax.vmap(lambda c, x: when(c, counted, x)))
    for conditions, trips in (([False] * 3, 0), ([True, False, True], 1)):
        calls.clear()
        found = some(jnp.array(conditions), jnp.arange(3))
        jax.effects_barrier()
        np.testing.assert_array_equal(found, np.arange(3) + np.array(conditions))
        # A callback of a batch may be made entry by entry.
        assert (len(calls) > 0) == (trips > 0) and len(calls) <= 3 * trips


def test_selections_of_a_batch_are_those_of_one_by_one(rng):
    x = rng.normal(size=(6, 9)).astype(np.float32)
    index = rng.integers(0, 9, 6).astype(np.int32)
    assert_transforms_agree(pick, x, index)
    assert_transforms_agree(put, x, index, x[:, 0])
    assert_transforms_agree(lambda i: one_hot(i, 9), index)
    assert_transforms_agree(lambda i: split_index(i, 3, 3), index)
    assert_transforms_agree(lambda i, x: when(i > 4, jnp.cumsum, x), index, x)


# The row of an arm: read and replaced in all arrays of a state.
STATE = {
    "pulls": jnp.array([3, 1, 4], jnp.int32),
    "gain": CompensatedSum(jnp.arange(6.0).reshape(3, 2), jnp.zeros((3, 2))),
}


def same(left, right):
    equal = jax.tree.map(
        lambda x, y: x.dtype == y.dtype and np.array_equal(x, y), left, right
    )
    return jax.tree.all(equal)


@each_row("index", range(3))
def test_a_row_is_read_and_replaced(index):
    index = jnp.int32(index)
    assert same(row(STATE, index), jax.tree.map(lambda x: x[index], STATE))
    new = {
        "pulls": jnp.int32(9),
        "gain": CompensatedSum(jnp.array([7.0, 8.0]), jnp.ones(2)),
    }
    wanted = jax.tree.map(lambda x, own: x.at[index].set(own), STATE, new)
    assert same(jax.jit(with_row)(STATE, index, new), wanted)


def test_a_row_put_back_changes_nothing_nor_does_one_out_of_range():
    first = row(STATE, jnp.int32(0))
    assert same(with_row(STATE, jnp.int32(0), first), STATE)
    assert same(with_row(STATE, jnp.int32(3), first), STATE)
