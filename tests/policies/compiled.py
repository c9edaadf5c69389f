"""Where the short run has each policy of the registry compiled by XLA.

In its contract's plain loop and by the engine, in test_all_play.py; of a policy that is
another with an option, or one of the budgeted setting over pairs, in one of the two.
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
# Whose program of the engine is: it is made, and not compiled.
PLAY_LONG = [
    name
    for name in dict.fromkeys([*named_after(*REGISTRY), *OVER_PAIRS])
    if name not in CONTRACT_LONG
]
