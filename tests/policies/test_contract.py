"""Every policy of the registry plays and keeps its contract.

All are played in the engine on the oldest JAX that is supported as well (`oldest`). The
short run has few: twins follow the play of the others. In the long run `check_policy`
plays all.
"""

import types
import typing
from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jaxtyping import Int32, jaxtyped

from jaxbandits import allocation, censored, farewell
from jaxbandits.checks import (
    AboveOne,
    AtLeastOne,
    BetweenZeroAndOne,
    NonNegative,
    Positive,
)
from jaxbandits.contract.round import check_round
from jaxbandits.engine.cpu import lanes
from jaxbandits.engine.legs import SCAN
from jaxbandits.testing import check_policy
from tests.engine.legs import begin, compiled, numbers_of, play, rules_of
from tests.games import GAMES, OWN_GAMES, coins, game_for
from tests.heavy import in_short
from tests.precision import numbers, wide_values
from tests.registered import FORMS, PLAIN, POLICIES
from tests.shapes import unlike
from tests.tables import assert_refused

pytestmark = pytest.mark.usefixtures("quickly")

ROUNDS, ENGINE_ROUNDS, RUNS = 1000, 12, 64
# One with a budget, and one with a clock.
PLAYED_SHORT = {"budgeted/m-ucb", "farewell/fixed"}
# Of every setting those that are traced soon: twins of the short run play the others.
TRACED_SHORT = {
    "allocation/clairvoyant",
    "budgeted/price-thompson",
    "censored/fixed",
    "censored/rcucb",
    "combinatorial/cucb",
    "continuum/zooming",
    "dueling/uniform",
    "farewell/fixed",
    "ordered/ucb",
}

# Small games whose laws XLA compiles quickly.
LIGHT_GAMES = GAMES | {
    "censored": coins,
    "continuum": lambda: coins(censored.ANY),
    "combinatorial": lambda: censored.combinatorial(coins([0.3, 0.7]), 2),
    "dueling": lambda: censored.duels(coins([0.3, 0.7])),
    "ordered": lambda: allocation.ordered(allocation.simulation(3, 8.0), [2, 8]),
}

# What the engine has no rule of its own for, by setting: normal scores (from JAX 0.12
# on), and a table that every run reads at a place of its own; and, once for every run,
# the draw of an instance.
DRAWN = {"bitcast_convert_type", "random_bits", "random_wrap"}
NORMAL_SCORES = {"polynomial"}
FALLS_BACK = {
    "censored": NORMAL_SCORES,
    "continuum": NORMAL_SCORES | {"dynamic_slice"},
    "combinatorial": NORMAL_SCORES,
    "dueling": NORMAL_SCORES,
}


@cache
def light_game(setting):
    return LIGHT_GAMES[setting]()


def light_game_for(name):
    """A game of the setting of a policy, of which 1,000 rounds are played soon."""
    own = OWN_GAMES.get(name)
    return own() if own else light_game(name.split("/")[0])


@pytest.fixture
def fallen_back(monkeypatch):
    """Names of operations that fell back to ``jax.vmap``, while there are programs."""
    names = set()
    fallback = lanes._fallback

    def noted(eqn, inputs):
        names.add(eqn.primitive.name)
        return fallback(eqn, inputs)

    monkeypatch.setattr(lanes, "_fallback", noted)
    return names


def in_the_engine(name):
    """The program of a few rounds of some runs in the engine, and its arguments."""
    environment = light_game_for(name)
    policy = POLICIES[name](environment.problem)
    rules = rules_of(policy, environment, SCAN)

    def first_rounds(*numbers):
        # A unit of the budget may be a small part of what a round costs.
        target = jnp.full(RUNS, ENGINE_ROUNDS * (40 if rules.by_budget else 1))
        return play(rules, *begin(rules, RUNS, *numbers), target)

    return compiled(first_rounds), numbers_of(policy, environment, RUNS)


def assert_mapped(name, fallen_back):
    """All operations have a rule in the engine, but for those that are known."""
    known = FALLS_BACK.get(name.split("/")[0], set())
    assert fallen_back - DRAWN <= known


