"""The farewell setting: the exact table, the end of the clock, the books."""

from functools import partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import farewell, laws, simulate
from jaxbandits.arrays import CompensatedSum, constant
from jaxbandits.engine.accounting import accounts_of
from jaxbandits.farewell import Action, Problem, Record, fixed, uniform, wait_ucb
from jaxbandits.farewell.environment import LAP, LATEST, Elapsed, Epoch, State
from jaxbandits.simulation.arguments import schedule_of
from tests.games import four_waits
from tests.reference.farewell_environment import exact_table
from tests.reference.words import spell
from tests.rollout import metrics_of
from tests.tables import assert_named, assert_refused, naming

INSTANCES = {
    "1a (i)": farewell.figure_1a,
    "1a (ii)": lambda: farewell.figure_1a("ii"),
    "1a (iii)": lambda: farewell.figure_1a("iii"),
    "1b": farewell.optimum_in_the_middle,
    "1c": farewell.optimum_at_one,
    "2a": farewell.macro_arms_only,
    "2b": farewell.display_advertising,
    "2c": lambda: farewell.display_advertising(2),
    "auction": farewell.second_price_auction,
    "cross-validation": farewell.cross_validation,
}
METRICS = ("regret", "realised_regret", "optimal", "reward", "epochs")


def delays(environment):
    """Probabilities of the delays, f64[K, N]."""
    return np.array(environment.provenance["delay"])


def reference(environment, reward_mean):
    """The table of the literal twin, which lumps together all delays beyond D."""
    delay, num_waits = delays(environment), environment.problem.num_waits
    beyond = delay[:, num_waits:].sum(axis=1, keepdims=True)
    return exact_table(
        np.hstack([delay[:, :num_waits], beyond]), reward_mean[:, :num_waits]
    )


