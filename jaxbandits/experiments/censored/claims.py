"""What the censored paper says of its experiments."""

from jaxbandits.experiments.censored.tables import TABLE_5_1, TABLE_M1, TABLE_M2
from jaxbandits.experiments.common.claims import Statement, agrees, below, numbered

RCUCB = "RCUCB, eq. (12)"  # the paper's, as printed
# The tables' columns; RCUCB's shares are those of the second form (docs/errata.md, C3).
COLUMNS = {RCUCB: 0, "RCUCB, gain radius only": 0, "TS": 1, "UCB": 2}
TABLES = {  # experiment -> grid of `censored-grids`, numbers, where
    "censored-fig4": ("5.1, linspace(0.1, 0.9, 10)", TABLE_5_1, "table of section 5.1"),
    "censored-fig6": ("F.1, M1 = {0.5, 0.9}", TABLE_M1, "table of appendix F.1, M1"),
    "censored-fig7": ("F.1, linspace(0.1, 0.9, 20)", TABLE_M2, "table of F.1, M2"),
}
DIGIT = 1e-4  # the last that is printed


def _optimal(title, grid, table, source):
    """Exact: 1 - P(tau*) of the optimal pair."""
    printed = {title: table[title][3]}
    where = {title: (title, f"best pair, {grid}")}
    return Statement(
        "",
        f"{title}: the optimal pair's censored share, grid {grid}",
        source,
        "censored-grids",
        agrees("censoring", where, printed, DIGIT),
        printed,
    )


def _share(experiment, title, policy, table, source):
    printed = {title: table[title][COLUMNS[policy]]}
    return Statement(
        "",
        f"{title}: censored share of {policy}",
        source,
        experiment,
        agrees("censored", {title: (title, policy)}, printed, DIGIT),
        printed,
    )


STATEMENTS = [
    *numbered(
        "C1",
        [_optimal(title, *found) for found in TABLES.values() for title in TABLE_5_1],
    ),
    *numbered(
        "C3",
        [
            Statement(
                "",
                f"{title}: RCUCB distinctly outperforms both UCB and TS",
                "Figure 4, section 5.1",
                "censored-fig4",
                below(title, RCUCB, ("UCB", "TS")),
            )
            for title in TABLE_5_1
        ],
    ),
    *numbered(
        "C5",
        [
            _share(experiment, title, policy, table, source)
            for experiment, (_, table, source) in TABLES.items()
            for title in TABLE_5_1
            for policy in COLUMNS
        ],
    ),
]
