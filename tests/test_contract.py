"""What simulate refuses of policies and environments, by name, before it compiles."""

import itertools
import random
from fractions import Fraction
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax import lax
from jax.experimental import io_callback

from jaxbandits import allocation, budgeted, censored, farewell, simulate
from jaxbandits.arrays import unit_interval
from jaxbandits.checks.points import points_from
from jaxbandits.contract.environment import environment_of
from jaxbandits.contract.round import check_round
from jaxbandits.engine import tape
from jaxbandits.protocol import Policy, View
from jaxbandits.testing import altered, check_environment, check_policy
from tests.engine import budget_game
from tests.tables import each_row, for_all

GAME = budget_game.environment()
GRID = censored.trap()
ANY = censored.indep(censored.ANY)


def policy(**changes):
    """Counts its pulls of two arms."""
    good = {
        "init": lambda params: {"pulls": jnp.zeros(2, jnp.int32)},
        "act": lambda noise, view, state, params: view.round % 2,
        "update": lambda noise, view, state, action, feedback, params: {
            "pulls": state["pulls"] + (jnp.arange(2) == action)
        },
        "words": (1, 0),
    }
    return Policy("mine", **(good | changes))


def playing(action):
    return policy(act=lambda noise, view, state, params: action)


def updating(change):
    return policy(update=lambda n, v, state, a, f, p: change(state))


def index(*positions):
    """An action whose positions are integers."""
    return [jnp.int32(position) for position in positions]


BROKEN = {
    "dtype of the state": (
        updating(lambda s: {"pulls": s["pulls"] + 0.5}),
        r"update changes the state\['pulls'\]: int32\[2\] became float32\[2\]",
    ),
    "shape of the state": (
        updating(lambda s: {"pulls": jnp.append(s["pulls"], 0)}),
        r"update changes the state\['pulls'\]: int32\[2\] became int32\[3\]",
    ),
    "structure of the state": (
        updating(lambda s: s["pulls"]),
        "update changes the structure of the state",
    ),
    "float64 of NumPy": (
        policy(init=lambda params: {"pulls": np.zeros(2)}),
        r"init failed: TypeError: state\['pulls'\] is a NumPy array of float64",
    ),
    "an error of its own": (
        policy(act=lambda n, v, s, p: {}["x"]),
        "act failed: KeyError: 'x'",
    ),
    "a choice by a traced value": (
        policy(act=lambda noise, v, s, p: 0 if v.round < 3 else 1),
        "act .* needs the value of a traced array .* choose by jnp.where",
    ),
    "no init": (policy(init=None), "init must be a function, got None"),
    "a key in the state": (
        policy(init=lambda params: {"key": jax.random.key(0)}),
        r"init must keep keys of jax.random out of the state\['key'\]: randomness",
    ),
    "no action": (playing(None), "act gives None, which is no action"),
    "one number for words": (policy(words=3), "words must be two integers"),
    "negative words": (policy(words=(-1, 0)), "words must be at least 0"),
    "text for words": (policy(words=("2", 0)), "words must be an integer"),
    "noise of others": (
        policy(act=lambda noise, v, s, p: (noise[5] > 0.5).astype(jnp.int32)),
        "act reads beyond its noise, which has 1 words",
    ),
    "words for a key": (
        policy(act=lambda noise, v, s, p: jax.random.randint(noise, (), 0, 2)),
        "act takes its noise for a key, but it is random 32-bit words",
    ),
    "words for numbers": (
        policy(act=lambda noise, v, s, p: (noise[0] < 0.5).astype(jnp.int32)),
        "act takes its noise for numbers",
    ),
    "randomness of NumPy": (
        policy(act=lambda n, v, s, p: (v.round + int(1e9 * np.random.rand())) % 2),
        "act is not a pure function",
    ),
    "a report that is a number": (
        policy(report=lambda s, p: 3.0),
        "report failed: TypeError: it must give names and arrays, got 3.0",
    ),
    "a report of a pair": (
        policy(report=lambda s, p: {"pair": (s["pulls"], s["pulls"])}),
        "report 'pair' is not an array",
    ),
    "a recommendation of another kind": (
        policy(recommend=lambda s, p: s["pulls"]),
        r"recommend gives int32\[2\], an action is int32\[\]",
    ),
}
for name in ("seed", "param_alpha"):
    report = {name: jnp.zeros(())}
    BROKEN[f"a report named {name}"] = (
        policy(report=lambda s, p, report=report: report),
        f"the name '{name}' is taken",
    )
