"""Bad input that was once taken without a word, kind by kind; red lines name the row.

What only one folder has (statistics, figures, laws) is in the tests of that folder.
"""

import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxbandits as jb
from jaxbandits import (
    allocation,
    arrays,
    budgeted,
    censored,
    farewell,
    kernels,
    laws,
    live,
    plain,
    plots,
    registry,
    results,
    stats,
    testing,
)
from jaxbandits.allocation.game import Arms as ArmsOfAllocation
from jaxbandits.budgeted.environment import Arms
from jaxbandits.laws import Bernoulli, Product, thresholds
from jaxbandits.protocol import Entry
from tests.games import COINS, game_of, paid_coins, two_coins
from tests.results.samples import dataset
from tests.tables import assert_refused, in_both_precisions

DATA = dataset(num_seeds=6)


def refused(rows):
    if isinstance(rows, dict):
        rows = [(call, words) for words, call in rows.items()]
    assert_refused([(call, f"^{words}") for call, words in rows])


def pair(reward=(0.1, 0.2), cost=(0.5, 0.6), count=2):
    law = Product(Bernoulli(jnp.array(reward)), Bernoulli(jnp.array(cost)))
    return Arms(law, jnp.int32(count))


# Draws of two arms, and what is said of them.
DRAWS = [
    (lambda key, setup: 3, r"it must give Arms\(law, num_arms, g"),
    (lambda key, setup: (1, 2), r"it must give Arms.*got \('int32\[\]"),
    (lambda key: pair(), r"it must take \(key, setup\)"),
    (lambda key, setup: Arms(Bernoulli(jnp.ones(2)), jnp.int32(2)), "it must take"),
    (lambda key, setup: pair((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)), "law must have 2 r"),
    (lambda key, setup: pair()._replace(num_arms=2.0), "num_arms must be an integer"),
    (lambda key, setup: pair(count=3), "num_arms must"),
    (lambda key, setup: pair(count=0), "num_arms must be an integer in"),
    (lambda key, setup: pair((0.1, 1.5)), "reward: probability must"),
    (lambda key, setup: pair((0.1, jnp.nan)), "reward: probability must"),
    (lambda key, setup: pair(cost=(0.5, 0.0)), ".*expected cost must"),
]


def test_what_is_drawn_must_be_arms_of_the_law():
    def play(draw):
        game = budgeted.random_environment("mine", COINS, draw, (), 2)
        jb.simulate(budgeted.uniform(game.problem), game, budget=5, seeds=2)

    start = "draw of environment 'mine': "
    refused((partial(play, draw), start + words) for draw, words in DRAWS)


def test_arms_that_do_not_exist_may_be_anything():
    def draw(key, setup):
        return pair((0.1, jnp.nan), (0.5, 7.0), count=1)

    game = budgeted.random_environment("mine", COINS, draw, (), 2)
    data = jb.simulate(budgeted.uniform(game.problem), game, budget=5, seeds=2)
    assert np.all(data["regret"] == 0)


def test_so_must_arms_of_the_allocation_setting():
    problem = allocation.make_problem(
        thresholds.exponential, 2, 1.0, lowest=0.5, highest=3.0
    )
    ones = jnp.ones(2)

    def play(draw):
        game = allocation.random_environment("mine", problem, draw, ())
        jb.simulate(allocation.uniform(game.problem), game, horizon=5, seeds=2)

    wrong = {
        "it must give Arms": lambda key, setup: ones,
        r"probability must have shape \[2\]": lambda key, setup: ArmsOfAllocation(
            jnp.ones(3), ones
        ),
        "probability must be in": lambda key, setup: ArmsOfAllocation(1.5 * ones, ones),
        "rate must be in": lambda key, setup: ArmsOfAllocation(ones, 5 * ones),
        "rate must hold": lambda key, setup: ArmsOfAllocation(ones, ones > 0),
    }
    refused(
        (partial(play, draw), f"draw of environment 'mine': {words}")
        for words, draw in wrong.items()
    )


@in_both_precisions
def test_threshold_laws_know_their_ranges(dtype):
    one, family = dtype(1), thresholds.exponential
    refused(
        [
            (lambda: family.cdf(np.nan, one), "x must"),
            (lambda: family.log_pdf(one, np.array([1, -1])), "rate must be pos"),
            (lambda: thresholds.pdf(thresholds.weibull, 0.5, one), "shape must be giv"),
            (lambda: thresholds.lomax.cdf(one, one), "shape must be given"),
            (lambda: thresholds.lomax.cdf(one, one, -one), "shape must be pos"),
            (lambda: thresholds.touch_point(thresholds.weibull, one), "shape must be"),
        ]
    )


