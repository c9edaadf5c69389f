"""What the farewell paper claims of its figures, beside what the runs say."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from jaxbandits.experiments.common.experiment import Claim
from jaxbandits.stats import paired_difference

# Section 7: environment -> policies that Wait-UCB is said to beat, and to lose to.
BETTER = {
    "Figure 1a (i)": ("UCB-Simplex", "Budget-UCB"),
    "Figure 1a (ii)": ("UCB-Simplex", "Budget-UCB"),
    "Figure 1a (iii)": ("UCB-Simplex", "Budget-UCB"),
    "Figure 1b": ("UCB-Simplex", "Budget-UCB"),
    "Figure 2a": ("UCB-Simplex", "Budget-UCB"),
    "Figure 2b": ("UCB-Simplex", "Budget-UCB"),
    "Figure 2c": ("UCB-Simplex", "Budget-UCB"),
}
WORSE = {"Figure 1c": ("UCB-Simplex", "Budget-UCB")}
OURS = "Wait-UCB"


def verdicts(datasets: Mapping[str, xr.Dataset]) -> tuple[Claim, ...]:
    """What the paper says, and whether the runs agree.

    A claim holds (fails) if the 95 % interval of the paired difference of the final
    regrets lies on its (the other) side of 0; Budget-UCB is taken in both forms.
    """
    claims = []
    for title, dataset in datasets.items():
        for table, word, sign in ((BETTER, "below", -1), (WORSE, "above", 1)):
            for rival in table.get(title, ()):
                for name in _forms(dataset, rival):
                    claims.append(_verdict(dataset, title, name, word, sign))
    return tuple(claims)


def _forms(dataset, rival):
    known = dataset["policy"].values.tolist()
    return [name for name in (rival, f"{rival}, code") if name in known]


def _verdict(dataset, title, rival, word, sign):
    last = dataset.isel(checkpoint=[-1])
    mean, lower, upper, _ = paired_difference(last, "regret", OURS, rival)
    low, high = sorted(sign * float(x.values[0, 0]) for x in (lower, upper))
    verdict = "holds" if low > 0 else "fails" if high < 0 else "undecided"
    regret = last["regret"].mean("seed").isel(params=0, checkpoint=0)
    ours, theirs = (float(regret.sel(policy=p)) for p in (OURS, rival))
    return Claim(
        f"{title}: {OURS} {word} {rival}",
        "section 7",
        verdict,
        {OURS: ours, rival: theirs},
        None,  # the paper has a figure, and no number
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
