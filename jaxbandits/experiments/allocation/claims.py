"""What the allocation paper says of its simulations."""

from jaxbandits.experiments.common.checks_of_records import agrees, beyond, bounded
from jaxbandits.experiments.common.checks_of_runs import (
    THROUGHOUT,
    below,
    grows,
    varies_more,
)
from jaxbandits.experiments.common.claims import Statement, numbered

OURS = "RA-UCB"
ETC = "RA-UCB consistently achieves lower regret than RA-ETC"
NO_UCB = "Without confidence bounds (NO-UCB) regret is larger"
NO_UCB_VARIES = "Without confidence bounds (NO-UCB) regret varies more"
NO_UCB_LINEAR = "Without confidence bounds (NO-UCB) regret is nearly linear"
FIGURE_3, FIGURE_4 = "Figure 3, appendix A.1", "Figure 4, appendix A.1"
SIMULATED = "A.1, K = 10, B = 40"  # the environment of `allocation-fig2`, -slopes
SHOWN = {"as shown: unequal starts": "NO-UCB, 1 round", "fair: equal starts": "NO-UCB"}
# Of `allocation-estimator`: rates, and what part of the budget the arm has.
ESTIMATED = (("10", "0.1"), ("10", "0.3"), ("10", "1"), ("3", "0.1"), ("30", "0.1"))
HARD = ("1,875", "7,500", "30,000")  # rounds of `allocation-hard`
HARD_FOR = ("RA-UCB, all arms learn", "RA-UCB, tuned", "Thompson", "uniform")
SMOOTH = ("exponential", "Lomax")  # families of `allocation-mg`


def _consistently(panel, rival):
    check = below(panel, OURS, (rival,), at=THROUGHOUT)
    return Statement("", f"{ETC}, {panel}", FIGURE_3, "allocation-fig3", check)


def _larger(panel, rival):
    check = below(panel, OURS, (rival,))
    return Statement("", f"{NO_UCB}, {panel}", FIGURE_4, "allocation-fig4", check)


def _loose(panel, rival):
    text = f"{NO_UCB_VARIES}, {panel}"
    check = varies_more(panel, rival, (OURS,))
    return Statement("", text, FIGURE_4, "allocation-fig4", check)


def _linear(panel, rival):
    text = f"{NO_UCB_LINEAR}, {panel}"
    check = grows(panel, rival, 3 / 4, faster=True)
    return Statement("", text, FIGURE_4, "allocation-fig4", check)


def _consistent(rate, share):
    case = f"rate B = {rate}, x = {share} B"
    check = agrees("rate_ratio", {case: (case, "printed")}, {case: 1.0}, 0.04)
    text = f"The estimator of eq. (6) finds the rate to 2 %, {case}"
    return Statement("", text, "section 4.1", "allocation-estimator", check)


def _hard(policy, rounds):
    environment = f"Theorem 3.1, T = {rounds}"
    check = bounded(environment, policy, below="lower bound, Theorem 3.1")
    text = f"Hard instances: the regret of {policy} is above the bound, T = {rounds}"
    return Statement("", text, "Theorem 3.1", "allocation-hard", check)


def _root(estimator):
    check = grows(SIMULATED, f"{OURS}, {estimator}", 3 / 4)
    text = f"The regret of RA-UCB, {estimator}, grows like a root of T, not a line"
    return Statement("", text, "Theorem 4.8", "allocation-slopes", check)


def _same(family):
    where = {family: (family, "flow (Algorithm 3)")}
    check = beyond("largest_difference", where, 1e-9, below=True)
    text = f"MG-UCB's flow ends where RA-UCB's optimum is, {family} thresholds"
    return Statement("", text, "Lemma 5.2", "allocation-mg", check)


def _step(family, greedy):
    where = {family: (family, f"{greedy} greedy")}
    check = beyond("least_slack", where, 1.0)
    text = f"What steps of size Delta lose is below the bound, {family}, {greedy}s"
    return Statement("", text, "Proposition G.2", "allocation-mg", check)


STATEMENTS = (
    numbered("A1", [_consistent(*each) for each in ESTIMATED])
    + numbered(
        "A3",
        [
            _consistently(panel, rival)
            for panel, rival in (
                ("as shown: explores per arm", "RA-ETC, per arm"),
                ("fair: explores T^(2/3) in all", "RA-ETC, in all"),
            )
        ]
        + [_larger(*each) for each in SHOWN.items()]
        + [_loose(*each) for each in SHOWN.items()]
        + [_linear(*each) for each in SHOWN.items()],
    )
    + numbered(
        "A6",
        [
            Statement(
                "",
                "RA-UCB's regret is below the median of eq. (55)",
                "Figure 2, appendix A.1",
                "allocation-fig2",
                bounded(SIMULATED, OURS, above="upper bound (55), median"),
            )
        ]
        + [_hard(policy, rounds) for policy in HARD_FOR for rounds in HARD]
        + [_root(estimator) for estimator in ("truncated", "printed")]
        + [_same(family) for family in SMOOTH]
        + [
            _step(family, greedy)
            for family in SMOOTH
            for greedy in ("derivative", "difference")
        ]
        + [
            Statement(
                "",
                "RA-UCB's regret is above Theorem 3.1",
                "Figure 2, appendix A.1",
                "allocation-fig2",
                bounded(SIMULATED, OURS, below="lower bound, Theorem 3.1"),
            )
        ],
    )
)