def test_laws_know_their_ranges():
    rate, half = laws.Exponential(np.ones(2)), np.full(2, 0.5)
    two, three = Bernoulli(half), Bernoulli(np.full(3, 0.5))
    copula = laws.gaussian_copula(laws.bernoulli, laws.exponential)
    refused(
        {
            "p must be in": lambda: laws.exponential.quantile(rate, 1.5),
            "p must be": lambda: laws.gamma.quantile(laws.Gamma(half, half), np.nan),
            "x mus": lambda: laws.clipped_pareto.cdf(laws.Pareto(half, half), np.nan),
            "shape and rate": lambda: laws.gamma.check(laws.Gamma(half, np.ones(3))),
            "mean and dev": lambda: laws.normal.check(laws.Normal(half, np.ones(3))),
            "reward and consumption must": lambda: COINS.check(Product(two, three)),
            "low must have one": lambda: laws.uniform.check(laws.Uniform(0.0, half)),
            "high - low m": lambda: laws.uniform.check(
                laws.Uniform(-6e38 * half, 6e38 * half)
            ),
            "deviation must": lambda: laws.normal.check(laws.Normal(half, 6e38 * half)),
            "reward and consumption and correlation must": lambda: copula.check(
                laws.Copula(two, rate, np.zeros(3))
            ),
        }
    )


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("mean", lambda p: 0.5),
        ("support", lambda p: (1.0, 0.0)),
        ("support", lambda p: np.asarray(1.0)),
        ("exact", lambda p: None),
        ("check", lambda p: 1 / 0),
    ],
)
def test_what_a_law_says_of_its_parameters_has_a_form(name, wrong):
    law = laws.product(laws.bernoulli, laws.beta._replace(**{name: wrong}))
    params = Product(Bernoulli(np.full(2, 0.5)), laws.Beta(np.ones(2), np.ones(2)))
    problem = game_of("censored").problem._replace(num_arms=2)
    refused(
        (partial(make, law, params), f"(consumption: )?Beta: {name}")
        for make in (
            partial(budgeted.make_environment, "n"),
            partial(censored.make_environment, "n", problem),
        )
    )


@pytest.mark.parametrize(
    "setting", ["censored", "continuum", "combinatorial", "dueling", "farewell"]
)
def test_an_oracle_knows_its_own_instance_only(setting):
    game = game_of(setting)
    own = game.game.sample(None, game.setup)
    assert game.oracle(own) is game.oracle()
    other = jb.make("censored/low-censoring").setup
    for wrong in ("x", 3, other):
        refused(
            [(partial(game.oracle, wrong), f"oracle of {re.escape(repr(game.name))}: ")]
        )


def test_an_oracle_of_allocations_takes_a_row_per_seed():
    game = allocation.make_environment(
        "own", game_of("allocation").problem, [0.5] * 3, [2.0] * 3
    )
    assert game.oracle() is game.oracle(game.game.sample(jnp.zeros(2), game.setup))
    refused([(lambda: game.oracle(game.setup), "oracle of 'own': instance must")])


def test_records_have_names_and_seeds():
    good = dict(experiment="e", environment="x", policy="p", metrics={"regret": 1.0})
    made = partial(stats.make_record, **good, seeds=2, horizon=10)
    assert made(seeds=0, horizon=0)["seeds"] == 0
    refused(
        [
            *(
                (partial(made, **{name: ""}), f"{name} must not be empty")
                for name in ("experiment", "environment", "policy")
            ),
            (lambda: made(metrics={"": 1.0}), "metrics: a name must not be empty"),
            (lambda: made(seeds=0), "seeds must be at least 1"),
            (lambda: made(params=np.ones(2)), "params must be a mapping"),
        ]
    )


def test_arrays_without_axes_are_no_lists():
    game, one = game_of("censored"), np.array(0.5)
    policy = censored.uniform(game.problem)
    play = partial(jb.simulate, policy, game, horizon=5, seeds=2)
    refused(
        [
            (lambda: play(keep=one), "keep must be a list of names, got array"),
            (lambda: jb.simulate(one, game, horizon=5), "policies must be a Policy"),
            (lambda: jb.simulate(policy, one, horizon=5), "environments must be an"),
            (lambda: plots.plot_curves(DATA, policies=one), "policies must be a list"),
        ]
    )


