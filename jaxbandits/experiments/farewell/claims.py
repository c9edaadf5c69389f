"""What the farewell paper says of its figures, and which policy leads when."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from jaxbandits.experiments.common.checks_of_records import bounded, shares
from jaxbandits.experiments.common.checks_of_runs import MUCH, below, grows
from jaxbandits.experiments.common.claims import Statement, numbered

OURS = "Wait-UCB"
# Budget-UCB is taken in both forms, as printed and as its authors' code has it.
RIVALS = ("UCB-Simplex", "Budget-UCB", "Budget-UCB, code")
# Section 7: experiment -> figures on which Wait-UCB is said to do much better than they
# do, or worse. (Of Figures 2b and 2c the paper says nothing of the kind.)
BETTER = {
    "farewell-fig1": ("Figure 1a (i)", "Figure 1b"),
    "farewell-readings": ("Figure 1a (ii)", "Figure 1a (iii)"),
    "farewell-fig2": ("Figure 2a",),
}
# Of `farewell-coverage`: a reward of up to B with probability p.
RARE = ("B = 2, p = 1/2", "B = 10, p = 1/10", "B = 10, p = 1/2")
DELTAS = (0.01, 0.03, 0.1, 0.3)
WORSE = {"farewell-fig1": ("Figure 1c",)}


def _statement(experiment, title, rival, above):
    text = f"{title}: {OURS} {'above' if above else 'much below'} {rival}"
    check = below(title, OURS, (rival,), above=above, times=1.0 if above else 1 / MUCH)
    return Statement("", text, "section 7", experiment, check)


def _cases(delta):
    """Records of `farewell-coverage` at a level."""
    return {name: (name, f"Lemma 1, delta = {delta:g}") for name in RARE}


STATEMENTS = (
    numbered(
        "D2",
        [
            _statement(experiment, title, rival, above)
            for table, above in ((BETTER, False), (WORSE, True))
            for experiment, titles in table.items()
            for title in titles
            for rival in RIVALS
        ]
        + [
            Statement(
                "",
                f"Figure 1c: {OURS} still enjoys logarithmic regret",
                "section 7",
                "farewell-fig1",
                grows("Figure 1c", OURS, 1 / 4),
            )
        ],
    )
    + numbered(
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
        ]
        + [
            Statement(
                "",
                f"The confidence bound holds with probability at least {1 - delta:g}",
                "Lemma 1",
                "farewell-coverage",
                shares("failures", _cases(delta), delta),
            )
            for delta in DELTAS
        ],
    )
    + numbered(
        "D6",
        [
            Statement(
                "",
                f"{title}: the feedback of shorter waits lowers the regret of {OURS}",
                "section 8",
                "farewell-side",
                below(title, f"{OURS}, shorter waits", (OURS,)),
            )
            for title in ("Figure 1a (i)", "Figure 1b", "Figure 1c", "Figure 2b")
        ],
    )
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