for name in ("", "a/b"):
    report = {name: jnp.zeros(())}
    BROKEN[f"a report named {name!r}"] = (
        policy(report=lambda s, p, report=report: report),
        "report: a name must be printable, without slashes",
    )


@each_row("broken, message", BROKEN.values())
def test_broken_policies_are_refused_by_name(broken, message):
    where = "policy 'mine' in environment 'budget game'"
    for _ in range(2):  # the second time as well
        with pytest.raises((TypeError, ValueError), match=f"(?s){where}.*{message}"):
            check_round("mine", broken, GAME)


def test_good_policies_pass():
    check_round("mine", policy(), GAME)
    check_round("mine", policy(act=lambda noise, v, s, p: v.round % 2), GAME)
    inside = policy(
        words=(3, 0), act=lambda n, v, s, p: (n[1] > n[-1]).astype(jnp.int32)
    )
    check_round("mine", inside, GAME)


def second(noise):
    """Two draws of one word."""
    return (unit_interval(noise)[:2].sum() > 1).astype(jnp.int32)


def check_one_word_is_one_draw(who, game, where):
    """In play as in both checks: it would be the same draw under another index."""
    message = f"{where} reads beyond its noise, which has 1 words, at index 1"
    with pytest.raises(ValueError, match=message):
        simulate(who, game, horizon=5, seeds=1)
    for check in (check_policy, lambda who, game: check_environment(game, who)):
        with pytest.raises(AssertionError, match=message):
            check(who, game)


def test_one_word_is_one_draw():
    for_all(
        check_one_word_is_one_draw,
        [
            (policy(act=lambda n, v, s, p: second(n)), GAME, "act"),
            (
                policy(
                    update=lambda n, v, s, a, f, p: {"pulls": s["pulls"] + second(n)},
                    words=(0, 1),
                ),
                GAME,
                "update",
            ),
            (
                policy(),
                altered(GAME, step=lambda n, i, state, a: (state, second(n))),
                "the environment's step",
            ),
        ],
    )


def test_simulate_refuses_before_it_compiles(monkeypatch):
    def compiled(*args, **options):
        raise AssertionError("compiled")

    monkeypatch.setattr("jaxbandits.simulation.fill.play", compiled)
    broken, message = BROKEN["dtype of the state"]
    with pytest.raises(TypeError, match=f"policy 'a' in .*{message}"):
        simulate({"a": broken}, GAME, horizon=5, seeds=1)


WRONG_KINDS = {
    "an arm for a pair": (jnp.int32(0), GRID, "of type Action, got an array"),
    "a shape": (
        censored.Action(jnp.zeros(1, jnp.int32), jnp.int32(0)),
        GRID,
        r"arm must be an integer, int32\[\], got int32\[1\]",
    ),
    "a grid's pair": (censored.Action(*index(0, 0)), ANY, "RealAction, got Action"),
    "a real pair": (
        censored.RealAction(jnp.int32(0), jnp.float32(0.3)),
        GRID,
        "of type Action, got RealAction",
    ),
    "a real arm": (jnp.float32(1.0), budgeted.s_bt(3), "arm must be an integer"),
    "a wait that is a fraction": (
        farewell.Action(jnp.int32(0), jnp.float32(0.5)),
        farewell.optimum_in_the_middle(),
        "wait must be an integer",
    ),
    "an allocation to fewer arms": (
        allocation.Allocation(jnp.ones(2)),
        allocation.simulation(3),
        r"amounts must be real numbers, float32\[3\], got float32\[2\]",
    ),
}


