"""Bounds proved in the papers, on the host in float64, to lay over regret plots.

`budgeted` is about omega-UCB in the budgeted game, `farewell` about Wait-UCB in the
game with waiting times. Import the module and call through its name: both have a
`regret_bound`.
"""

from jaxbandits.theory import budgeted, farewell

__all__ = ["budgeted", "farewell"]
