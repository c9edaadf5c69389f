"""JAX's own switches: what must stand still while policies play."""

from contextlib import contextmanager

import jax
import jax.numpy as jnp


@contextmanager
def in_play():
    """Switches that policies and environments are played under.

    Infinities mean something here (a pair that was never played), integers meet floats
    without ceremony, numbers move to the devices, and instances are drawn by the
    default form of JAX's generator, as the other one draws others. Whether NaN is
    looked for (``jax_debug_nans``) and the precision are left as they are.

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
