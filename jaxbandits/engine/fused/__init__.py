"""The fused engine: many rounds of a policy and its environment in one GPU kernel.

It plays the same functions as the scan engine, on the same tape (docs/fused.md).
"""

from jaxbandits.engine.fused.kernel import Block, block_for, legs
from jaxbandits.engine.fused.support import (
    ENGINES,
    UnsupportedError,
    legs_of,
    unsupported,
)

__all__ = [
    "ENGINES",
    "Block",
    "UnsupportedError",
    "block_for",
    "legs",
    "legs_of",
    "unsupported",
]
