"""Where the short run has each policy of the registry compiled by XLA.

In the plain loop of its twin, or of its contract; by the engine, in test_all_play.py,
one, while it makes the programs of others that have machinery of their own. On each JAX
that is supported, ``-m "not slow or each_jax"``, contracts are played, and the engine
compiles all but those that are another with an option, or one of the budgeted setting
over pairs, of which it makes the program.
"""

from jaxbandits.policies import REGISTRY


def named_after(*names: str) -> list[str]:
    """The entries that are one of some others with an option."""
    prefixes = tuple(f"{other}-" for other in names)
    return [name for name in REGISTRY if name.startswith(prefixes)]


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
    "allocation/thompson-mean-feasible",
    "ordered/thompson",
    "censored/kl-ucb",
}
# Whose contract is of the short run: one of every setting, and those whose play no twin
# of the short run follows. The others are on each JAX.
CONTRACT_SHORT = {
    "censored/uniform",
    "continuum/rcucb-uniform",
    "budgeted/omega-star-ucb",
    "budgeted/fixed",
    "farewell/fixed",
    "allocation/clairvoyant",
}
# Of which the short run traces a round instead.
CONTRACT_TRACED = [
    name
    for name in REGISTRY
    if name
    not in {*named_after(*REGISTRY), *OVER_PAIRS, *CONTRACT_LONG, *CONTRACT_SHORT}
]
# Of these, whose rounds take longest to trace; their twins are of the short run, as are
# those of all budgeted policies but the ones that are advised.
TRACED_LONG = {
    *(name for name in CONTRACT_TRACED if name.startswith("budgeted/")),
    "allocation/mg-ucb",
    "allocation/no-ucb",
    "allocation/ra-ucb",
    "combinatorial/cell-thompson",
    "combinatorial/rcucb",
    "continuum/stoo",
    "continuum/z-rcucb",
    "continuum/zooming",
    "dueling/cell-self-sparring",
    "dueling/self-sparring",
} - {"budgeted/share-ucb", "budgeted/price-thompson"}
# What the engine compiles in the short run; grids that are refined, in test_z_rcucb.py,
# and a solver, in tests/engine/test_invariance.py.
PLAY_SHORT = {"budgeted/omega-star-ucb"}
# Of what it makes the program there: epochs by the clock, and samples. Ends of
# intervals, and plans that are made with them, in tests/engine/test_gpu_engine.py.
LOWERED_SHORT = ["farewell/hazard-thompson"]
# Of which no program of the engine is compiled on each JAX: it is made.
PLAY_LONG = [
    name
    for name in dict.fromkeys([*named_after(*REGISTRY), *OVER_PAIRS])
    if name not in CONTRACT_LONG
]
