"""Kernels that the engine recognises by name and may replace by its own forms."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

from jaxbandits.checks import check_kinds

PREFIX = "jaxbandits."
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def named(
    fn: Callable[Arguments, Result], name: str = ""
) -> Callable[Arguments, Result]:
    """Wrap `fn` in a ``jit`` with a name that no policy's function has by chance.

    Under ``jax.vmap`` the name is removed, because the operation then stands for many
    rows. Derivatives are those of `fn`, forward and backward.

    Args:
      fn: function of arrays that returns an array; a list is made an array for it.
      name: by default that of `fn`.
    """
    plain: Callable[..., Any] = fn

    def call(*args: Any) -> Any:
        return plain(*args)

    call.__name__ = PREFIX + (name or fn.__name__)
    kernel = custom_vmap(jax.jit(call))

    @kernel.def_vmap
    def _(axis_size: int, batched: Any, *args: Any) -> Any:
        del axis_size
        if not any(batched):  # as of what a derivative of a derivative leaves alone
            return plain(*args), False
        axes = [0 if each else None for each in batched]
        return jax.vmap(plain, axes)(*args), True

    # What has a rule for vmap cannot be transposed; its plain form can.
    differentiable = jax.custom_jvp(kernel)

    @differentiable.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return kernel(*primals), jax.jvp(plain, primals, tangents)[1]

    arguments, check = signature(fn), check_kinds(fn)

    @wraps(fn)
    def by_position(*args: Arguments.args, **by_name: Arguments.kwargs) -> Result:
        check(*args, **by_name)
        given = arguments.bind(*args, **by_name).args if by_name else args
        arrays = (jnp.asarray(x) if isinstance(x, list | tuple) else x for x in given)
        result: Result = differentiable(*arrays)
        return result

    return by_position
