"""What the censored paper says of its experiments."""

from jaxbandits.experiments.censored.configuration import TIMEOUTS
from jaxbandits.experiments.censored.tables import (
    DEVIATIONS_M1,
    DEVIATIONS_M2,
    TABLE_5_1,
    TABLE_M1,
    TABLE_M2,
)
from jaxbandits.experiments.censored.theory import ALPHA
from jaxbandits.experiments.common.checks_of_records import (
    agrees,
    beside,
    bounded,
    shares,
)
from jaxbandits.experiments.common.checks_of_runs import (
    CLOSE,
    MUCH,
    THROUGHOUT,
    alike,
    below,
    varies_more,
    wider_gap,
)
from jaxbandits.experiments.common.claims import Statement, numbered
from jaxbandits.theory.censored import coverage_bound

RCUCB = "RCUCB, eq. (12)"  # the paper's, as printed
# The second is what its figures and tables seem to be of (docs/errata.md, C3).
FORMS_OF_RCUCB = (RCUCB, "RCUCB, gain radius only")
COLUMNS = dict.fromkeys(FORMS_OF_RCUCB, 0) | {"TS": 1, "UCB": 2}  # of the tables
FORMS = {policy: policy.partition(",")[0] for policy in COLUMNS}
TABLES = {  # experiment -> grid of `censored-grids`, numbers, where
    "censored-fig4": ("5.1, linspace(0.1, 0.9, 10)", TABLE_5_1, "table of section 5.1"),
    "censored-fig6": ("F.1, M1 = {0.5, 0.9}", TABLE_M1, "table of appendix F.1, M1"),
    "censored-fig7": ("F.1, linspace(0.1, 0.9, 20)", TABLE_M2, "table of F.1, M2"),
}
DIGIT = 1e-4  # the last that is printed
GRIDS = {"censored-fig6": "Figure 6", "censored-fig7": "Figure 7"}
DEVIATIONS = {"censored-fig6": DEVIATIONS_M1, "censored-fig7": DEVIATIONS_M2}
CORRELATED = ("PosCorr", "NegCorr")
TRUTH = "clairvoyant"  # the record of the optimal pair
LOW = "low censoring, n = 5"  # the environment of `censored-fig9`
# At the end of `censored-coverage`.
PROPOSITION_1 = float(coverage_bound(10_000, ALPHA))
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


def _best_limit(title):
    """Appendix E.2; of the grid of section 5.1."""
    printed = {title: 0.4}
    where = {title: (title, "best pair, 5.1, linspace(0.1, 0.9, 10)")}
    return Statement(
        "",
        f"{title}: the optimal pair has the limit 0.4",
        "appendix E.2",
        "censored-grids",
        agrees("limit", where, printed, 0.1),
        printed,
    )


def _covered(policy, side, most):
    """Proposition 1, way by way of exploring."""
    wrong = {"above": "high", "below": "low"}[side]
    text = (
        f"{policy}: an estimated gain is too {wrong} by more than the confidence "
        f"length with probability at most {most:.4f}"
    )
    check = shares(side, {policy: ("Indep", policy)}, most)
    return Statement("", text, "Proposition 1", "censored-coverage", check)


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


def _less(ours, experiment, title, text, source):
    check = below(title, ours, ("UCB", "TS"))
    return Statement("", f"{title}: {ours} {text}", source, experiment, check)


def _loose(ours, experiment, title, others, source, much=False):
    names = " and ".join((ours, *others))
    text = f"{title}: the regret of TS varies {'much ' * much}more than that of {names}"
    check = varies_more(title, "TS", (ours, *others), times=MUCH if much else 1.0)
    return Statement("", text, source, experiment, check)


def _fewer_censored(ours, experiment, title, source):
    text = (
        f"{title}: TS and UCB have a higher proportion of censored rounds than {ours}"
    )
    check = below(title, ours, ("TS", "UCB"), metric="censored")
    return Statement("", text, source, experiment, check)


def _deviation(experiment, title, policy, source):
    printed = {title: DEVIATIONS[experiment][title][COLUMNS[policy]]}
    where = {title: (title, policy)}
    check = agrees("censored_deviation", where, printed, DIGIT)
    text = f"{title}: standard deviation of the censored share of {policy}"
    return Statement("", text, source, experiment, check, printed)


def _censored_too_often(title):
    text = f"{title}: with UCB and TS more rounds are censored than the optimal pair's"
    check = beside("censored", title, ("UCB", "TS"), TRUTH, least=1.0)
    return Statement("", text, "section 5.1", "censored-fig4", check)


def _near_truth(experiment, title, policies, source):
    text = (
        f"{title}: with {' and '.join(policies)} about as many rounds are censored as "
        "with the optimal pair"
    )
    check = beside("censored", title, policies, TRUTH, least=1 / CLOSE, most=CLOSE)
    return Statement("", text, source, experiment, check)


