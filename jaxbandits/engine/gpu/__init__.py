"""The GPU engine: all rounds of a leg in one kernel, a thread to a run.

Docs: docs/fused.md. It imports Pallas, which nobody else needs.
"""

from functools import partial

from jaxbandits.engine.gpu.kernel import Block, legs
from jaxbandits.engine.gpu.support import (
    UnsupportedError,
    check_supported,
    unsupported,
)
from jaxbandits.engine.legs import SCAN

FUSED = SCAN._replace(legs=legs)
INTERPRETED = SCAN._replace(legs=partial(legs, interpret=True))

__all__ = [
    "FUSED",
    "INTERPRETED",
    "Block",
    "UnsupportedError",
    "check_supported",
    "legs",
    "unsupported",
]
