"""What the allocation paper says of its simulations."""

from jaxbandits.experiments.common.claims import Statement, below, numbered

OURS = "RA-UCB"
ETC = "RA-UCB consistently achieves lower regret than RA-ETC"
NO_UCB = "Without confidence bounds (NO-UCB) regret is larger"


def _duel(text, source, experiment, panel, rival):
    check = below(panel, OURS, (rival,))
    return Statement("", f"{text}, {panel}", source, experiment, check)


STATEMENTS = numbered(
    "A3",
    [
        _duel(ETC, "Figure 3, appendix A.1", "allocation-fig3", panel, rival)
        for panel, rival in (
            ("as shown: explores per arm", "RA-ETC, per arm"),
            ("fair: explores T^(2/3) in all", "RA-ETC, in all"),
        )
    ]
    + [
        _duel(NO_UCB, "Figure 4, appendix A.1", "allocation-fig4", panel, rival)
        for panel, rival in (
            ("as shown: unequal starts", "NO-UCB, 1 round"),
            ("fair: equal starts", "NO-UCB"),
        )
    ],
)