def test_a_session_is_played_by_the_host():
    session = live.start(censored.rcucb(game_of("censored").problem))

    @jax.jit
    def play(reward):
        return live.tell(session, censored.Action(0, 0), ROUND._replace(reward=reward))

    refused([(lambda: play(0.5), "session must be used outside jax.jit")])


def test_what_is_no_environment_is_named():
    game = game_of("censored")
    policy = censored.uniform(game.problem)
    play = partial(jb.simulate, policy, game, horizon=5, seeds=2)
    refused(
        {
            "environments must be .* got a Problem of censored; give the": lambda: (
                jb.simulate(policy, game.problem, horizon=5, seeds=2)
            ),
            "store must be a folder, and /dev/null": lambda: play(store="/dev/null"),
            "store must be a folder, and /dev/nul": lambda: play(store="/dev/null/x"),
            "censored/indep is an environment and takes no problem": lambda: jb.make(
                "censored/indep", game.problem
            ),
            "name .* 'censored/rcucb'": lambda: registry.POLICIES["censored/rcucbb"],
            "name .*censored/inde": lambda: registry.environments()["censored/indap"],
            r".*\(did you mean 'censored/rcucb'\?\)": lambda: jb.make("rcucb"),
        }
    )


def test_a_law_of_ones_own_is_held_against_what_laws_are():
    odd = laws.bernoulli._replace
    refused(
        [
            (lambda: laws.product(odd(words=-3), laws.beta), "reward.words must be at"),
            (lambda: laws.product(laws.beta, odd(sample=3)), "consumption.sample must"),
            (lambda: laws.gaussian_copula(odd(monotone=2), laws.beta), "reward.monoto"),
            (lambda: laws.product(odd(name=""), laws.beta), "reward.name must not be"),
        ]
    )


def test_tables_of_results_hold_numbers():
    build = partial(
        results.build_dataset,
        rounds={"p": np.ones((1, 2, 1), int)},
        checkpoints=[1],
        checkpoint_kind="round",
        seeds=[0, 1],
        params={"p": {}},
        compile_seconds={"p": 1.0},
        run_seconds={"p": 1.0},
        environment="x",
        setting="own",
        provenance={},
    )
    build({"p": {"x": np.ones((1, 2, 1), bool)}})
    masked = np.ma.array(np.ones((1, 2, 1)), mask=True)
    for wrong in ([[["a"], ["b"]]], np.ones((1, 2, 1), complex), masked):
        refused([(partial(build, {"p": {"x": wrong}}), "metrics.*'x'.* must")])


def test_truth_values_are_no_numbers_of_a_kernel():
    fill, values = kernels.allocation, np.float32([[0, 1], [0, 2]])
    refused(
        [
            (lambda: fill.worth_of_turns(values, [True]), "survival must be an array"),
            (lambda: fill.worth_of_turns(values > 0, [1.0]), "values must be an array"),
            (lambda: fill.worth_of_turns(values, [1.5]), "survival must be in"),
            (lambda: fill.worth_of_turns(values * np.nan, [1.0]), "values must be fin"),
            (lambda: fill.marginal_greedy(jnp.negative, 2, np.nan, 3), "step must be"),
        ]
    )


def test_lists_are_arrays_for_thresholds_and_shapes_are_named():
    family, two, three = thresholds.exponential, [1.0, 2.0], [0.1, 0.2, 0.3]
    np.testing.assert_allclose(
        thresholds.rise(family, [0.0, 0.0], two, 1.0), family.cdf(np.array(two), 1.0)
    )
    refused(
        {
            "p, rate must have shap": lambda: thresholds.quantile(family, three, two),
            "x, rate must have shapes": lambda: thresholds.pdf(family, three, two),
            "x, rate, shape must have shapes": lambda: thresholds.surrogate(
                thresholds.weibull, 1.0, two, two, three
            ),
        }
    )


def test_costs_are_checked_between_limits_and_for_chance():
    def dips(x):
        return jnp.where((x > 0.6) & (x < 0.7), 0.0, x)

    with pytest.raises(ValueError, match=r"cost must not decrease, got 0 at 0\.601"):
        censored.make_problem(2, [0.5, 1.0], dips, dips)
    random = np.random.default_rng(0).random
    with pytest.raises(ValueError, match="cost must depend on its argument alone"):
        censored.make_problem(2, [0.5, 1.0], lambda x: 0 * x + random(), dips)