def _profits(ours):
    text = f"The relative gap between {ours} and UCB, TS is larger with correlation"
    check = wider_gap(CORRELATED, "Indep", ours, ("UCB", "TS"))
    return Statement("", text, "section 5.1", "censored-fig4", check)


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
        [
            *(
                _optimal(title, *found)
                for found in TABLES.values()
                for title in TABLE_5_1
            ),
            *(_best_limit(title) for title in TABLE_5_1),
            Statement(
                "",
                f"{LOW}: the optimal pair is censored with probability about 0.075",
                "appendix F.3",
                "censored-fig9",
                agrees("censored", {LOW: (LOW, TRUTH)}, {LOW: 0.075}, 1e-3),
                {LOW: 0.075},
            ),
        ],
    ),
    *numbered(
        "C3",
        [
            *(
                _less(ours, *told)
                for ours in FORMS_OF_RCUCB
                for told in (
                    *(
                        (
                            "censored-fig4",
                            title,
                            "distinctly outperforms both UCB and TS",
                            "Figure 4, section 5.1",
                        )
                        for title in TABLE_5_1
                    ),
                    *(
                        (
                            experiment,
                            title,
                            "is preferable over UCB and TS",
                            f"{figure}, appendix F.1",
                        )
                        for experiment, figure in GRIDS.items()
                        for title in TABLE_5_1
                    ),
                    *(
                        (
                            "censored-fig8",
                            f"n = {n}",
                            "is well suited for many arms: less regret than UCB and TS",
                            "Figure 8, appendix F.2",
                        )
                        for n in (20, 50, 80)
                    ),
                    (
                        "censored-fig9",
                        LOW,
                        "shows the best performance",
                        "Figure 9, appendix F.3",
                    ),
                )
            ),
            *(
                _loose(ours, *told)
                for ours in FORMS_OF_RCUCB
                for told in (
                    *(
                        (
                            experiment,
                            title,
                            ("UCB",),
                            f"{figure}, appendix F.1",
                            # "much higher variation", "also visible for M2"
                            experiment == "censored-fig6",
                        )
                        for experiment, figure in GRIDS.items()
                        for title in TABLE_5_1
                    ),
                    ("censored-fig9", LOW, (), "Figure 9, appendix F.3", True),
                )
            ),
            *(_profits(ours) for ours in FORMS_OF_RCUCB),
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
                _fewer_censored(ours, experiment, title, source)
                for ours in FORMS_OF_RCUCB
                for experiment, source in (
                    ("censored-fig4", "section 5.1"),
                    ("censored-fig7", "appendix F.1, M2"),
                )
                for title in TABLE_5_1
            ),
            *(_censored_too_often(title) for title in TABLE_5_1),
            *(
                _near_truth(experiment, title, (ours, *others), source)
                for experiment, others, source in (
                    ("censored-fig6", ("TS", "UCB"), "appendix F.1, M1"),
                    ("censored-fig7", (), "appendix F.1, M2"),
                )
                for ours in FORMS_OF_RCUCB
                for title in TABLE_5_1
            ),
            *(
                _deviation(experiment, title, policy, TABLES[experiment][2])
                for experiment in DEVIATIONS
                for title in TABLE_5_1
                for policy in COLUMNS
            ),
        ],
    ),
    *numbered(
        "C6",
        [
            Statement(
                "",
                f"{title}: TS is better with all limits that were reached updated "
                f"({update}) than with the one that was set",
                "appendix E.1",
                "censored-ts-updates",
                below(title, f"TS, {update}", ("TS, strict",)),
            )
            for title in TABLE_5_1
            for update in ("independent", "shared", "copied")
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
        ]
        + [
            _covered(policy, side, PROPOSITION_1)
            for policy in ("RCUCB", "largest limit", "smallest limit")
            for side in ("above", "below")
        ],
    ),
    *numbered(
        "C11",
        [
            *(
                Statement(
                    "",
                    f"The reward of {ours} exceeds those of UCB and TS throughout",
                    "Figure 5, section 5.2",
                    "censored-fig5",
                    below(
                        FORESTS,
                        ours,
                        ("UCB", "TS"),
                        metric="reward",
                        above=True,
                        at=THROUGHOUT,
                    ),
                )
                for ours in FORMS_OF_RCUCB
            ),
            *(_timeouts(policy, TIMEOUTS[name]) for policy, name in FORMS.items()),
            Statement(
                "",
                "UCB and TS have almost the same cumulative reward",
                "Figure 5, section 5.2",
                "censored-fig5",
                alike(FORESTS, "TS", ("UCB",), metric="reward"),
            ),
        ],
    ),
]
