"""Fast array operations for a round: rows, sums, draws and random bits.

The engine recognises most of these by name and replaces them by its own forms
(`named`). Only here are barriers that stop unwanted optimisations by XLA.
"""

from jaxbandits.arrays._outermost import outermost
from jaxbandits.arrays._threefry import threefry
from jaxbandits.arrays._values import constant, multiply_add, stored
from jaxbandits.arrays._window import window
from jaxbandits.arrays.argmax import first_argmax, first_true, random_argmax
from jaxbandits.arrays.select import (
    one_hot,
    pick,
    put,
    row,
    split_index,
    tally,
    when,
    with_row,
)
from jaxbandits.arrays.sums import CompensatedSum
from jaxbandits.arrays.words import (
    Bound,
    below,
    bound,
    log_survival,
    occurs,
    position,
    smaller_side,
    unit_interval,
)

__all__ = [
    "Bound",
    "CompensatedSum",
    "below",
    "bound",
    "constant",
    "first_argmax",
    "first_true",
    "log_survival",
    "multiply_add",
    "occurs",
    "one_hot",
    "outermost",
    "pick",
    "position",
    "put",
    "random_argmax",
    "row",
    "smaller_side",
    "split_index",
    "stored",
    "tally",
    "threefry",
    "unit_interval",
    "when",
    "window",
    "with_row",
]
