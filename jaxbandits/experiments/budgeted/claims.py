"""What the budgeted paper says of its examples and experiments."""

from collections.abc import Iterator

from jaxbandits.experiments.common.checks_of_records import (
    agrees,
    beyond,
    bounded,
    falling,
    shares,
)
from jaxbandits.experiments.common.checks_of_runs import (
    CLOSE,
    MUCH,
    THROUGHOUT,
    alike,
    below,
    best_value,
    grows,
)
from jaxbandits.experiments.common.claims import Found, Statement, numbered, together
from jaxbandits.experiments.common.experiment import Outcome

OMEGA, OMEGA_STAR = "omega-UCB, rho = 1/4", "omega*-UCB, rho = 1/4"
CAUTIOUS = "omega-UCB, rho = 1"
RIVALS = (
    "BTS",
    "m-UCB",
    "c-UCB",
    "i-UCB",
    "b-greedy",
    "Budget-UCB (oracle)",
    "UCB-SC+",
)
FIGURE_3 = {"S-Br": "a", "S-GBr": "b", "S-Bt": "c", "FB": "d"}
SIZES = (10, 50, 100)
BUDGETS = (0.01, 0.1, *THROUGHOUT)  # of the largest: "small and large budgets"
VARIED = tuple(f"{family}-{k}" for family in ("S-GBr", "S-Bt") for k in SIZES)
ADS = "936/35-39/F"  # the arms of `budgeted-fig3f`
WILSON = {f"n = {n}": (f"n = {n}", "Wilson") for n in (1, 10, 100, 1_000)}
# Policy -> index of arm 1 and of arm 2, and the units of their last digits.
EXAMPLE_2 = {
    "omega-UCB, exact score": ((5.5, 2.1), (0.1, 0.1)),
    "m-UCB, alpha = 1": ((2.95, 48.6), (0.01, 0.1)),
}
PULLS = (10, 30, 100, 300, 1_000, 3_000, 10_000)  # of `budgeted-fig1`
# Figure 2: whose bounds are said to be too tight, on the whole.
KINDS = {"c-UCB": "hybrid", "i-UCB": "united", "UCB-SC+": "united"}
NOMINAL = 0.01  # Figure 1: "Values above 1% indicate overly tight bounds"


def _index(policy, arm):
    printed, units = EXAMPLE_2[policy]
    name = f"arm {arm + 1}"
    published = {name: printed[arm]}
    check = agrees("index", {name: (name, policy)}, published, units[arm])
    text = f"The index of {policy} for {name}"
    return Statement("", text, "Example 2", "budgeted-example2", check, published)


def _violations(policy, text, source, above):
    """Whether a 99 % bound is violated in more than 1 % of cases, whatever n is."""
    where = {name: (name, policy) for name in (f"n = {n}" for n in PULLS)}
    check = shares("violations", where, NOMINAL, above=above)
    return Statement("", f"{policy}{text}", source, "budgeted-fig1", check)


def _prefers(policy, first, second):
    """Example 2: whose index is the larger one."""
    check = falling("index", {arm: (arm, policy) for arm in (first, second)})
    text = f"{policy.partition(',')[0]} would pull {first}"
    return Statement("", text, "Example 2", "budgeted-example2", check)


def _looser(loose, tight):
    """Figure 1, on the right, for every n; medians, as means are of a few cases."""
    orders = [
        falling(
            "median_looseness",
            {f"{policy}, n = {n}": (f"n = {n}", policy) for policy in (loose, tight)},
        )
        for n in PULLS
    ]

    def check(outcome: Outcome) -> Found:
        found = [order(outcome) for order in orders]
        ours = {name: number for each in found for name, number in each.ours.items()}
        return Found(together([each.verdict for each in found]), ours)

    text = f"{loose}, a composite policy, computes looser bounds than {tight}"
    return Statement("", text, "Figure 1, section 1", "budgeted-fig1", check)


def _biased(metric, text, number):
    check = beyond(metric, {metric: (ADS, "(ads)")}, number)
    return Statement("", text, "Figure 3f, section 6.1", "budgeted-fig3f", check)


def _regret(title, text, source, check):
    """Of Figure 3 (a), (b), (c), or (d) and (e), by the family of the game."""
    panel = FIGURE_3[title.rpartition("-")[0]]
    return Statement("", f"{title}: {text}", source, f"budgeted-fig3{panel}", check)


def _better(text, source, title, ours, rivals, **how):
    return _regret(title, f"{ours} {text}", source, below(title, ours, rivals, **how))


def _best(ours, source, title):
    return _better("outperforms all competitors", source, title, ours, RIVALS)


def _best_throughout(title):
    text = "outperforms all competitors on small and large budgets"
    return _better(text, "Figure 3a", title, OMEGA, RIVALS, at=BUDGETS)


def _growth(title, policy, text, power, faster=False):
    check = grows(title, policy, power, faster=faster)
    told = f"the regret of {policy} {text}"
    return _regret(title, told, "Figure 3a, section 6.1", check)


def _sensitive(title, policy, rho, text, times=1.0):
    check = best_value(title, policy, "rho", rho, times=times)
    told = f"{title}: {policy} {text}"
    return Statement("", told, "Figure 4, section 6.2", "budgeted-fig4", check)


