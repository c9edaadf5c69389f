"""The row of an arm: read and replaced in all arrays of a state."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import CompensatedSum, row, with_row
from tests.tables import each_row

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
