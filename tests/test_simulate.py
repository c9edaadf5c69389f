"""simulate: what it returns, and what it refuses before compiling."""

import itertools
import json
from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest

import jaxbandits as jb
from jaxbandits import Machine, censored, simulate
from jaxbandits.protocol import Entry, Policy
from jaxbandits.testing import trace_run
from tests.engine import budget_game
from tests.games import coins
from tests.simulation.walk import GAME as WALK
from tests.simulation.walk import WALKER
from tests.tables import assert_refused

HORIZON = 40


@pytest.fixture(scope="module")
def game():
    return coins([0.3, 0.5])


@pytest.fixture(scope="module")
def rcucb(game):
    return censored.rcucb(game.problem)


@pytest.fixture(scope="module")
def two():
    """Two policies, one of them swept over two points."""
    return simulate(
        {"mine": WALKER.over(step=[0.5, 1.0], growth=2.0), "other": WALKER},
        WALK,
        horizon=HORIZON,
        seeds=5,
        checkpoints=[10, 20],
    )


def test_shape_and_coordinates(two):
    sizes = {"policy": 2, "params": 2, "seed": 5, "checkpoint": 3}
    assert two["regret"].sizes == sizes
    assert two["policy"].values.tolist() == ["mine", "other"]
    assert two["checkpoint"].values.tolist() == [10, 20, HORIZON]
    np.testing.assert_array_equal(two["param_step"], [[0.5, 1.0], [1.0, np.nan]])
    np.testing.assert_array_equal(two["param_growth"], [[2.0, 2.0], [1.0, np.nan]])
    for metric in ("regret", "small"):
        assert two[metric].dtype == np.float64
        assert np.all(np.isfinite(two[metric].sel(policy="mine")))
        other = two[metric].sel(policy="other")
        assert np.all(np.isfinite(other[0])) and np.all(np.isnan(other[1]))


def test_rounds_are_the_checkpoints(two):
    rounds = two["rounds"].values
    wanted = np.broadcast_to([10, 20, 40], rounds.shape).copy()
    wanted[1, 1] = 0  # a point that the policy has not
    np.testing.assert_array_equal(rounds, wanted)


def test_regret_never_falls(two):
    assert not np.any(np.diff(two["regret"].values, axis=-1) < 0)


def test_points_of_a_grid_have_regrets_of_their_own(two):
    mine = two.sel(policy="mine")["regret"].values
    assert not np.array_equal(mine[0], mine[1])


def test_provenance_and_seconds(two):
    facts = json.loads(two.attrs["provenance"])
    assert facts["root_seed"] == 0
    assert facts["environments"]["walk"] == {"setting": "walk"}
    assert {"jax", "numpy", "jaxbandits"} <= set(facts["versions"])
    assert np.all(two["run_seconds"] > 0)
    assert np.all(two["compile_seconds"] >= 0)


def test_a_seed_is_the_run_of_its_number():
    """Of this root, as a loop of no engine plays it; by a list as by a count."""
    options = {"root_seed": 5, "checkpoints": [1, 7, HORIZON], "horizon": HORIZON}
    found = simulate(WALKER, WALK, seeds=[3, 0], **options)
    assert found["seed"].values.tolist() == [3, 0]
    counted = simulate(WALKER, WALK, seeds=4, **options)["regret"]
    np.testing.assert_array_equal(found["regret"], counted.sel(seed=[3, 0]))
    for seed in (3, 0):
        trace = trace_run(WALKER, WALK, HORIZON, root_seed=5, seed_index=seed)
        lost = trace.actions * (trace.feedback < 0.5)
        curve = found["regret"].sel(seed=seed).values[0, 0]
        np.testing.assert_allclose(curve, np.cumsum(lost)[[0, 6, -1]], rtol=1e-5)


def options_of(**changes):
    return {"horizon": 10, "seeds": 2} | changes