def test_drawn_arms_must_keep_the_ranges_that_learners_know():
    law = laws.product(laws.bernoulli, laws.beta)
    half = np.array([0.5, 0.5])
    arms = laws.Product(laws.Bernoulli(half), laws.Beta(half, half))
    game = budgeted.random_environment(
        "r", law, lambda key, setup: budgeted.Arms(arms, 2), (), 2, cost_range=(0, 0.1)
    )
    with pytest.raises(ValueError, match="draw of environment 'r': cost_range must"):
        jb.simulate(budgeted.uniform(game.problem), game, horizon=5, seeds=2)


def test_lists_of_numbers_are_arrays():
    three = [1.0, 2.0, 2.0]
    assert int(arrays.random_argmax(three, jnp.uint32(0))) in (1, 2)
    assert int(arrays.first_argmax(three)) == 1
    assert thresholds.curves(thresholds.exponential, [2.0], [1.0]).touch == 0
    rates = {"lowest": 0.1, "highest": 5.0}
    problem = allocation.make_problem(thresholds.exponential, 3, 10.0, **rates)
    ones, chance = [1.0, 1.0, 1.0], [0.2, 0.5, 0.3]
    jax.eval_shape(lambda: allocation.solve(problem, ones, chance, 10.0, limit=ones))
    wrong = {"weight": [0.5, NAN, 1.0], "rate": [0.0, 1.0, 1.0], "budget": -1.0}
    for name, value in wrong.items():
        given = {"weight": ones, "rate": chance, "budget": 10.0} | {name: value}
        refused([(partial(allocation.solve, problem, **given), f"{name} must be ")])
    seen = censored.censor([0.5, 0.2], [0.5, np.inf], 1.0)
    np.testing.assert_array_equal(seen.censored, [False, True])


# Per game: a factory, and fields that no environment's problem has.
NAN = float("nan")
NO_CURVE = ("cost", lambda x: -x)
WRONG_FIELDS = {
    "censored": (
        censored.rcucb,
        [("num_arms", 2.5), ("limits", (0.5, 0.1)), ("max_limit", NAN), NO_CURVE],
    ),
    "continuum": (censored.stoo, [("num_arms", 0), ("sigma", -1.0), NO_CURVE]),
    "combinatorial": (censored.cucb, [("size", 9), ("size", 0), ("limits", (NAN,))]),
    "dueling": (censored.uniform_duels, [("max_limit", 0.0), ("limits", ())]),
    "allocation": (
        allocation.ra_ucb,
        [
            ("num_arms", True),
            ("lowest", 1e9),
            ("budget", (1.0, 2.0)),
            ("budget", -1.0),
            ("shape", (1.0,)),
            ("known", 1),
        ],
    ),
    "ordered": (
        allocation.uniform_turns,
        [("units", 2.5), ("survival", (0.5,)), ("family", "exponential")],
    ),
    "budgeted": (
        budgeted.omega_ucb,
        [
            ("num_arms", 0),
            ("highest_cost", 1.0),
            ("lowest_cost", (2.0,) * 3),
            ("lowest_reward", (NAN,) * 3),
        ],
    ),
    "farewell": (
        farewell.wait_ucb,
        [("num_arms", 2.5), ("num_waits", 0), ("failure", "no"), ("waits", (3, 1))],
    ),
}


@pytest.mark.parametrize("setting", WRONG_FIELDS)
def test_a_problem_made_by_hand_is_checked(setting):
    make, fields = WRONG_FIELDS[setting]
    problem = game_of(setting).problem
    make(problem)
    for field, wrong in fields:
        with pytest.raises((TypeError, ValueError), match=rf"^(what )?{field}\w* "):
            make(problem._replace(**{field: wrong}))


ARMS = Arms(Product(Bernoulli([0.2, 0.9]), Bernoulli([0.5, 0.5])), np.int32(2))
WAITS = farewell.Arms([[0.5, 0.5]], Bernoulli([[0.5, 0.5]]))
ROUND = censored.Feedback(0.5, 0.1, False)
HALF = thresholds.curves(thresholds.exponential, jnp.ones(2), jnp.ones(2))


def exact_budgeted(reward=(0.2, 0.9), cost=(0.5, 0.5), count=2):
    return budgeted.exact_oracle(COINS, Arms(two_coins(reward, cost), count))


def exact_farewell(problem=None, **changes):
    problem = problem or farewell.Problem(1, 2)
    return farewell.exact_oracle(problem, laws.bernoulli, WAITS._replace(**changes))


def cells(limits=(0.5, 1.0), limit=1, feedback=ROUND):
    return censored.cells_of(jnp.array(limits), jnp.int32(limit), feedback)


