"""A small game for the policies of every setting, by the first part of their names."""

from jaxbandits.settings import allocation, budgeted, censored, farewell

GAMES = {
    "censored": censored.example1,
    "continuum": lambda: censored.indep(censored.ANY),
    "combinatorial": lambda: censored.combinatorial(censored.example1(), 2),
    "dueling": lambda: censored.duels(censored.example1()),
    "budgeted": lambda: budgeted.s_br(3),
    "farewell": farewell.figure_1a,
    "allocation": lambda: allocation.simulation(3),
    "ordered": lambda: allocation.ordered(allocation.simulation(3, 6.0), [2, 6]),
}


def game_for(name: str):
    """The game of a policy of the registry."""
    return GAMES[name.split("/")[0]]()