def _growths() -> Iterator[Statement]:
    logarithmic = "grows like a logarithm"
    for title in (f"S-Br-{k}" for k in SIZES):
        for policy in (OMEGA, CAUTIOUS, "BTS"):
            yield _growth(title, policy, logarithmic, 1 / 4)
        yield _growth(title, OMEGA, "is convex in the logarithm", 0.0, faster=True)
        for policy in ("m-UCB", "c-UCB", "i-UCB"):
            yield _growth(title, policy, f"{logarithmic} no more", 1 / 4, faster=True)


STATEMENTS = [
    *numbered(
        "B1",
        [
            # Of uniform ones a half and a fifth.
            _biased("costs_above_half", "Mean costs of ads are biased towards 1", 0.5),
            _biased(
                "rewards_below_0.1_or_above_0.9",
                "Mean rewards of ads are biased towards 0 and 1",
                0.2,
            ),
        ],
    ),
    *numbered(
        "B2",
        [
            *(_index(policy, arm) for policy in EXAMPLE_2 for arm in (0, 1)),
            _prefers("omega-UCB, exact score", "arm 1", "arm 2"),
            _prefers("m-UCB, alpha = 1", "arm 2", "arm 1"),
        ],
    ),
    *numbered(
        "B3",
        [
            *(
                _violations(
                    policy,
                    f", a {kind} policy, often computes bounds that are too tight",
                    "Figure 1, section 1",
                    above=True,
                )
                for policy, kind in KINDS.items()
            ),
            _violations(
                "omega-UCB",
                "'s bounds are violated in at most 1 % of cases",
                "Figure 1, Theorem 3",
                above=False,
            ),
            _looser("m-UCB", "omega-UCB"),
        ],
    ),
    *numbered(
        "B4",
        [
            Statement(
                "",
                "The asymmetry is 1 where the mean is 0, whatever n is",
                "appendix C.1, eq. (23)",
                "budgeted-fig5",
                agrees("at_0", WILSON, dict.fromkeys(WILSON, 1.0), 1e-9),
            ),
            Statement(
                "",
                "The asymmetry falls with n",
                "appendix C.1, eq. (23)",
                "budgeted-fig5",
                falling("at_0.1", WILSON),
            ),
        ],
    ),
    *numbered(
        "B5",
        [
            *(_best_throughout(f"S-Br-{k}") for k in SIZES),
            *(
                _better("has lower regret than BTS", "Figure 3a", f"S-Br-{k}", *pair)
                for k in (50, 100)
                for pair in [(CAUTIOUS, ("BTS",))]
            ),
            *(
                _best(policy, figure, f"{family}-{k}")
                for figure, family in (("Figure 3b", "S-GBr"), ("Figure 3c", "S-Bt"))
                for k in SIZES
                for policy in (OMEGA, OMEGA_STAR)
                if (family, k) != ("S-Bt", 100)  # the paper's exception
            ),
            *(
                statement
                for title, figure in (("FB-Br", "Figure 3d"), ("FB-Bt", "Figure 3e"))
                for statement in (
                    _best(OMEGA, figure, title),
                    _better(
                        "outperforms rho = 1",
                        figure,
                        title,
                        OMEGA,
                        (CAUTIOUS,),
                    ),
                    _better(
                        "has lower regret than omega-UCB",
                        figure,
                        title,
                        OMEGA_STAR,
                        (OMEGA,),
                    ),
                )
            ),
            _better(
                f"has lower regret than {CAUTIOUS}",
                "section 6.1",
                "S-Br-10",
                "BTS",
                (CAUTIOUS,),
            ),
            *(
                _better(
                    "has lower regret than m-UCB, c-UCB and i-UCB at the end",
                    "section 6.1",
                    f"S-Br-{k}",
                    CAUTIOUS,
                    ("m-UCB", "c-UCB", "i-UCB"),
                )
                for k in SIZES
            ),
            *(
                _better(
                    f"has lower regret than {OMEGA}",
                    "section 7",
                    f"{family}-{k}",
                    OMEGA_STAR,
                    (OMEGA,),
                )
                for family in ("S-GBr", "S-Bt")
                for k in SIZES
            ),
            *_growths(),
            *(
                _better(
                    "has much lower regret than BTS",
                    "section 6.1",
                    title,
                    OMEGA_STAR,
                    ("BTS",),
                    times=1 / MUCH,
                )
                for title in VARIED
            ),
            _regret(
                "S-Bt-100",
                f"m-UCB performs comparably with {OMEGA_STAR}",
                "Figure 3c, section 6.1",
                alike("S-Bt-100", OMEGA_STAR, ("m-UCB",)),
            ),
            *(
                _sensitive(f"S-Br-{k}", policy, 1 / 4, "performs best with rho = 1/4")
                for k in SIZES
                for policy in ("omega-UCB", "omega*-UCB")
            ),
            *(
                _sensitive(title, policy, rho, text, times=CLOSE)
                for title in VARIED
                for policy, rho, text in (
                    ("omega-UCB", 1 / 8, "works well with rho = 1/8"),
                    ("omega*-UCB", 1 / 4, "is near its best with rho = 1/4"),
                )
            ),
        ],
    ),
    *numbered(
        "B6",
        [
            Statement(
                "",
                f"{title}: the regret of omega-UCB is below the bound",
                "Theorem 5",
                "budgeted-bounds",
                bounded(title, "omega-UCB", above="Theorem 5"),
            )
            for title in ("rho = 0.25", "rho = 1", "rho = 2")
        ],
    ),
]
