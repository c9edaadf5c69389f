"""States, actions, views and feedback are what their annotations say.

In a traced round of every policy of the registry, in both precisions (most of them, and
float64, in the long run): nothing is compiled. An array that is annotated as `Array`
only would pass unseen, so that there is none. And no dtype is promoted in silence
there: a flag that is counted, a count that is divided, say what they become.
"""

import types
import typing
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jaxtyping import Float, Int32, jaxtyped

from jaxbandits.policies import REGISTRY
from tests.games import game_for
from tests.heavy import float64_in_long, in_short
from tests.shapes import unlike

# Of the short run: of every setting one or two that keep most. The others name what
# they keep in the same words.
SHORT = {
    *("censored/rcucb", "censored/cell-thompson", "continuum/z-rcucb"),
    *("budgeted/share-ucb", "budgeted/price-thompson"),
    *("farewell/wait-ucb", "farewell/hazard-thompson"),
    *("allocation/ra-ucb", "ordered/ucb"),
    *("combinatorial/cucb", "dueling/self-sparring"),
}


def words(width):
    return jnp.zeros((width,), jnp.uint32)


def of_the_game(environment):
    """Everything that a round of a game hands about, but for the action."""
    game, setup = environment.game, environment.setup
    setup = jax.tree.map(lambda x: jnp.asarray(x), setup)
    instance = game.sample(jax.random.key(0), setup)
    state = game.init(instance)
    view = game.view(jnp.int32(1), instance, state)
    return instance, state, view


def of_a_round(policy, environment):
    """Everything that passes in a round, by name."""
    game = environment.game
    params = jax.tree.map(lambda x: jnp.asarray(x, float), policy.params)
    instance, books, view = of_the_game(environment)
    state = policy.init(params)
    action = policy.act(words(policy.words[0]), view, state, params)
    after, feedback = game.step(words(game.words), instance, books, action)
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


def found(make, environment):
    """What is not as annotated, in the policy's part and in the game's."""
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

    with jax.numpy_dtype_promotion("strict"):
        jax.eval_shape(look)
    return texts


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


assert {*REGISTRY} > SHORT


@float64_in_long
@pytest.mark.parametrize("name", in_short(REGISTRY, {*REGISTRY} - SHORT))
def test_a_round_is_as_annotated(name, dtype):
    environment = game_for(name)
    assert not found(REGISTRY[name], environment)


def nodes(value):
    """All NamedTuples in a pytree."""
    if hasattr(value, "_fields"):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, tuple | list | dict):
            yield from nodes(each)


class Row(NamedTuple):
    count: Int32[Array, " K"]
    mean: Float[Array, " K"]
    more: tuple[Float[Array, "K M"], ...] = ()
    last: Float[Array, ""] | None = None


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Row(np.int32([1, 2]), np.float32([1, 2])), None),
        (Row(np.int32([1, 2]), np.float32([1, 2]), (np.ones((2, 3)),)), None),
        (Row(np.int32([1, 2]), np.float32([1])), "row.mean is float32[1] and not"),
        (Row(np.float32([1]), np.float32([1])), "row.count is float32[1] and not"),
        (
            Row(np.int32([1]), np.float32([1]), (np.ones((1, 3)), np.ones((2, 3)))),
            "row.more[1] is float32[2, 3] and not",
        ),
        (Row(np.int32([1]), np.float32([1]), (), np.ones(1)), "row.last is float32[1]"),
    ],
)
def test_what_is_not_as_annotated_is_found(row, says):
    row = jax.tree.map(jnp.asarray, row)
    with jaxtyped("context"):
        texts = list(unlike(row, "row"))
    assert len(texts) == (says is not None)
    assert says is None or texts[0].startswith(says)


class Bare(NamedTuple):
    count: Int32[Array, " K"]
    mean: Array


def test_an_array_without_a_shape_is_found():
    value = {"state": ((), Bare(np.zeros(2, np.int32), np.zeros(2)))}
    assert list(without_a_shape(value)) == ["Bare.mean has no shape"]
