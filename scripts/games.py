"""The games that scripts play every policy of the registry in, a few per setting."""

from typing import NamedTuple

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.allocation.solving import is_concave
from jaxbandits.laws.thresholds import exponential
from jaxbandits.protocol import Environment, Policy
from jaxbandits.registry import policies


class Game(NamedTuple):
    """An environment, and where its runs end.

    Attributes:
      environment: the environment.
      end: ``horizon`` or ``budget``, arguments of `simulate`.
    """

    environment: Environment
    end: dict


def games(rounds: int) -> dict[str, list[Game]]:
    """Games by the first part of the policies' names, of about `rounds` rounds each."""
    horizon = {"horizon": rounds}
    continuum = Game(censored.indep(censored.ANY), horizon)
    return {
        "censored": [
            Game(censored.indep(censored.equidistant(10)), horizon),
            Game(censored.poscorr(censored.equidistant(3)), horizon),
        ],
        "continuum": [continuum],
        "combinatorial": [
            Game(censored.combinatorial(censored.indep([0.3, 0.5, 0.7]), 2), horizon)
        ],
        "dueling": [Game(censored.duels(censored.indep([0.3, 0.5, 0.7])), horizon)],
        "budgeted": [
            # A round of these costs 0.5 on average.
            Game(budgeted.s_br(10), {"budget": 0.5 * rounds}),
            Game(budgeted.s_bt(5), {"budget": 0.5 * rounds}),
        ],
        "farewell": [
            Game(farewell.optimum_in_the_middle(), {"budget": 3 * rounds}),
            Game(farewell.display_advertising(), {"budget": 3 * rounds}),
        ],
        "allocation": [
            Game(allocation.simulation(4), horizon),
            Game(allocation.ednet_like(3), horizon),
        ],
        "ordered": [
            Game(allocation.ordered(allocation.simulation(3, 8.0), [2, 8]), horizon)
        ],
    }


# No rule for sigmoids, and no average of their optima.
CONCAVE = {"allocation/mg-ucb", "allocation/thompson-mean"}
EXPONENTIAL = {"allocation/ra-ucb-authors"}  # the published code has no other radii


def policy_of(name: str, game: Game) -> Policy | None:
    """A policy of the registry, built for a game; None if it is not for that game."""
    problem = game.environment.problem
    if name in CONCAVE and not is_concave(problem):
        return None
    if name in EXPONENTIAL and problem.family is not exponential:
        return None
    return policies()[name](problem)
