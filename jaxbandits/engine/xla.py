"""Compiler options for XLA, by version of JAX.

A round is written so that every stage is stored once (`lax.optimization_barrier`). Up
to JAX 0.10 XLA's CPU compiler drops barriers before it fuses, and then computes a whole
reduction again for every element that uses its result: RCUCB with 10 x 10 pairs is 66
times slower. There the pass that drops them has to be disabled. Newer compilers keep
barriers, and fail with that option ("Unhandled opcode"): they compile a small loop into
one function, which has no barriers.

docs/engine.md has the measured table; `tests/engine/test_xla.py` counts the operations
of a compiled round, which triple where barriers are lost.
"""

import warnings
from functools import cache
from typing import Any

import jax
from jax.sharding import Mesh


def compiler_options(mesh: Mesh) -> dict:
    """Options for programs on the devices of a mesh: those that its compiler takes."""
    if platform_of(mesh) != "cpu":
        return {}
    return accepted(tuple(options_for(jax.__version_info__).items()))


@cache
def accepted(options: tuple[tuple[str, Any], ...]) -> dict:
    """Those of some options that XLA knows; it warns of the others, once."""
    known = {}
    for name, value in options:
        try:
            jax.jit(lambda: 0, compiler_options={name: value}).lower().compile()
        except jax.errors.JaxRuntimeError as error:
            warnings.warn(
                f"jax {jax.__version__} does not take the option {name} of XLA "
                f"({str(error).splitlines()[0]}); programs may be slower, some by far",
                stacklevel=2,
            )
        else:
            known[name] = value
    return known


def platform_of(mesh: Mesh) -> str:
    """The platform of the devices of a mesh, which need not be present."""
    return mesh.devices.flat[0].platform


def options_for(version: tuple[int, ...]) -> dict:
    """Options for CPUs with a version of JAX."""
    # Full vectors where the machine has them; ignored elsewhere.
    options: dict[str, Any] = {"xla_cpu_prefer_vector_width": 512}
    if version < (0, 11):
        options["xla_disable_hlo_passes"] = "cse_barrier_expander"
    return options
