"""What a file can name: every entry of the registries, and what they are made of."""

import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from jaxbandits import policies, settings
from jaxbandits.laws import thresholds
from jaxbandits.maker import Maker
from jaxbandits.policies import censored
from jaxbandits.protocol import Environment, Policy
from jaxbandits.settings import allocation, setting_of
from jaxbandits.settings.parts import PARTS
from jaxbandits.sweeps import HalfWidth, makers
from jaxbandits.sweeps.files import from_table
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


@pytest.mark.parametrize("name", in_short(settings.REGISTRY, LONG))
def test_every_environment_can_be_named(name, files):
    found = made(name, ARGUMENTS.get(name, {}))
    assert isinstance(found, Environment) and found.problem is not None
    assert found.provenance["setting"] == setting_of(name)
    grid = not isinstance(found.problem, settings.censored.Continuum)
    assert grid != name.startswith("continuum/")


def test_any_limits_are_of_the_continuum():
    for name, maker in settings.REGISTRY.items():
        given = inspect.signature(maker.factory).bind_partial(**maker.arguments)
        given.apply_defaults()
        any_limit = given.arguments.get("limits") is settings.censored.ANY
        assert any_limit == name.startswith("continuum/"), name


def test_what_an_environment_needs(subtests):
    """Its required arguments, but for the fixed ones; and it can be written down."""
    for name in settings.REGISTRY:
        with subtests.test(name=name):
            maker = settings.REGISTRY[name]
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
    for name in policies.REGISTRY:
        with subtests.test(name=name):
            problem = problem_of(name.split("/")[0])
            make = makers.policy("here", setting_of(name), {"make": name})
            policy = make(problem)
            assert isinstance(policy, Policy)
            # One and the same, so that its program is compiled once.
            assert policy.act is policies.REGISTRY[name](problem).act


def test_entries_are_of_functions_that_have_a_name(subtests):
    for registry in [policies.REGISTRY, settings.REGISTRY]:
        with subtests.test(registry=registry):
            for name, maker in registry.items():
                home = inspect.getmodule(inspect.unwrap(maker.factory))
                assert getattr(home, maker.factory.__name__) is maker.factory, name
                accepted = inspect.signature(maker.factory)
                accepted.bind_partial(**maker.arguments)


def test_factories_have_one_name_in_a_setting(subtests):
    for registry in [policies.REGISTRY, settings.REGISTRY]:
        with subtests.test(registry=registry):
            for setting in PARTS:
                entries = [m for n, m in registry.items() if setting_of(n) == setting]
                factories = {m.factory for m in entries}
                assert len({f.__name__ for f in factories}) == len(factories) > 0


# What could be named before there was one registry.
ENVIRONMENTS = """
censored: censored example1 forest indep low_censoring many_arms negcorr overtime plain
    poscorr recorded solver trap
allocation: allocation criteo criteo_like ednet ednet_like simulation
budgeted: fb_br fb_bt fixed s_br s_bt s_gbr
farewell: cross_validation display_advertising farewell figure_1a macro_arms_only
    optimum_at_one optimum_in_the_middle second_price_auction
"""
POLICIES = """
censored: cell_thompson fixed_pair kl_ucb_reduction moss_reduction on_grid rcucb stoo
    thompson ucb_reduction uniform z_rcucb zooming
allocation: clairvoyant mg_ucb mg_ucb_delta no_ucb ra_etc ra_ucb ra_ucb_authors
    thompson_allocation uniform_split
budgeted: b_greedy bts budget_ucb c_ucb clairvoyant epsilon_first fixed_arm i_ucb
    kl_ucb_sc_plus kube m_ucb mrcb omega_star_ucb omega_ucb pd_bwk ucb_b2 ucb_bv1
    ucb_sc_plus uniform
farewell: bts budget_ucb fixed_pair kube omega_star_ucb omega_ucb pd_bwk product_limit
    product_limit_omega ucb1 ucb_bv1 ucb_sc_plus ucb_simplex uniform wait_ucb
"""


FACTORIES_GO_BY_THEIR_OWN_NAMES = [
    (settings.REGISTRY, ENVIRONMENTS),
    (policies.REGISTRY, POLICIES),
]


def test_factories_go_by_their_own_names(subtests):
    for registry, text in FACTORIES_GO_BY_THEIR_OWN_NAMES:
        with subtests.test(registry=registry, text=text):
            for part in text.replace("\n    ", " ").strip().splitlines():
                setting, names = part.split(": ")
                factories = {
                    m.factory.__name__
                    for n, m in registry.items()
                    if setting_of(n) == setting
                }
                assert set(names.split()) <= factories


def test_arguments_of_a_file_go_before_fixed_ones():
    assert made("censored/many-arms", {}).problem.num_arms == 20
    assert made("censored/many-arms", {"num_arms": 3}).problem.num_arms == 3
    with pytest.raises(ValueError, match=r"^here.arguments: missing .*'num_arms'"):
        makers.environment("here", "censored", {"make": "many_arms"})
    entry = {"make": "farewell/wait-ucb-naive"}
    problem = problem_of("farewell")
    for arguments in ({}, {"observe": "shorter"}):
        found = makers.policy("here", "farewell", entry | {"arguments": arguments})
        wanted = {"observe": "naive"} | arguments
        assert found(problem) is policies.farewell.wait_ucb(problem, **wanted)


def test_a_family_by_its_name():
    found = made("allocation/allocation", ARGUMENTS["allocation/allocation"])
    plain = ARGUMENTS["allocation/allocation"] | {"family": thresholds.lomax}
    wanted = allocation.allocation(**plain)
    assert found.problem == wanted.problem and found.game is wanted.game
    np.testing.assert_array_equal(found.setup.best, wanted.setup.best)


def test_a_policy_made_of_another():
    problem = problem_of("continuum")
    table = {"make": "rcucb", "survival": "kaplan_meier"}
    for arguments, wanted in (
        ({"limits": 5, "make": {"make": "rcucb"}}, censored.rcucb),
        (
            {"limits": 5, "make": table},
            policies.REGISTRY["censored/rcucb-kaplan-meier"],
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
        "allocation/allocation",
        {"family": {"make": "weibul"}},
        r"family.make: 'weibul' is unknown \(did you mean 'weibull'\?\); known are "
        "allocation, beta_one, beta_shaped, criteo_like, discrete_weibull, ",
    ),
    (
        "allocation/allocation",
        {"family": {"make": "weibull", "shape": 2}},
        r"family: 'weibull' has no arguments, got \['shape'\]",
    ),
    (
        "allocation/allocation",
        {"family": {"make": 3}},
        "family.make: 3 is unknown; known are allocation, beta_one",
    ),
    (
        "allocation/allocation",
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
        "budgeted/fixed",
        {"params": {"make": "Product", "rewards": 1}},
        "params: .*unexpected keyword argument 'rewards'",
    ),
    (
        "budgeted/fixed",
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
    policy = {"policies": {"p": {"make": "uniform_split"}}}
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
    for setting in PARTS:
        with subtests.test(setting=setting):
            (row,) = re.findall(rf"^\| `{setting}` \|(.*)$", DOCS, re.M)
            names = set(re.findall(r"`(\w+)`", row))
            assert names <= set(PARTS[setting])
            # All that is made, and no parameter of a law, is told by its name.
            made = {
                name for name, part in PARTS[setting].items() if isinstance(part, Maker)
            }
            assert made - set(PARTS["farewell"]) <= names
