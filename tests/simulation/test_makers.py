"""What a file can name: every entry of the registries, and what they are made of."""

import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from jaxbandits import allocation, censored, farewell
from jaxbandits.laws import thresholds
from jaxbandits.protocol import Environment, Policy
from jaxbandits.registry import ENVIRONMENTS, POLICIES, Maker, environments, setting_of
from jaxbandits.simulation import HalfWidth, makers
from jaxbandits.simulation.files import from_table
from jaxbandits.simulation.parts import parts
from tests.games import game_for
from tests.heavy import in_short
from tests.settings.written import ARGUMENTS, write_files


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Small files of data in the working folder."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)


def made(make, arguments):
    entry = {"make": make, "arguments": arguments}
    return makers.environment("here", setting_of(make), entry)


# Of which the expectations, or the solver, take seconds: as the same without a grid of
# limits, and as `allocation/criteo`.
LONG = [f"continuum/{name}" for name in ("poscorr", "negcorr", "example1")]
LONG += [
    f"allocation/{name}" for name in ("ednet", "ednet-like", "criteo-like", "cascade")
]


@pytest.mark.parametrize("name", in_short(environments(), LONG))
def test_every_environment_can_be_named(name, files):
    found = made(name, ARGUMENTS.get(name, {}))
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
    """Its required arguments, but for the fixed ones; and it can be written down."""
    for name in ENVIRONMENTS:
        with subtests.test(name=name):
            maker = ENVIRONMENTS[name]
            required = [
                argument.name
                for argument in inspect.signature(maker.factory).parameters.values()
                if argument.default is inspect.Parameter.empty
                and argument.kind is not inspect.Parameter.VAR_KEYWORD
            ]
            assert list(maker.needs) == [
                x for x in required if x not in maker.arguments
            ]
            assert set(maker.needs) <= set(ARGUMENTS.get(name, {}))


@cache
def problem_of(room):
    return game_for(f"{room}/").problem


def test_every_policy_can_be_named(subtests):
    for name in POLICIES:
        with subtests.test(name=name):
            problem = problem_of(name.split("/")[0])
            make = makers.policy("here", setting_of(name), {"make": name})
            policy = make(problem)
            assert isinstance(policy, Policy)
            # One and the same, so that its program is compiled once.
            assert policy.act is POLICIES[name](problem).act


def test_entries_are_of_functions_that_have_a_name(subtests):
    for registry in [POLICIES, ENVIRONMENTS]:
        with subtests.test(registry=registry):
            for name, maker in registry.items():
                home = inspect.getmodule(inspect.unwrap(maker.factory))
                assert getattr(home, maker.factory.__name__) is maker.factory, name
                accepted = inspect.signature(maker.factory)
                accepted.bind_partial(**maker.arguments)


def test_factories_have_one_name_in_a_setting(subtests):
    for registry in [POLICIES, ENVIRONMENTS]:
        with subtests.test(registry=registry):
            for setting in parts():
                entries = [m for n, m in registry.items() if setting_of(n) == setting]
                factories = {m.factory for m in entries}
                assert len({f.__name__ for f in factories}) == len(factories) > 0


def test_arguments_of_a_file_go_before_fixed_ones():
    assert made("censored/many-arms", {}).problem.num_arms == 20
    assert made("censored/many-arms", {"num_arms": 3}).problem.num_arms == 3
    with pytest.raises(ValueError, match=r"^here.arguments: missing .*'num_arms'"):
        makers.environment("here", "censored", {"make": "many_arms"})
    entry = {"make": "farewell/wait-ucb-shorter"}
    problem = problem_of("farewell")
    for arguments in ({}, {"observe": "pair"}):
        found = makers.policy("here", "farewell", entry | {"arguments": arguments})
        wanted = {"observe": "shorter"} | arguments
        assert found(problem) is farewell.wait_ucb(problem, **wanted)


def test_a_family_by_its_name():
    found = made("allocation/environment", ARGUMENTS["allocation/environment"])
    plain = ARGUMENTS["allocation/environment"] | {"family": thresholds.lomax}
    wanted = allocation.make_environment(**plain)
    assert found.problem == wanted.problem and found.game is wanted.game
    np.testing.assert_array_equal(found.setup.best, wanted.setup.best)