@each_row("action, game, message", WRONG_KINDS.values())
def test_actions_of_another_kind_are_refused(action, game, message):
    idle = playing(action)._replace(update=lambda n, v, state, a, f, p: state)
    with pytest.raises(TypeError, match=f"act gives .*{message}"):
        check_round("mine", idle, game)


BROKEN_GAMES = {
    "dtype of the state": (
        {
            "step": lambda n, i, state, a: (
                state._replace(pulls=state.pulls + 0.5),
                n[0],
            )
        },
        r"the environment's step changes its state\.pulls: int32\[2\] became float32",
    ),
    "noise of others": (
        {"step": lambda noise, i, state, a: (state, noise[1])},
        "the environment's step reads beyond its noise",
    ),
    "no step": ({"step": None}, "the environment's step must be a function"),
    "randomness of NumPy": (
        {"sample": lambda key, setup: setup + np.random.randint(2)},
        "the environment's sample is not a pure function",
    ),
    "no pair": (
        {"step": lambda noise, instance, state, action: state},
        r"the environment's step must give a pair, \(env_state, feedback\), and gi",
    ),
    "three": (
        {"step": lambda *_: (jnp.zeros(3),) * 3},
        r"the environment's step must give a pair.* \(a tuple\)",
    ),
    "a round of another kind": (
        {"view": lambda round_, i, state: View(round_ * 1.0)},
        r"the environment's view must have the round as int32\[\], and has flo",
    ),
    "an instance of another kind": (
        {"sample": lambda key, setup: jnp.zeros(2), "view": lambda r, i, s: i.x},
        "the environment's view failed",
    ),
    "text for an amount": ({"spent": lambda *_: "x"}, "environment's spent failed"),
    "a view of nothing": (
        {"view": lambda round_, i, state: round_},
        r"the environment's view must give a View, .* gives int32\[\]",
    ),
    "spent or not": (
        {"spent": lambda i, state: state.spent > 5},
        r"spent must be a number, .* got bool\[\]",
    ),
}


