"""What the allocation paper says of its simulations."""

from jaxbandits.experiments.common.claims import (
    Statement,
    below,
    bounded,
    numbered,
    varies_more,
)

OURS = "RA-UCB"
ETC = "RA-UCB consistently achieves lower regret than RA-ETC"
NO_UCB = "Without confidence bounds (NO-UCB) regret is larger"
NO_UCB_VARIES = "Without confidence bounds (NO-UCB) regret varies more"
FIGURE_4 = "Figure 4, appendix A.1"


def _duel(text, source, experiment, panel, rival):
    check = below(panel, OURS, (rival,))
    return Statement("", f"{text}, {panel}", source, experiment, check)


def _loose(panel, rival):
    text = f"{NO_UCB_VARIES}, {panel}"
    check = varies_more(panel, rival, (OURS,))
    return Statement("", text, FIGURE_4, "allocation-fig4", check)


SHOWN = {"as shown: unequal starts": "NO-UCB, 1 round", "fair: equal starts": "NO-UCB"}
STATEMENTS = numbered(
    "A3",
    [
        _duel(ETC, "Figure 3, appendix A.1", "allocation-fig3", panel, rival)
        for panel, rival in (
            ("as shown: explores per arm", "RA-ETC, per arm"),
            ("fair: explores T^(2/3) in all", "RA-ETC, in all"),
        )
    ]
    + [_duel(NO_UCB, FIGURE_4, "allocation-fig4", *each) for each in SHOWN.items()]
    + [_loose(*each) for each in SHOWN.items()],
) + numbered(
    "A6",
    [
        Statement(
            "",
            "RA-UCB's regret lies between Theorem 3.1 and the median of eq. (55)",
            "Figure 2, appendix A.1",
            "allocation-fig2",
            bounded(
                "A.1, K = 10, B = 40",
                OURS,
                above="upper bound (55), median",
                below="lower bound, Theorem 3.1",
            ),
        )
    ],
)
