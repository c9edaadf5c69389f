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
from jaxbandits_studies.censored.tables import DEVIATIONS, TABLES, trio
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import add_spread, add_worst, play_games
from jaxbandits_studies.common.experiment import Options, Outcome

CLAIRVOYANT = "clairvoyant"
CELLS = "cell TS"
RCUCB, PRINTED = "RCUCB, gain radius only", "RCUCB, eq. (12)"
METRICS = ("regret", "censored", "optimal")
MOST_COLUMNS = 4  # of panels: more cannot be read
SIZE = 2  # arms in a round
FEW_LIMITS = (0.1, 0.5, 0.9)  # so that all 405 super arms can be listed
TABLE_NOTES = (
    "The paper's columns TS and UCB look exchanged, and its PosCorr row matches no "
    "reading of the printed parameters: errata.md.",
)
QUICK = ("trap", "steep trap")
# Both grids of the three instances of section 5.1, F.2, F.3 and the two traps.
ADVISED: dict[str, Callable[[], Environment]] = {
    f"{name}, {grid}": partial(make, form=form)
    for name, make in {
        "PosCorr": censored.poscorr,
        "NegCorr": censored.negcorr,
        "Indep": censored.indep,
    }.items()
    for grid, form in {"0.1 ... 0.9": "tabulated", "0.1 ... 1": "printed"}.items()
}
ADVISED |= {f"F.2, n = {n}": partial(censored.many_arms, n) for n in (20, 50, 80)}
ADVISED |= {
    "F.3, n = 5": censored.low_censoring,
    "trap": censored.trap,
    "steep trap": partial(censored.trap, steep=True),
}
GAMES: dict[str, Callable[[], dict[str, Environment]]] = {
    "5.1": trio,
    "M1": partial(trio, censored.M1),
    "M2": partial(trio, censored.equidistant(20)),
    "F.2": lambda: {f"n = {n}": censored.many_arms(n) for n in (20, 50, 80)},
    "F.3": lambda: {"low censoring, n = 5": censored.low_censoring(5)},
    "trap": lambda: {"trap": censored.trap()},
}
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
      games: which of `GAMES`.
      policies: the cast.
      y_scale: of the figure.
      printed: whether the paper's table of these games stands beside ours.
      options: seeds and horizon.
    """
    table = TABLES[games] if printed else {}
    outcome = _on_pairs(name, GAMES[games](), policies, options, y_scale, table)
    if printed and games in DEVIATIONS:
        for title, dataset in outcome.datasets.items():
            own = [r for r in outcome.records if r["environment"] == title]
            add_deviations(own[:-1], dataset, DEVIATIONS[games][title])
        outcome = outcome._replace(notes=TABLE_NOTES)
    return outcome


def advised(name: str, options: Options) -> Outcome:
    """Which policy for limits? Mean, median, 90 % quantile and worst run of the regret.

    Of those ever advised, on every environment there is.
    """
    # Twelve games take long to compile.
    titles = QUICK if options.quick else ADVISED
    games = {title: ADVISED[title]() for title in titles}
    outcome = _on_pairs(name, games, "advised", options, "log")
    for title, dataset in outcome.datasets.items():
        *own, _ = [r for r in outcome.records if r["environment"] == title]
        add_spread(own, dataset, "regret", CELLS)
        add_worst(own, dataset)
    return outcome


def section_7(name: str, kind: str, options: Options) -> Outcome:
    """Several arms in a round, or duels, on the paper's three instances."""
    made = (SECTION_7[kind](pairs) for pairs in trio(FEW_LIMITS).values())
    games = {game.name: game for game in made}
    played = play_games(
        name,
        games,
        cast("censored", kind),
        options,
        metrics=METRICS,
        checkpoints="log",
    )
    draw = partial(plot_panels, played.datasets, x_scale="log", y_scale="log")
    return Outcome(*played, draw, DUELS_NOTE if kind == "duels" else ())


def _on_pairs(
    name: str,
    games: Mapping[str, Environment],
    policies: str,
    options: Options,
    y_scale: str,
    printed: Mapping[str, tuple[float, float, float, float]] = {},  # noqa: B006
) -> Outcome:
    """Regret, with the shares that are printed, and the optimal pair's numbers."""
    datasets, played = play_games(
        name, games, cast("censored", policies), options, metrics=METRICS
    )
    records = []
    for title, environment in games.items():
        *shares, best = printed.get(title, (None, None, None, None))
        of_policy = _by_policy(*shares)
        for record in [r for r in played if r["environment"] == title]:
            share = of_policy.get(record["policy"])
            record["metrics"]["censored"]["published"] = share
            records.append(record)
        records.append(_clairvoyant(name, title, environment, options, best))
    columns = min(len(datasets), MOST_COLUMNS)
    draw = partial(plot_panels, datasets, y_scale=y_scale, columns=columns)
    return Outcome(datasets, records, draw)


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
