"""Where the short run has each policy of the registry compiled by XLA.

In its contract's plain loop and by the engine, in test_all_play.py; of a policy that is
another with an option, in one of the two.
"""

from jaxbandits.policies import REGISTRY


def named_after(*names: str) -> list[str]:
    """The entries that are one of some others with an option."""
    return [
        name
        for name in REGISTRY
        if any(name.startswith(f"{other}-") for other in names)
    ]


# Whose contract is left to the long run.
CONTRACT_LONG = {
    *named_after("allocation/ra-ucb", "allocation/mg-ucb-delta", "allocation/ra-etc"),
    *named_after("continuum/z-rcucb"),
    "allocation/thompson",
    "censored/kl-ucb",
}
# Whose program of the engine is: it is made, and not compiled.
PLAY_LONG = [name for name in named_after(*REGISTRY) if name not in CONTRACT_LONG]
