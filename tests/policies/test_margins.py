"""Every policy beats uniform play, by a margin that is stated as a number.

Regret as a share of uniform play's, in games that are long enough to learn: the long
run's. The number beside a margin is what was measured.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from jaxbandits import allocation, budgeted, censored, farewell, simulate
from tests.games import coins
from tests.policies.test_allocation_twins import game as ten_arms
from tests.registered import PLAIN, POLICIES


def indep():
    return censored.indep([0.3, 0.5, 0.7])


class Table(NamedTuple):
    """Margins of a setting's policies; the game, how it is played, parameters."""

    make: Callable[[], Any]
    margins: dict[str, float]
    params: dict[str, Any] = {}
    played: dict[str, Any] = {"horizon": 2_000}
    seeds: int = 64


# RCUCB plays with the gain radius only: with eq. (12) as printed it is 2.5 times worse
# than uniform play at this horizon (errata.md, C3).
GAIN_PART = {"rcucb": {"penalty_radius": 0.0}}
# With a fifth of the gain radius and none of the penalty's: the printed ones explore
# throughout 2,000 rounds.
SMALL = {"gain_radius": 0.2, "penalty_radius": 0.0}
# With the defaults, meant for longer games, RA-UCB loses 1.27 times what uniform play
# does: here z squared is a fourth of log t, with two rounds of start.
SHARP = {"scale": 0.25, "initial": 2.0}
# Some 2,000 rounds. UCB-BV1's radius is infinite until all arms have been played very
# often; UCB-B2 plays the arms in turn until its stability condition holds.
BUDGETED_MARGIN = {
    "omega-ucb": 0.1,  # 0.05
    "omega-star-ucb": 0.1,  # 0.05
    "discounted-omega-ucb": 0.13,  # 0.06
    "share-ucb": 0.1,  # 0.04
    "bts": 0.13,  # 0.07
    "ratio-thompson": 0.13,  # 0.07
    "price-thompson": 0.15,  # 0.07
    "m-ucb": 0.25,  # 0.13
    "mrcb": 0.25,  # 0.13
    "c-ucb": 0.15,  # 0.08
    "i-ucb": 0.3,  # 0.16
    "budget-ucb": 0.4,  # 0.22
    "ucb-sc-plus": 0.17,  # 0.08
    "kl-ucb-sc-plus": 0.14,  # 0.07
    "kube": 0.14,  # 0.07
    "pd-bwk": 0.7,  # 0.48
    "b-greedy": 0.3,  # 0.16
    "epsilon-first": 0.25,  # 0.12
    "ucb-bv1": 1.03,  # 0.97
    "ucb-b2": 1.03,  # 1.00
}
TABLES = {
    "censored": Table(
        indep,
        {
            "rcucb": 0.25,  # 0.10
            "ucb": 0.75,  # 0.49
            "moss": 0.75,  # 0.57
            "kl-ucb": 0.5,  # 0.30
            "thompson": 0.5,  # 0.26
            "cell-thompson": 0.35,  # 0.17
        },
        GAIN_PART,
    ),
    # Uniform play is that of ten limits.
    "continuum": Table(
        lambda: censored.indep(censored.ANY),
        {
            "z-rcucb": 0.25,  # 0.10
            "stoo": 0.4,  # 0.20
            "zooming": 0.5,  # 0.25
            "rcucb-uniform": 0.15,  # 0.05
        },
        {"z-rcucb": SMALL, "rcucb-uniform": SMALL}
        | dict.fromkeys(["stoo", "zooming"], {"radius": 0.1}),
    ),
    # Two arms a round.
    "combinatorial": Table(
        lambda: censored.combinatorial(indep(), 2),
        {
            "rcucb": 0.15,  # 0.05
            "cell-thompson": 0.15,  # 0.07
            "cucb": 0.5,  # 0.36
            # 405 of them: it hardly learns, as `censored-combinatorial` shows.
            "super-arms-as-arms": 0.97,  # 0.92
        },
        GAIN_PART,
    ),
    # What knows a duel by one number, of preference and penalty, has learnt of the
    # penalties by then; preferences alone say that the largest limit is best, and are
    # none of these.
    "dueling": Table(
        lambda: censored.duels(indep()),
        {
            "cell-self-sparring": 0.25,  # 0.12
            "self-sparring": 0.75,  # 0.54
            "sparring-ucb": 0.75,  # 0.51
            # It asks who beats whom of 30 virtual arms, and has hardly begun.
            "rucb": 0.985,  # 0.971
        },
    ),
    "ordered": Table(
        lambda: allocation.ordered(allocation.simulation(4, 12.0, 1.0, 24.0), [3, 12]),
        {
            "thompson": 0.1,  # 0.04
            "ucb": 0.25,  # 0.13
        },
    ),
    "allocation": Table(
        ten_arms,
        {
            "ra-ucb": 0.75,  # 0.54
            "mg-ucb": 0.75,  # 0.54
            "ra-etc": 0.4,  # 0.21
            "no-ucb": 0.4,  # 0.19
            "thompson": 0.15,  # 0.06
        },
        dict.fromkeys(["ra-ucb", "mg-ucb", "no-ucb"], SHARP)
        | {"ra-etc": {"exploration": 160.0}, "thompson": {"initial": 2.0}},
        seeds=4,
    ),
    "budgeted": Table(
        lambda: budgeted.s_br(10, cost_floor=0.2),
        BUDGETED_MARGIN,
        played={"budget": 5_000},
        seeds=16,
    ),
    # Of ten waits; long ones are rare, as is what is lost by them. On this instance
    # UCB-Simplex loses 1.8 times what uniform play does with kappa = D.
    "farewell": Table(
        farewell.optimum_in_the_middle,
        {
            "wait-ucb": 0.5,  # 0.34
            "product-limit": 0.01,  # 0
            "budget-ucb": 0.65,  # 0.47
            "omega-ucb": 0.12,  # 0.05
            "omega-star-ucb": 0.15,  # 0.07
            "hazard-thompson": 0.02,  # 0.001
            "bts": 0.12,  # 0.04
            "ucb-sc-plus": 0.25,  # 0.12
            "kube": 0.3,  # 0.15
            "pd-bwk": 0.6,  # 0.39
            "ucb1": 0.06,  # 0.024
            "ucb-bv1": 1.03,  # 0.999
            "ucb-simplex": 0.35,  # 0.18
        },
        {"ucb-simplex": {"kappa": 0.1}},
        {"budget": 25_000},
        seeds=8,
    ),
}
WITHOUT = {"uniform", "fixed", "clairvoyant"}


