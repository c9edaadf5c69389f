"""The comparisons of the censored paper, and ours beside them: on which instances.

Bengs & Huellermeier (2022): sections 5.1, 5.2, 7 and appendix F. Who plays stands in
`casts.toml`.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from jaxbandits import censored
from jaxbandits.plots import plot_panels
from jaxbandits.protocol import Environment
from jaxbandits.stats import entry, final, make_record
from jaxbandits_studies.common import casts
from jaxbandits_studies.common.comparison import add_spread, add_worst, play_games
from jaxbandits_studies.common.experiment import Options, Outcome

CLAIRVOYANT = "clairvoyant"
CELLS = "cell TS"
METRICS = ("regret", "censored", "optimal")
MOST_COLUMNS = 4  # of panels: more cannot be read
SIZE = 2  # arms in a round
TABLE_NOTES = (
    "The paper's columns TS and UCB look exchanged, and its PosCorr row matches no "
    "reading of the printed parameters: errata.md.",
)
QUICK = ("trap", "steep trap")
SECTION_7: dict[str, Callable[[Environment], Environment]] = {
    "combinatorial": lambda pairs: censored.combinatorial(pairs, SIZE),
    "duels": censored.duels,
}
DUELS_NOTE = (
    "self-sparring on pairs, sparring UCB and RUCB on pairs know a duel by one number, "
    "preference and charges together; RUCB on preferences knows the preference alone.",
)


def compare(
    name: str,
    games: str,
    policies: str,
    y_scale: str = "linear",
    *,
    printed: bool = False,
    options: Options,
) -> Outcome:
    """Regret of several policies on several environments, with the paper's shares.

    Of appendix F also the shares' spread over seeds, beside the paper's.

    Args:
      name: of the experiment.
      games: the list of them.
      policies: the cast.
      y_scale: of the figure.
      printed: whether the paper's table of these games stands beside ours.
      options: seeds and horizon.
    """
    rows = casts.games("censored", games)
    outcome = _on_pairs(name, rows, policies, options, y_scale, printed)
    deviations = {title: row.facts.get("deviations") for title, row in rows.items()}
    if not printed or None in deviations.values():
        return outcome
    for title, dataset in outcome.datasets.items():
        own = [r for r in outcome.records if r["environment"] == title]
        add_deviations(own[:-1], dataset, deviations[title])
    return outcome._replace(notes=TABLE_NOTES)


def advised(name: str, options: Options) -> Outcome:
    """Which policy for limits? Mean, median, 90 % quantile and worst run of the regret.

    Of those ever advised, on every environment there is.
    """
    # Twelve games take long to compile.
    rows = casts.games("censored", "advised")
    chosen = {title: rows[title] for title in (QUICK if options.quick else rows)}
    outcome = _on_pairs(name, chosen, "advised", options, "log")
    for title, dataset in outcome.datasets.items():
        *own, _ = [r for r in outcome.records if r["environment"] == title]
        add_spread(own, dataset, "regret", CELLS)
        add_worst(own, dataset)
    return outcome


def section_7(name: str, kind: str, options: Options) -> Outcome:
    """Several arms in a round, or duels, on the paper's three instances."""
    pairs = casts.environments("censored", "section 7").values()
    made = map(SECTION_7[kind], pairs)
    games = {game.name: game for game in made}
    played = play_games(
        name,
        games,
        casts.cast("censored", kind),
        options,
        metrics=METRICS,
        checkpoints="log",
    )
    draw = partial(plot_panels, played.datasets, x_scale="log", y_scale="log")
    return Outcome(*played, draw, DUELS_NOTE if kind == "duels" else ())


def _on_pairs(
    name: str,
    rows: Mapping[str, casts.Game],
    policies: str,
    options: Options,
    y_scale: str,
    printed: bool = False,
) -> Outcome:
    """Regret, with the shares that are printed, and the optimal pair's numbers."""
    games = {title: row.make() for title, row in rows.items()}
    datasets, played = play_games(
        name, games, casts.cast("censored", policies), options, metrics=METRICS
    )
    records = []
    for title, environment in games.items():
        shares = rows[title].facts["printed"] if printed else {}
        for record in [r for r in played if r["environment"] == title]:
            share = of_policy(record["policy"], shares)
            record["metrics"]["censored"]["published"] = share
            records.append(record)
        best = shares.get("best")
        records.append(_clairvoyant(name, title, environment, options, best))
    columns = min(len(datasets), MOST_COLUMNS)
    draw = partial(plot_panels, datasets, y_scale=y_scale, columns=columns)
    return Outcome(datasets, records, draw)


def of_policy(label: str, printed: Mapping[str, float]) -> float | None:
    """What is printed of the policy by whose name a label begins; None of others."""
    return next((x for name, x in printed.items() if label.startswith(name)), None)


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
            of_policy(record["policy"], published),
        )


def _clairvoyant(name, title, environment, options, printed):
    """What always playing the optimal pair gives: exact, not simulated."""
    oracle = environment.oracle()
    share = oracle.censoring[oracle.arm, oracle.limit]
    return make_record(
        name,
        title,
        CLAIRVOYANT,
        {
            "regret": entry(0.0, 0.0),
            "censored": entry(share, 0.0, printed),
            "optimal": entry(1.0, 0.0),
        },
        seeds=options.seeds,
        horizon=options.horizon,
    )