@pytest.mark.oldest
@pytest.mark.parametrize("name", in_short(PLAIN, {*PLAIN} - PLAYED_SHORT))
def test_policy_plays_and_keeps_the_contract(name, fallen_back):
    play_and_keep(name, fallen_back)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_form_of_a_policy_plays(name, fallen_back):
    play_and_keep(name, fallen_back)


@pytest.mark.parametrize("name", in_short(POLICIES, {*POLICIES} - {"farewell/fixed"}))
def test_a_run_of_a_policy_keeps_the_contract(name):
    game = light_game_for(name)
    check_policy(POLICIES[name](game.problem), game, rounds=ROUNDS)


def play_and_keep(name, fallen_back):
    game = light_game_for(name)
    check_round(name, POLICIES[name](game.problem), game)
    program, numbers = in_the_engine(name)
    carry = program(*numbers)
    assert not any(np.isnan(x).any() for x in jax.tree.leaves(carry))
    rounds, by_budget = carry.round - 1, game.game.spent is not None
    assert np.all(rounds >= 2) if by_budget else np.all(rounds == ENGINE_ROUNDS)
    assert_mapped(name, fallen_back)


@pytest.mark.oldest
def test_an_engine_makes_a_program_of_epochs_by_the_clock_and_samples(fallen_back):
    program, numbers = in_the_engine("farewell/hazard-thompson")
    program.lower(*numbers)
    assert_mapped("farewell/hazard-thompson", fallen_back)


# A round that is traced, in both precisions.


@pytest.mark.parametrize("name", in_short(POLICIES, {*POLICIES} - TRACED_SHORT))
def test_a_round_of_a_policy_keeps_the_contract(name):
    """Nothing is compiled: states, actions, views and feedback are as annotated.

    An array that is annotated as `Array` only would pass unseen, so that there is none.
    No dtype is promoted in silence: a flag that is counted, a count that is divided,
    say what they become. And nothing that was met under 64 bits stays as wide under 32.
    """
    environment = game_for(name)
    with jax.enable_x64(True):
        texts, _ = traced(POLICIES[name], environment)
        assert not texts
    texts, program = traced(POLICIES[name], environment)
    assert not texts and not wide_values(program)
    policy = POLICIES[name](environment.problem)
    looked_at_in_play = check_round(name, policy, environment, compared="policy")
    assert not looked_at_in_play


def traced(make, environment):
    """What is not as annotated, in the policy's part and in the game's; the program."""
    texts = []
    policy = make(environment.problem)

    def look():
        theirs, games = of_a_round(policy, environment)
        for part in (theirs, games):
            with jaxtyped("context"):
                texts.extend(unlike(part))
            texts.extend(without_a_shape(part))
        made = (theirs["state"], policy.params, games["action"])
        # What is made of another policy says what that one does.
        if not {"make", "plain"} & set(make.arguments):
            texts.extend(not_as_told(make.factory, made))
        return theirs, games

    with jax.numpy_dtype_promotion("strict"):
        return texts, jax.make_jaxpr(look)()


def of_a_round(policy, environment):
    """Everything that passes in a round, by name."""
    game = environment.game
    # So that a game is traced once for all its policies.
    sample, init, see, step = map(
        jax.jit, (game.sample, game.init, game.view, game.step)
    )
    setup, params = numbers(environment.setup), numbers(policy.params)
    instance = sample(jax.random.key(0), setup)
    books = init(instance)
    view = see(jnp.int32(1), instance, books)
    state = policy.init(params)
    action = policy.act(words(policy.words[0]), view, state, params)
    after, feedback = step(words(game.words), instance, books, action)
    now = policy.update(words(policy.words[1]), view, state, action, feedback, params)
    for function in (policy.recommend, policy.report):
        if function is not None:
            function(now, params)
    theirs = {"state": state, "state after a round": now}
    games = {
        "instance": instance,
        "books": books,
        "books after a round": after,
        "view": view,
        "feedback": feedback,
        "action": action,
    }
    return theirs, games


