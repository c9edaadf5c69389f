"""Cases that are left to the long run, ``-m slow``: marked where they are listed.

They repeat in another option, instance or precision what a lighter one shows.
"""

import pytest

# XLA takes some ten seconds for every function of an incomplete gamma or beta function;
# the other families run the same code in one; and two for one of the error function.
HEAVY = {"gamma", "beta", "Maxwell", "Nakagami", "half-normal"}


def in_short(cases, long):
    """Parameters for `pytest.mark.parametrize`.

    Args:
      cases: all of them.
      long: those that are marked slow.

    Raises:
      ValueError: if one of these is no case.
    """
    cases = list(cases)
    if stale := [case for case in long if case not in cases]:
        raise ValueError(f"long: {stale} are no cases")
    return [
        pytest.param(case, marks=pytest.mark.slow) if case in long else case
        for case in cases
    ]


# The fixture `dtype`: both precisions, the second one in the long run.
float64_in_long = pytest.mark.parametrize(
    "dtype", in_short(["float32", "float64"], {"float64"}), indirect=True
)


def light_first(names):
    """`in_short` for threshold families."""
    return in_short(names, HEAVY.intersection(names))
