"""What the censored paper says of its experiments."""

from jaxbandits.experiments.censored.configuration import TIMEOUTS
from jaxbandits.experiments.censored.tables import TABLE_5_1, TABLE_M1, TABLE_M2
from jaxbandits.experiments.common.claims import (
    Statement,
    agrees,
    below,
    bounded,
    numbered,
    varies_more,
)

RCUCB = "RCUCB, eq. (12)"  # the paper's, as printed
# The tables' columns; RCUCB's shares are those of the second form (docs/errata.md, C3).
COLUMNS = {RCUCB: 0, "RCUCB, gain radius only": 0, "TS": 1, "UCB": 2}
FORMS = {policy: policy.partition(",")[0] for policy in COLUMNS}
TABLES = {  # experiment -> grid of `censored-grids`, numbers, where
    "censored-fig4": ("5.1, linspace(0.1, 0.9, 10)", TABLE_5_1, "table of section 5.1"),
    "censored-fig6": ("F.1, M1 = {0.5, 0.9}", TABLE_M1, "table of appendix F.1, M1"),
    "censored-fig7": ("F.1, linspace(0.1, 0.9, 20)", TABLE_M2, "table of F.1, M2"),
}
DIGIT = 1e-4  # the last that is printed
GRIDS = {"censored-fig6": "Figure 6", "censored-fig7": "Figure 7"}
LOW = "low censoring, n = 5"  # the environment of `censored-fig9`
FORESTS = "AmesHousing forests"  # the environment of `censored-fig5`


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


def _less(experiment, title, rivals, text, source):
    check = below(title, RCUCB, rivals)
    return Statement("", f"{title}: {text}", source, experiment, check)


def _loose(experiment, title, rivals, source):
    text = f"{title}: the regret of TS varies more than that of {' and '.join(rivals)}"
    check = varies_more(title, "TS", rivals)
    return Statement("", text, source, experiment, check)


def _fewer_censored(experiment, title, source):
    text = f"{title}: TS and UCB have a higher proportion of censored rounds than RCUCB"
    check = below(title, RCUCB, ("TS", "UCB"), metric="censored")
    return Statement("", text, source, experiment, check)


def _bound(title, policy, bound):
    text = f"{title}: the regret of {policy} is below {bound}"
    check = bounded(title, policy, above=bound)
    return Statement("", text, bound.split(",")[0], "censored-bounds", check)


def _timeouts(policy, share):
    printed = {policy: share}
    check = agrees("censored", {policy: (FORESTS, policy)}, printed, DIGIT)
    text = f"Share of rounds in which the limit is exceeded, {policy}"
    return Statement("", text, "section 5.2", "censored-fig5", check, printed)


STATEMENTS = [
    *numbered(
        "C1",
        [_optimal(title, *found) for found in TABLES.values() for title in TABLE_5_1],
    ),
    *numbered(
        "C3",
        [
            *(
                _less(
                    "censored-fig4",
                    title,
                    ("UCB", "TS"),
                    "RCUCB distinctly outperforms both UCB and TS",
                    "Figure 4, section 5.1",
                )
                for title in TABLE_5_1
            ),
            *(
                _less(
                    experiment,
                    title,
                    (rival,),
                    f"RCUCB is preferable over {rival}",
                    f"{figure}, appendix F.1",
                )
                for experiment, figure in GRIDS.items()
                for title in TABLE_5_1
                for rival in ("UCB", "TS")
            ),
            *(
                _less(
                    "censored-fig8",
                    f"n = {n}",
                    ("UCB", "TS"),
                    "RCUCB, well suited for many arms, has less regret than UCB and TS",
                    "Figure 8, appendix F.2",
                )
                for n in (20, 50, 80)
            ),
            _less(
                "censored-fig9",
                LOW,
                ("UCB", "TS"),
                "RCUCB shows the best performance",
                "Figure 9, appendix F.3",
            ),
            *(
                _loose(experiment, title, (RCUCB, "UCB"), f"{figure}, appendix F.1")
                for experiment, figure in GRIDS.items()
                for title in TABLE_5_1
            ),
            _loose("censored-fig9", LOW, (RCUCB,), "Figure 9, appendix F.3"),
        ],
    ),
    *numbered(
        "C5",
        [
            *(
                _share(experiment, title, policy, table, source)
                for experiment, (_, table, source) in TABLES.items()
                for title in TABLE_5_1
                for policy in COLUMNS
            ),
            *(
                _fewer_censored(experiment, title, source)
                for experiment, source in (
                    ("censored-fig4", "section 5.1"),
                    ("censored-fig7", "appendix F.1, M2"),
                )
                for title in TABLE_5_1
            ),
        ],
    ),
    *numbered(
        "C8",
        [
            _bound(title, policy, bound)
            for policy, bound in (
                ("RCUCB", "Theorem 1, without subtraction"),
                ("UCB", "Corollary 4 (UCB)"),
            )
            for title in TABLE_5_1
        ],
    ),
    *numbered(
        "C11",
        [
            *(
                Statement(
                    "",
                    f"The cumulative reward of RCUCB exceeds that of {rival}",
                    "Figure 5, section 5.2",
                    "censored-fig5",
                    below(FORESTS, RCUCB, (rival,), metric="reward", above=True),
                )
                for rival in ("UCB", "TS")
            ),
            *(_timeouts(policy, TIMEOUTS[name]) for policy, name in FORMS.items()),
        ],
    ),
]
