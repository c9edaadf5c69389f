"""Bounds proved in the papers, on the host in float64, to lay over regret plots.

`allocation` is about RA-UCB in the allocation game, `budgeted` about omega-UCB in the
budgeted game, `farewell` about Wait-UCB in the game with waiting times. Import the
module and call through its name: all have a `trivial_bound`.
"""

from jaxbandits.theory import allocation, budgeted, farewell

__all__ = ["allocation", "budgeted", "farewell"]
