"""Rows that are gathered and scattered are those that selections give."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.arrays import pick, put, tally
from jaxbandits.engine.cpu.expression import UNIFORM
from jaxbandits.engine.cpu.lanes import fill, lanes
from jaxbandits.engine.cpu.rows import MANY_ROWS

pytestmark = pytest.mark.oldest

LANES = 64
SIZES = (1, MANY_ROWS - 1, MANY_ROWS)
GATHER, SCATTER = "gather", "scatter"


def numbers(*shape, dtype=np.float32):
    draw = np.random.default_rng(len(shape)).integers(-99, 99, shape)
    return draw.astype(dtype)


def index(num_rows, low=0, high=None):
    high = num_rows if high is None else high
    return np.random.default_rng(3).integers(low, high, LANES).astype(np.int32)


def mapped(fn, flags, *args):
    """The result in all lanes, and the names of the operations it took."""

    def run(*args):
        return fill(*lanes(fn, flags, LANES)(*args), LANES)

    lowered = jax.jit(run).lower(*args)
    return jax.tree.map(np.asarray, lowered.compile()(*args)), lowered.as_text()


@pytest.mark.parametrize("size", SIZES)
def test_every_lane_has_its_row(size, rest=(2, 5)):
    """One of its own array or of a shared one is read; one is written, of its own, a
    shared one or a number; rows below and beyond the array leave it as it is."""
    x, shared, own = numbers(size, *rest, LANES), numbers(size, *rest), index(size)
    place, row, same = index(size, -2, size + 2), numbers(*rest, LANES), numbers(*rest)
    scalar = numbers(LANES)

    def fn(x, shared, own, place, *rows):
        read = [pick(x, own), pick(shared, own)]
        return read, [put(x, place, row) for row in rows]

    flags = (True, False, True, True, True, False, True)
    args = x, shared, own, place, row, same, scalar
    (read, written), program = mapped(fn, flags, *args)
    for lane, (k, j) in enumerate(zip(own, place, strict=True)):
        np.testing.assert_array_equal(read[0][..., lane], x[k, ..., lane])
        np.testing.assert_array_equal(read[1][..., lane], shared[k])
        rows = row[..., lane], same, scalar[lane]
        for found, put_there in zip(written, rows, strict=True):
            wanted = x[..., lane].copy()
            if 0 <= j < size:
                wanted[j] = put_there
            np.testing.assert_array_equal(found[..., lane], wanted, strict=True)
    assert (GATHER in program) == (SCATTER in program) == (size >= MANY_ROWS)


@pytest.mark.parametrize("shape", [(3,), (100, 2)])
def test_the_same_row_in_all_lanes(shape):
    """Is a slice, however many there are; a row that does not exist is not put."""
    x, row = numbers(*shape, LANES), numbers(*shape[1:], LANES)
    found, program = mapped(pick, (True, False), x, np.int32(2))
    np.testing.assert_array_equal(found, x[2], strict=True)
    assert "dynamic_slice" in program and "select" not in program
    for index in (-1, 0, 2, shape[0] - 1, shape[0]):
        flags = (True, False, True)
        found, program = mapped(put, flags, x, np.int32(index), row)
        wanted = x.copy()
        if 0 <= index < shape[0]:
            wanted[index] = row
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert "dynamic_update_slice" in program


def test_uniform_lanes_give_the_same_bits():
    """Numbers are computed lane by lane, whether they are known to be equal or not."""

    def fn(x, factor, round_):
        turn = (round_ // jnp.round(factor).astype(jnp.int32)) % x.shape[0]
        row = jnp.sin(factor * pick(x, turn)) + factor * x[0]
        return put(x, turn, row), turn

    x, factor = numbers(7, 3, LANES) / 7, np.full(LANES, 2.7, np.float32)
    known, program = mapped(fn, (True, UNIFORM, False), x, factor, np.int32(11))
    found, selecting = mapped(fn, (True, True, False), x, factor, np.int32(11))
    np.testing.assert_array_equal(known[0], found[0], strict=True)
    np.testing.assert_array_equal(known[1], found[1], strict=True)
    assert "dynamic_update_slice" in program
    assert "dynamic_update_slice" not in selecting


@pytest.mark.parametrize("shape", [(10,), (4, 5), (100,), (10, 10), (2, 40)])
def test_tally_counts_the_entry_of_each_lane(shape):
    counts = numbers(*shape, LANES, dtype=np.int32)
    position = [index(n) for n in shape]
    found, program = mapped(tally, (True,) * (1 + len(shape)), counts, *position)
    wanted = counts.copy()
    wanted[(*position, np.arange(LANES))] += 1
    np.testing.assert_array_equal(found, wanted, strict=True)
    assert (SCATTER in program) == (np.prod(shape) >= MANY_ROWS)


# A state of which some parts are written row by row and others as a whole.
def step(shift, state):
    """One step: `shift` turns the rows; the parts of the state are named after it."""
    table, counts, flat, whole, recent = state
    i = (whole + shift) % table.shape[0]
    row = pick(table, i) + 1
    square = put(flat.reshape(table.shape), i, 2 * row)
    return (
        put(table, i, row),
        tally(counts, i, i % counts.shape[1]),
        square.reshape(flat.shape),
        whole + 1,
        jnp.concatenate([recent[1:], whole[None]]),
    )


def state(num_rows):
    return (
        numbers(num_rows, 2, LANES),
        numbers(num_rows, 3, LANES, dtype=np.int32),
        numbers(2 * num_rows, LANES),
        index(num_rows),
        numbers(3, LANES, dtype=np.int32),
    )


def going_on(fn, flags, going, *args):
    """The state after a step, of which frozen lanes keep theirs, and the program."""
    run = jax.jit(lambda going, *args: lanes(fn, flags, LANES, going=going)(*args)[0])
    return run(going, *args), run.lower(going, *args).as_text()


@pytest.mark.parametrize(("num_rows", "writes"), [(5, 2), (100, 0)])
def test_frozen_lanes_keep_their_state(num_rows, writes):
    """The others play as if all were going, and a frozen lane costs no more: what is
    written row by row is not selected between old and new.

    Few rows are selected once per write (table and flat have one shape), and counts are
    added to.
    """
    going = np.arange(LANES) % 3 > 0
    start, shift = state(num_rows), np.int32(11)
    every, _ = mapped(step, (False, True), shift, start)
    some, program = going_on(step, (False, True), going, shift, start)
    for before, after, found in zip(start, every, some, strict=True):
        wanted = np.where(going, after, before)
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert not np.array_equal(after, before)
    selections = [x for x in program.splitlines() if "stablehlo.select" in x]
    assert sum(f"tensor<{num_rows}x2x64xf32>" in x for x in selections) == writes
    assert not any(f"tensor<{num_rows}x3x64xi32>" in x for x in selections)
    assert selections  # of the last two parts


def swapped(shift, state):
    """Two parts change places: neither is what it was, whatever was written to it."""
    first, second = state
    row = jnp.zeros((), first.dtype)
    return put(second, shift, row), put(first, shift, row)


@pytest.mark.parametrize("num_rows", [5, 50])
def test_an_array_in_another_s_place_is_merged(num_rows):
    going = np.arange(LANES) % 2 > 0
    start = (numbers(num_rows, LANES), numbers(num_rows, LANES) + 1)
    (first, second), _ = going_on(swapped, (True, True), going, index(num_rows), start)
    np.testing.assert_array_equal(first[:, ~going], start[0][:, ~going])
    np.testing.assert_array_equal(second[:, ~going], start[1][:, ~going])
    assert (np.asarray(first)[:, going] == start[1][:, going]).mean() > 0.75


def test_in_a_loop_of_a_policy():
    """Inside ``lax.while_loop``, whose lanes end at different times."""

    def fn(x, trips):
        def body(carry):
            x, i = carry
            return put(x, i, pick(x, i) + 1), i + 1

        return jax.lax.while_loop(lambda c: c[1] < trips, body, (x, jnp.int32(0)))[0]

    x, trips = numbers(40, LANES), index(40)
    found, program = mapped(fn, (True, True), x, trips)
    wanted = x + (np.arange(40)[:, None] < trips)
    np.testing.assert_array_equal(found, wanted)
    assert GATHER in program and SCATTER not in program


def test_other_platforms_keep_selections():
    args = numbers(100, LANES), index(100), numbers(LANES)
    both = lanes(
        lambda x, *at: (put(x, *at), pick(x, at[0])), (True,) * 3, LANES, "gpu"
    )
    text = jax.jit(lambda *args: both(*args)[0]).lower(*args).as_text()
    assert GATHER not in text and SCATTER not in text
