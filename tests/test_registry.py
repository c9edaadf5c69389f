"""The registry: every entry can be made, and says what it needs."""

import inspect
from functools import cache

import pytest

from jaxbandits import censored
from jaxbandits.protocol import Environment, Policy
from jaxbandits.registry import (
    ENVIRONMENTS,
    POLICIES,
    SETTINGS,
    environments,
    setting_of,
)
from tests.games import game_for
from tests.heavy import in_short
from tests.settings import written

pytestmark = pytest.mark.usefixtures("quickly")

# Of which the expectations, or the solver, take seconds: as the same without a grid of
# limits, and as `allocation/criteo`.
LONG = [f"continuum/{name}" for name in ("poscorr", "negcorr", "example1")]
LONG += [f"allocation/{name}" for name in ("ednet", "ednet-like", "criteo-like")]


@pytest.mark.parametrize("name", in_short(environments(), LONG))
def test_every_environment_can_be_made(name):
    found = written.game(name)
    assert isinstance(found, Environment) and found.problem is not None
    assert found.provenance["setting"] == setting_of(name)
    grid = not isinstance(found.problem, censored.Continuum)
    assert grid != name.startswith("continuum/")


def test_any_limits_are_of_the_continuum():
    for name, maker in ENVIRONMENTS.items():
        given = inspect.signature(maker.factory).bind_partial(**maker.arguments)
        given.apply_defaults()
        any_limit = given.arguments.get("limits") is censored.ANY
        assert any_limit == name.startswith("continuum/"), name


def test_what_an_environment_needs(subtests):
    for name, maker in ENVIRONMENTS.items():
        with subtests.test(name=name):
            required = [
                argument.name
                for argument in inspect.signature(maker.factory).parameters.values()
                if argument.default is inspect.Parameter.empty
                and argument.kind is not inspect.Parameter.VAR_KEYWORD
            ]
            needs = [x for x in required if x not in maker.arguments]
            assert list(maker.needs) == needs
            assert set(needs) <= set(written.arguments_of(name))


@cache
def problem_of(room):
    return game_for(f"{room}/").problem


def test_every_policy_can_be_made(subtests):
    for name, maker in POLICIES.items():
        with subtests.test(name=name):
            problem = problem_of(name.split("/")[0])
            policy = maker(problem)
            assert isinstance(policy, Policy)
            # One and the same, so that its program is compiled once.
            assert policy.act is maker(problem).act


def test_entries_are_of_functions_that_have_a_name():
    """One in a setting, by which a file may name it."""
    for registry in (POLICIES, ENVIRONMENTS):
        for setting in SETTINGS:
            own = [m for n, m in registry.items() if setting_of(n) == setting]
            for maker in own:
                module = inspect.getmodule(inspect.unwrap(maker.factory))
                assert getattr(module, maker.factory.__name__) is maker.factory
                inspect.signature(maker.factory).bind_partial(**maker.arguments)
            factories = {maker.factory for maker in own}
            assert len({f.__name__ for f in factories}) == len(factories) > 0
