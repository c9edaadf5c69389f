"""The lanes transform against ``jax.vmap``: functions and shapes drawn at random."""

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from jax import lax

from jaxbandits.arrays import first_argmax, pick, put
from jaxbandits.engine.cpu.lanes import fill, lanes

LANES = 5
# What may follow on an array [n], [n, m] or [], one lane's; each keeps numbers small.
UNARY = {
    "negative": jnp.negative,
    "tanh": jnp.tanh,
    "square": lambda x: jnp.square(jnp.tanh(x)),
    "cumulative": lambda x: jnp.cumsum(x, axis=0) if x.ndim else x,
    "reversed": lambda x: x[::-1] if x.ndim else x,
    "padded": lambda x: jnp.pad(x, 1)[1:] if x.ndim else x,
    "sum": jnp.sum,
    "largest, kept": lambda x: jnp.max(x, keepdims=True),
    "sum over the first": lambda x: jnp.sum(x, axis=0) if x.ndim else x,
    "product over the last": lambda x: jnp.prod(jnp.tanh(x), -1) if x.ndim else x,
    "argmax": lambda x: first_argmax(x).astype(float),
    "column": lambda x: x.reshape(-1, 1),
    "row": lambda x: x.reshape(1, -1),
    "flat": jnp.ravel,
    "transposed": jnp.transpose,
    "tail": lambda x: x[-1] if x.ndim else x,
    "sorted": lambda x: jnp.sort(x, axis=0) if x.ndim else x,
    "picked": lambda x: pick(x, first_argmax(x) % x.shape[0]) if x.ndim else x,
    "put": lambda x: put(x, first_argmax(x) % x.shape[0], 0.5) if x.ndim else x,
    "clamped": lambda x: jnp.clip(x, -0.5, jnp.max(x)),
    "where": lambda x: jnp.where(x > 0.2, x, 0.1),
    "where by a scalar": lambda x: jnp.where(jnp.sum(x) > 0.2, x, 0.1),
    "loop": lambda x: lax.fori_loop(0, 3, lambda i, y: jnp.tanh(y + i), x),
    "while": lambda x: lax.while_loop(
        lambda y: jnp.max(jnp.abs(y)) > 0.4, lambda y: y / 2, x
    ),
    "halves": lambda x: jnp.concatenate([x, x]) if x.ndim else x,
}
BINARY = {
    "plus": jnp.add,
    "times": jnp.multiply,
    "larger": jnp.maximum,
    "minus": jnp.subtract,
    "compared": lambda x, y: (x > y).astype(float),
}
shapes = st.sampled_from([(), (1,), (2,), (3,), (1, 2), (2, 1), (2, 3), (3, 3)])
steps = st.one_of(
    st.tuples(st.sampled_from(sorted(UNARY)), st.none()),
    st.tuples(st.sampled_from(sorted(BINARY)), st.integers(0, 4)),
)


def program(plan):
    """A function of one lane: every step makes a value of the last one, or of two."""

    def fn(x, shared):
        values = [x, shared]
        for name, other in plan:
            last = values[-1]
            if name in UNARY:
                after = UNARY[name](last)
            else:
                with_ = values[other % len(values)]
                try:
                    jnp.broadcast_shapes(last.shape, with_.shape)
                except ValueError:
                    with_ = jnp.sum(with_)
                after = BINARY[name](last, with_)
            if after.size <= 64:
                values.append(after)
        return values[2:]

    return fn


@pytest.mark.slow
@given(shapes, shapes, st.lists(steps, min_size=1, max_size=6))
@settings(max_examples=1000, derandomize=False)
def test_lanes_are_vmap_with_the_axis_last(shape, other, plan):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (LANES, *shape)).astype(np.float32)
    shared = rng.uniform(-1, 1, other).astype(np.float32)
    fn = program(plan)
    with jax.numpy_rank_promotion("allow"):
        expected = jax.vmap(fn, (0, None))(x, shared)
        mapped = lanes(fn, (True, False), LANES)(np.moveaxis(x, 0, -1), shared)
        found = fill(*mapped, LANES)
    for wanted, got in zip(expected, found, strict=True):
        np.testing.assert_allclose(
            np.moveaxis(got, -1, 0), wanted, rtol=2e-5, atol=1e-6
        )
