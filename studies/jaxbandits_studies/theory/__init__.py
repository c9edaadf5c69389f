"""Bounds proved in the papers, on the host in float64, to lay over regret plots.

`allocation` is about RA-UCB in the allocation game, `budgeted` about omega-UCB in the
budgeted game, `censored` about RCUCB in the game with censored consumption, `zooming`
about z-RCUCB, where any limit may be chosen, `farewell` about Wait-UCB in the game with
waiting times; `graves_lai` has what no consistent policy can do better than in the game
with censored consumption, or waits, `lai_robbins` the same of budgets; `lost_runs` and
`shrinking`, about share-UCB and omega*-UCB, `hazards`, `cells`, `gains`, `waiting`,
`ratios`, `sampled_rates` and `sparring`, about Thompson sampling, are ours.
Import the module and call through its name: most have a `trivial_bound`. Every function
refuses an argument outside the range that it names, a ValueError, and one of another
kind, a TypeError (`domains`).
"""

from jaxbandits_studies.theory import (
    allocation,
    budgeted,
    cells,
    censored,
    farewell,
    gains,
    graves_lai,
    hazards,
    lai_robbins,
    lost_runs,
    ratios,
    sampled_rates,
    shrinking,
    sparring,
    waiting,
    zooming,
)

__all__ = [
    "allocation",
    "budgeted",
    "cells",
    "censored",
    "farewell",
    "gains",
    "graves_lai",
    "hazards",
    "lai_robbins",
    "lost_runs",
    "ratios",
    "sampled_rates",
    "shrinking",
    "sparring",
    "waiting",
    "zooming",
]
