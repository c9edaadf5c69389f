"""What the budgeted paper says of its examples and experiments."""

from jaxbandits.experiments.common.claims import (
    Found,
    Statement,
    agrees,
    below,
    bounded,
    numbered,
    shares,
)
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
SIZES = (10, 50, 100)
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


def _prefers(policy, arm):
    """Example 2: whose index is the larger one."""

    def check(outcome: Outcome) -> Found:
        ours = {
            record["environment"]: record["metrics"]["index"]["mean"]
            for record in outcome.records
            if record["policy"] == policy
        }
        best = max(ours, key=ours.__getitem__, default=None)
        verdict = "holds" if best == f"arm {arm + 1}" else "fails"
        return Found(verdict if ours else "undecided", ours)

    text = f"{policy.partition(',')[0]} would pull arm {arm + 1}"
    return Statement("", text, "Example 2", "budgeted-example2", check)


def _better(text, source, title, ours, rivals):
    check = below(title, ours, rivals)
    told = f"{title}: {ours} {text}"
    return Statement("", told, source, "budgeted-fig3", check)


def _best(ours, source, title):
    return _better("outperforms all competitors", source, title, ours, RIVALS)


STATEMENTS = [
    *numbered(
        "B2",
        [
            *(_index(policy, arm) for policy in EXAMPLE_2 for arm in (0, 1)),
            *(_prefers(policy, arm) for arm, policy in enumerate(EXAMPLE_2)),
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
        ],
    ),
    *numbered(
        "B5",
        [
            *(_best(OMEGA, "Figure 3a", f"S-Br-{k}") for k in SIZES),
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
