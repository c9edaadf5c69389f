"""The tools for people who write policies: plain play, and checks that can fail."""

import ast
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxbandits
from jaxbandits import budgeted, simulate
from jaxbandits.arrays import pick, unit_interval
from jaxbandits.engine.tape import Stream, read
from jaxbandits.protocol import Actions, View
from jaxbandits.testing import altered, check_environment, check_policy, trace_run
from tests.engine.budget_game import ALTERNATE, cost_of, environment
from tests.games import paid_coins
from tests.reference.words import grid
from tests.rollout import run_of

GAME = environment()


def test_play_records_every_round():
    trace = trace_run(ALTERNATE, GAME, 50, root_seed=4, seed_index=3)
    noise = grid(read(4, 3, Stream.ENVIRONMENT, 50, 1))[:, 0]
    assert trace.actions.tolist() == [t % 2 for t in range(1, 51)]
    costs = [int(cost_of(u, t % 2, 1)) for t, u in enumerate(noise, start=1)]
    assert trace.feedback.tolist() == costs
    assert trace.environment.spent == sum(costs)
    assert trace.environment.pulls.tolist() == [25, 25]


def test_play_takes_other_seeds_and_setups_without_a_new_trace():
    traces = 0

    def act(noise, view, state, params):
        nonlocal traces
        traces += 1
        return view.round % 2

    policy = ALTERNATE._replace(act=act)
    runs = [trace_run(policy, GAME, 20)]
    first = traces
    runs += [
        trace_run(policy, GAME, 20, seed_index=1),
        trace_run(policy, GAME, 20, root_seed=7),
    ]
    # Another scale of costs is another `setup` of the same functions.
    runs.append(trace_run(policy, GAME._replace(setup=np.int32(5)), 20))
    assert traces == first > 0
    assert len({run.feedback.tobytes() for run in runs}) == 4


def test_good_ones_pass():
    check_policy(ALTERNATE, GAME)
    check_environment(GAME, ALTERNATE)


class Rate(NamedTuple):
    """A parameter."""

    rate: float


def counter(**changes):
    """A policy that counts its pulls, one of them wrong."""
    good = {
        "init": lambda params: jnp.zeros(2, jnp.int32),
        "act": lambda noise, view, state, params: view.round % 2,
        "update": lambda noise, view, state, action, feedback, params: (
            state + (jnp.arange(2) == action)
        ),
    }
    return ALTERNATE._replace(**(good | changes))


def test_every_draw_has_its_words_of_the_tape():
    """The instance, and what acts, updates and steps read, round by round."""
    policy = counter(
        init=lambda params: jnp.zeros(2, jnp.uint32),
        act=lambda noise, view, state, params: (noise[0] >> 31).astype(jnp.int32),
        update=lambda noise, view, state, action, feedback, params: 3 * state + noise,
        words=(1, 2),
    )
    unit = altered(
        GAME, sample=lambda key, setup: (jax.random.bits(key) >> 20).astype(jnp.int32)
    )
    runs = (play(policy, unit, 50, seed_index=3) for play in (trace_run, run_of))
    jax.tree.map(np.testing.assert_array_equal, *runs)


def refusing(params):
    assert params == ()
    raise ValueError("nobody may play this")


BAD_POLICIES = {
    "no policy": (3, "not a Policy"),
    "params": (counter(params=Rate(np.inf)), "finite"),
    "NaN for params": (counter(params=Rate(np.nan)), "rate must be a number, got NaN"),
    "text for params": (counter(params=Rate("a")), "rate must be a real number"),
    "a plain tuple": (counter(params=(0.5,)), "params must be a NamedTuple"),
    "no name": (counter(name=None), "policies: a name must be a string, got None"),
    "no check": (counter(check=3), "check must be a function"),
    "scalar state": (counter(init=lambda params: 0), "init returned 0, not an array"),
    "a state of NumPy": (
        counter(init=lambda params: np.zeros(2, np.int32)),
        "init returned an array of NumPy, not an array of JAX: make it with jax.numpy",
    ),
    "a check that refuses": (counter(check=refusing), "nobody may play this"),
    "NaN in between": (
        counter(
            init=lambda params: {"x": jnp.zeros(2)},
            update=lambda n, v, s, a, f, p: {
                "x": jnp.where(v.round == 9, jnp.nan, s["x"] * 0 + 1)
            },
            act=lambda n, v, s, p: jnp.int32(0),
        ),
        r"state\['x'\] must not hold NaN, and does in round 9",
    ),
    "a choice by an entry that the state has not": (
        counter(act=lambda noise, view, state, params: state[7] % 2),
        "act reads beyond 2 entries, at index 7 of an array",
    ),
    "a count that is written beyond the state": (
        counter(update=lambda n, v, state, a, f, p: state.at[a + 5].add(1)),
        "policy '.*': update: .*out-of-bounds indexing",
    ),
    "a check that returns what it should raise": (
        counter(check=lambda params: False),
        "check of policy '.*' must raise a ValueError .* got False",
    ),
}

