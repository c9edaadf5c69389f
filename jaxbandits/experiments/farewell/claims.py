"""What the farewell paper says of its figures, and which policy leads when."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from jaxbandits.experiments.common.claims import (
    Statement,
    below,
    bounded,
    numbered,
)

OURS = "Wait-UCB"
# Budget-UCB is taken in both forms, as printed and as its authors' code has it.
RIVALS = ("UCB-Simplex", "Budget-UCB", "Budget-UCB, code")
# Section 7: experiment -> figures on which Wait-UCB is said to beat them, or to lose.
BETTER = {
    "farewell-fig1": ("Figure 1a (i)", "Figure 1b"),
    "farewell-readings": ("Figure 1a (ii)", "Figure 1a (iii)"),
    "farewell-fig2": ("Figure 2a", "Figure 2b", "Figure 2c"),
}
WORSE = {"farewell-fig1": ("Figure 1c",)}


def _statement(experiment, title, rival, above):
    text = f"{title}: {OURS} {'above' if above else 'below'} {rival}"
    check = below(title, OURS, (rival,), above=above)
    return Statement("", text, "section 7", experiment, check)


STATEMENTS = numbered(
    "D2",
    [
        _statement(experiment, title, rival, above)
        for table, above in ((BETTER, False), (WORSE, True))
        for experiment, titles in table.items()
        for title in titles
        for rival in RIVALS
    ],
) + numbered(
    "D4",
    [
        Statement(
            "",
            f"{title}: the regret of {OURS} is below the bound",
            "Theorem 2",
            "farewell-bounds",
            bounded(title, OURS, above="Theorem 2"),
        )
        for title in ("Figure 1a (i)", "Figure 1b", "Figure 1c")
    ],
)


def crossover_notes(datasets: Mapping[str, xr.Dataset]) -> tuple[str, ...]:
    """Which policy has the smallest mean regret, from when to when."""
    notes = []
    for title, dataset in datasets.items():
        regret = dataset["regret"].mean("seed").isel(params=0).values
        names = dataset["policy"].values
        times = dataset["checkpoint"].values
        leaders = names[np.argmin(regret, axis=0)]
        starts = np.flatnonzero(np.append(True, leaders[1:] != leaders[:-1]))
        spans = ", ".join(f"{leaders[i]} from {times[i]:,.0f}" for i in starts)
        notes.append(f"{title}: smallest mean regret: {spans}.")
    return tuple(notes)
