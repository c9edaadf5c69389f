"""Which cases are left to the long run, ``-m slow``."""

import pytest

# XLA takes some ten seconds for every function of an incomplete gamma or beta function;
# the other families run the same code in one.
HEAVY = {"gamma", "beta", "Maxwell", "Nakagami"}


def in_short(cases, long):
    """Parameters for `pytest.mark.parametrize`.

    Args:
      cases: all of them.
      long: those that are marked slow.
    """
    return [
        pytest.param(case, marks=pytest.mark.slow) if case in long else case
        for case in cases
    ]


def light_first(names):
    """`in_short` for threshold families."""
    return in_short(names, HEAVY)
