"""What the censored paper says of its experiments."""

from jaxbandits.experiments.censored.tables import TABLE_5_1, TABLE_M1, TABLE_M2
from jaxbandits.experiments.common.claims import Statement, agrees, below, numbered

RCUCB = "RCUCB, eq. (12)"  # the paper's, as printed
COLUMNS = {RCUCB: 0, "TS": 1, "UCB": 2}
TABLES = {  # experiment -> grid of `censored-grids`, numbers, where
    "censored-fig4": ("5.1, linspace(0.1, 0.9, 10)", TABLE_5_1, "table of section 5.1"),
    "censored-fig6": ("F.1, M1 = {0.5, 0.9}", TABLE_M1, "table of appendix F.1, M1"),
    "censored-fig7": ("F.1, linspace(0.1, 0.9, 20)", TABLE_M2, "table of F.1, M2"),
}
DIGIT = 1e-4  # the last that is printed


def _optimal(grid, table, source):
    """Exact: 1 - P(tau*) of the optimal pair."""
    printed = {title: row[3] for title, row in table.items()}
    where = {title: (title, f"best pair, {grid}") for title in printed}
    return Statement(
        "",
        f"The optimal pair's censored share, grid {grid}",
        source,
        "censored-grids",
        agrees("censoring", where, printed, DIGIT),
        printed,
    )


def _shares(experiment, policy, table, source):
    column = COLUMNS[policy]
    printed = {title: row[column] for title, row in table.items()}
    where = {title: (title, policy) for title in printed}
    return Statement(
        "",
        f"Censored shares of {policy}",
        source,
        experiment,
        agrees("censored", where, printed, DIGIT),
        printed,
    )


STATEMENTS = [
    *numbered("C1", [_optimal(*found) for found in TABLES.values()]),
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
            _shares(experiment, policy, table, source)
            for experiment, (_, table, source) in TABLES.items()
            for policy in COLUMNS
        ],
    ),
]
