"""The allocation setting: split a budget over arms that may need more than they get."""

from jaxbandits.settings.allocation._ordered import OrderedOracle, ordered
from jaxbandits.settings.allocation.criteo_log import fit_criteo, load_criteo
from jaxbandits.settings.allocation.ednet_users import EdNet, load_ednet
from jaxbandits.settings.allocation.environment import (
    Oracle,
    allocation,
    cascade,
    random_allocation,
)
from jaxbandits.settings.allocation.game import Arms, Users
from jaxbandits.settings.allocation.instances import (
    criteo,
    criteo_like,
    ednet,
    ednet_like,
    simulation,
)
from jaxbandits.settings.allocation.problem import make_problem
from jaxbandits.settings.allocation.solving import best_allocations, solve
from jaxbandits.settings.allocation.types import (
    Action,
    Allocation,
    Feedback,
    OracleView,
    Order,
    Ordered,
    Plan,
    Problem,
    Turns,
    View,
)

__all__ = [
    "Action",
    "Allocation",
    "Arms",
    "EdNet",
    "Feedback",
    "Oracle",
    "OracleView",
    "Order",
    "Ordered",
    "OrderedOracle",
    "Plan",
    "Problem",
    "Turns",
    "Users",
    "View",
    "allocation",
    "best_allocations",
    "cascade",
    "criteo",
    "criteo_like",
    "ednet",
    "ednet_like",
    "fit_criteo",
    "load_criteo",
    "load_ednet",
    "make_problem",
    "ordered",
    "random_allocation",
    "simulation",
    "solve",
]
