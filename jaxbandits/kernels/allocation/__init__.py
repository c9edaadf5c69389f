"""Oracles of the allocation setting: how to split a budget over arms."""

from jaxbandits.kernels.allocation._marginal_greedy import (
    fill_in_order,
    marginal_greedy,
)
from jaxbandits.kernels.allocation._projected_gradient import projected_gradient
from jaxbandits.kernels.allocation.concave import kkt_residual, water_filling
from jaxbandits.kernels.allocation.exponential import exponential_water_filling
from jaxbandits.kernels.allocation.integer import (
    integer_greedy,
    integer_programming,
)
from jaxbandits.kernels.allocation.ordered import (
    OrderedSolution,
    fill_in_turns,
    ordered_programming,
    worth_of_turns,
)
from jaxbandits.kernels.allocation.sigmoid import sigmoid_filling, sigmoid_prefix
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
    Curves,
    Solution,
    beyond,
    priced,
)

__all__ = [
    "INACCURATE",
    "INVALID",
    "NOTHING_TO_GAIN",
    "SOLVED",
    "Curves",
    "OrderedSolution",
    "Solution",
    "beyond",
    "exponential_water_filling",
    "fill_in_order",
    "fill_in_turns",
    "integer_greedy",
    "integer_programming",
    "kkt_residual",
    "marginal_greedy",
    "ordered_programming",
    "priced",
    "projected_gradient",
    "sigmoid_filling",
    "sigmoid_prefix",
    "water_filling",
    "worth_of_turns",
]