def gain(**changes):
    problem = game_of("censored").problem
    return censored.gain_of(problem, ROUND._replace(**changes))


def _of_farewell(**options):
    game = game_of("farewell")
    return jb.simulate(farewell.uniform(game.problem), game, seeds=2, **options)


# By the words of the refusal.
WRONG_CALLS = {
    "x must have at least one entry": lambda: arrays.first_argmax(jnp.zeros(0)),
    r"condition must be bool\[\], got int32": lambda: arrays.when(3, abs, 1.0),
    "shape must be at": lambda: plain.same_pair((2, 0), max, ("a", "b"), (1, 0)),
    "reward, c": lambda: censored.censor([0.5, 0.2, 0.1], [0.5, 0.1], 1.0),
    "view must be a View": lambda: live.ask(live.start(plain.ucb(2)), view=3),
    "altered: .* it takes": lambda: testing.altered(censored.indep(), {"a": 3}),
    "reference_label needs a": lambda: plots.plot_bars(None, reference_label="best"),
    "shape must be at least 1": lambda: plain.uniform_pairs((0, 2), lambda a, b: a),
    "resamples and seed are": lambda: stats.interval(DATA, "regret", seed=5),
    "runs_per_instance must be 1": lambda: jb.simulate(
        censored.uniform(game_of("censored").problem),
        game_of("censored"),
        horizon=5,
        seeds=6,
        runs_per_instance=3,
    ),
    "arms": lambda: exact_budgeted(reward=(NAN, 0.5)),
    ".*expected cost must": lambda: exact_budgeted(cost=(0.0, 0.5)),
    r"num_arms must be .* 2\], got 7": lambda: exact_budgeted(count=7),
    "num_arms": lambda: exact_farewell(farewell.Problem(1.5, 2)),
    "delay must have": lambda: exact_farewell(delay=[[0.5, 0.6]]),
    "reward: probability must": lambda: exact_farewell(reward=None),
    "delays must be whole": lambda: exact_farewell(delays=(2, 1)),
    "failure must be one of": lambda: farewell.as_arms(
        farewell.Problem(1, 3, failure="x")
    ),
    "feedback.reward must be finite": lambda: gain(reward=NAN),
    "feedback.consumption must be >= 0": lambda: gain(consumption=-0.1),
    r"limit must be in \[0, 2\)": lambda: cells(limit=5),
    "limits must increase": lambda: cells(limits=(1.0, 0.5)),
    r"amounts must have shape \[2\]": lambda: kernels.allocation.fill_in_turns(
        [0, 1], [1], 2
    ),
    "arms must be in": lambda: kernels.allocation.fill_in_turns(
        np.array([2**32, 1]), [1, 1], 2
    ),
    "count must be in": lambda: kernels.hoeffding_interval(0.3, np.array([2**32]), 2.0),
    "count must hold integers of int32, or floats": lambda: kernels.hoeffding_interval(
        0.3, 2**40, 2.0
    ),
    "high must be a real array": lambda: kernels.wilson_interval(
        0.3, 5, 2.0, high=np.complex64(1)
    ),
    "num_arms must be at most": lambda: kernels.allocation.fill_in_order(
        [0, 1], 2**40, 0.5, 1.2
    ),
    r"budget must have shape \[\]": lambda: kernels.allocation.fill_in_order(
        [0, 1], 2, 0.5, [1.2, 1.3]
    ),
    r"allocation must have shape \[2\], got": lambda: kernels.allocation.kkt_residual(
        HALF, jnp.ones(3), 1.0
    ),
    "what objective returns must have shape": lambda: (
        kernels.allocation.projected_gradient(jnp.square, jnp.ones(2), 1.0)
    ),
    r"what gain returns must have shape \[2\]": lambda: (
        kernels.allocation.marginal_greedy(lambda x: jnp.ones(3), 2, 0.1, 5)
    ),
    r"price must have shape \[2\], got": lambda: kernels.allocation.priced(
        HALF, jnp.ones(3)
    ),
    r"least must have shape \[2\], got": lambda: kernels.allocation.beyond(
        HALF, jnp.ones(3)
    ),
    r"value must have shape \[2\]": lambda: kernels.with_slope_of(
        jnp.ones(2), jnp.ones(3)
    ),
    "budget must be an array of numbers": lambda: (
        kernels.allocation.exponential_water_filling(jnp.ones(2), jnp.ones(2), True)
    ),
    "name: its first part must": lambda: registry.setting_of("nope"),
    "x must be >= 0": lambda: thresholds.weibull.log_pdf(-1.0, 1.0, 1.0),
    "users must have at least one row": lambda: allocation.make_environment(
        "n",
        allocation.make_problem(
            thresholds.exponential, 2, 1.0, lowest=0.1, highest=5.0
        ),
        [0.9, 0.6],
        [0.5, 1.0],
        users=allocation.Users(np.ones((0, 2)), np.ones((0, 2), bool)),
    ),
    "reward: probability must have one number per arm": lambda: (
        budgeted.make_environment("n", COINS, two_coins([[0.5], [0.5]], [1.0, 1]))
    ),
    "params must have one row per arm": lambda: budgeted.make_environment(
        "n", COINS, two_coins(0.5, [1.0, 1])
    ),
    "params: costs must be in .0, 1., but have no largest value": lambda: (
        budgeted.make_environment(
            "n",
            laws.product(laws.bernoulli, laws.exponential),
            Product(Bernoulli(np.full(2, 0.5)), laws.Exponential(np.ones(2))),
        )
    ),
    "lowest_cost must be a number or one per arm": lambda: budgeted.make_problem(
        3, lowest_cost=[0.2]
    ),
    "initial must be in .0, .*, the most rounds of a game": lambda: allocation.ra_ucb(
        game_of("allocation").problem
    ).with_params(initial=1e9),
    "budget must be in whole units of time": lambda: _of_farewell(budget=20.9),
    "checkpoints must be in whole units of time": lambda: _of_farewell(
        budget=20, checkpoints=[5.5]
    ),
    "view.spent must be 0 in round 1": lambda: live.ask(
        live.start(budgeted.uniform(budgeted.make_problem(2))),
        budgeted.View(1, 2, 0.5, 1.0, None),
    ),
    "view.clock must be 0 in the first epoch, and has grown": lambda: farewell.Problem(
        2, 3
    ).check_view(farewell.View(3, 1)),
    "view.clock must be 0 in the first epoch": lambda: farewell.Problem(
        2, 3
    ).check_view(farewell.View(1, 1)),
    "kind 'round' is not that of a grid of 'regret'": lambda: stats.resample(
        DATA, "regret", [1.0, 2.0], kind="round"
    ),
    "values must have at least one value": lambda: stats.interval_of([]),
    "resamples and seed are for the method": lambda: stats.two_level(
        DATA.assign_coords(instance=("seed", [0, 0, 1, 1, 2, 2])), "regret", seed=1
    ),
    "censored/indep: .* 'num_arms'; it takes limits, form": lambda: jb.make(
        "censored/indep", num_arms=5
    ),
    "over got .'alpha'. for a policy that has its points already": lambda: Entry(
        None
    ).over(alpha=[1.0]),
    "x: params must be a NamedTuple": lambda: jb.Policy(
        "x", *[None] * 3, params={"a": 1.0}
    ).over(a=[1.0]),
    "cost_range, reward_range: highest_cost must be positive": lambda: (
        budgeted.make_environment(
            "n", COINS, two_coins([0.5], [0.5]), cost_range=(1.0, 0.0)
        )
    ),
    "highest_bid_of_others as delay": lambda: farewell.second_price_auction(
        highest_bid_of_others=[-1.0, 2.0]
    ),
    "dataset must have runs of one environment": lambda: stats.dominance(
        DATA.assign_coords(environment=("policy", ["a", "b"])), "regret"
    ),
    "best must be one of": lambda: stats.record_table(
        stats.summary_records(DATA, "mine"), best={"nope": "lowest"}
    ),
}


def test_what_was_once_answered_is_refused():
    refused(WRONG_CALLS)


def test_right_calls_beside_them_are_answered():
    assert exact_budgeted().best == exact_budgeted(count=np.int32(2)).best == 1
    assert exact_farewell().rate == pytest.approx(1 / 3)
    assert cells()[0].tolist() == [True, False]
    assert float(gain()) == pytest.approx(0.5 - 0.1, abs=0.1)


def test_an_action_that_a_game_has_not_is_not_traced():
    game = paid_coins([0.5] * 3, [0.5] * 3)
    policy = budgeted.uniform(game.problem)._replace(
        act=lambda noise, view, state, params: jnp.int32(view.round > 2) * 3
    )
    assert testing.trace_run(policy, game, 2).actions.tolist() == [0, 0]
    with pytest.raises(ValueError, match="plays 3 in round 3, not an arm in .0, 3"):
        testing.trace_run(policy, game, 3)
