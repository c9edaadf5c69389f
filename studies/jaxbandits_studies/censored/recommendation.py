"""Which policy for limits? Those ever advised, on every environment there is."""

from collections.abc import Callable
from functools import partial

from jaxbandits.experiments.common.comparison import Contestant, add_spread
from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings
from jaxbandits.stats import entry, final

NAME = "censored-recommendation"
CELLS = "cell TS"
CAST = {
    CELLS: Contestant(policies.cell_thompson),
    # The advice of earlier versions, which one unlucky round can trap for good.
    "RCUCB, Kaplan-Meier, half a gain radius": Contestant(
        partial(policies.rcucb, survival="kaplan_meier"),
        {"gain_radius": 0.5, "penalty_radius": 0.0},
    ),
    "RCUCB, eq. (12)": Contestant(policies.rcucb),
    "TS": Contestant(policies.thompson),
    "UCB": Contestant(policies.ucb_reduction),
}
QUICK = ("trap", "steep trap")


# Both grids of the three instances of section 5.1, F.2, F.3 and the two traps.
GAMES = {
    f"{name}, {grid}": partial(make, form=form)
    for name, make in {
        "PosCorr": settings.poscorr,
        "NegCorr": settings.negcorr,
        "Indep": settings.indep,
    }.items()
    for grid, form in {"0.1 ... 0.9": "tabulated", "0.1 ... 1": "printed"}.items()
}
GAMES |= {f"F.2, n = {n}": partial(settings.many_arms, n) for n in (20, 50, 80)}
GAMES |= {
    "F.3, n = 5": settings.low_censoring,
    "trap": settings.trap,
    "steep trap": partial(settings.trap, steep=True),
}


def recommendation(compare: Callable, options: Options) -> Outcome:
    """Mean, median, 90 % quantile and the worst run of the regret.

    Args:
      compare: plays contestants on environments, see `experiments.censored`.
      options: seeds and horizon.
    """
    # Twelve games take long to compile.
    names = QUICK if options.quick else GAMES
    found = {name: GAMES[name]() for name in names}
    outcome = compare(NAME, lambda: found, CAST, {}, (), "log", options)
    for title, dataset in outcome.datasets.items():
        records = [
            r
            for r in outcome.records
            if r["environment"] == title and r["policy"] in CAST
        ]
        add_spread(records, dataset, "regret", CELLS)
        worst = final(dataset, "regret").isel(params=0).max("seed")
        for record in records:
            value = worst.sel(policy=record["policy"])
            record["metrics"]["regret_worst"] = entry(value)
    return outcome
