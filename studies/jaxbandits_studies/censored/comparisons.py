"""The comparisons of the censored paper: who plays, on which instances.

Bengs & Huellermeier (2022): sections 5.1, 5.2 and appendix F.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from jaxbandits import censored
from jaxbandits.plots import plot_panels
from jaxbandits.protocol import Environment
from jaxbandits.stats import entry, final, make_record, summary_records
from jaxbandits_studies.censored.configuration import forests, solver
from jaxbandits_studies.censored.recommendation import CELLS, recommendation
from jaxbandits_studies.censored.tables import (
    DEVIATIONS_M1,
    DEVIATIONS_M2,
    TABLE_5_1,
    TABLE_M1,
    TABLE_M2,
    trio,
)
from jaxbandits_studies.censored.theory import bounds
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.slips.censored import thompson_copied, thompson_strict

CLAIRVOYANT = "clairvoyant"
METRICS = ("regret", "censored", "optimal")
MOST_COLUMNS = 4  # of panels: more cannot be read


RCUCB = "RCUCB, gain radius only"
PRINTED = "RCUCB, eq. (12)"
# The order is that of the legends: best first.
PAPER = {
    RCUCB: Contestant(censored.rcucb, {"penalty_radius": 0.0}),
    PRINTED: Contestant(censored.rcucb),
    "TS": Contestant(censored.thompson),
    "UCB": Contestant(censored.ucb_reduction),
}
UPDATES = {
    "TS, independent": Contestant(censored.thompson),
    "TS, shared": Contestant(partial(censored.thompson, update="shared")),
    "TS, copied": Contestant(thompson_copied),
    "TS, strict": Contestant(thompson_strict),
}
RADII = {
    PRINTED: PAPER[PRINTED],
    "both radii halved": Contestant(
        censored.rcucb, {"gain_radius": 0.5, "penalty_radius": 0.5}
    ),
    RCUCB: PAPER[RCUCB],
    "gain radius only, halved": Contestant(
        censored.rcucb, {"gain_radius": 0.5, "penalty_radius": 0.0}
    ),
    "gain radius only, Kaplan-Meier": Contestant(
        partial(censored.rcucb, survival="kaplan_meier"), {"penalty_radius": 0.0}
    ),
}
SURVIVAL = {
    "eq. (12)": PAPER[PRINTED],
    "gain radius only": PAPER[RCUCB],
    "Kaplan-Meier": Contestant(partial(censored.rcucb, survival="kaplan_meier")),
    "Kaplan-Meier, gain radius only": RADII["gain radius only, Kaplan-Meier"],
    "UCB": PAPER["UCB"],
}
TABLE_NOTES = (
    "The paper's columns TS and UCB look exchanged, and its PosCorr row matches no "
    "reading of the printed parameters: errata.md.",
)


def _compare(
    name: str,
    environments: Callable[[], dict[str, Environment]],
    contestants: dict[str, Contestant],
    options: Options,
    *,
    published: dict[str, tuple[float, float, float, float]] = {},  # noqa: B006
    notes: tuple[str, ...] = (),
    y_scale: str = "linear",
    deviations: dict[str, tuple[float, float, float]] | None = None,
) -> Outcome:
    """Regret of several policies on several environments, with the paper's shares.

    With `deviations` (the paper's, of the shares) also the shares' spread over seeds.
    """
    datasets, records = {}, []
    for title, environment in environments().items():
        dataset = run_contestants(environment, contestants, options)
        datasets[title] = dataset
        row = published.get(title)
        shares = {} if row is None else _published_shares(row, contestants)
        result = summary_records(
            dataset, name, environment=title, published=shares, metrics=METRICS
        )
        if deviations:
            add_deviations(result, dataset, deviations[title])
        records += result
        records.append(_clairvoyant(name, title, environment, options, row))
    columns = min(len(datasets), MOST_COLUMNS)
    draw = partial(plot_panels, datasets, y_scale=y_scale, columns=columns)
    return Outcome(datasets, records, draw, notes)


def _published_shares(row, contestants):
    shares = _by_policy(*row[:3])
    return {k: {"censored": v} for k, v in shares.items() if k in contestants}


def _by_policy(rcucb, ts, ucb):
    """The columns of the paper's tables by the policies that we set beside them."""
    return {RCUCB: rcucb, PRINTED: rcucb, "TS": ts, "UCB": ucb}


def add_deviations(records, dataset, published):
    """The standard deviation of the censored share over seeds, in place.

    Its error is that of normal shares, ``s / sqrt(2 (n - 1))``.
    """
    shares = final(dataset, "censored").isel(params=0)
    seeds = dataset.sizes["seed"]
    for record in records:
        values = shares.sel(policy=record["policy"]).values
        spread = float(np.std(values, ddof=1)) if seeds > 1 else None
        record["metrics"]["censored_deviation"] = entry(
            spread,
            spread / math.sqrt(2 * (seeds - 1)) if seeds > 1 else None,
            _by_policy(*published)[record["policy"]],
        )


def _clairvoyant(name, title, environment, options, row):
    """What always playing the optimal pair gives: exact, not simulated."""
    oracle = environment.oracle()
    share = oracle.censoring[oracle.arm, oracle.limit]
    return make_record(
        name,
        title,
        CLAIRVOYANT,
        {
            "regret": entry(0.0, 0.0),
            "censored": entry(share, 0.0, row[3] if row else None),
            "optimal": entry(1.0, 0.0),
        },
        seeds=options.seeds,
        horizon=options.horizon,
    )


# The experiments of these names (experiments.toml): functions of the options.
fig4 = partial(_compare, "censored-fig4", trio, PAPER, published=TABLE_5_1)
fig5 = partial(forests, PAPER)
configuration = partial(solver, PAPER | {CELLS: Contestant(censored.cell_thompson)})
fig6 = partial(
    _compare,
    "censored-fig6",
    partial(trio, censored.M1),
    PAPER,
    published=TABLE_M1,
    notes=TABLE_NOTES,
    deviations=DEVIATIONS_M1,
)
fig7 = partial(
    _compare,
    "censored-fig7",
    partial(trio, censored.equidistant(20)),
    PAPER,
    published=TABLE_M2,
    notes=TABLE_NOTES,
    deviations=DEVIATIONS_M2,
)
fig8 = partial(
    _compare,
    "censored-fig8",
    lambda: {f"n = {n}": censored.many_arms(n) for n in (20, 50, 80)},
    PAPER,
)
fig9 = partial(
    _compare,
    "censored-fig9",
    lambda: {"low censoring, n = 5": censored.low_censoring(5)},
    PAPER,
)
radii = partial(
    _compare, "censored-radii", trio, RADII, published=TABLE_5_1, y_scale="log"
)
trap = partial(
    _compare,
    "censored-trap",
    lambda: {"trap": censored.trap()},
    SURVIVAL,
    y_scale="log",
)
ts_updates = partial(_compare, "censored-ts-updates", trio, UPDATES, y_scale="log")
advised = partial(recommendation, _compare)
theorems = partial(bounds, trio)