def words(width):
    return jnp.zeros((width,), jnp.uint32)


def not_as_told(make, made):
    """Which of state, params and action are not what a factory says it makes."""
    told = typing.get_args(typing.get_type_hints(make)["return"])
    for what, hint, value in zip(
        ("state", "params", "action"), told, made, strict=True
    ):
        if not any(is_a(value, kind) for kind in either(hint)):
            yield f"{make.__name__}: {what} is a {type(value).__name__}, not {hint}"


def either(hint):
    """The types of a union, or the type."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return typing.get_args(hint)
    return (hint,)


def is_a(value, hint):
    if hint is typing.Any:
        return True
    return value == () if hint == tuple[()] else isinstance(value, hint)


def without_a_shape(value):
    """The fields of a pytree's NamedTuples that are annotated as bare arrays."""
    for node in nodes(value):
        for field, hint in type(node).__annotations__.items():
            if hint is Array:
                yield f"{type(node).__name__}.{field} has no shape"


def nodes(value):
    """All NamedTuples in a pytree."""
    if hasattr(value, "_fields"):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, tuple | list | dict):
            yield from nodes(each)


class Bare(NamedTuple):
    count: Int32[Array, " K"]
    mean: Array


def test_an_array_without_a_shape_is_found():
    value = {"state": ((), Bare(np.zeros(2, np.int32), np.zeros(2)))}
    assert list(without_a_shape(value)) == ["Bare.mean has no shape"]


# Factories.


@pytest.mark.parametrize("setting", LIGHT_GAMES)
def test_factories_return_the_same_policy_for_equal_problems(setting):
    """Every policy of a setting, so that it is traced and compiled once."""
    problem = light_game(setting).problem
    for name in POLICIES:
        if name.startswith(f"{setting}/"):
            one, two = (POLICIES[name](problem._replace()) for _ in range(2))
            assert one.functions == two.functions, name
            assert (one.name, one.params) == (two.name, two.params), name


def test_no_parameter_of_a_policy_may_be_below_zero():
    """So that none is without a range; its ends are those of `Ranges`."""
    rows = {}
    for name in POLICIES:
        policy = POLICIES[name](light_game(name.split("/")[0]).problem)
        for leaf in policy.params._fields if policy.params else ():
            play = partial(policy.with_params, **{leaf: -1.0})
            rows[f"{name}: {leaf}"] = play, f"^{leaf} must be"
    assert_refused(rows, ValueError)


class Ranges(NamedTuple):
    above: Positive = 1.0
    not_below: NonNegative = 0.0
    one: AtLeastOne = 1.0
    more: AboveOne = 2.0
    chance: BetweenZeroAndOne = 0.5
    free: float = -3.0


def test_the_range_of_a_parameter_is_that_of_its_type():
    policy = POLICIES["farewell/uniform"](farewell.Problem(2, 3))._replace(
        params=Ranges()
    )
    rows = [
        (partial(policy.with_params, **{leaf: value}), f"^{leaf} must be")
        for leaf, values in {
            "above": (0.0, -1.0, np.inf),
            "not_below": (-1e-9, np.inf),
            "one": (0.999,),
            "more": (1.0,),
            "chance": (0.0, 1.0),
            "free": (np.nan,),
        }.items()
        for value in values
    ]
    assert_refused(rows, ValueError)
    assert policy.with_params(not_below=0.0, one=1.0, free=-np.inf).params.one == 1.0


class Unresolved(NamedTuple):
    size: "NoSuchType" = 1.0  # noqa: F821 - as a name for type checkers alone
    share: Positive = 1.0


def test_a_type_that_cannot_be_resolved_hides_no_range():
    policy = POLICIES["farewell/uniform"](farewell.Problem(2, 3))
    policy = policy._replace(params=Unresolved())
    assert policy.with_params(size=-1.0).params.size == -1.0
    with pytest.raises(ValueError, match="^share must be positive"):
        policy.with_params(share=-1.0)