for notes, message in [
    ({"report": lambda s, p: {"spent": s}}, "policy.report names .'spent'., which"),
    (
        {"report": lambda s, p: {"pulls": s[7]}},
        "report reads beyond 2 entries, at index 7 of an array",
    ),
    (
        {"report": lambda s, p: {"pulls": s * 1j}},
        r"report 'pulls' must be real, got complex64\[2\]",
    ),
    ({"report": lambda s, p: {"pulls": jnp.log(-1.0 - s)}}, "report 'pulls' is NaN"),
]:
    BAD_POLICIES[message] = counter(**notes), message


def test_good_notes_pass():
    """A recommendation like an action, reports of any shape; infinity is allowed."""
    check_policy(
        counter(
            recommend=lambda state, params: state[0] % 2,
            report=lambda state, params: {"pulls": state, "width": jnp.inf + state},
        ),
        GAME,
    )


def test_bad_policies_fail_with_the_clause_they_break(subtests):
    for name in BAD_POLICIES:
        with subtests.test(name=name):
            policy, message = BAD_POLICIES[name]
            with pytest.raises(AssertionError, match=message):
                check_policy(policy, GAME)


def test_noise_of_another_length_fails():
    hungry = counter(act=lambda noise, view, s, p: noise.reshape(2).argmax())
    with pytest.raises(AssertionError, match="act failed: TypeError"):
        check_policy(hungry, GAME)
    check_policy(hungry._replace(words=(2, 0)), GAME)


def test_clauses_are_no_assert_statements():
    """Python drops those with -O. One without a message is for type checkers only."""
    for path in Path(jaxbandits.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text())
        clauses = [x for x in ast.walk(tree) if isinstance(x, ast.Assert) and x.msg]
        assert not clauses, f"{path}, line {clauses[0].lineno}"


DRAWN = np.random.default_rng(0)
FIXED_KEY = jax.random.key(0)


def arms(count, counted):
    """The actions of a game, of which the two arms may be fewer or more."""
    return Actions(
        f"an arm below {count}", lambda i, a: jnp.asarray(a) < count, counted
    )


def of_host(spent):
    """An amount above another by what the host draws."""

    def drawn(spent):
        return np.asarray(spent + DRAWN.integers(1, 1000), np.int32)

    shape = jax.ShapeDtypeStruct((), jnp.int32)
    return jax.pure_callback(drawn, shape, spent, vmap_method="sequential")


MONEY = paid_coins([0.5] * 2, [0.5] * 2)


def answering(change):
    """A game whose step gives other feedback."""

    def step(*given):
        state, feedback = MONEY.game.step(*given)
        return state, change(feedback)

    return altered(MONEY, step=step)


