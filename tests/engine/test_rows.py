"""Where rows are gathered and scattered, and that frozen lanes keep theirs.

That they are the rows which selections give: test_like_vmap.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.arrays import pick, put, tally
from jaxbandits.engine.cpu.expression import UNIFORM
from jaxbandits.engine.cpu.lanes import fill, lanes
from jaxbandits.engine.cpu.rows import MANY_ROWS
from tests.engine.one_lane import in_a_loop
from tests.tables import each_row

pytestmark = pytest.mark.oldest

LANES = 64
FORMS = "gather", "scatter", "dynamic_slice", "dynamic_update_slice"


def numbers(*shape, dtype=np.float32):
    draw = np.random.default_rng(len(shape)).integers(-99, 99, shape)
    return draw.astype(dtype)


def index(num_rows):
    return np.random.default_rng(3).integers(0, num_rows, LANES).astype(np.int32)


def mapped(fn, flags, *args):
    """The result in all lanes."""
    run = jax.jit(lambda *args: fill(*lanes(fn, flags, LANES)(*args), LANES))
    return jax.tree.map(np.asarray, run(*args))


def forms(fn, *args, flags=None, platform="cpu"):
    """Operations with rows that the program has; all lanes share an index of none."""
    flags = flags or tuple(np.ndim(x) > 0 for x in args)
    by_lane = lanes(fn, flags, LANES, platform)
    text = jax.jit(lambda *args: by_lane(*args)[0]).lower(*args).as_text()
    return {name for name in FORMS if f"stablehlo.{name}" in text}


@each_row("n", (1, 3, MANY_ROWS - 1, MANY_ROWS, 100))
def test_rows_take_the_form_that_is_faster(n):
    """The same row in all lanes is a slice, however many there are."""
    x, row, own = numbers(n, 2, LANES), numbers(2, LANES), index(n)
    many, same = n >= MANY_ROWS, np.int32(0)
    assert forms(pick, x, own) == ({"gather"} if many else set())
    assert forms(put, x, own, row) == ({"scatter"} if many else set())
    assert forms(pick, x, same) == {"dynamic_slice"}
    assert forms(put, x, same, row) == {"dynamic_slice", "dynamic_update_slice"}
    assert not forms(pick, x, own, platform="gpu")
    assert not forms(put, x, own, row, platform="gpu")


@each_row("shape", [(10,), (4, 5), (100,), (10, 10), (2, 40)])
def test_many_entries_are_tallied_in_place(shape):
    counts = numbers(*shape, LANES, dtype=np.int32)
    found = forms(tally, counts, *(index(n) for n in shape))
    assert found == ({"scatter"} if np.prod(shape) >= MANY_ROWS else set())


def test_no_row_is_scattered_in_a_loop_of_a_policy():
    """Inside ``lax.while_loop``, whose lanes end at different times."""
    assert forms(in_a_loop, numbers(40, LANES), index(40)) == {"gather"}


def test_uniform_lanes_give_the_same_bits():
    """Numbers are computed lane by lane, whether they are known to be equal or not."""

    def fn(x, factor, round_):
        turn = (round_ // jnp.round(factor).astype(jnp.int32)) % x.shape[0]
        row = jnp.sin(factor * pick(x, turn)) + factor * x[0]
        return put(x, turn, row), turn

    x, factor = numbers(7, 3, LANES) / 7, np.full(LANES, 2.7, np.float32)
    args, uniform = (x, factor, np.int32(11)), (True, UNIFORM, False)
    known, found = mapped(fn, uniform, *args), mapped(fn, (True, True, False), *args)
    np.testing.assert_array_equal(known[0], found[0], strict=True)
    np.testing.assert_array_equal(known[1], found[1], strict=True)
    assert forms(fn, *args, flags=uniform) >= {"dynamic_update_slice"}
    assert not forms(fn, *args)


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
    every = mapped(step, (False, True), shift, start)
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
