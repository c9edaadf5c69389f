"""The GPU engine: all rounds of a leg in one kernel, a thread to a run.

Docs: docs/fused.md. It imports Pallas, which nobody else needs.
"""

from functools import partial

from jaxbandits.engine.gpu.kernel import Block, legs, scratch
from jaxbandits.engine.gpu.support import (
    UnsupportedError,
    check_supported,
    unsupported,
)
from jaxbandits.engine.legs import SCAN

FUSED = SCAN._replace(legs=legs, scratch=scratch)
INTERPRETED = FUSED._replace(legs=partial(legs, interpret=True))

__all__ = [
    "FUSED",
    "INTERPRETED",
    "Block",
    "UnsupportedError",
    "check_supported",
    "legs",
    "unsupported",
]
