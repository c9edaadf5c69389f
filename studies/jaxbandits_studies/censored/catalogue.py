"""The figures and tables of the censored paper.

Bengs & Huellermeier (2022): sections 2, 5.1 and appendix F.
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
from jaxbandits_studies.censored.duels import duels
from jaxbandits_studies.censored.fine import fine
from jaxbandits_studies.censored.grids import grid_readings
from jaxbandits_studies.censored.least import least
from jaxbandits_studies.censored.pictures import joint_laws, value_curves
from jaxbandits_studies.censored.prior import prior
from jaxbandits_studies.censored.recommendation import CELLS, recommendation
from jaxbandits_studies.censored.spread import spread
from jaxbandits_studies.censored.super_arms import super_arms
from jaxbandits_studies.censored.tables import (
    DEVIATIONS_M1,
    DEVIATIONS_M2,
    TABLE_5_1,
    TABLE_M1,
    TABLE_M2,
    trio,
)
from jaxbandits_studies.censored.theory import bounds, coverage
from jaxbandits_studies.censored.zooming import simple_regret
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Experiment, Options, Outcome

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
    f"TS, {update}": Contestant(partial(censored.thompson, update=update))
    for update in ("independent", "shared", "copied", "strict")
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
    "reading of the printed parameters: docs/errata.md.",
)


def _compare(
    name: str,
    environments: Callable[[], dict[str, Environment]],
    contestants: dict[str, Contestant],
    published: dict[str, tuple[float, float, float, float]],
    notes: tuple[str, ...],
    y_scale: str,
    options: Options,
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
        found = summary_records(
            dataset, name, environment=title, published=shares, metrics=METRICS
        )
        if deviations:
            add_deviations(found, dataset, deviations[title])
        records += found
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


def _comparison(
    figure,
    title,
    source,
    environments,
    *,
    published=None,
    contestants=PAPER,
    notes=(),
    y_scale="linear",
    deviations=None,
):
    name = f"censored-{figure}"
    run = partial(
        _compare,
        name,
        environments,
        contestants,
        published or {},
        notes,
        y_scale,
        deviations=deviations,
    )
    full, quick = Options(100, 100_000), Options(20, 2_000, quick=True)
    return Experiment(name, title, source, run, full, quick)


def _pictures(figure, title, source, run):
    full, quick = Options(1, 1), Options(1, 1, quick=True)
    name = f"censored-{figure}"
    return Experiment(name, title, source, run, full, quick, fixed=True)


EXPERIMENTS = (
    _pictures(
        "fig1",
        "Reward, consumption and joint laws of Example 1 (reconstructed)",
        "Figure 1",
        joint_laws,
    ),
    _pictures(
        "fig2",
        "Penalised expected gain against the limit, two promises",
        "Figure 2",
        value_curves,
    ),
    _comparison(
        "fig4",
        "Regret of RCUCB, TS and UCB on PosCorr, NegCorr and Indep",
        "Figure 4 and the table of section 5.1",
        trio,
        published=TABLE_5_1,
        notes=TABLE_NOTES,
    ),
    Experiment(
        "censored-fig5",
        "Configuring a random forest on AmesHousing, on recorded runs",
        "Figure 5, section 5.2",
        partial(forests, PAPER),
        Options(64, 2 * 672 * 10),
        Options(2, 2_000, quick=True),
    ),
    Experiment(
        "censored-solver",
        "Configuring a SAT solver whose best limit half of its runs exceed",
        "as Figure 5; docs/errata.md",
        partial(solver, PAPER | {CELLS: Contestant(censored.cell_thompson)}),
        Options(64, 40_000),
        Options(4, 1_000, quick=True),
    ),
    _comparison(
        "fig6",
        "The same with the two limits 0.5 and 0.9",
        "Figure 6 and the table of appendix F.1 (M1)",
        partial(trio, censored.M1),
        published=TABLE_M1,
        notes=TABLE_NOTES,
        deviations=DEVIATIONS_M1,
    ),
    _comparison(
        "fig7",
        "The same with 20 limits",
        "Figure 7 and the table of appendix F.1 (M2)",
        partial(trio, censored.equidistant(20)),
        published=TABLE_M2,
        notes=TABLE_NOTES,
        deviations=DEVIATIONS_M2,
    ),
    _comparison(
        "fig8",
        "More arms: n = 20, 50, 80",
        "Figure 8, appendix F.2",
        lambda: {f"n = {n}": censored.many_arms(n) for n in (20, 50, 80)},
    ),
    _comparison(
        "fig9",
        "Low censoring probability, n = 5",
        "Figure 9, appendix F.3",
        lambda: {"low censoring, n = 5": censored.low_censoring(5)},
    ),
    Experiment(
        "censored-simple-regret",
        "Simple regret with arbitrary limits: z-RCUCB, StoOO, zooming, uniform grids",
        "section 4.2, Theorem 2",
        simple_regret,
        Options(64, 1_000_000),
        Options(8, 2_000, quick=True),
    ),
    _pictures(
        "grids",
        "Which limit grid were the tables made with?",
        "sections 5.1 and F.1; docs/errata.md",
        grid_readings,
    ),
    _comparison(
        "radii",
        "Which confidence length did the paper's figures use?",
        "eq. (12); docs/errata.md",
        trio,
        published=TABLE_5_1,
        contestants=RADII,
        y_scale="log",
    ),
    _comparison(
        "trap",
        "An estimate that does not recover: eq. (9) against Kaplan-Meier",
        "eq. (9), Theorem 1; docs/errata.md",
        lambda: {"trap": censored.trap()},
        contestants=SURVIVAL,
        y_scale="log",
    ),
    Experiment(
        "censored-recommendation",
        "Every advised policy on every instance: means, medians, worst runs",
        "docs/recommendation.md",
        partial(recommendation, _compare),
        Options(64, 100_000),
        Options(4, 500, quick=True),
    ),
    Experiment(
        "censored-prior",
        "What cell Thompson sampling should believe at first",
        "docs/recommendation.md, priors",
        prior,
        Options(64, 20_000),
        Options(4, 500, quick=True),
    ),
    _pictures(
        "least",
        "Cell Thompson sampling beside the least regret of a consistent policy",
        "docs/theory/least-regret.md",
        least,
    ),
    Experiment(
        "censored-fine",
        "Any limit: how fine a grid cell Thompson sampling should have",
        "docs/recommendation.md, any limit",
        fine,
        Options(64, 20_000),
        Options(4, 500, quick=True),
    ),
    Experiment(
        "censored-combinatorial",
        "Two arms in a round: what it costs to lump them",
        "section 7",
        super_arms,
        Options(100, 100_000),
        Options(8, 500, quick=True),
    ),
    Experiment(
        "censored-duels",
        "Preferences in place of rewards: what it costs to ignore the limits",
        "section 7, preferences",
        duels,
        Options(100, 100_000),
        Options(8, 500, quick=True),
    ),
    Experiment(
        "censored-spread",
        "How far self-sparring's draws of rewards should spread",
        "docs/theory/self-sparring.md",
        spread,
        Options(64, 20_000),
        Options(4, 500, quick=True),
    ),
    Experiment(
        "censored-bounds",
        "Theorem 1 and Corollary 4 beside the regret of RCUCB and UCB",
        "Theorem 1, Corollary 4",
        partial(bounds, trio),
        Options(64, 100_000),
        Options(8, 2_000, quick=True),
    ),
    Experiment(
        "censored-coverage",
        "How often estimates are farther off than Proposition 1 allows",
        "Proposition 1",
        coverage,
        Options(2_000, 10_000),
        Options(200, 1_000, quick=True),
    ),
    _comparison(
        "ts-updates",
        "Four readings of Thompson sampling's update",
        "appendix E.1; docs/errata.md",
        trio,
        contestants=UPDATES,
        y_scale="log",
    ),
)
