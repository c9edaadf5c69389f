"""JAX's own switches, and their values while policies play."""

from contextlib import contextmanager

import jax
import jax.numpy as jnp


@contextmanager
def in_play():
    """A context that sets switches of JAX as policies and environments need them.

    Infinities are allowed (they stand for a pair that was never played), integers are
    promoted to floats, numbers may move to the devices, and the generator has its
    default form, as the other one would draw other instances. The precision and
    ``jax_debug_nans`` stay as they are.

    Raises:
      ValueError: under ``jax_disable_jit``.
      TypeError: inside a function that JAX is tracing.
    """
    if jax.config.jax_disable_jit:
        raise ValueError("jax_disable_jit must be off: runs are compiled programs")
    with (
        jax.debug_infs(False),
        jax.numpy_dtype_promotion("standard"),
        jax.transfer_guard("allow"),
        jax.threefry_partitionable(True),
    ):
        if isinstance(jnp.zeros(()), jax.core.Tracer):
            raise TypeError(
                "simulate and sweep must be called outside jax.jit and other "
                "transformations; they map over seeds and params by themselves"
            )
        yield