@each_row("change, message", BROKEN_GAMES.values())
def test_broken_environments_are_refused_by_name(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_round("mine", policy(), altered(GAME, **change))


CIRCULAR: dict = {"source": []}
CIRCULAR["source"].append(CIRCULAR)


def check_what_is_no_environment_is_refused(value, message):
    with pytest.raises((TypeError, ValueError), match=message):
        environment_of(value)


def test_what_is_no_environment_is_refused():
    for_all(
        check_what_is_no_environment_is_refused,
        [
            ("indep", "environment must be an Environment .*, got 'indep'"),
            (None, "environment must be an Environment .*, got None"),
            (censored.indep, "got the function indep; call the factory"),
            (policy(), "got the Policy 'mine'"),
            ([GAME], "environment must be an Environment"),
            (GAME._replace(name=None), "environment.name must be a string"),
            (altered(GAME, words=-1), "game: words must be >= 0"),
            (GAME._replace(setup=np.array([1, np.nan])), "setup holds NaN"),
            (GAME._replace(setup="numbers"), "setup must be a real number or an array"),
            (GAME._replace(provenance={"f": print}), "provenance.f: .* no JSON form"),
            (GAME._replace(provenance="mine"), "provenance must be a mapping, got"),
            (GAME._replace(provenance=CIRCULAR), "provenance must have an end"),
            (GAME._replace(setup=jax.random.key(0)), "setup must be a real number"),
            (
                GAME._replace(setup=np.ma.array([1], mask=[True])),
                "setup must be a real",
            ),
            (GAME._replace(setup=2**70), "setup must be numbers of 64 bits or less"),
            (altered(GAME, metrics=None), "metrics must be a function, got None"),
            (GAME._replace(judge=3), "judge must be a function or None, got 3"),
            (GAME._replace(oracle=3), "oracle must be a function or None, got 3"),
            (altered(GAME, actions=3), "actions must be a Actions or None, got 3"),
        ],
    )


INT32, UINT32 = np.iinfo(np.int32), np.iinfo(np.uint32)
LARGEST, SMALLEST = np.finfo(np.float32).max, np.finfo(np.float32).tiny
KEPT = st.one_of(
    st.integers(INT32.min, INT32.max),
    st.integers(0, UINT32.max).map(np.uint32),
    st.floats(width=32, allow_nan=False, allow_subnormal=False).map(float),
    st.floats(SMALLEST, LARGEST),
    st.booleans(),
)
CHANGED = st.one_of(
    st.integers(INT32.max + 1, 2**63 - 1),
    st.integers(-(2**63), INT32.min - 1),
    st.integers(UINT32.max + 1, 2**64 - 1).map(np.uint64),
    st.floats(min_value=float(LARGEST) * 1.01, allow_infinity=False),
    st.floats(0.0, float(SMALLEST) * 0.99, exclude_min=True),
    st.just(np.nan),
)


@given(kept=st.lists(KEPT, max_size=3), changed=CHANGED)
def test_a_setup_is_played_as_it_was_given_or_refused(kept, changed):
    environment_of(GAME._replace(setup={"kept": kept}))
    with pytest.raises(ValueError, match=r"'budget game': setup\['changed'\]\[1\] "):
        environment_of(GAME._replace(setup={"changed": [0, np.atleast_1d(changed)]}))


def test_a_policy_that_cannot_be_made_is_named():
    def lost(problem):
        return {}["horizon"]

    with pytest.raises(ValueError, match="'mine'. cannot be made: KeyError: 'horizon'"):
        simulate({"mine": lost}, GAME, horizon=5, seeds=1)


TABLES = {
    "a number": (lambda instance: 3, "tables must have arrays of 1 rows, one"),
    "text": (lambda instance: ["a"], "tables must hold numbers, got 'a'"),
    "two rows": (lambda instance: np.ones(2), r"tables must have .* got shape \[2\]"),
    "an error": (lambda instance: instance.gaps, "tables failed: AttributeError: "),
}


@each_row("tables, message", TABLES.values())
def test_tables_that_metrics_cannot_have(tables, message):
    with pytest.raises((TypeError, ValueError), match=f"'budget game': {message}"):
        simulate(policy(), GAME._replace(tables=tables), seeds=2, horizon=5)


def test_a_judge_that_fails_is_named():
    judging = GAME._replace(judge=lambda instance: {})
    mine = policy(recommend=lambda state, params: state["pulls"][0] % 2)
    with pytest.raises(ValueError, match="'budget game': judge failed: TypeError"):
        simulate(mine, judging, seeds=2, horizon=5)


RARELY = itertools.cycle([0, 0, 1])
KEY, RAW_KEY = jax.random.key(0), jax.random.PRNGKey(0)
CHOICES = jnp.arange(2)


def words_of_the_game(view):
    """What the environment is about to draw for one seed."""
    key = tape.stream_key(tape.root_key(0), jnp.uint32(0), tape.Stream.ENVIRONMENT)
    return tape.draw_words(key, view.round, 1)


def in_a_loop(noise):
    """A key of its own, split in a loop that has the noise as well."""

    def turn(i, carry):
        key, total = carry
        key, own = jax.random.split(key)
        return key, total + noise[0] * jax.random.bits(own)

    return lax.fori_loop(0, 3, turn, (jax.random.key(0), jnp.uint32(0)))[1]


OWN_DRAWS = {
    "a key": lambda noise, view: jax.random.choice(jax.random.key(0), CHOICES),
    "a key of the round": lambda noise, view: jax.random.choice(
        jax.random.fold_in(KEY, view.round), CHOICES
    ),
    "an old key": lambda noise, view: jax.random.randint(RAW_KEY, (), 0, 2),
    "a key beside noise": lambda noise, view: (
        noise[0] + jax.random.bits(jax.random.key(0))
    ),
    "a key in a branch": lambda noise, view: lax.cond(
        noise[0] > 9, lambda: jax.random.bits(KEY), lambda: noise[0]
    ),
    "a key in a loop": lambda noise, view: in_a_loop(noise),
    "the environment's words": lambda noise, view: words_of_the_game(view)[0],
    "a callback": lambda noise, view: io_callback(
        lambda: np.int32(1), jax.ShapeDtypeStruct((), np.int32)
    ),
}


@each_row("draw", OWN_DRAWS.values())
def test_draws_that_are_not_made_of_noise_are_refused(draw):
    def drawing(noise, view, state, params):
        return (draw(noise, view) % 2).astype(jnp.int32)

    with pytest.raises(ValueError, match="act .* draws .* not made of noise"):
        check_round("mine", policy(act=drawing), GAME)


def test_draws_that_are_made_of_noise_pass():
    def act(noise, view, state, params):
        key = jax.random.fold_in(jax.random.wrap_key_data(noise), view.round)
        other = jax.random.fold_in(jax.random.key(0), noise[0])
        return jax.random.choice(key, CHOICES) ^ jax.random.choice(other, CHOICES)

    check_round("mine", policy(act=act, words=(2, 0)), GAME)


HIDDEN = {
    "another constant in one trace of three": (
        policy(act=lambda n, v, s, p: (v.round + next(RARELY)) % 2),
        "act is not a pure function",
    ),
    "noise of others, in some rounds": (
        policy(act=lambda noise, v, s, p: (noise[v.round // 20] % 2).astype(jnp.int32)),
        "act: out-of-bounds indexing for array of shape .1,.: index 1",
    ),
    "noise of others, as a state has it": (
        policy(
            update=lambda noise, v, s, a, f, p: {
                "pulls": s["pulls"] + (noise[s["pulls"][0] // 9] % 2).astype(jnp.int32)
            },
            words=(0, 1),
        ),
        "update: out-of-bounds indexing for array of shape .1,.: index 1",
    ),
}


@each_row("broken, message", HIDDEN.values())
def test_check_policy_finds_what_play_does_not_show(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_policy(broken, GAME)


def test_positions_are_those_of_the_rounds_that_were_played():
    """One that would be wrong in a state that never is is none."""

    def act(noise, view, state, params):
        return (noise[view.round - state["start"]] % 2).astype(jnp.int32)

    def update(noise, view, state, action, feedback, params):
        ends = view.round - state["start"] == 2
        return {"start": jnp.where(ends, view.round + 1, state["start"])}

    of_threes = {"act": act, "update": update, "words": (3, 0)}
    check_policy(policy(init=lambda params: {"start": jnp.int32(1)}, **of_threes), GAME)


def test_draws_of_another_thread_are_not_the_policys():
    """As in a worker of Dask, whose event loop draws from `random` now and then."""

    def act(noise, view, state, params):
        random.random()  # As if by another thread: nothing here depends on it.
        np.random.rand()
        return view.round % 2

    check_policy(policy(act=act), GAME)


def test_check_policy_finds_recommendations_out_of_range():
    good = censored.Action(*index(0, 0))
    bad = censored.Action(*index(0, 2))
    idle = playing(good)._replace(
        init=lambda params: (),
        update=lambda n, v, state, a, f, p: state,
        recommend=lambda state, params: bad,
    )
    with pytest.raises(AssertionError, match="recommend gives .* not an Action of an"):
        check_policy(idle, GRID)


CONTINUUM = censored.indep(censored.ANY).problem
MONEY = budgeted.s_bt(3).problem
WAITS = farewell.figure_1a()


@pytest.mark.parametrize(
    ("lift", "message"),
    [
        (
            lambda: censored.on_grid(
                CONTINUUM, [0.5, 1.0], lambda q: censored.rcucb(GRID.problem)
            ),
            r"make\(problem\) must be made from the .*'RCUCB' was built for another",
        ),
        (
            lambda: censored.on_grid(CONTINUUM, 3, lambda q: budgeted.uniform(MONEY)),
            "'uniform' was built for a Problem of budgeted",
        ),
        (
            lambda: censored.on_grid(CONTINUUM, 3, lambda q: 3),
            r"make\(problem\) must be a Policy .*, got 3",
        ),
        (
            lambda: censored.product_arms(
                GRID.problem, lambda n: budgeted.clairvoyant(MONEY)
            ),
            r"plain\(2\) must be made of 2 arms, .* 'clairvoyant' was built for a",
        ),
        (
            lambda: censored.product_arms(GRID.problem, lambda n: n),
            r"plain\(2\) must be a Policy .*, got 2",
        ),
        (
            lambda: farewell.on_rewards(
                WAITS.problem, lambda n: budgeted.uniform(MONEY)
            ),
            r"plain\(\d+\) must be made of \d+ arms, .* 'uniform' was built for a",
        ),
        (
            lambda: farewell.on_pairs(WAITS.problem, budgeted.uniform(MONEY)),
            r"policy must be built for as_arms\(problem, 1\)",
        ),
    ],
)
def test_a_policy_of_another_problem_is_not_lifted(lift, message):
    with pytest.raises((TypeError, ValueError), match=message):
        lift()


def test_what_asks_an_oracle_cannot_play_pairs():
    arms = farewell.as_arms(WAITS.problem)
    lifted = farewell.on_pairs(WAITS.problem, budgeted.clairvoyant(arms))
    with pytest.raises(ValueError, match="act failed: .*oracle.best does not exist"):
        check_round("clairvoyant", lifted, WAITS)


class Count(NamedTuple):
    """A parameter."""

    count: int = 1


UNCLEAR = {
    "a list of words": (policy(words=[1, 0]), {}, "words must be .* in a tuple"),
    "text for a state": (policy(init=lambda p: "a"), {}, "init failed: .* return arr"),
    "text for an action": (playing("a"), {}, "act failed: .* got 'a'"),
    "a default beyond float32": (
        policy(params=Count(2**24 + 1)),
        {},
        "params.count must be an integer that float32 holds",
    ),
    "a default of NumPy beyond float32": (
        policy(params=Count(np.uint32(2**32 - 1))),
        {},
        "or a float, which is rounded, got 4294967295",
    ),
    "a swept value beyond float32": (
        policy(params=Count()),
        {"count": [1, 2**31 - 1]},
        "over: count must be an integer that float32 holds",
    ),
}


@pytest.mark.parametrize("name", UNCLEAR)
def test_what_play_would_change_or_not_take_is_refused_by_name(name):
    broken, grid, message = UNCLEAR[name]
    with pytest.raises((TypeError, ValueError), match=message):
        simulate(broken.over(**grid), GAME, horizon=5, seeds=1)


@pytest.mark.parametrize("count", [2**25, float(2**24 + 1), Fraction(1, 2)])
def test_numbers_of_other_kinds_are_parameters(count):
    made = policy(params=Count(count))
    check_policy(made, GAME, 5)
    data = simulate(made, GAME, horizon=5, seeds=1)
    assert data["param_count"].item() == count


def test_the_end_of_a_game_may_be_rounded():
    """A horizon in the millions is no worse for a digit."""
    points = points_from({"horizon": [2**24 + 1], "budget": [2**24 + 3]})
    assert points.row(0) == {"horizon": 2**24 + 1, "budget": 2**24 + 3}
