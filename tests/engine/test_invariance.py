"""The same bits, whatever the chunk, the devices, the company, the grid, the flags."""

from contextlib import contextmanager, nullcontext

import jax
import numpy as np
import pytest

from jaxbandits import Machine, censored, simulate
from jaxbandits.arrays import unit_interval
from jaxbandits.engine import limits
from jaxbandits.plain import ucb
from jaxbandits.testing import altered
from tests.engine.budget_game import ALTERNATE, environment
from tests.engine.test_run import COINS, K
from tests.heavy import in_short

pytestmark = [
    pytest.mark.oldest,
    pytest.mark.usefixtures("optimised"),
    pytest.mark.filterwarnings("ignore::jaxbandits.results.cuts.CutOffWarning"),
]

ONE = jax.devices()[:1]


def paid(noise, instance, state, action):
    """A step of the coins, of which a head pays a random amount."""
    after, head = COINS.game.step(noise, instance, state, action)
    return after, head * unit_interval(noise[0])


PAID_COINS = altered(COINS, step=paid)
UCB = ucb(K)._replace(report=lambda state, params: {"total": state.reward.total})


def of_pairs(make, game):
    game = game(censored.equidistant(5))
    return make(game.problem), game, IN_STEP


IN_STEP = {"horizon": 300, "checkpoints": range(20, 301, 20)}
# Some runs are cut off.
BY_BUDGET = {"budget": 120, "checkpoints": np.linspace(0, 120, 131)[1:], "horizon": 40}
CASES = {
    # An instance of every seed, sums of floats, a parameter.
    "ucb": lambda: (UCB, PAID_COINS, IN_STEP),
    # Whole numbers, which other engines have as well.
    "alternate": lambda: (ALTERNATE, environment(), BY_BUDGET),
    "rcucb": lambda: of_pairs(censored.rcucb, censored.indep),
    "thompson": lambda: of_pairs(censored.thompson, censored.poscorr),
}


@contextmanager
def short_calls():
    """A call plays two rounds, fewer than there are between two checkpoints."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FIRST_STEPS", "FEWEST_STEPS", "MOST_STEPS"):
            patch.setattr(limits, name, 2)
        yield


@contextmanager
def switched():
    """Under JAX's own switches, which are left as they were."""
    old = {name: getattr(jax.config, name) for name in SWITCHES}
    try:
        for name, value in SWITCHES.items():
            jax.config.update(name, value)
        yield
        assert all(getattr(jax.config, name) == x for name, x in SWITCHES.items())
    finally:
        for name, value in old.items():
            jax.config.update(name, value)


SWITCHES = {
    "jax_default_prng_impl": "rbg",
    "jax_debug_infs": True,
    "jax_numpy_dtype_promotion": "strict",
    "jax_transfer_guard": "disallow",
    "jax_numpy_rank_promotion": "allow",
    "jax_threefry_partitionable": not jax.config.jax_threefry_partitionable,
}
# Options of `simulate`, and what is entered. Many programs are another than that of
# `reference`, by another number of lanes, of devices or of checkpoints, or as a point
# of a sweep, which may differ from lane to lane.
WAYS = {
    "one at a time": {"machine": Machine(ONE, chunk=1), "seeds": [0, 64]},
    "in chunks": {"machine": Machine(chunk=9)},
    "in one chunk": {"machine": Machine(chunk=256)},
    "on one device": {"machine": Machine(ONE)},
    "in company": {"company": True},
    "few in company": {"company": True, "seeds": 3},
    "few checkpoints": {"checkpoints": [4, 11], "seeds": 32},  # of all
    "swept": {"swept": True, "seeds": 32, "machine": Machine(ONE)},
    "swept on all devices": {"swept": True},
    "in short calls": {},
    "vmap": {"machine": Machine(engine="vmap")},
    "fused-interpret": {"machine": Machine(engine="fused-interpret")},
    "under other switches": {"seeds": 4},
}
ENTERED = {"in short calls": short_calls, "under other switches": switched}
LONG = {"in one chunk", "on one device", "few in company", "swept on all devices"}
LONG |= {"few checkpoints", "vmap"}


@pytest.fixture(scope="module", params=in_short(CASES, {"rcucb", "thompson"}))
def case(request):
    """A policy, its game, where that ends, and its data."""
    policy, game, end = CASES[request.param]()
    return policy, game, end, simulate(policy, game, seeds=70, **end)


@pytest.mark.parametrize("way", in_short(WAYS, LONG))
def test_bits_are_the_same(case, way):
    policy, game, end, reference = case
    if way in ("vmap", "fused-interpret") and policy is not ALTERNATE:
        pytest.skip("floats are rounded otherwise")
    options = {"company": False, "swept": False, "seeds": 70, **end, **WAYS[way]}
    if way == "few checkpoints":
        options["checkpoints"] = reference["checkpoint"].values[options["checkpoints"]]
    policies = [policy]
    if options.pop("company"):
        policies.append(policy._replace(name="other", init=lambda p: policy.init(p)))
    if options.pop("swept"):
        if not hasattr(policy.params, "alpha"):
            pytest.skip("it has no parameter to be swept")
        policies = [policy.over(alpha=[0.3, 1.0])]
    with ENTERED.get(way, nullcontext)():
        data = simulate(policies, game, **options)
    data = data.isel(params=[-1])  # as it is by default
    data = data.sel(policy=reference["policy"])
    names = [name for name in reference.data_vars if not name.endswith("_seconds")]
    assert "rounds" in names and len(names) > 2
    for name in names:
        wanted = reference[name].sel(checkpoint=data["checkpoint"], seed=data["seed"])
        np.testing.assert_array_equal(data[name].values, wanted.values)
