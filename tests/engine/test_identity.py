"""Digests of programs and of numbers."""

from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.engine.identity import numbers_digest, program_digest
from jaxbandits.testing import altered
from tests.simulation import walk
from tests.tables import each_row

GAME, WALKER = walk.GAME, walk.WALKER


@pytest.fixture(scope="module")
def digest():
    return program_digest(WALKER, GAME)


NAMES_AND_NUMBERS_DO_NOT_COUNT = [
    (WALKER._replace(act=lambda *args: walk.act(*args)), GAME),
    (WALKER._replace(name="other", params=walk.Params(2.0, 3.0)), GAME),
    (WALKER._replace(check=None), GAME),
    (WALKER, GAME._replace(name="other", provenance={}, problem=3)),
    (WALKER, GAME._replace(setup=np.float64(7))),
    (WALKER, GAME._replace(setup=np.float32(7))),
    (WALKER, GAME._replace(setup=7.5)),
]


def test_names_and_numbers_do_not_count(digest, subtests):
    assert len(digest) == 16 and int(digest, 16)
    for policy, game in NAMES_AND_NUMBERS_DO_NOT_COUNT:
        with subtests.test(policy=policy, game=game):
            assert program_digest(policy, game) == digest


Once, Renamed = namedtuple("Once", "zeal ardour"), namedtuple("Renamed", "a z")


def game_of_parts(first, second, record):
    """A game whose parts are compiled functions of these names."""

    def one(x):
        return jnp.sin(x) + 1

    def two(x):
        return jnp.cos(x) * 3

    one.__name__, two.__name__ = first, second
    one, two = jax.jit(one), jax.jit(two)
    return altered(
        GAME,
        init=lambda instance: one(two(1.0 * instance)),
        record=lambda instance, state, budget: record(one(state), two(state)),
    )


def test_names_of_functions_and_of_fields_do_not_count():
    """Neither in another order of the alphabet."""
    names = [("step", "turn", Once), ("z_step", "a_turn", Renamed), ("f", "f", Once)]
    digests = {program_digest(WALKER, game_of_parts(*each)) for each in names}
    assert len(digests) == 1
    other = game_of_parts("step", "turn", lambda *x: Once(*x[::-1]))
    assert program_digest(WALKER, other) not in digests


def looked_up(table):
    """A game that reads a factor from a table in its code."""
    return altered(GAME, sample=lambda key, setup: setup * jnp.asarray(table)[700])


Nested = namedtuple("Nested", "factor rest")
NESTED = Nested(np.int64([1, 2]), {"a": [3.0, np.float32(1)], "b": None})
CODE_COUNTS = [
    (WALKER._replace(init=lambda params: jnp.int32(1)), GAME),
    (WALKER._replace(act=lambda *args: 2 * walk.act(*args)), GAME),
    (WALKER._replace(update=lambda noise, view, state, *rest: state), GAME),
    (WALKER._replace(report=lambda state, params: {"s": state}), GAME),
    (WALKER._replace(report=None), GAME),
    (WALKER._replace(recommend=lambda state, params: params.step), GAME),
    (WALKER, walk.DRAWN),
    (WALKER, altered(GAME, init=lambda instance: jnp.float32(1.0))),
    (WALKER, altered(GAME, record=lambda instance, state, budget: 2 * state)),
    (WALKER, altered(GAME, spent=lambda instance, state: state)),
    (WALKER, looked_up(np.arange(1000.0))),
    (
        WALKER,
        altered(GAME, setup=NESTED, sample=lambda key, x: x.factor[1] * x.rest["a"][0]),
    ),
]


@each_row("policy, game", CODE_COUNTS)
def test_code_counts(digest, policy, game):
    assert program_digest(policy, game) != digest


def test_a_program_that_calls_python_is_named(recwarn):
    """No digest sees what is called. Printing changes no number."""

    def called(x):
        return jax.pure_callback(np.sqrt, x, x, vmap_method="sequential")

    def printed(x):
        jax.debug.print("{}", x)
        return x

    for change in (printed, called):
        act = lambda *args, change=change: change(walk.act(*args))  # noqa: E731
        program_digest(WALKER._replace(act=act), GAME)
        assert len(recwarn) == (change is called)
    assert "policy 'walker' in 'walk' calls Python" in str(recwarn[0].message)


def test_what_only_later_rounds_show_counts():
    """An update, where nothing is recommended or reported; what a step keeps."""
    policy = WALKER._replace(
        report=None, recommend=None, init=lambda params: np.ones(3)
    )
    games = [
        altered(
            GAME,
            record=lambda instance, state, budget: jnp.int32(0),
            spent=None,
            step=lambda noise, instance, state, action, add=add: (state + add, state),
        )
        for add in (1, 2)
    ]
    policies = [
        policy._replace(update=lambda noise, view, state, *rest, to=to: state**to)
        for to in (1, 2, 3)
    ]
    digests = {program_digest(p, g) for p in policies for g in games}
    assert len(digests) == 6


@each_row("array", [np.asarray, jnp.asarray])
def test_tables_in_the_code_count(array):
    """Even one number in a long one."""
    table = np.linspace(0, 1, 1000, dtype=np.float32)
    same, changed = table.copy(), table.copy()
    changed[700] += 0.5
    digests = [
        program_digest(WALKER, looked_up(array(x))) for x in (table, same, changed)
    ]
    assert digests[0] == digests[1] != digests[2]


def test_precision_counts(digest):
    with jax.enable_x64(True):
        assert program_digest(WALKER, GAME) != digest
    assert program_digest(WALKER, GAME) == digest


def test_shapes_of_the_setup_count():
    summed = altered(GAME, sample=lambda key, setup: setup.sum())
    games = [summed._replace(setup=np.ones(n)) for n in (2, 2, 3)]
    digests = [program_digest(WALKER, game) for game in games]
    assert digests[0] == digests[1] != digests[2]


def test_digests_of_numbers():
    def digest(setup):
        return numbers_digest(GAME._replace(setup=setup))

    setups = [
        np.float64([1, 2]),
        np.float64([2, 1]),
        np.float32([1, 2]),
        np.int64([1, 2]),
        np.float64([[1, 2]]),
        np.float64([1, 2, 3]),
        Nested(np.float64([1, 2]), {"a": 1.0}),
        None,
    ]
    assert len({digest(setup) for setup in setups}) == len(setups)
    assert digest(np.float64([1, 2])) == digest(np.array([1.0, 2.0]))
