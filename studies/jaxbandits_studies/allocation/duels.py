"""RA-UCB against explore-then-commit and point estimates: Figures 3 and 4."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from jaxbandits import allocation
from jaxbandits.plots import plot_panels
from jaxbandits.stats import summary_records
from jaxbandits_studies.allocation.cast import (
    ALL_LEARN,
    AS_PRINTED,
    THOMPSON,
    TUNED,
    exploration,
    start_rounds,
)
from jaxbandits_studies.common.comparison import Contestant, add_spread, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

RA_UCB = "RA-UCB"
ETC = {
    "as shown: explores per arm": {
        RA_UCB: AS_PRINTED,
        "RA-ETC, per arm": Contestant(
            partial(allocation.ra_etc, count="per_arm"), {"exploration": exploration}
        ),
    },
    "fair: explores T^(2/3) in all": {
        RA_UCB: AS_PRINTED,
        "RA-ETC, in all": Contestant(allocation.ra_etc, {"exploration": exploration}),
        "RA-UCB, all arms learn": ALL_LEARN,
        "RA-UCB, tuned": TUNED,
        "Thompson": THOMPSON,
    },
}
ONE_ROUND = Contestant(allocation.no_ucb, {"initial": 1.0})
NO_UCB = {
    "as shown: unequal starts": {
        RA_UCB: AS_PRINTED,
        "NO-UCB, 1 round": ONE_ROUND,
    },
    "fair: equal starts": {
        RA_UCB: AS_PRINTED,
        "RA-UCB, 1 round": Contestant(allocation.ra_ucb, {"initial": 1.0}),
        "NO-UCB": Contestant(allocation.no_ucb, {"initial": start_rounds}),
        "NO-UCB, 1 round": ONE_ROUND,
    },
}


def duels(
    name: str, panels: Mapping[str, Mapping[str, Contestant]], options: Options
) -> Outcome:
    """RA-UCB against a rival, as the paper has it and on equal terms.

    Args:
      name: of the experiment.
      panels: title -> label -> contestant.
      options: seeds and horizon.
    """
    game = allocation.simulation()
    datasets, records, notes = {}, [], []
    for title, contestants in panels.items():
        dataset = run_contestants(game, contestants, options, checkpoints="log")
        result = summary_records(dataset, name, environment=title, metrics=["regret"])
        add_spread(result, dataset, "regret", RA_UCB)
        at_end = dataset["regret"].isel(params=0, checkpoint=-1)
        for label in contestants:
            if label != RA_UCB:
                won = at_end.sel(policy=RA_UCB) < at_end.sel(policy=label)
                share = float(np.mean(won.values))
                notes.append(f"{title}: RA-UCB beats {label} in {share:.0%} of runs.")
        datasets[title] = dataset
        records += result
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw, tuple(notes))


fig3 = partial(duels, "allocation-fig3", ETC)
fig4 = partial(duels, "allocation-fig4", NO_UCB)
