from .environment import Oracle, cascade, make_environment, random_environment
from .game import Arms, Users
from .instances import criteo_like, ednet_like, simulation
from .policies.fixed import clairvoyant, fixed_turns, uniform, uniform_turns
from .policies.mg_ucb import mg_ucb, mg_ucb_delta
from .policies.ra_etc import ra_etc
from .policies.ra_ucb import no_ucb, ra_ucb
from .policies.thompson import thompson
from .problem import make_problem
from .serving.environment import OrderedOracle, ordered
from .serving.thompson import ordered_thompson
from .serving.ucb import ordered_ucb
from .solving import best_allocations, solve
from .types import (
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
    "make_environment",
    "best_allocations",
    "cascade",
    "clairvoyant",
    "criteo_like",
    "ednet_like",
    "fixed_turns",
    "make_problem",
    "mg_ucb",
    "mg_ucb_delta",
    "no_ucb",
    "ordered",
    "ordered_thompson",
    "ordered_ucb",
    "ra_etc",
    "ra_ucb",
    "random_environment",
    "simulation",
    "solve",
    "thompson",
    "uniform",
    "uniform_turns",
]
