"""Bounds proved in the papers, on the host in float64, to lay over regret plots.

`allocation` is about RA-UCB in the allocation game, `budgeted` about omega-UCB in the
budgeted game, `censored` about RCUCB and z-RCUCB in the game with censored consumption,
`farewell` about Wait-UCB in the game with waiting times. Import the module and call
through its name: all have a `trivial_bound`.
"""

from jaxbandits.theory import allocation, budgeted, censored, farewell

__all__ = ["allocation", "budgeted", "censored", "farewell"]
