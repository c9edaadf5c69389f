"""Which policy for limits? Those ever advised, on every environment there is."""

from collections.abc import Callable
from functools import partial

from jaxbandits import censored
from jaxbandits.stats import entry, final
from jaxbandits_studies.common.comparison import Contestant, add_spread
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "censored-recommendation"
CELLS = "cell TS"
CAST = {
    CELLS: Contestant(censored.cell_thompson),
    # The advice of earlier versions, which one unlucky round can trap for good.
    "RCUCB, Kaplan-Meier, half a gain radius": Contestant(
        partial(censored.rcucb, survival="kaplan_meier"),
        {"gain_radius": 0.5, "penalty_radius": 0.0},
    ),
    "RCUCB, eq. (12)": Contestant(censored.rcucb),
    "TS": Contestant(censored.thompson),
    "UCB": Contestant(censored.ucb_reduction),
}
QUICK = ("trap", "steep trap")


# Both grids of the three instances of section 5.1, F.2, F.3 and the two traps.
GAMES = {
    f"{name}, {grid}": partial(make, form=form)
    for name, make in {
        "PosCorr": censored.poscorr,
        "NegCorr": censored.negcorr,
        "Indep": censored.indep,
    }.items()
    for grid, form in {"0.1 ... 0.9": "tabulated", "0.1 ... 1": "printed"}.items()
}
GAMES |= {f"F.2, n = {n}": partial(censored.many_arms, n) for n in (20, 50, 80)}
GAMES |= {
    "F.3, n = 5": censored.low_censoring,
    "trap": censored.trap,
    "steep trap": partial(censored.trap, steep=True),
}


def recommendation(compare: Callable, options: Options) -> Outcome:
    """Mean, median, 90 % quantile and the worst run of the regret.

    Args:
      compare: plays contestants on environments, see `comparisons`.
      options: seeds and horizon.
    """
    # Twelve games take long to compile.
    names = QUICK if options.quick else GAMES
    results = {name: GAMES[name]() for name in names}
    outcome = compare(NAME, lambda: results, CAST, options, y_scale="log")
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