def test_a_policy_made_of_another():
    problem = problem_of("continuum")
    table = {"make": "rcucb", "survival": "kaplan_meier"}
    for arguments, wanted in (
        ({"limits": 5, "make": {"make": "rcucb"}}, censored.rcucb),
        (
            {"limits": 5, "make": table},
            POLICIES["censored/rcucb-kaplan-meier"],
        ),
    ):
        entry = {"make": "on_grid", "arguments": arguments}
        found = makers.policy("here", "censored", entry)(problem)
        plain = censored.on_grid(problem, 5, wanted)
        assert (found.name, found.params) == (plain.name, plain.params)
        # Another entry that says the same makes one and the same policy.
        again = makers.policy("there", "censored", entry)(problem)
        assert again.act is found.act


MISTAKES = [
    (
        "allocation/environment",
        {"family": {"make": "weibul"}},
        r"family.make: 'weibul' is unknown \(did you mean 'weibull'\?\); known are "
        "beta_one, beta_shaped, criteo_like, discrete_weibull, ednet_like, ",
    ),
    (
        "allocation/environment",
        {"family": {"make": "weibull", "shape": 2}},
        r"family: 'weibull' has no arguments, got \['shape'\]",
    ),
    (
        "allocation/environment",
        {"family": {"make": 3}},
        "family.make: 3 is unknown; known are beta_one",
    ),
    (
        "allocation/environment",
        {"family": "weibull"},
        " family must be a Threshold .*, got 'weibull'",
    ),
    (
        "allocation/ednet",
        {"data": {"make": "load_ednet", "path": "none.csv"}},
        "data: path: there is no file none.csv",
    ),
    (
        "allocation/ednet",
        {"data": {"make": "load_ednet"}},
        "data: missing a required argument: 'path'; known are path",
    ),
    (
        "budgeted/environment",
        {"params": {"make": "Product", "rewards": 1}},
        "params: .*unexpected keyword argument 'rewards'",
    ),
    (
        "budgeted/environment",
        {"params": {"make": "Beta", "a": ["x"], "b": [1]}},
        "params: a must be a real number or an array",
    ),
    (
        "budgeted/from-table",
        {"group": "kind"},
        " 'budgeted/from-table' must make one environment, and makes several",
    ),
]


def test_mistakes_are_named(files, subtests):
    for name, change, message in MISTAKES:
        with (
            subtests.test(name=name, message=message),
            pytest.raises(ValueError, match=rf"^here.arguments[.:]{message}"),
        ):
            made(name, ARGUMENTS[name] | change)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "sweep-files.md"
DOCS = PAGE.read_text("utf-8")


@pytest.mark.slow
def test_the_files_of_the_docs(files):
    blocks = re.findall(r"^```toml\n(.*?)^```$", DOCS, re.M | re.S)
    whole, span, seeds, quiz, design, lomax, zipped = map(tomllib.loads, blocks)
    policy = {"policies": {"p": {"make": "uniform"}}}
    assert from_table(whole).seeds == 5_000
    assert list(from_table(whole | span).seeds) == list(range(5_000, 10_000))
    half_width = HalfWidth("regret", 5.0, at_most=50_000, pilot=5_000)
    assert from_table(whole | seeds).seeds == half_width
    quizzes = from_table(policy | quiz | lomax)
    assert len(quizzes.environments) == 6
    assert from_table(whole | design).policies["tuned"].grid.count == 64
    budgeted = {"setting": "budgeted", "policies": {"p": {"make": "uniform"}}}
    pairs = from_table(budgeted | zipped)
    assert len(pairs.environments) == 2
    tables = (whole, whole | seeds, whole | design, policy | quiz)
    for spec in (*map(from_table, tables), quizzes, pairs):
        for environment in spec.environments.values():
            for entry in spec.policies.values():
                assert isinstance(entry.policy(environment.problem), Policy)


def test_the_parts_in_the_docs(subtests):
    for setting in parts():
        with subtests.test(setting=setting):
            (row,) = re.findall(rf"^\| `{setting}` \|(.*)$", DOCS, re.M)
            names = set(re.findall(r"`(\w+)`", row))
            assert names <= set(parts()[setting])
            # All that is made, and no parameter of a law, is told by its name.
            made = {
                name
                for name, part in parts()[setting].items()
                if isinstance(part, Maker)
            }
            assert made - set(parts()["farewell"]) <= names