BAD_ENVIRONMENTS = {
    "feedback of another shape": (
        answering(lambda given: given._replace(reward=given.reward[None])),
        "the environment's step: feedback.reward must be one number",
    ),
    "no feedback": (
        answering(lambda given: None),
        r"the environment's step: feedback must be Feedback.reward, cost\)",
    ),
    "fractions by the clock": (
        altered(GAME, by_the_clock=True, spent=lambda i, state: state.spent / 2),
        "spent must be in whole units",
    ),
    "init of none": (altered(GAME, init=lambda i: None), "step failed: AttributeError"),
    "no environment": (3, "not an Environment"),
    "scalar state": (altered(GAME, init=lambda instance: 0), "not an array"),
    "NaN feedback": (
        altered(
            GAME, step=lambda n, i, state, a: (state, unit_interval(n[0]) * jnp.nan)
        ),
        "feedback holds NaN",
    ),
    "a complex metric": (
        altered(GAME, metrics=lambda t, i, r: {"spent": r.spent * 1j}),
        "'spent' must be a real number",
    ),
    "metric of infinity": (
        altered(GAME, metrics=lambda t, i, r: {"spent": r.spent / 0}),
        "'spent' is not finite",
    ),
    "metric's name": (
        altered(GAME, metrics=lambda t, i, r: {"seed": r.spent}),
        "metrics: the name 'seed' is taken",
    ),
    "spent that falls": (
        altered(GAME, spent=lambda i, state: state.spent % 9),
        "spent must be a number >= 0 that never falls, which it is not in round",
    ),
    "spent of NaN": (
        altered(GAME, spent=lambda i, state: jnp.nan * state.spent),
        "spent must be a number .* not at the start",
    ),
    "another round in the view": (
        altered(GAME, view=lambda round_, i, state: View(jnp.minimum(round_, 7))),
        "view shows not round 8 in it",
    ),
    "a judge of another shape": (
        GAME._replace(judge=lambda instance, action: {"gap": action[0]}),
        "judge must give one number per run and checkpoint",
    ),
    "a judge that fails": (GAME._replace(judge=lambda instance: {}), "judge failed"),
    "an oracle that fails": (
        GAME._replace(oracle=lambda: 3.0),
        "the environment's oracle failed",
    ),
    "an oracle of nothing": (
        GAME._replace(oracle=lambda instance: {"best": np.array([np.nan])}),
        "oracle must know numbers, got",
    ),
    "metrics of a generator": (
        altered(GAME, metrics=lambda t, i, r: {"spent": r.spent + DRAWN.random()}),
        "metrics is not a pure function",
    ),
    "metrics of a key": (
        altered(GAME, metrics=lambda t, i, r: {"spent": jax.random.uniform(FIXED_KEY)}),
        "metrics .* draws random numbers",
    ),
    "tables of a generator": (
        GAME._replace(tables=lambda instance: DRAWN.random(1)),
        "tables gives something else each time",
    ),
    "an oracle of a generator": (
        GAME._replace(oracle=lambda instance: DRAWN.random(1)),
        "oracle gives something else each time",
    ),
    "a judge of a generator": (
        GAME._replace(judge=lambda i, a: {"gap": DRAWN.random(a.shape)}),
        "judge gives something else each time",
    ),
    "a word by the arm that is played": (
        altered(GAME, words=1, step=lambda n, i, s, a: (s, unit_interval(n)[a])),
        "step: out-of-bounds indexing for array of shape .1,.: index 1",
    ),
    "a word picked by the arm that is played": (
        altered(GAME, words=1, step=lambda n, i, s, a: (s, pick(unit_interval(n), a))),
        "step: out-of-bounds indexing for array of shape .1,.: index 1",
    ),
    "pulls that are counted twice": (
        altered(GAME, record=lambda i, state, b: state._replace(pulls=2 * state.pulls)),
        "the sum of pulls .* must be the number of rounds, and is up to 30 more",
    ),
    "rounds that are counted thrice": (
        altered(GAME, actions=arms(2, lambda i, record: 3 * jnp.sum(record.pulls))),
        "game.actions.counted must be the number of rounds, and is up to 60 more",
    ),
    "an action that the game has not": (
        altered(GAME, actions=arms(1, lambda i, record: jnp.sum(record.pulls))),
        "policy 'alternate' plays 1 in round 1, not an arm below 1",
    ),
    "a metric of an entry that is not there": (
        altered(GAME, metrics=lambda t, i, r: {"x": r.pulls[7]}),
        "metrics reads beyond 2 entries, at index 7 of an array",
    ),
    "a metric of an entry beyond what the record counts": (
        altered(GAME, metrics=lambda t, i, r: {"x": r.pulls[r.spent]}),
        "metrics: out-of-bounds indexing",
    ),
    "a step that reads beyond a table": (
        altered(GAME, step=lambda n, i, s, a: (s, s.pulls[a + 2])),
        "the environment's step: .*out-of-bounds indexing",
    ),
    "a judge that uses a metric's name": (
        GAME._replace(judge=lambda instance, action: {"spent": 1.0 * action}),
        r"judge names \['spent'\], which the results have",
    ),
    "a callback that draws in a step": (
        altered(GAME, step=lambda n, i, s, a: (s._replace(spent=of_host(s.spent)), a)),
        "a run is not a pure function of its seed: played again, it is another",
    ),
    "a callback that draws in metrics": (
        altered(GAME, metrics=lambda t, i, r: {"x": of_host(r.spent)}),
        "metrics gives something else each time",
    ),
    "a key in a step": (
        altered(GAME, step=lambda n, i, state, a: (state, jax.random.bits(FIXED_KEY))),
        "step .* draws random numbers",
    ),
}


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_bad_environments_fail_with_the_clause_they_break(subtests, monkeypatch):
    """Of two traces of each function; tests/test_contract.py needs more."""
    monkeypatch.setattr("jaxbandits.contract.round.MOST_TRACES", 2)
    for name in BAD_ENVIRONMENTS:
        with subtests.test(name=name):
            game, message = BAD_ENVIRONMENTS[name]
            with pytest.raises(AssertionError, match=message):
                check_environment(game, ALTERNATE)


