"""Where the short run has each policy of the registry compiled by XLA.

In the plain loop of its contract, of its twin, or of both; by the engine, in
test_all_play.py, those that have machinery of their own. On each JAX that is supported,
``-m "not slow or each_jax"``, the engine compiles all but those that are another with
an option, or one of the budgeted setting over pairs, of which it makes the program.
"""

from jaxbandits.policies import REGISTRY


def named_after(*names: str) -> list[str]:
    """The entries that are one of some others with an option."""
    return [
        name
        for name in REGISTRY
        if any(name.startswith(f"{other}-") for other in names)
    ]


# Farewell's that are one of the budgeted setting over its pairs, of which omega-UCB is
# compiled.
OVER_PAIRS = [
    name
    for name in REGISTRY
    if name.startswith("farewell/")
    and name.replace("farewell", "budgeted") in REGISTRY
    and name.split("/")[1] not in ("omega-ucb", "uniform", "fixed")
]
# Whose contract is left to the long run.
CONTRACT_LONG = {
    *named_after("allocation/ra-ucb", "allocation/mg-ucb-delta", "allocation/ra-etc"),
    *named_after("continuum/z-rcucb"),
    "allocation/thompson",
    "allocation/thompson-mean",
    "censored/kl-ucb",
}
# Whose contract is of the short run; the others are on each JAX.
CONTRACT_SHORT = {*REGISTRY} - {*named_after(*REGISTRY), *OVER_PAIRS, *CONTRACT_LONG}
# What the engine compiles in the short run: indices, samples, grids that are refined,
# epochs by the clock, solvers.
PLAY_SHORT = {
    "censored/rcucb",
    "continuum/z-rcucb",
    "budgeted/omega-star-ucb",
    "farewell/wait-ucb",
    "allocation/ra-ucb",
    "allocation/thompson",
}
# Of which no program of the engine is compiled on each JAX: it is made.
PLAY_LONG = [
    name
    for name in dict.fromkeys([*named_after(*REGISTRY), *OVER_PAIRS])
    if name not in CONTRACT_LONG
]
