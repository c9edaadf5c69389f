"""How the lanes transform maps: what it defers, stores, replaces and shares; where rows
are gathered and scattered, and that frozen lanes keep theirs.

That its results are those of ``jax.vmap``: test_like_vmap.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.arrays import first_argmax, pick, put, random_argmax, tally
from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.cpu.expression import UNIFORM
from jaxbandits.engine.cpu.lanes import KERNELS, fill, lanes
from jaxbandits.engine.cpu.rows import MANY_ROWS
from jaxbandits.engine.cpu.trees import MOST_READS, WIDTH
from tests.engine.one_lane import (
    LANES,
    MATRIX,
    ROW,
    ROWS,
    TABLE,
    X,
    Y,
    Z,
    floats,
    in_a_loop,
    index,
    integers,
    records,
    with_constants,
)
from tests.tables import each_row

pytestmark = pytest.mark.oldest


def traced(fn, flags, *args, **options):
    """The program of `lanes`, of whose arguments some have the lane axis."""
    width = max(np.shape(x)[-1] for x in jax.tree.leaves(args) if np.ndim(x))
    by_lane = lanes(fn, flags, width, **options)
    return jax.jit(lambda *args: by_lane(*args)[0]).trace(*args)


def mapped(fn, flags, *args, **options):
    return traced(fn, flags, *args, **options).lower().compile()(*args)


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

    def fn(x, w, u):
        any_ = jax.jit(random_argmax)(x, u), random_argmax(w, u)
        return jax.jit(first_argmax)(x), first_argmax(w), any_

    mapped(fn, (True, False, False), X, TABLE, np.uint32(2**31))
    assert seen == [("random_argmax", (3,)), ("first_argmax", (3,))]


def test_outputs_without_a_lane_stay_without():
    """Flags may be given for all leaves of an argument at once, and for all of them."""

    def fn(state, w):
        x, y = state["x"] + w[0], state["y"]
        return {"x": x, "y": (y * 2, jnp.zeros(2)), "c": jnp.int32(3)}

    args = {"x": X, "y": TABLE}, (TABLE, TABLE)
    out, flags = lanes(fn, ({"x": True, "y": False}, False), LANES)(*args)
    assert flags == {"x": True, "y": (False, False), "c": False}
    np.testing.assert_allclose(out["x"], X + TABLE[:, None])
    np.testing.assert_allclose(out["y"][0], 2 * TABLE)
    filled = jax.tree.map(jnp.shape, fill(out, flags, LANES))
    assert filled == {"x": (3, LANES), "y": ((3, LANES), (2, LANES)), "c": (LANES,)}
    with pytest.raises(ValueError):
        lanes(jnp.add, (True,), LANES)(X, Y)


def test_work_that_all_lanes_share_is_done_once():
    def fn(x, w):
        return x + jnp.sum(jnp.exp(w))

    jaxpr = traced(fn, (True, False), X, TABLE).jaxpr
    (exponential,) = (e for e in jaxpr.eqns if e.primitive.name == "exp")
    assert exponential.outvars[0].aval.shape == (3,)


def test_no_lane_axis_moves():
    """Nothing is transposed or gathered, neither for an index nor in a loop's body."""

    def index(pulls, total, log_t):
        count = jnp.maximum(pulls, 1).astype(jnp.float32)
        bonus = jnp.sqrt(log_t / count)
        return first_argmax(jnp.where(pulls == 0, jnp.inf, total / count + bonus))

    args = np.abs(integers(3, 4)), MATRIX, np.float32(2)
    loop = traced(with_constants, (True, False, True), X, ROW, ROWS).jaxpr
    assert [eqn.primitive.name for eqn in loop.eqns].count("scan") == 1
    for jaxpr in loop, traced(index, (True, True, False), *args).jaxpr:
        assert "transpose" not in str(jaxpr) and "gather" not in str(jaxpr)


def test_a_reduction_of_a_deferred_index_writes_no_array():
    """The point of deferring: no [K, L] array of the index appears."""
    jaxpr = traced(lambda x, y: jnp.max(x + y), (True, True), X, Y).jaxpr
    assert all(v.aval.shape != X.shape for e in jaxpr.eqns for v in e.outvars)


