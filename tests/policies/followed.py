"""Which runs twins follow, by the registry's name of the policy."""

import jax
import numpy as np
import pytest


def by_name(entry, short, every):
    """Parameters ``runs`` for `pytest.mark.parametrize`, one for every policy.

    Args:
      entry: ``label -> name``, the registry's name of the policy of a case.
      short: runs of the short run: tuples, of which the first is the label of a case.
      every: all runs; the first of a policy that has no short ones is marked slow.
    """
    params = []
    for name in dict.fromkeys(entry(label) for label, *_ in every):
        runs, all_runs = (
            [run for run in among if entry(run[0]) == name] for among in (short, every)
        )
        marks = [] if runs else [pytest.mark.slow]
        params.append(pytest.param(runs or all_runs[:1], id=name, marks=marks))
    return params


def assert_sound(state):
    """What the contract asks of a state: no number is NaN, no count negative."""
    for leaf in map(np.asarray, jax.tree.leaves(state)):
        assert not np.any(leaf != leaf)
        assert leaf.dtype.kind != "i" or np.all(leaf >= 0)
