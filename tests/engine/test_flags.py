"""JAX's own switches change no number, and are left as they were."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.testing import altered, trace_run
from tests.engine.budget_game import ALTERNATE, environment
from tests.engine.test_run import COINS, FOLLOWER


def played():
    return simulate(FOLLOWER, COINS, horizon=20, seeds=4)


def test_a_trace_has_the_same_instance_by_either_form_of_the_generator():
    as_usual = trace_run(FOLLOWER, COINS, 5, seed_index=1)
    with jax.threefry_partitionable(not jax.config.jax_threefry_partitionable):
        traced = trace_run(FOLLOWER, COINS, 5, seed_index=1)
    jax.tree.map(np.testing.assert_array_equal, traced, as_usual)


def test_what_cannot_be_played_under():
    with jax.disable_jit(), pytest.raises(ValueError, match="jax_disable_jit must be"):
        played()
    with pytest.raises(TypeError, match=r"outside jax.jit"):
        jax.jit(lambda x: x + float(played()["heads"].max()))(1.0)


def test_a_program_of_one_precision_is_not_played_in_the_other():
    """No argument of this game is a float: shapes and dtypes alone do not tell."""
    thirds = altered(
        environment(),
        record=lambda instance, state, budget: jnp.asarray(1 / 3, float),
        metrics=lambda tables, instance, record: {"third": record},
    )
    found = []
    for x64 in (False, True):
        with jax.enable_x64(x64):
            data = simulate(ALTERNATE, thirds, horizon=2, seeds=2)
            found.append(float(data["third"].max()))
    assert found == [float(np.float32(1 / 3)), 1 / 3]
