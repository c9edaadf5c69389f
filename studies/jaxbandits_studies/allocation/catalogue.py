"""The figures of the allocation paper, and more.

"Learning to Allocate Resources with Censored Feedback". The paper prints no numbers, so
no record has a published one.
"""

from functools import partial

from jaxbandits_studies.allocation.advertising import advertising, impressions
from jaxbandits_studies.allocation.cascade import cascade
from jaxbandits_studies.allocation.draws import draws
from jaxbandits_studies.allocation.duels import ETC, NO_UCB, duels
from jaxbandits_studies.allocation.estimator import estimator, slopes
from jaxbandits_studies.allocation.families import families
from jaxbandits_studies.allocation.fits import fits
from jaxbandits_studies.allocation.greedy import marginal_greedy_errors
from jaxbandits_studies.allocation.hard import hard
from jaxbandits_studies.allocation.oracle import oracle
from jaxbandits_studies.allocation.ordered import ordered
from jaxbandits_studies.allocation.quiz import quiz
from jaxbandits_studies.allocation.radii import radii
from jaxbandits_studies.allocation.theory import bounds
from jaxbandits_studies.allocation.tuning import tuning
from jaxbandits_studies.allocation.unknown import unknown
from jaxbandits_studies.common.experiment import Experiment, Options


def _experiment(figure, title, source, run, full, quick, fixed=False):
    name = f"allocation-{figure}"
    quick = quick._replace(quick=True)
    return Experiment(name, title, source, run, full, quick, fixed)


EXPERIMENTS = (
    _experiment(
        "fig1",
        "A quiz under time pressure: EdNet",
        "Figure 1",
        quiz,
        Options(100, 1_000),
        Options(4, 60),
    ),
    _experiment(
        "fig2",
        "RA-UCB's regret between its bounds",
        "Figure 2, Theorem 3.1, eqs. (55) and (56)",
        bounds,
        Options(100, 100_000),
        Options(4, 1_000),
    ),
    _experiment(
        "fig3",
        "RA-UCB against explore-then-commit",
        "Figure 3",
        partial(duels, "allocation-fig3", ETC),
        Options(100, 10_000),
        Options(8, 1_000),
    ),
    _experiment(
        "fig4",
        "RA-UCB against point estimates",
        "Figure 4",
        partial(duels, "allocation-fig4", NO_UCB),
        Options(100, 10_000),
        Options(8, 1_000),
    ),
    _experiment(
        "fig5",
        "Response times of a question and their Weibull fits",
        "Figure 5",
        fits,
        Options(1, 1),
        Options(1, 1),
        fixed=True,
    ),
    _experiment(
        "fig6",
        "Impressions before a click (Criteo, or synthetic)",
        "Figure 6",
        impressions,
        Options(2_000, 1),
        Options(200, 1),
    ),
    _experiment(
        "fig7",
        "Advertising: impressions over campaigns (Criteo, or synthetic)",
        "Figure 7",
        advertising,
        Options(100, 1_000),
        Options(4, 100),
    ),
    _experiment(
        "estimator",
        "Bias and coverage of the printed and the truncated estimator",
        "eqs. (6), (9)-(11)",
        estimator,
        Options(1_000, 2_000),
        Options(200, 500),
    ),
    _experiment(
        "slopes",
        "What the printed estimator costs in the long run",
        "eqs. (6), (9), (10)",
        slopes,
        Options(16, 1_000_000),
        Options(4, 2_000),
    ),
    _experiment(
        "radii",
        "What the confidence radii decide",
        "section 4.3",
        radii,
        Options(100, 10_000),
        Options(8, 500),
    ),
    _experiment(
        "hard",
        "The hard instances of the lower bound",
        "Theorem 3.1, appendix B",
        hard,
        Options(64, 30_000),
        Options(8, 1_000),
    ),
    _experiment(
        "cascade",
        "One success is enough: what it costs to add up",
        "section 7",
        cascade,
        Options(100, 10_000),
        Options(8, 1_000),
    ),
    _experiment(
        "ordered",
        "Arms in turn: what it costs to plan for another round",
        "section 7, stochastic budgets",
        ordered,
        Options(100, 10_000),
        Options(8, 500),
    ),
    _experiment(
        "unknown",
        "Budgets that are found out as they end: who plays best",
        "section 5",
        unknown,
        Options(16, 1_000),
        Options(4, 60),
    ),
    _experiment(
        "tuning",
        "How wide RA-UCB's radii should be, beside Thompson sampling",
        "Algorithm 2",
        tuning,
        Options(32, 2_000),
        Options(4, 60),
    ),
    _experiment(
        "draws",
        "How many draws Thompson sampling should average",
        "docs/theory/mean-allocation.md",
        draws,
        Options(64, 10_000),
        Options(4, 60),
    ),
    _experiment(
        "families",
        "Every threshold family: Thompson sampling beside RA-UCB tuned for it",
        "section 2, appendix D",
        families,
        Options(32, 1_000),
        Options(4, 60),
    ),
    _experiment(
        "oracle",
        "Gap and time of every solver",
        "eqs. (12) and (13)",
        oracle,
        Options(500, 1),
        Options(20, 1),
    ),
    _experiment(
        "mg",
        "MG-UCB: error against Delta",
        "Lemma 5.2, Proposition G.2, Lemma G.3",
        marginal_greedy_errors,
        Options(50, 1),
        Options(20, 1),
    ),
)
