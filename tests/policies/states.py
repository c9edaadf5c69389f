"""What the contract asks of a policy's state, of the runs that twins follow.

So that the short run compiles these once, and the contract of few policies.
"""

import jax
import numpy as np


def assert_sound(state):
    """No number is NaN, no count negative."""
    for leaf in map(np.asarray, jax.tree.leaves(state)):
        assert not np.any(leaf != leaf)
        assert leaf.dtype.kind != "i" or np.all(leaf >= 0)