def test_an_index_of_many_reads_is_stored():
    """In one expression with the argmax it would not become vector code."""

    def index(x, y, z):
        return first_argmax(x + y * z)

    def stored(n):
        args = [integers(n, seed=k).astype(np.float32) for k in range(3)]
        x, y, z = args
        found = mapped(index, (True,) * 3, *args)
        np.testing.assert_array_equal(found, np.argmax(x + y * z, 0))
        jaxpr = traced(index, (True, True, True), *args).jaxpr
        return any(v.aval.shape == (n, LANES) for e in jaxpr.eqns for v in e.outvars)

    assert MOST_READS < 3 * WIDTH
    assert not stored(MOST_READS // 3) and stored(MOST_READS // 3 + 1)


def test_a_product_beside_an_array_is_stored():
    """With few lanes it would be rounded alone, with many together with the sum."""

    def barriers(spread):
        jaxpr = traced(lambda x, z: x + spread(z), (True, True), X, Z).jaxpr
        return str(jaxpr).count("optimization_barrier")

    products = [lambda z: z * z, lambda z: z**3, jnp.square, lambda z: -(z * z)]
    assert [barriers(each) for each in products] == [1] * 4
    assert barriers(lambda z: z + z) == 0


def test_what_a_loop_shares_stays_shared():
    """Records and carries that no lane enters come back without the lane axis."""
    by_lane = lanes(partial(records, length=3), (True,), LANES)
    ((count, total), found), flags = by_lane(Z)
    assert flags == ((False, True), (False, False, True, True))
    assert count.shape == () and total.shape == (LANES,)
    assert [x.shape for x in found] == [(3,), (3,), (3, LANES), (3, LANES)]


FORMS = "gather", "scatter", "dynamic_slice", "dynamic_update_slice"


def forms(fn, *args, flags=None, platform="cpu"):
    """Operations with rows that the program has; all lanes share an index of none."""
    flags = flags or tuple(np.ndim(x) > 0 for x in args)
    text = traced(fn, flags, *args, platform=platform).lower().as_text()
    return {name for name in FORMS if f"stablehlo.{name}" in text}


@each_row("n", (1, 3, MANY_ROWS - 1, MANY_ROWS, 100))
def test_rows_take_the_form_that_is_faster(n):
    """The same row in all lanes is a slice, however many there are."""
    x, row, own = floats(n, 2), floats(2), index(n)
    many, same = n >= MANY_ROWS, np.int32(0)
    assert forms(pick, x, own) == ({"gather"} if many else set())
    assert forms(put, x, own, row) == ({"scatter"} if many else set())
    assert forms(pick, x, same) == {"dynamic_slice"}
    assert forms(put, x, same, row) == {"dynamic_slice", "dynamic_update_slice"}
    assert not forms(pick, x, own, platform="gpu")
    assert not forms(put, x, own, row, platform="gpu")


@each_row("shape", [(10,), (4, 5), (100,), (10, 10), (2, 40)])
def test_many_entries_are_tallied_in_place(shape):
    counts = integers(*shape, high=99)
    found = forms(tally, counts, *(index(n) for n in shape))
    assert found == ({"scatter"} if np.prod(shape) >= MANY_ROWS else set())


def test_no_row_is_scattered_in_a_loop_of_a_policy():
    """Inside ``lax.while_loop``, whose lanes end at different times."""
    assert forms(in_a_loop, floats(40), index(40)) == {"gather"}


def test_uniform_lanes_give_the_same_bits():
    """Numbers are computed lane by lane, whether they are known to be equal or not."""

    def fn(x, factor, round_):
        turn = (round_ // jnp.round(factor).astype(jnp.int32)) % x.shape[0]
        row = jnp.sin(factor * pick(x, turn)) + factor * x[0]
        return put(x, turn, row), turn

    # As many lanes as a vector has, or more.
    x, factor = np.resize(floats(7, 3), (7, 3, 64)), np.full(64, 2.7, np.float32)
    args, uniform = (x, factor, np.int32(11)), (True, UNIFORM, False)
    known, found = mapped(fn, uniform, *args), mapped(fn, (True, True, False), *args)
    np.testing.assert_array_equal(known[0], found[0], strict=True)
    np.testing.assert_array_equal(known[1], found[1], strict=True)
    assert forms(fn, *args, flags=uniform) >= {"dynamic_update_slice"}
    assert not forms(fn, *args)


def step(shift, state):
    """One step, which writes some parts of a state row by row and others as a whole."""
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
        floats(num_rows, 2),
        integers(num_rows, 3, high=99),
        floats(2 * num_rows),
        index(num_rows),
        integers(3, high=99),
    )


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
    some = mapped(step, (False, True), shift, start, going=going)
    program = traced(step, (False, True), shift, start, going=going).lower().as_text()
    for before, after, found in zip(start, every, some, strict=True):
        wanted = np.where(going, after, before)
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert not np.array_equal(after, before)
    selections = [x for x in program.splitlines() if "stablehlo.select" in x]
    assert sum(f"tensor<{num_rows}x2x{LANES}xf32>" in x for x in selections) == writes
    assert not any(f"tensor<{num_rows}x3x{LANES}xi32>" in x for x in selections)
    assert selections  # of the last two parts


def swapped(shift, state):
    """Two parts change places: neither is what it was, whatever was written to it."""
    first, second = state
    row = jnp.zeros((), first.dtype)
    return put(second, shift, row), put(first, shift, row)


@pytest.mark.parametrize("num_rows", [5, 50])
def test_an_array_in_another_s_place_is_merged(num_rows):
    going = np.arange(LANES) % 2 > 0
    start = (floats(num_rows), floats(num_rows) + 1)
    flags, args = (True, True), (index(num_rows), start)
    first, second = mapped(swapped, flags, *args, going=going)
    np.testing.assert_array_equal(first[:, ~going], start[0][:, ~going])
    np.testing.assert_array_equal(second[:, ~going], start[1][:, ~going])
    assert (np.asarray(first)[:, going] == start[1][:, going]).mean() > 0.75
