"""The memory of a lane, and how many lanes are played at a time."""

import jax
import numpy as np
import pytest
from jax.sharding import Mesh

from jaxbandits import budgeted, censored, farewell, laws
from jaxbandits.engine.footprint import (
    Footprint,
    choose_chunk,
    footprint_of,
    stretch_of,
)
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import LANE_QUANTUM, LANES
from jaxbandits.engine.schedule import Schedule, Terms
from tests.engine.budget_game import ALTERNATE, environment
from tests.engine.legs import traced
from tests.heavy import in_short
from tests.registered import POLICIES
from tests.tables import each_row


def terms_of(checkpoints, **options):
    schedule = Schedule(np.arange(1.0, checkpoints + 1), 10**9, by_budget=True)
    return Terms(schedule, **options)


def params_of(policy):
    return jax.tree.map(lambda x: np.full(1, x, float), policy.params)


def chunk_of(memory, lanes=10**6, checkpoints=100, devices=1):
    terms, devices = terms_of(checkpoints), jax.devices()[:devices]
    return choose_chunk(ALTERNATE, environment(), (), lanes, terms, memory, devices)


def test_the_parts_of_a_lane():
    """Two counts and the spend; of a checkpoint, the rounds and three metrics."""
    found = footprint_of(ALTERNATE, environment(), (), terms_of(100), "cpu")
    assert found == Footprint(state=12, given=0, record=12, row=4 + 3 * 8, scratch=0)
    held = 3 * 12 + 2 * 12
    assert found.on_device(terms_of(100).schedule) == held + 28 * 100
    assert found.needed(terms_of(100).schedule) == held + 28 * 300
    assert found.needed(terms_of(1).schedule) == held + 28 * (10 + 2)


def test_an_instance_of_its_own_is_counted():
    def given(game):
        policy = POLICIES["budgeted/omega-star-ucb"](game.problem)
        return footprint_of(policy, game, params_of(policy), terms_of(1), "cpu").given

    chance = laws.Bernoulli(np.array([0.3, 0.6]))
    law = laws.product(laws.bernoulli, laws.bernoulli)
    shared = budgeted.make_environment("coins", law, laws.Product(chance, chance))
    assert given(shared) < 32 < given(budgeted.s_br(2))


@pytest.mark.slow
def test_the_scratch_of_the_gpu_engine_is_counted():
    game = censored.indep()
    policy = POLICIES["censored/thompson"](game.problem)
    params = params_of(policy)
    schedule = Schedule(np.array([10]), 10)
    plain, fused = (
        footprint_of(policy, game, params, Terms(schedule, engine=name), "cpu")
        for name in ("scan", "fused-interpret")
    )
    assert plain.scratch == 0 < fused.scratch
    assert fused._replace(scratch=0) == plain


MEASURED = {
    "censored/thompson": (censored.indep, {"horizon": 20}),
    "budgeted/omega-star-ucb": (lambda: budgeted.s_br(10), {"budget": 20.0}),
    "censored/rcucb": (censored.indep, {"horizon": 20}),
    "continuum/zooming": (lambda: censored.indep(censored.ANY), {"horizon": 20}),
    "farewell/product-limit": (farewell.figure_1a, {"budget": 50}),
}
LONG = set(MEASURED) - {"budgeted/omega-star-ucb"}


@pytest.mark.slow
@pytest.mark.parametrize("checkpoints", in_short([1, 20], [1]))
@pytest.mark.parametrize("name", in_short(MEASURED, LONG))
def test_a_chunk_takes_what_xla_says(name, checkpoints):
    """As much as was said, and not three times as little."""
    make, end = MEASURED[name]
    game, lanes = make(), 256
    policy, (last,) = POLICIES[name](game.problem), end.values()
    targets = [last] if checkpoints == 1 else [last * k // 20 for k in range(1, 21)]
    schedule = Schedule(np.array(targets), 10**6, "budget" in end)
    here = Mesh(np.array(jax.devices()[:1]), (LANES,))
    program = traced(policy, game, SCAN, here, lanes, marks=stretch_of(schedule))
    says = program.lower().compile().memory_analysis()
    held = says.argument_size_in_bytes + says.output_size_in_bytes
    held += says.temp_size_in_bytes - says.alias_size_in_bytes
    terms = Terms(schedule)
    found = footprint_of(policy, game, params_of(policy), terms, "cpu")
    assert held < lanes * found.on_device(schedule) < 3 * held


@each_row("lanes", [1, 100, 1000, 10**6])
@each_row("most", [LANE_QUANTUM, 7 * LANE_QUANTUM + 1, 10_000])
@each_row("devices", [1, 2])
def test_chunks_fit_the_memory_and_are_equal(lanes, most, devices):
    """They fill the devices, and are no longer than needed."""
    schedule = terms_of(100).schedule
    lane = footprint_of(ALTERNATE, environment(), (), terms_of(100), "cpu")
    vector = LANE_QUANTUM * devices
    chunk = chunk_of(devices * most * lane.needed(schedule), lanes, devices=devices)
    assert chunk % vector == 0 and 0 < chunk <= devices * most
    chunks = -(-lanes // chunk)
    assert chunks * chunk - lanes < vector * chunks
    # As few as the memory allows.
    assert chunks == 1 or lanes > (chunks - 1) * (devices * most // vector * vector)


def test_too_little_memory_says_how_much_is_needed():
    with pytest.raises(ValueError, match="memory = 1000 bytes is too little") as error:
        chunk_of(memory=1000)
    need = int(str(error.value).split()[-1])
    assert chunk_of(memory=need) == LANE_QUANTUM
    with pytest.raises(ValueError, match="memory"):
        chunk_of(memory=need - 1)