def assert_oracle(environment, reward_mean):
    oracle = environment.oracle()
    found = oracle.mean_reward, oracle.mean_time, oracle.rates, oracle.gaps
    table = reference(environment, reward_mean)
    for x, expected in zip(found, table.values(), strict=True):
        assert x.dtype == np.float64
        np.testing.assert_allclose(x, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(oracle.gaps == 0, table["gap"] == 0)
    assert oracle.rate == pytest.approx(table["g"].max(), rel=1e-14)
    first = np.argwhere(table["gap"] == 0)[0]
    assert [oracle.arm, oracle.wait] == first.tolist()
    assert environment.provenance["optimal_pair"] == [oracle.arm, oracle.wait]
    assert environment.provenance["optimal_rate"] == oracle.rate


# The exact table.


def test_own_delays_and_waits_by_hand():
    """Footnote 3: delays 1, 3 and 8, of which one may wait for 2 or 4 units."""
    delay, reward = [[0.5, 0.25, 0.25]], [[1.0, 0.5, 1.0]]
    grids = {"delays": [1, 3, 8], "waits": [2, 4]}
    game = farewell.make_environment("own", delay, reward, **grids)
    oracle = game.oracle()
    np.testing.assert_allclose(oracle.mean_reward, [[0.5, 0.625]])
    np.testing.assert_allclose(oracle.mean_time, [[1.5, 2.25]])
    table = exact_table([[*delay[0], 0]], reward, *grids.values())
    np.testing.assert_allclose(oracle.rates, table["g"], rtol=1e-14)
    np.testing.assert_array_equal(game.problem.lengths, [2, 4])
    assert game.problem == Problem(1, 2, "wait", (2, 4))
    assert {k: game.provenance[k] for k in grids} == grids
    # A failure that costs one unit: 1/2 + 1/2, and 1/2 + 3/4 + 1/4.
    game = farewell.make_environment("unit", delay, reward, failure="unit", **grids)
    np.testing.assert_allclose(game.oracle().mean_time, [[1, 1.5]])
    # Without waits of one's own the first delays are the waits; 1, 2, ... is the rest.
    first = farewell.make_environment(
        "first", delay, reward, delays=[1, 3, 8], num_waits=2
    )
    assert first.problem.waits == (1, 3)
    same = farewell.make_environment(
        "same", delay, reward, delays=[1, 2, 3], waits=[1.0, 2]
    )
    plain = farewell.make_environment("plain", delay, reward, num_waits=2)
    assert same.problem == plain.problem and same.game is plain.game
    assert same.provenance == plain.provenance


# Optimal pairs (positions) and the smallest gap above 0, to three digits.
FACTS = {
    "1a (i)": ([(0, 1)], 0.042),
    "1a (ii)": ([(0, 7), (0, 8), (0, 9)], 0.042),
    "1a (iii)": ([(0, 9)], 0.042),
    "1b": ([(0, j) for j in range(4, 10)], 0.124),
    "1c": ([(0, 0)], 0.167),
    "2a": ([(2, j) for j in range(5)], 0.3),
    "2b": ([(1, 4)], 0.041),
    "2c": ([(0, 0)], 0.043),
}


def test_figures_have_the_optima_that_the_paper_shows():
    for name, (pairs, gap) in FACTS.items():
        with naming(name):
            game = INSTANCES[name]()
            assert_oracle(game, game.setup.reward.probability)
            gaps = game.oracle().gaps
            assert [tuple(pair) for pair in np.argwhere(gaps == 0)] == pairs
            assert round(gaps[gaps > 0].min(), 3) == gap
            assert game.provenance["reconstructed"]


def test_a_delay_that_tells_about_the_reward(rng):
    """A joint law, delays beyond D, and rewards that are no coins."""
    delay = rng.dirichlet(np.ones(6), size=3)
    params = laws.Beta(*(rng.uniform(0.5, 5, (2, 3, 6))))
    game = farewell.make_environment(
        "joint", delay, params, num_waits=4, reward_law=laws.beta
    )
    assert game.problem == Problem(3, 4, "wait")
    assert game.oracle().rates.shape == (3, 4)
    assert_oracle(game, params.a / (params.a + params.b))


def test_every_configuration_of_cross_validation_has_its_own_best_wait():
    game = farewell.cross_validation(4)
    assert game.problem == Problem(4, 12, "wait") and delays(game).shape == (4, 13)
    assert_oracle(game, game.setup.reward.a / 8.0)
    # The last delay stands for the runs that do not converge in 12 units.
    assert np.all((delays(game)[:, -1] >= 0.3) & (delays(game)[:, -1] < 0.31))
    # Giving up plays a part: every configuration has its own best wait, below D.
    best = np.argmax(game.oracle().rates, axis=1)
    assert np.all(np.diff(best) > 0) and best[0] > 0 and best[-1] < 11


def test_one_reward_for_all_delays():
    delay = np.array([[0.2, 0.8], [0.6, 0.4]])
    short = farewell.make_environment("short", delay, [[0.3], [0.9]])
    full = farewell.make_environment("full", delay, [[0.3, 0.3], [0.9, 0.9]])
    for x, y in zip(short.oracle(), full.oracle(), strict=True):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(
        short.setup.reward.probability, full.setup.reward.probability
    )


def test_auction_by_hand():
    """M = 0, 1, 2 units with goods worth 0.2, 0.5, 1: bids of 0, 1 and 2 units."""
    game = farewell.second_price_auction([0.5, 0.25, 0.25], [0.2, 0.5, 1.0])
    oracle = game.oracle()
    np.testing.assert_allclose(oracle.mean_reward, [[0.1, 0.225, 0.475]])
    # The fee of 1 always, and what is bid against where the bid wins.
    np.testing.assert_allclose(oracle.mean_time, [[1, 1.25, 1.75]])
    assert oracle.wait == 2 and game.problem == Problem(1, 3, "unit")


def answer(environment, noise, arm, wait, state=None):
    """The state and the feedback after one epoch."""
    setup = constant(environment.setup)
    instance = environment.game.sample(jax.random.key(0), setup)
    state = environment.game.init(instance) if state is None else state
    action = Action(jnp.int32(arm), jnp.int32(wait))
    return jax.jit(environment.game.step)(noise, instance, state, action)


def test_rewards_of_several_values():
    """A law with several numbers for every delay: its second delay gives 0.5."""
    values = np.array([[[0.0, 1.0], [0.5, 0.25]]])
    law = laws.Discrete(values, np.array([[[0.5, 0.5], [1.0, 0.0]]]))
    game = farewell.make_environment(
        "values", [[0.5, 0.5]], law, reward_law=laws.discrete
    )
    np.testing.assert_allclose(game.oracle().mean_reward, [[0.25, 0.5]])
    noise = np.full(game.game.words, 3 * 2**30, np.uint32)
    assert answer(game, noise, 0, 1)[1] == (0.5, 2, 2.0)


@pytest.mark.parametrize("failure", ["wait", "unit"])
def test_what_one_epoch_tells_and_books(failure):
    """A delay of exactly the wait is in time; what is not seen is not told."""
    game = farewell.make_environment(
        "one", np.full((1, 4), 0.25), np.ones((1, 1)), num_waits=3, failure=failure
    )
    for wait, delay in product(range(3), range(1, 5)):
        with naming((wait, delay)):
            noise = spell([[0.25 * delay - 0.1, 0.5]], "nn")[0]
            state, feedback = answer(game, noise, 0, wait)
            in_time, given_up = delay <= wait + 1, wait + 1 if failure == "wait" else 1
            time = delay if in_time else given_up
            assert feedback.reward == in_time and feedback.time == time
            assert feedback.delay == (delay if in_time else np.inf)
            assert feedback.time.dtype == jnp.int32
            assert state.elapsed == (0, time) and state.reward.total == in_time
            np.testing.assert_array_equal(state.pulls, np.arange(3)[None] == wait)
            assert tuple(state.last.action) == (0, wait)
            assert state.last.reward == in_time


def test_views_tell_the_epoch_and_the_clock():
    environment = farewell.figure_1a()
    _, state = None, answer(environment, spell([[0.9, 0.5]], "nn")[0], 0, 6)[0]
    view = environment.game.view(jnp.int32(2), None, state)
    assert view.round == 2 and view.clock == 7 == environment.game.spent(None, state)


# Games, and where they end.


def run(game, policy=None, seeds=4, **options):
    policy = uniform(game.problem) if policy is None else policy
    return simulate(policy, game, seeds=seeds, **options).isel(policy=0, params=0)


def test_an_epoch_that_ends_after_the_budget_does_not_count():
    """L = max{n: S_n <= T}, of two epochs of three units that bring 1 each."""
    game, state = four_waits(), None
    for _ in range(2):
        state, _ = answer(game, spell([[0.3, 0.5]], "nn")[0], 1, 3, state)
    oracle = game.oracle()
    lost = oracle.mean_time[1, 3] * oracle.gaps[1, 3]
    assert lost > 0.01
    for budget, epochs in ((5, 1), (6, 2)):
        record = game.game.record(None, state, jnp.int32(budget))
        found = metrics_of(game, record)
        assert found["epochs"] == found["reward"] == epochs and record.begun == 2
        assert found["regret"] == pytest.approx(epochs * lost)
        realised = budget * oracle.rate - epochs
        assert found["realised_regret"] == pytest.approx(realised)


def test_a_grid_does_not_start_below_the_first_unit():
    game = four_waits()
    for grid in ("log", "linear"):
        with naming(grid):
            checkpoints = schedule_of(game, None, 30.0, grid).checkpoints
            assert checkpoints[0] >= 1 and checkpoints[-1] == 30
            assert checkpoints.size > 15 and not np.any(checkpoints % 1)
            # Where there are units enough, the grid is as ever.
            assert schedule_of(game, None, 1e6, grid).checkpoints.size == 100


def test_rates_that_differ_by_rounding_are_equal():
    """0.7 in 7 units is 0.1 per unit; in floating point it is less."""
    delay = np.eye(7)[[6, 0]]
    game = farewell.make_environment("rounding", delay, [[0.7], [0.1]])
    oracle = game.oracle()
    assert 0 < oracle.rate - oracle.rates[0, 6] < 1e-16
    assert (
        np.argwhere(oracle.gaps == 0)[0].tolist() == [0, 6] == [oracle.arm, oracle.wait]
    )


def test_metrics_by_hand():
    """One macro-arm with rates 1/2 and 5/12: wait 2 loses 1/8 an epoch."""
    game = farewell.make_environment(
        "x", [[0.5, 0.25, 0.25]], [[1, 0.5, 1]], num_waits=2
    )
    pulls = np.array([[[0, 0], [4, 0]], [[3, 1], [0, 8]]], np.int32)[:, :, None]
    reward = CompensatedSum(
        np.float32([[0, 2], [3, 2**24]]), np.float32([[0, 0], [0, 1]])
    )
    time = np.array([[0, 4], [5, 12]], np.int32)
    record = Record(pulls, reward, Elapsed(0 * time, time), time)
    metrics = accounts_of(game, (), record).metrics
    assert set(metrics) == set(METRICS)
    assert all(x.dtype == np.float64 for x in metrics.values())
    np.testing.assert_allclose(metrics["regret"], [[0, 0], [1 / 8, 1]], atol=1e-15)
    np.testing.assert_array_equal(metrics["reward"], [[0, 2], [3, 2**24 + 1]])
    np.testing.assert_array_equal(
        metrics["realised_regret"], [[0, 0], [-0.5, 6 - 2**24 - 1]]
    )
    np.testing.assert_array_equal(metrics["optimal"], [[0, 1], [0.75, 0]])
    np.testing.assert_array_equal(metrics["epochs"], [[0, 4], [4, 8]])


# Exact beyond 2**24, where float32 leaves numbers out.

MANY = 2**24 + 1


def test_counts_and_clock_are_exact_beyond_float32():
    environment = farewell.figure_1a()
    pulls = jnp.zeros((1, 10), jnp.int32).at[0, 2].set(MANY)
    nothing = CompensatedSum.zeros((), float)
    last = Epoch(jnp.zeros((1, 10), bool), jnp.zeros(()))
    state = State(pulls, Elapsed(jnp.int32(0), jnp.int32(MANY)), nothing, last)
    state, _ = answer(
        environment, spell([[0.9, 0.5]], "nn")[0], 0, 2, state
    )  # too long: 3 units
    assert state.pulls.dtype == state.elapsed.rest.dtype == jnp.int32
    assert state.elapsed == (0, MANY + 3) and state.pulls[0, 2] == MANY + 1
    for budget, epochs in ((MANY + 2, MANY), (MANY + 3, MANY + 1)):
        record = environment.game.record(None, state, jnp.int32(budget))
        assert record.pulls.dtype == record.time.rest.dtype == jnp.int32
        assert record.time == (0, budget)
        metrics = metrics_of(environment, record)
        assert metrics["epochs"] == epochs
        oracle = environment.oracle()
        loss = oracle.gaps[0, 2] * oracle.mean_time[0, 2]
        assert metrics["regret"] == epochs * loss
        assert metrics["realised_regret"] == budget * oracle.rate


def test_a_game_for_epochs_may_last_longer_than_a_clock_counts():
    """Five epochs of three units each, on both sides of where a lap and a clock end."""
    environment = farewell.figure_1a()
    for start in (LAP - 7, LATEST - 7, 5 * LAP - 7):
        laps, rest = divmod(start, LAP)
        elapsed = Elapsed(jnp.int32(laps), jnp.int32(rest))
        state = environment.game.init(None)._replace(elapsed=elapsed)
        for epochs in range(1, 6):
            state, _ = answer(environment, spell([[0.9, 0.5]], "nn")[0], 0, 2, state)
            now = start + 3 * epochs
            assert environment.game.spent(None, state) == min(now, LATEST)
            record = environment.game.record(None, state, jnp.int32(LATEST))
            realised = metrics_of(environment, record)["realised_regret"]
            assert realised == now * environment.oracle().rate


# The contract.


def test_instances_that_differ_in_numbers_only_share_their_functions():
    one, two, ads = (INSTANCES[name]() for name in ("1a (i)", "1c", "2a"))
    assert one.game is two.game and one.problem == two.problem
    assert one.game is not ads.game
    assert four_waits().game is not four_waits("unit").game
    names = [make().name for make in INSTANCES.values()]
    assert len(set(names)) == len(names)


# What is refused.

HALF = np.full((2, 2), 0.5)
ONES = np.ones((2, 1))


GOOD = {"name": "x", "delay": HALF, "reward": ONES}
BAD = {
    "delay": [
        HALF * 0.9,
        [[1.5, -0.5]],
        [[np.nan, 1]],
        [0.5, 0.5],
        np.ones((2, 0)),
        np.ones((0, 2)),
    ],
    "num_waits": [0, 3],
    "delays": [[1, 1.5], [0, 1], [1, 2**24 + 1], [1, 2, 4]],
    "waits": [[2, 1], [1, 1], [], 3],
    "reward": [0.5, ONES.T, np.ones((2, 3))],
}
OTHERS = [
    (GOOD | {"num_waits": 1, "waits": [1]}, "num_waits and waits: give one"),
    (GOOD | {"reward": 2 * ONES}, "reward: probability"),
    (GOOD | {"reward": -ONES}, "reward: probability"),
    (
        GOOD | {"reward": laws.Beta(-ONES, ONES), "reward_law": laws.beta},
        "reward: a must be",
    ),
    *(
        (
            GOOD | {"reward": laws.Uniform(low, high), "reward_law": laws.uniform},
            r"reward: .* support in \[0, 1\]",
        )
        for low, high in ((0 * ONES, 2 * ONES), (-ONES, ONES))
    ),
]
PARTS = [
    (partial(farewell.second_price_auction, [0.5, 0.6]), "sum to 1"),
    (
        partial(farewell.second_price_auction, [0.5, 0.5], [0.1]),
        r"utility must have shape \[2\]",
    ),
    (partial(farewell.second_price_auction, [0.5, 0.5], [0.5, 1.5]), "probability"),
    (partial(farewell.cross_validation, 0), "num_configurations"),
    (partial(fixed, Problem(2, 3), 2, 0), "arm must be at most 1"),
    (partial(fixed, Problem(2, 3), 0, 3), "wait must be at most 2"),
]


def test_bad_games_and_pairs_are_refused():
    assert_named(farewell.make_environment, GOOD, BAD)
    rows = [(partial(farewell.make_environment, **x), words) for x, words in OTHERS]
    assert_refused([*rows, *PARTS])


def test_waits_of_a_problem_are_whole_numbers():
    words = "waits must be whole numbers in .* that increase"
    for last in (2.5, 2**24 + 1, 2**40, 1e300, np.inf, np.nan):
        with pytest.raises(ValueError, match=words):
            farewell.Problem(1, 2, waits=(1, last)).lengths  # noqa: B018
    with pytest.raises(ValueError, match="waits must be num_waits = 2 whole numbers"):
        wait_ucb(Problem(1, 2, "wait", (1, 2, 3)))


def test_budgets_that_no_clock_counts_are_refused():
    rows = [
        (0, "log", "budget"),
        (-5, "log", "budget"),
        (np.inf, "log", "budget"),
        (0.5, "log", "^budget must"),
        (5.0, [0.5, 2.0], "^checkpoints must"),
        (2**31, [2**31], r"budget must be below 2\*\*31"),
    ]
    play = partial(run, four_waits())
    assert_refused(
        [(partial(play, budget=b, checkpoints=at), words) for b, at, words in rows]
    )