BAD = {
    "no rounds": ({"horizon": 0}, ValueError, "horizon"),
    "huge horizon": ({"horizon": 2**31}, ValueError, "horizon"),
    "no end": ({"horizon": None}, ValueError, "horizon or budget"),
    "nothing to spend": ({"horizon": None, "budget": 1.0}, ValueError, "budget"),
    "no seeds": ({"seeds": 0}, ValueError, "seeds"),
    "empty seeds": ({"seeds": []}, ValueError, "seeds"),
    "double seeds": ({"seeds": [1, 1]}, ValueError, "seeds"),
    "negative seeds": ({"seeds": [-1]}, ValueError, "seeds"),
    "fractional seeds": ({"seeds": 2.5}, TypeError, "seeds"),
    "negative root": ({"root_seed": -1}, ValueError, "root_seed"),
    "huge root": ({"root_seed": 2**64}, ValueError, "root_seed"),
    "falling checkpoints": ({"checkpoints": [5, 3]}, ValueError, "checkpoints"),
    "late checkpoints": ({"checkpoints": [11]}, ValueError, "checkpoints"),
    "real checkpoints": ({"checkpoints": [1.5]}, ValueError, "checkpoints"),
    "hours for checkpoints": (
        {"checkpoints": np.array([1, 5, 9], "m8[h]")},
        TypeError,
        "checkpoints must be a real number or an array",
    ),
    "unknown checkpoints": ({"checkpoints": "often"}, ValueError, "checkpoints"),
    "no chunk": ({"machine": Machine(chunk=0)}, ValueError, "machine: chunk"),
    "little memory": (
        {"machine": Machine(memory=np.int8(100))},
        ValueError,
        "memory = 100 bytes is too little",
    ),
    "more seeds than memory": ({"seeds": 2**40}, ValueError, "seeds must be at most"),
    "a range beyond": ({"seeds": range(2**70)}, ValueError, "seeds must be at most"),
    "endless seeds": ({"seeds": itertools.count()}, ValueError, "seeds must end"),
    "used seeds": (
        {"seeds": iter([])},
        ValueError,
        "seeds must .* none left: give a l",
    ),
    "seeds in a mapping": ({"seeds": {0: 1}}, TypeError, "seeds"),
    "a platform": ({"machine": Machine("cpu")}, TypeError, "devices must be a list"),
    "no devices": ({"machine": Machine([])}, TypeError, "devices must be a list"),
    "no device": ({"machine": Machine([None])}, TypeError, "devices .* got None in it"),
    "huge drawn": ({"runs_per_instance": 2**40}, ValueError, "runs_per_instance"),
    "progress in words": ({"machine": Machine(progress="yes")}, TypeError, "progress"),
}


def untraced(*args):
    raise AssertionError("traced before the input was checked")


def test_bad_input_is_refused_before_compiling(game, subtests):
    for change, error, named in list(BAD.values()):
        with subtests.test(named=named):
            policy = censored.rcucb(game.problem)
            if (
                change != BAD["little memory"][0]
            ):  # the sizes of the state are looked up for this one
                policy = policy._replace(init=untraced, act=untraced, update=untraced)
            with pytest.raises(error, match=named):
                simulate(policy, game, **options_of(**change))


def test_policies_must_be_policies_with_names_of_their_own(game, rcucb):
    several = rcucb.params._replace(alpha=np.ones(3))
    rows = {
        "different names": [rcucb, rcucb],
        "must be a Policy": {"mine": "RCUCB"},
        "must not be empty": [],
        "got the function rcucb; policies are made by": censored.rcucb,
        "got the Environment 'coins'": {"mine": game},
        "^policies must .* got the Environment 'coin": game,  # a tuple, but no list
        "^policies: a name must be a string, got 1": {1: rcucb, "1": rcucb},
        "^policies: a name must not be": {"": rcucb, "1": rcucb},
        "params.alpha must be a number": rcucb._replace(params=several),
    }
    play = partial(simulate, environments=game, **options_of())
    assert_refused({words: partial(play, wrong) for words, wrong in rows.items()})
    with pytest.raises(TypeError, match="^environments must .* got the Policy 'RCUCB'"):
        simulate(rcucb, rcucb, **options_of())


