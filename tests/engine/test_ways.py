"""Whichever way games of whole numbers are played, not a number is another."""

from contextlib import contextmanager, nullcontext
from functools import partial

import jax
import numpy as np
import pytest

from jaxbandits import Machine, simulate
from jaxbandits.engine import limits
from tests.engine.budget_game import ALTERNATE, environment
from tests.engine.test_run import COINS, FOLLOWER
from tests.heavy import in_short

pytestmark = pytest.mark.oldest

ONE = jax.devices()[:1]
STAY = ALTERNATE._replace(
    name="stay", act=lambda noise, view, state, params: 0 * view.round
)
GAMES = {
    # With a state, words, and an instance of every seed.
    "in step": (FOLLOWER, COINS, {"horizon": 40, "checkpoints": range(1, 41, 3)}),
    "each in its time": (
        ALTERNATE,
        environment(),
        {"budget": 120, "checkpoints": np.linspace(0, 120, 131)[1:]},
    ),
}


@contextmanager
def short_calls():
    """A call plays two rounds, fewer than there are between two checkpoints."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FIRST_STEPS", "FEWEST_STEPS", "MOST_STEPS"):
            patch.setattr(limits, name, 2)
        yield


@contextmanager
def switched(name, value):
    """Under one of JAX's own switches, which is left as it was."""
    old = getattr(jax.config, name)
    jax.config.update(name, value)
    try:
        yield
        assert getattr(jax.config, name) == value
    finally:
        jax.config.update(name, old)


SWITCHES = {
    "jax_default_prng_impl": "rbg",
    "jax_debug_infs": True,
    "jax_numpy_dtype_promotion": "strict",
    "jax_transfer_guard": "disallow",
    "jax_numpy_rank_promotion": "allow",
    "jax_threefry_partitionable": not jax.config.jax_threefry_partitionable,
}
# What is entered, and options of `simulate`.
WAYS = {
    "one at a time": (nullcontext, {"machine": Machine(ONE, chunk=1), "seeds": 2}),
    "in chunks": (nullcontext, {"machine": Machine(chunk=9)}),
    "on one device": (nullcontext, {"machine": Machine(ONE)}),
    "in company": (nullcontext, {"company": True}),
    "few in company": (nullcontext, {"company": True, "seeds": 3}),
    "few checkpoints": (nullcontext, {"checkpoints": [4, 11]}),  # of all
    "in short calls": (short_calls, {}),
    "vmap": (nullcontext, {"machine": Machine(engine="vmap")}),
    "fused-interpret": (nullcontext, {"machine": Machine(engine="fused-interpret")}),
    **{
        f"{name} = {value}": (partial(switched, name, value), {"seeds": 4})
        for name, value in SWITCHES.items()
    },
}
LONG = {"on one device", "few in company", "jax_numpy_rank_promotion = allow"}


@pytest.fixture(scope="module", params=GAMES)
def played(request):
    """A policy, its game, when that ends, and its data."""
    policy, game, end = GAMES[request.param]
    return policy, game, end, simulate(policy, game, seeds=70, **end)


@pytest.mark.parametrize("way", in_short(WAYS, LONG))
def test_the_same_numbers(played, way):
    policy, game, end, reference = played
    context, options = WAYS[way]
    if way == "fused-interpret" and policy is FOLLOWER:
        pytest.skip("it takes an argmax that the kernel has no rule for")
    options = {"company": False, "seeds": 70, **end, **options}
    if way == "few checkpoints":
        options["checkpoints"] = reference["checkpoint"].values[options["checkpoints"]]
    other = STAY if policy is ALTERNATE else policy._replace(name="other")
    policies = [policy, other] if options.pop("company") else policy
    with context():
        data = simulate(policies, game, **options)
    names = [name for name in reference.data_vars if not name.endswith("_seconds")]
    assert {"rounds", "spent"} <= {*names} or {"heads", "chance"} <= {*names}
    data = data.sel(policy=reference["policy"])
    for name in names:
        wanted = reference[name].sel(checkpoint=data["checkpoint"], seed=data["seed"])
        np.testing.assert_array_equal(data[name].values, wanted.values)
