"""How the lanes transform maps: what it defers, stores, replaces and shares."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.arrays import first_argmax, random_argmax
from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.cpu.lanes import KERNELS, fill, lanes
from jaxbandits.engine.cpu.trees import MOST_READS, WIDTH
from tests.engine.one_lane import (
    LANES,
    MATRIX,
    ROW,
    ROWS,
    SHARED,
    TABLE,
    X,
    Y,
    Z,
    integers,
    records,
    with_constants,
)

pytestmark = pytest.mark.oldest


def mapped(fn, *args):
    """Outputs of `lanes`; an argument has a lane axis or is ``(SHARED, array)``."""
    flags = tuple(not isinstance(x, tuple) for x in args)
    args = [x if flag else x[1] for x, flag in zip(args, flags, strict=True)]
    return jax.jit(lambda *args: fill(*lanes(fn, flags, LANES)(*args), LANES))(*args)


def jaxpr_of(fn, flags, *args):
    """The program of `lanes`."""
    return jax.make_jaxpr(lambda *args: lanes(fn, flags, LANES)(*args)[0])(*args)


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
    mapped(lambda x, w: (jax.jit(first_argmax)(x), first_argmax(w)), X, TABLE)
    assert seen == [("first_argmax", (3,))]
    half = (SHARED, np.uint32(2**31))

    def fn(x, w, u):
        return jax.jit(random_argmax)(x, u), random_argmax(w, u)

    mapped(fn, X, TABLE, half)
    assert seen[1:] == [("random_argmax", (3,))]


def test_outputs_without_a_lane_stay_without():
    """Flags may be given for all leaves of an argument at once, and for all of them."""

    def fn(state, w):
        x, y = state["x"] + w[0], state["y"]
        return {"x": x, "y": (y * 2, jnp.zeros(2)), "c": jnp.int32(3)}

    w = TABLE[1]
    args = {"x": X, "y": w}, (w, w)
    out, flags = lanes(fn, ({"x": True, "y": False}, False), LANES)(*args)
    assert flags == {"x": True, "y": (False, False), "c": False}
    np.testing.assert_allclose(out["x"], X + w[:, None])
    np.testing.assert_allclose(out["y"][0], 2 * w)
    filled = jax.tree.map(jnp.shape, fill(out, flags, LANES))
    assert filled == {"x": (3, LANES), "y": ((3, LANES), (2, LANES)), "c": (LANES,)}
    with pytest.raises(ValueError):
        lanes(jnp.add, (True,), LANES)(X, Y)


def test_work_that_all_lanes_share_is_done_once():
    def fn(x, w):
        return x + jnp.sum(jnp.exp(w))

    jaxpr = jaxpr_of(fn, (True, False), X, TABLE[1])
    (exponential,) = (e for e in jaxpr.eqns if e.primitive.name == "exp")
    assert exponential.outvars[0].aval.shape == (3,)


def test_no_lane_axis_moves():
    """The index of a policy: nothing is transposed, nothing gathered."""

    def index(pulls, total, log_t):
        count = jnp.maximum(pulls, 1).astype(jnp.float32)
        bonus = jnp.sqrt(log_t / count)
        return first_argmax(jnp.where(pulls == 0, jnp.inf, total / count + bonus))

    args = np.abs(integers(3, 4)), MATRIX, np.float32(2)
    jaxpr = str(jaxpr_of(index, (True, True, False), *args))
    assert "transpose" not in jaxpr and "gather" not in jaxpr


def test_a_reduction_of_a_deferred_index_writes_no_array():
    """The point of deferring: no [K, L] array of the index appears."""
    jaxpr = jaxpr_of(lambda x, y: jnp.max(x + y), (True, True), X, Y)
    assert all(v.aval.shape != X.shape for e in jaxpr.eqns for v in e.outvars)


def test_an_index_of_many_reads_is_stored():
    """In one expression with the argmax it would not become vector code."""

    def index(x, y, z):
        return first_argmax(x + y * z)

    def stored(n):
        args = [integers(n, seed=k).astype(np.float32) for k in range(3)]
        x, y, z = args
        np.testing.assert_array_equal(mapped(index, *args), np.argmax(x + y * z, 0))
        jaxpr = jaxpr_of(index, (True, True, True), *args)
        return any(v.aval.shape == (n, LANES) for e in jaxpr.eqns for v in e.outvars)

    assert MOST_READS < 3 * WIDTH
    assert not stored(MOST_READS // 3) and stored(MOST_READS // 3 + 1)


def test_a_product_beside_an_array_is_stored():
    """With few lanes it would be rounded alone, with many together with the sum."""

    def barriers(spread):
        jaxpr = jaxpr_of(lambda x, z: x + spread(z), (True, True), X, Z)
        return str(jaxpr).count("optimization_barrier")

    products = [lambda z: z * z, lambda z: z**3, jnp.square, lambda z: -(z * z)]
    assert [barriers(each) for each in products] == [1] * 4
    assert barriers(lambda z: z + z) == 0


def test_loops_stay_loops():
    """One scan, whose body is mapped: no batch axis in front, nothing transposed."""
    jaxpr = jaxpr_of(with_constants, (True, False, True), X, ROW[1], ROWS)
    assert [eqn.primitive.name for eqn in jaxpr.eqns].count("scan") == 1
    assert "transpose" not in str(jaxpr)


def test_what_a_loop_shares_stays_shared():
    """Records and carries that no lane enters come back without the lane axis."""
    by_lane = lanes(partial(records, length=3), (True,), LANES)
    ((count, total), found), flags = by_lane(Z)
    assert flags == ((False, True), (False, False, True, True))
    assert count.shape == () and total.shape == (LANES,)
    assert [x.shape for x in found] == [(3,), (3,), (3, LANES), (3, LANES)]