UNEQUAL = jb.zipped({"alpha": [1, 2], "gain_radius": [1, 2, 3]})
BAD_POINTS = [
    ((), {"beta": 1}, TypeError, r"^RCUCB: over got \['beta'\], which are no"),
    ((), {"alpha": 0}, ValueError, "^alpha must be"),
    ((), {"alpha": {"a": 1.0}}, TypeError, "^RCUCB: over: alpha must be a number or"),
    # Told by float32, but not when it is multiplied.
    ((), {"alpha": 1e37}, ValueError, r"^policies\['RCUCB'\]: alpha must be 0 or of"),
    ((), {"alpha": [1, 1 + 1e-10]}, ValueError, r"^policies\['RCUCB'\] has points tha"),
    ((3,), {}, TypeError, "^RCUCB: over: its first argument must be what zipped"),
    ((UNEQUAL,), {}, ValueError, "^RCUCB: over must have columns of equal length"),
    ((jb.zipped(3),), {"alpha": 1}, TypeError, "^RCUCB: over must map names of param"),
]


def test_bad_points_are_refused_before_compiling(game, rcucb, subtests):
    policy = rcucb._replace(init=untraced, act=untraced, update=untraced)
    for design, values, error, named in BAD_POINTS:
        with subtests.test(named=named), pytest.raises(error, match=named):
            simulate(policy.over(*design, **values), game, **options_of())


def test_a_policy_without_parameters_may_have_a_check(game):
    def refuse(params):
        raise ValueError(f"nobody plays with {params}")

    policy = censored.uniform(game.problem)
    assert policy.params == ()
    with pytest.raises(ValueError, match=r"nobody plays with \(\)"):
        simulate(policy._replace(check=refuse), game, **options_of())


def test_points_of_an_entry_are_named_by_their_policy(game):
    entry = Entry(censored.rcucb, {"alhpa": [1.0]})
    named = r"^policies\['mine'\] has no \['alhpa'\]; it has \['alpha', .*mean 'alpha'"
    with pytest.raises(ValueError, match=named):
        simulate({"mine": entry}, game, **options_of())


def test_policies_have_the_points_that_they_have():
    """As in a sweep: one with fewer points than another has NaN at the rest."""
    walkers = {"a": WALKER.over(step=[1, 2]), "b": WALKER.over(step=[0.5, 1, 2])}
    data = simulate(walkers, WALK, **options_of())
    a, b = (data.sel(policy=name) for name in "ab")
    np.testing.assert_array_equal(a["regret"][:2], b["regret"][1:])
    assert np.isnan(a["regret"][2]).all() and not a["rounds"][2].any()
    np.testing.assert_array_equal(a["param_step"], [1, 2, np.nan])
    swept = simulate(walkers, {"game": WALK}, **options_of())
    np.testing.assert_array_equal(swept["regret"][0], data["regret"])


BAD_BUDGETS_ARE_REFUSED = [
    ({"budget": 0}, ValueError, "budget"),
    ({"budget": 5, "horizon": 1.5}, TypeError, "horizon"),
    ({"budget": 5, "checkpoints": [6]}, ValueError, "checkpoints"),
    ({"budget": 5, "checkpoints": [1e-50]}, ValueError, "checkpoints must be 0 or"),
    ({"budget": [5, 6]}, ValueError, "budget"),
    ({"budget": 1e30}, ValueError, "budget must be below 2"),
    ({"budget": 1e-50}, ValueError, "budget"),
]


def test_bad_budgets_are_refused(subtests):
    for change, error, named in BAD_BUDGETS_ARE_REFUSED:
        with subtests.test(named=named), pytest.raises(error, match=named):
            simulate(
                budget_game.ALTERNATE, budget_game.environment(), seeds=2, **change
            )


def test_a_number_is_the_same_however_it_is_given():
    """By a point, by `with_params` or as `Params`: the other defaults stay."""
    options = {"horizon": HORIZON, "seeds": 3}
    values = WALKER.params._replace(growth=2.0)
    ways = WALKER.over(growth=2), WALKER.with_params(growth=2), Entry(WALKER, values)
    one, *others = (simulate(way, WALK, **options) for way in ways)
    for other in others:
        np.testing.assert_array_equal(one["regret"], other["regret"])
    plain = simulate(WALKER, WALK, **options)
    assert not np.array_equal(one["regret"], plain["regret"])


@pytest.mark.slow
def test_seconds_of_compiling_and_running_are_apart(game, rcucb):
    fresh = rcucb._replace(act=lambda *args: rcucb.act(*args))
    first, second = (simulate(fresh, game, **options_of()) for _ in range(2))
    assert first["compile_seconds"] > 10 * second["compile_seconds"]
    assert first["compile_seconds"] > first["run_seconds"]


