"""The fused engine: many rounds of a policy and its environment in one GPU kernel.

It plays the same functions as the scan engine, on the same tape (docs/fused.md).
"""

from jaxbandits.engine.fused.kernel import Block, block_for, legs
from jaxbandits.engine.fused.support import (
    FUSED,
    INTERPRETED,
    UnsupportedError,
    check_supported,
    unsupported,
)

__all__ = [
    "FUSED",
    "INTERPRETED",
    "Block",
    "UnsupportedError",
    "block_for",
    "check_supported",
    "legs",
    "unsupported",
]
