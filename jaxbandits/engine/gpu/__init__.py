"""The GPU engine: one kernel for all rounds between two checkpoints, a thread per run.

The jaxpr of a round becomes C++ for one run, see docs/engine.md.
"""

from functools import partial

from jaxbandits.engine.gpu.build import BuildError, lacking, on_cpu, on_gpu
from jaxbandits.engine.gpu.rounds import (
    UnsupportedError,
    legs,
    scratch,
    unsupported,
)
from jaxbandits.engine.legs import SCAN

FUSED = SCAN._replace(legs=partial(legs, call=on_gpu), scratch=scratch)
INTERPRETED = FUSED._replace(legs=partial(legs, call=on_cpu))

__all__ = [
    "FUSED",
    "INTERPRETED",
    "BuildError",
    "UnsupportedError",
    "lacking",
    "legs",
    "on_cpu",
    "on_gpu",
    "unsupported",
]
