"""Farewell: what policies are tuned and judged on. Fixed on 24 November 2026."""

from functools import partial

import numpy as np

from jaxbandits import farewell
from jaxbandits.protocol import Environment
from jaxbandits_studies.judging.protocol import Case, Entrant, Margin, Protocol


def drawn_delays(
    name: str, seed: int, num_arms: int = 3, num_waits: int = 10
) -> Environment:
    """Delays with Dirichlet(1/2) probabilities on 1, ..., D + 1, rewards U(0.2, 1).

    The last delay is beyond all waits.
    """
    rng = np.random.default_rng(seed)
    delay = rng.dirichlet(np.full(num_waits + 1, 0.5), num_arms)
    reward = rng.uniform(0.2, 1.0, (num_arms, 1))
    return farewell.make_environment(name, delay, reward, num_waits=num_waits)


def heavy_tail(num_waits: int = 30) -> Environment:
    """One macro-arm whose delay d has a probability like d ** -1.5: waiting pays late.

    A fifth of the rewards never comes.
    """
    delays = np.arange(1, num_waits + 2)
    delay = delays**-1.5
    delay *= 0.8 / delay[:-1].sum()
    delay[-1] = 0.2
    return farewell.make_environment(
        "heavy tail", delay[None], np.ones((1, 1)), num_waits=num_waits
    )


def late_prize() -> Environment:
    """All but one reward in ten come last, and at once none: short waits look lost."""
    delay = np.zeros((2, 11))
    delay[0, [0, 9]] = 0.1, 0.9
    delay[1, [0, 10]] = 0.09, 0.91
    return farewell.make_environment("late prize", delay, np.ones((2, 1)), num_waits=10)


def _drawn(seeds, **sizes):
    titles = {seed: f"drawn delays {seed}" for seed in seeds}
    return {
        title: Case(partial(drawn_delays, title, seed, **sizes), "drawn")
        for seed, title in titles.items()
    }


TUNING = _drawn((101, 102, 103)) | _drawn((104,), num_arms=1, num_waits=20)
JUDGING = (
    {
        f"Figure 1a ({reading})": Case(partial(farewell.figure_1a, reading), "paper")
        for reading in ("i", "ii", "iii")
    }
    | {
        "Figure 1b": Case(farewell.optimum_in_the_middle, "paper"),
        "Figure 1c": Case(farewell.optimum_at_one, "paper"),
        "Figure 2a": Case(farewell.macro_arms_only, "paper"),
        "Figure 2b": Case(farewell.display_advertising, "paper"),
        "Figure 2c": Case(partial(farewell.display_advertising, 2), "paper"),
        "second-price auction": Case(farewell.second_price_auction, "paper"),
        "cross-validation": Case(farewell.cross_validation, "paper"),
    }
    | _drawn((1, 2, 3))
    | {
        "heavy tail": Case(heavy_tail, "trap"),
        "late prize": Case(late_prize, "trap"),
    }
)

_star = farewell.omega_star_ucb
_QUARTER = "runs are lost with rho = 1/4 (errata.md, D7)"
_SWITCH = "a variance of 0 in 30 epochs ends exploration (errata.md, B8)"
ENTRANTS = {
    "Wait-UCB": Entrant(farewell.wait_ucb),
    "Wait-UCB, shorter waits": Entrant(partial(farewell.wait_ucb, observe="shorter")),
    "Wait-UCB, product-limit": Entrant(farewell.product_limit),
    "UCB-Simplex": Entrant(farewell.ucb_simplex),
    "Budget-UCB": Entrant(farewell.budget_ucb),
    "UCB-BV1": Entrant(farewell.ucb_bv1),
    "omega-UCB, rho = 1": Entrant(farewell.omega_ucb),
    "omega*-UCB, rho = 1": Entrant(_star, flaw=_SWITCH),
    "omega*-UCB, shrunk, rho = 1/4": Entrant(
        partial(_star, variance="shrunk"), {"rho": 1 / 4}, flaw=_QUARTER
    ),
    "omega*-UCB, shrunk, rho = 1": Entrant(partial(_star, variance="shrunk")),
    "omega*-UCB, shrunk, shorter waits": Entrant(
        partial(_star, variance="shrunk", observe="shorter")
    ),
    "omega*-UCB, product-limit": Entrant(farewell.product_limit_omega, flaw=_SWITCH),
    "omega*-UCB, shrunk, product-limit": Entrant(
        partial(farewell.product_limit_omega, variance="shrunk")
    ),
    "hazard TS": Entrant(farewell.hazard_thompson, ours=True),
    "BTS": Entrant(farewell.bts),
    "UCB-SC+": Entrant(farewell.ucb_sc_plus),
    "KUBE": Entrant(farewell.kube),
    "PD-BwK": Entrant(farewell.pd_bwk, knows=("budget",)),
    "UCB1 on rewards": Entrant(farewell.ucb1, flaw="looks at no time"),
}
PROTOCOL = Protocol(
    setting="farewell",
    fixed="2026-11-24",
    by_budget=True,
    horizons=(1_000, 10_000, 100_000, 1_000_000),
    tuning=TUNING,
    judging=JUDGING,
    entrants=ENTRANTS,
    quick=("Wait-UCB", "Budget-UCB", "omega*-UCB, shrunk, rho = 1", "BTS"),
    # omega*'s regret: that of its safe form, and of the one that sees as much as ours.
    margins=(
        Margin(("hazard TS",), "omega*-UCB, shrunk, rho = 1"),
        Margin(("hazard TS",), "omega*-UCB, shrunk, shorter waits"),
    ),
    seen="They had been seen before the law was chosen that hazard TS draws rewards "
    "from, which was chosen in another setting (theory/hazard-thompson.md), and "
    "before the margins that it is held against were written down, on 2026-11-26.",
)