def test_books_are_closed_over_the_instance_that_was_played():
    """Costs are those of a drawn scale, which the metrics know."""

    def scaled(tables, instance, record):
        return {"units": jnp.log(1.0 - record.spent % instance)}

    drawn = altered(
        GAME,
        sample=lambda key, setup: (2 + jax.random.bits(key) // 4096).astype(jnp.int32),
        metrics=scaled,
    )
    check_environment(drawn, ALTERNATE)


def test_play_refuses_what_simulate_refuses():
    game = budgeted.s_bt(3)
    of_two = budgeted.omega_ucb(budgeted.s_bt(2).problem)
    with pytest.raises(ValueError, match="was built for num_arms = 2"):
        trace_run(of_two, game, 5)
    mine = budgeted.omega_ucb(game.problem)
    with pytest.raises(ValueError, match="rho"):
        trace_run(mine, game, 5, params=mine.params._replace(rho=np.nan))
    with pytest.raises(TypeError, match="params must be Params of"):
        trace_run(mine, game, 5, params=(1.0,))
    with pytest.raises(ValueError, match="must know the budget"):
        trace_run(budgeted.share_ucb(game.problem), game, 5)


class Ends(NamedTuple):
    """How a game ends."""

    horizon: float = 1000.0
    budget: float = 1000.0


def test_play_tells_a_policy_the_horizon():
    policy = counter(
        params=Ends(),
        game_params=("horizon",),
        act=lambda n, v, s, p: (2 * v.round > p.horizon).astype(jnp.int32),
    )
    for params in (None, {"horizon": 40}):
        trace = trace_run(policy, GAME, 40, params=params)
        assert trace.actions.tolist() == [0] * 20 + [1] * 20


@pytest.mark.parametrize("end", Ends._fields)
def test_checks_tell_a_policy_how_many_rounds_are_played(end):
    """What is told another number recommends an arm that the game has not."""
    game = altered(GAME, actions=arms(2, lambda i, record: jnp.sum(record.pulls)))

    def recommend(state, params):
        return jnp.where(getattr(params, end) == 40, 0, 9)

    check_policy(
        counter(params=Ends(), game_params=(end,), recommend=recommend), game, 40
    )


def test_statistics_below_0_are_a_policys_own_affair():
    """An arm that is none yet, and wins minus losses."""

    def update(noise, view, state, action, feedback, params):
        last, surplus = state
        return action, surplus + jnp.where(feedback > 2, 1, -1)

    check_policy(
        counter(init=lambda params: (jnp.int32(-1), jnp.int32(0)), update=update), GAME
    )


def test_play_refuses_books_that_are_not_the_games():
    game, _ = BAD_ENVIRONMENTS["pulls that are counted twice"]
    policy = ALTERNATE._replace(recommend=lambda state, params: jnp.int32(0))
    with pytest.raises(ValueError, match="sum of pulls on record .* is up to 6"):
        simulate(policy, game, horizon=6, seeds=2, checkpoints=[6])