def test_every_policy_has_a_margin():
    """Forms that an option makes have twins, and no margin of their own."""
    names = {f"{x}/{name}" for x, table in TABLES.items() for name in table.margins}
    assert names == {name for name in PLAIN if name.split("/")[1] not in WITHOUT}


@pytest.mark.slow
@pytest.mark.parametrize("setting", TABLES)
def test_policies_beat_uniform_play(setting):
    table = TABLES[setting]
    game = table.make()
    cast = {x: POLICIES[f"{setting}/{x}"](game.problem) for x in table.margins}
    cast = {x: made.over(**table.params.get(x, {})) for x, made in cast.items()}
    if setting == "continuum":
        cast["uniform"] = censored.on_grid(game.problem, 10, censored.uniform)
    else:
        cast["uniform"] = POLICIES[f"{setting}/uniform"](game.problem)
    [end] = table.played.values()
    data = simulate(cast, game, seeds=table.seeds, checkpoints=[end], **table.played)
    regret = data["regret"].mean("seed").isel(checkpoint=-1, params=0)
    share = (regret / regret.sel(policy="uniform")).to_series().to_dict()
    for name, margin in table.margins.items():
        # What has learnt nothing by then has learnt more if it is below.
        least = 0.95 if margin > 1 else -1e-12
        assert least <= share[name] < margin, (name, share)


def test_the_clairvoyant_has_no_regret():
    game = coins([0.3, 0.5, 0.7])
    oracle = game.oracle()
    best = censored.fixed(game.problem, oracle.arm, oracle.limit)
    data = simulate(best, game, horizon=500, seeds=64, checkpoints=[500])
    assert np.all(data["regret"] == 0) and np.all(data["optimal"] == 1)
    # The censored share is the exact probability, within 4 standard errors.
    exact = oracle.censoring[oracle.arm, oracle.limit]
    error = np.sqrt(exact * (1 - exact) / (500 * 64))
    assert abs(float(data["censored"].mean()) - exact) < 4 * error
