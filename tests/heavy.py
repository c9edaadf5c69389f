"""Which threshold families are left to the long run (``-m slow``).

XLA takes some ten seconds for every function of an incomplete gamma or beta function;
the other families run the same code in one.
"""

import pytest

HEAVY = {"gamma", "beta", "Maxwell", "Nakagami"}


def light_first(names):
    """Parameters for `pytest.mark.parametrize`: heavy families are marked slow."""
    return [
        pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name
        for name in names
    ]