def test_one_compiled_program_serves_other_numbers():
    traces = 0

    def counting(function):
        def counted(*args):
            nonlocal traces
            traces += 1
            return function(*args)

        return counted

    counted = WALKER._replace(act=counting(WALKER.act), update=counting(WALKER.update))
    simulate(counted, WALK, **options_of())
    first = traces
    assert first > 0
    simulate(
        counted.with_params(step=2.0),
        WALK._replace(setup=np.float64(2.0)),
        horizon=25,
        seeds=7,
        root_seed=3,
        checkpoints=list(range(1, 10)),  # and the end: ten, as many as three
    )
    assert traces == first


def test_parameters_of_another_class():
    """The functions are the same, and the program is not."""

    class Other(NamedTuple):
        step: float = 1.0
        growth: float = 1.0

    other = WALKER._replace(params=Other())
    first, second = (simulate(each, WALK, **options_of()) for each in (WALKER, other))
    np.testing.assert_array_equal(first["regret"], second["regret"])


class Noted(NamedTuple):
    """A number that a policy is told, and reports."""

    alpha: float = 1.0


# Counts its pulls, recommends the arm of the last round, and says what it knows.
COUNTING = Policy(
    "counting",
    init=lambda params: jnp.zeros(2, jnp.int32),
    act=lambda noise, view, state, params: view.round % 2,
    update=lambda noise, view, state, action, feedback, params: (
        state + (jnp.arange(2) == action)
    ),
    params=Noted(),
    recommend=lambda state, params: jnp.sum(state) % 2,
    report=lambda state, params: {"alpha": params.alpha, "pulls": state},
)
# The judge likes arm 1 better.
JUDGED = budget_game.environment()._replace(
    judge=lambda instance, action: {"fault": 1.0 - action}
)


@pytest.fixture(scope="module")
def notes():
    """A policy with notes, swept over two points, beside one that says nothing."""
    silent = budget_game.ALTERNATE
    return simulate(
        [COUNTING.over(alpha=[0.5, 2.0]), silent],
        JUDGED,
        horizon=10,
        seeds=3,
        checkpoints=[1, 4],
    )


@pytest.mark.slow
def test_reports_are_metrics_at_every_checkpoint(notes):
    said = notes.sel(policy="counting")
    for point, alpha in enumerate((0.5, 2.0)):
        assert np.all(said["alpha"].isel(params=point) == alpha)
    pulls = said["pulls"]
    assert pulls.dims == ("params", "seed", "checkpoint", "pulls_0")
    expected = np.broadcast_to([[0, 1], [2, 2], [5, 5]], (2, 3, 3, 2))
    np.testing.assert_array_equal(pulls, expected)


def test_recommendations_are_judged_at_every_checkpoint(notes):
    fault = notes["fault"].sel(policy="counting")
    np.testing.assert_array_equal(fault, np.broadcast_to([0, 1, 1], (2, 3, 3)))


def test_what_a_policy_does_not_say_is_nan(notes):
    silent = notes.sel(policy="alternate")
    for name in ("alpha", "pulls", "fault"):
        assert np.all(np.isnan(silent[name]))
    np.testing.assert_array_equal(silent["first"][0, :, -1], [5, 5, 5])


def test_notes_do_not_change_the_run(notes):
    spent = notes["spent"]
    for point in range(2):
        said = spent.sel(policy="counting").isel(params=point)
        np.testing.assert_array_equal(said, spent.sel(policy="alternate")[0])


def test_an_environment_that_does_not_judge(notes):
    game = JUDGED._replace(judge=None)
    data = simulate(COUNTING, game, horizon=10, seeds=3, checkpoints=[1, 4])
    assert "fault" not in data
    np.testing.assert_array_equal(data["pulls"][0, 0], notes["pulls"][0, 0])


@pytest.mark.parametrize("name", ["spent", "fault", "rounds"])
def test_reports_need_names_of_their_own(name):
    """Not those of the environment's metrics and judgements, nor reserved ones."""
    policy = COUNTING._replace(report=lambda state, params: {name: params.alpha})
    with pytest.raises(ValueError, match=f"'{name}'"):
        simulate(policy, JUDGED, **options_of())
