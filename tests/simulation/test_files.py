"""Sweeps in files: what is read, and what is said about mistakes."""

import re
import textwrap
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits import Range, budgeted, sampled
from jaxbandits.checks.points import points_from
from jaxbandits.protocol import Policy
from jaxbandits.registry import SETTINGS
from jaxbandits.simulation import Entry, HalfWidth, Spec, read_spec, run_sweep
from jaxbandits.simulation.files import SCHEMA, from_table, spec_from_text
from jaxbandits.simulation.plan import draft
from tests.simulation import walk
from tests.tables import each_row

FULL = """
setting = "budgeted"
budget = 12.5
horizon = 900
checkpoints = [2.5, 5.0]
root_seed = 3
runs_per_instance = 2
metrics = ["regret"]

[environments."drei Maschinen"]
make = "s_br"
arguments = {num_arms = 3, cost_floor = 0.5}

[policies.star]
make = "omega_star_ucb"
arguments = {exploration = "log_share"}
cross.rho = {from = 0.5, to = 2.0, points = 4}

[policies.crossed]
make = "discounted_omega_ucb"
zip = {rho = [0.25, 0.5], memory = [10, 25.5]}

[policies.log]
make = "discounted_omega_ucb"
cross = {rho = {from = 0.25, to = 4, points = 3.0, scale = "log"}, memory = 20}

[policies.uniform]
make = "budgeted/uniform"

[seeds]
metric = "regret"
half_width = 2.5
level = 0.9
pilot = 8
at_most = 50
"""
# Everything but the part that a test is about.
TABLE = {
    "setting": "budgeted",
    "budget": 5,
    "environments": {"three": {"make": "s_br", "arguments": {"num_arms": 3}}},
    "policies": {"p": {"make": "omega_ucb"}},
}


def instance(**entry):
    return {"environments": {"three": TABLE["environments"]["three"] | entry}}


def policy(**entry):
    return {"policies": {"p": {"make": "omega_ucb"} | entry}}


def design(**change):
    ranges = {
        "rho": {"from": 0.1, "to": 10, "scale": "log"},
        "prior_pulls": {"from": 1, "to": 2},
    }
    return policy(sample={"points": 8, "ranges": ranges} | change)


@pytest.fixture
def written(tmp_path):
    """``written(text, name="one.toml")`` is the path of a file."""

    def write(text, name="one.toml", encoding="utf-8"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding)
        return path

    return write


def test_a_full_file(written):
    spec = read_spec(written(FULL))
    assert spec._replace(policies={}, environments={}) == Spec(
        {},
        {},
        seeds=HalfWidth("regret", 2.5, 0.9, 50, 8),
        budget=12.5,
        checkpoints=[2.5, 5.0],
        horizon=900,
        root_seed=3,
        runs_per_instance=2,
        metrics=["regret"],
        text=FULL,
    )
    assert list(spec.environments) == ["drei Maschinen"]
    found = spec.environments["drei Maschinen"]
    assert found.provenance == budgeted.s_br(3, cost_floor=0.5).provenance
    # Factories are cached, so that equal arguments give one object.
    made = {name: e.policy(found.problem) for name, e in spec.policies.items()}
    star = budgeted.omega_star_ucb(found.problem, exploration="log_share")
    assert made["star"] is star
    same = budgeted.discounted_omega_ucb(found.problem)
    assert made["crossed"] is made["log"] is same
    columns = {
        name: {leaf: x.tolist() for leaf, x in entry.grid.columns.items()}
        for name, entry in spec.policies.items()
    }
    assert columns["star"] == {"rho": [0.5, 1.0, 1.5, 2.0]}
    assert columns["crossed"] == {"rho": [0.25, 0.5], "memory": [10.0, 25.5]}
    assert columns["log"]["memory"] == [20.0] * 3
    np.testing.assert_allclose(columns["log"]["rho"], [0.25, 1, 4], 1e-15)
    assert columns["uniform"] == {}


def test_what_stands_for_what():
    """1e3 is a float in TOML, and factories with a cache take no lists."""
    plain = Spec({}, {}, budget=5)
    assert from_table(TABLE)._replace(policies={}, environments={}) == plain
    spec = from_table(TABLE | {"seeds": 1e1, "horizon": 1e2})
    assert (spec.seeds, spec.horizon) == (10, 100)
    assert all(isinstance(x, int) for x in (spec.seeds, spec.horizon))
    for seeds, wanted in (
        ([3.0, 1], [3, 1]),
        ({"from": 990, "to": 1e3}, [*range(990, 1001)]),
        ({"from": 7, "to": 7}, [7]),
    ):
        assert list(from_table(TABLE | {"seeds": seeds}).seeds) == wanted
    entry = {"make": "fixed", "arguments": {"arm": 1}}
    assert from_table(TABLE | {"policies": {"fixed": entry}}).policies["fixed"].policy
    limits = {"make": "indep", "arguments": {"limits": [0.5, 1.0]}}
    table = {"setting": "censored", "horizon": 9, "environments": {"i": limits}}
    spec = from_table(table | {"policies": {"p": {"make": "rcucb"}}})
    assert spec.environments["i"].problem.limits == (0.5, 1.0)


def test_arguments_of_a_file_go_before_fixed_ones():
    """A function by its own name has none that are fixed."""
    many = {"make": "censored/many-arms"}
    table = {"setting": "censored", "horizon": 9, "policies": {"p": {"make": "rcucb"}}}
    for entry, arms in ((many, 20), (many | {"arguments": {"num_arms": 3}}, 3)):
        spec = from_table(table | {"environments": {"many": entry}})
        assert spec.environments["many"].problem.num_arms == arms
    with pytest.raises(ValueError, match=r"many.arguments|arguments: .*'num_arms'"):
        from_table(table | {"environments": {"many": {"make": "many_arms"}}})
    shorter = {"make": "farewell/wait-ucb-shorter"}
    table = {"setting": "farewell", "budget": 5}
    table["environments"] = {"one": {"make": "figure_1a"}}
    for arguments, wanted in (({}, "shorter"), ({"observe": "pair"}, "pair")):
        entry = shorter | {"arguments": arguments}
        maker = from_table(table | {"policies": {"p": entry}}).policies["p"].policy
        assert maker.arguments == {"observe": wanted}


def test_a_design():
    """As `sampled` makes it; 8.0 is a whole number."""
    table = TABLE | design(method="latin_hypercube", points=8.0, seed=3)
    table["policies"]["p"] |= {"make": "share_ucb", "cross": {"power": [0, 1]}}
    points = from_table(table).policies["p"].grid
    ranges = {"rho": Range(0.1, 10, "log"), "prior_pulls": Range(1, 2)}
    grid = sampled(ranges, 8, "latin_hypercube", 3, {"power": [0, 1]})
    wanted = points_from(grid)
    assert points.count == wanted.count == 16
    for leaf, column in wanted.columns.items():
        np.testing.assert_array_equal(points.columns[leaf], column)


def test_environments_have_names_of_their_own():
    """Also those that are crossed, in whatever order."""
    three = {"make": "s_br", "cross": {"num_arms": [3, 4]}}
    seven = {"make": "s_br", "arguments": {"num_arms": 7}}
    both = {"three": three, "three (num_arms = 3)": seven}
    for table in (both, dict(reversed(both.items()))):
        with pytest.raises(ValueError, match="two environments are called 'three"):
            from_table(TABLE | {"environments": table})
    found = from_table(TABLE | {"environments": {"three": three, "seven": seven}})
    names = ["three (num_arms = 3)", "three (num_arms = 4)", "seven"]
    assert list(found.environments) == names


def test_a_module(written):
    path = written(
        """
        from jaxbandits.simulation import HalfWidth
        from tests.simulation import walk

        def spec():
            return walk.spec(seeds=SEEDS)

        SEEDS = HalfWidth("regret", 1.0)
        SPEC = spec()
        """,
        "one.py",
    )
    spec = read_spec(path)
    assert spec.seeds == HalfWidth("regret", 1.0)
    assert list(spec.policies) == ["walker", "idler"]


FILES_THAT_CANNOT_BE_READ = [
    ("one.json", "{}", "must be a .toml or a .py"),
    ("one.toml", "seeds = ", "is not TOML: "),
    ("one.toml", "[a]\n[a]", "is not TOML: "),
    ("one.toml", f"a = {'[' * 2000}{']' * 2000}", "is not TOML: maximum recursion"),
    ("one.py", "SPECS = 1", "must define SPEC, a jaxbandits.simulation.Spec"),
    ("one.py", "SPEC = {}", "must define SPEC, a jaxbandits.simulation.Spec"),
    ("one.py", "x = (", " ends with SyntaxError: "),
    ("one.py", "x = 1\ny = {}[3]", "one.py, line 2 ends with KeyError: 3"),
    ("one.py", "import no_such", "one.py, line 1 ends with ModuleNotFoundError: "),
    ("one.py", "import sys\n\nsys.exit(0)", "one.py, line 3 ends with SystemExit: 0"),
]


def test_files_that_cannot_be_read(written, tmp_path, subtests):
    for name, text, message in FILES_THAT_CANNOT_BE_READ:
        with subtests.test(text=text), pytest.raises(ValueError) as raised:
            read_spec(path := written(text, name))
        assert str(raised.value).startswith(f"SPEC: {path}")
        assert message in str(raised.value)
    with pytest.raises(ValueError, match="is not TOML: "):
        read_spec(written("seeds = '\xff'", encoding="latin-1"))
    path = tmp_path / "none.toml"
    with pytest.raises(FileNotFoundError, match=f"^SPEC: there is no file {path}$"):
        read_spec(path)
    with pytest.raises(IsADirectoryError, match=f"^SPEC: {tmp_path} is a folder"):
        read_spec(tmp_path)
    with pytest.raises(OSError, match="^SPEC: /dev/null is a folder or device"):
        read_spec("/dev/null")


def test_a_file_may_begin_with_a_mark(written):
    """As the editors and shells of Windows write it."""
    text = "setting = 'farewell'\nbudget = 5\n[environments.x]\nmake = 'figure_1a'\n"
    text += "[policies.y]\nmake = 'hazard_thompson'\n"
    assert list(read_spec(written(text, encoding="utf-8-sig")).policies) == ["y"]


SPACED = {"from": 1, "to": 2, "points": 3}
# What stands there, and what is said of it. Functions that calls from Python reach
# refuse an end, seeds, points or a design: one of each is here.
MISTAKES = [
    ({"setting": "plain"}, "setting must be one of"),
    ({"setting": None}, "'setting' is missing"),
    ({"sedes": 5}, "'sedes' is unknown (did you mean 'seeds'?); known are setting"),
    ({"seeds": "many"}, "seeds must be an integer or a list of them, got 'many'"),
    ({"seeds": {"from": 5}}, "seeds: 'to' is missing"),
    ({"seeds": {"to": 5}}, "seeds: 'from' is missing"),
    ({"seeds": {"from": -1, "to": 5}}, "seeds: from must be at least 0"),
    ({"seeds": {"from": 6, "to": 5}}, "seeds: to must be at least 6"),
    ({"seeds": {"from": 1, "to": 5, "step": 2}}, "'step' is unknown; known are from"),
    ({"seeds": {"metric": "regret"}}, "seeds: 'half_width' is missing"),
    (
        {"seeds": {"metric": "regret", "half_width": 1, "levle": 0.9}},
        "seeds: 'levle' is unknown (did you mean 'level'?); known are metric, half_w",
    ),
    ({"horizon": "9"}, "horizon must be an integer"),
    ({"budget": None, "seeds": 3}, "give horizon or budget"),
    ({"environments": {}}, "environments: must be a table, not empty, got {}"),
    ({"environments": {"a": {}}}, "environments.a: must be a table, not empty"),
    ({"environments": {"a": {"arguments": {}}}}, "environments.a: 'make' is missing"),
    ({"policies": {"p": "ucb"}}, "policies.p: must be a table, not empty, got 'ucb'"),
    (instance(make="s_brr"), "three: make: 's_brr' is unknown (did you mean 's_br'?)"),
    (instance(make="x"), "three: make: 'x' is unknown; known are changing, fb_br, "),
    (instance(make="x/y"), "make: 'x/y' is unknown; known are budgeted/changing, "),
    (instance(make="farewell/figure-1a"), "make: 'farewell/figure-1a' is unknown"),
    (instance(make=3), "three: make: 3 is unknown"),
    (instance(arguments={}), "arguments: s_br() missing 1 required"),
    (instance(arguments={"num_arms": 3, "arms": 3}), "keyword argument 'arms'; it tak"),
    (instance(arguments={"num_arms": 0}), "three: arguments: num_arms must be at lea"),
    (instance(arguments={"num_arms": {"make": 3}}), "written in a Python file"),
    (
        instance(
            make="budgeted/from-table",
            arguments={
                "path": str(Path(__file__).parents[2] / "README.md"),
                "arm": "a",
                "cost": "b",
                "reward": "c",
            },
        ),
        "environments.three: arguments: ",
    ),
    (policy(make="omega_ucbb"), "p: make: 'omega_ucbb' is unknown (did you mean 'ome"),
    (policy(arguments={"explore": 1}), "p'] cannot be made: omega_ucb: there is no ar"),
    (policy(arguments={"problem": 1}), "cannot be made: omega_ucb: multiple values"),
    (policy(grid={"rho": 1}), "policies.p: 'grid' is unknown"),
    (policy(cross={"rho": "x"}), "policies.p: points: rho must be a number or a list"),
    (policy(cross={"rho": [0.5, -1.0]}), "policy 'p': rho must be positive"),
    (policy(cross={"roh": 1}), "policies.p has no ['roh']; it has"),
    (policy(cross={}), "policies.p: cross: must be a table, not empty"),
    (
        policy(arguments={"rho": 0.3}, cross={"rho": [0.5]}),
        "policies.p: ['rho'] are both in arguments and in cross",
    ),
    (
        policy(arguments={"rho": 0.3}, **design()["policies"]["p"]),
        "policies.p: ['rho'] are both in arguments and in sample",
    ),
    (policy(cross={"rho": SPACED | {"points": 1}}), "rho: points must be at least 2"),
    (policy(cross={"rho": SPACED | {"points": 2.5}}), "rho: points must be an integer"),
    (policy(cross={"rho": SPACED | {"points": 10**10}}), "rho: points must be at most"),
    (policy(cross={"rho": SPACED | {"scale": "ln"}}), "cross.rho: scale must be one"),
    (policy(cross={"rho": SPACED | {"step": 1}}), "cross.rho: 'step' is unknown; know"),
    (policy(cross={"rho": {"from": 1, "points": 3}}), "cross.rho: 'to' is missing"),
    (
        policy(cross={"rho": SPACED | {"from": 0, "scale": "log"}}),
        "rho: from and to must be positive and finite on a log scale",
    ),
    (
        policy(cross={"rho": SPACED | {"to": float("inf")}}),
        "rho: from and to must be finite",
    ),
    (
        policy(cross={"rho": SPACED | {"from": -1.5e308, "to": 1.5e308}}),
        "rho: from and to must be finite, got [-1.5e+308, 1.5e+308]",
    ),
    (design(points=6), "sample: points must be a power of two with method 'sobol', 4"),
    (design(ranges={"rho": {"from": 1}}), "p: sample: ranges.rho: 'to' is missing"),
    (design(ranges={"rho": {"from": 2, "to": 1}}), "sample: ranges['rho']: ends must"),
    (design(ranges={}), "policies.p: sample: ranges: must be a table, not empty"),
    (policy(**design()["policies"]["p"], zip={"rho": [1, 2]}), "zip and sample excl"),
]


@each_row("change, message", MISTAKES)
def test_mistakes_are_named_with_their_places(change, message):
    table = {k: x for k, x in (TABLE | change).items() if x is not None}
    given = repr(table)
    with pytest.raises(ValueError) as raised:
        from_table(table, "one.toml")
    assert message in str(raised.value) and repr(table) == given
    assert str(raised.value).startswith("one.toml: ")


def test_nothing_is_made_of_a_sweep_that_is_wrong(tmp_path):
    store = tmp_path / "new" / "one.zarr"
    spec = from_table(TABLE)
    entry = Entry(spec.policies["p"].policy, {"rho": [0.5, -1.0]})
    for change, message in (
        ({"policies": {"p": entry}, "text": "a file's"}, "^policy 'p': rho must be"),
        ({"metrics": ["regrets"]}, r"^metrics: \['regrets'\] unknown; known are \['"),
        ({"checkpoints": np.array([9, 5, 2], np.uint64)}, "^checkpoints must"),
        ({"checkpoints": [1.0, np.nan]}, "^checkpoints must"),
    ):
        with pytest.raises(ValueError, match=message):
            run_sweep(spec._replace(**change), store)
        assert not store.parent.exists()
    with pytest.raises(ValueError, match="^store: hdfs://node/x.zarr is a URL"):
        run_sweep(spec, "hdfs://node/x.zarr")


def test_editors_know_what_we_read():
    """The schema is one, and has every field of a sweep and of a half-width."""
    jsonschema = pytest.importorskip("jsonschema")
    judge = jsonschema.Draft202012Validator(SCHEMA)
    judge.check_schema(SCHEMA)
    for text in (FULL, DOCS[0]):
        assert judge.is_valid(tomllib.loads(text))
    for change in ({"sedes": 5}, {"horizon": 0}, design(seed=-1), {"policies": {}}):
        assert not judge.is_valid(TABLE | change)
    assert set(SCHEMA["properties"]) == set(Spec._fields) - {"text"} | {"setting"}
    assert set(SCHEMA["$defs"]["half_width"]["properties"]) == set(HalfWidth._fields)
    assert SCHEMA["properties"]["setting"]["enum"] == [*SETTINGS]


PLACES = {  # Where a mistake is, and what stands there.
    "sedes": "5",
    "seeds": "-4",
    "horizon": '"long"',
    "root_seed": "-1",
    "environments.one.make": '"s_brr"',
    "environments.two.arguments": "{num_arms = 3, arm = 3}",
    "environments.three.arguments": "{num_arms = -3}",
    "policies.a.make": '"omega_ucbb"',
    "policies.b.arguments": "{explor = 1}",
    "policies.c.cross": "{rhoo = [1, 2]}",
    "policies.d.cross": "{rho = [-1, 2]}",
    "policies.e.cross": '{rho = "x"}',
}
INSTANCES = ("zero", "one", "two", "three")
RIGHT = {
    "setting": '"budgeted"',
    "budget": "9",
    **{f"environments.{x}.make": '"s_br"' for x in INSTANCES},
    **{f"environments.{x}.arguments": "{num_arms = 3}" for x in INSTANCES},
    **{f"policies.{x}.make": '"omega_ucb"' for x in "abcdef"},
}


@given(wrong=st.sets(st.sampled_from([*PLACES]), min_size=1))
def test_all_mistakes_of_a_file_are_said_at_once_a_line_each(wrong):
    """Each with its place; nothing is said of what is right."""
    table = RIGHT | {place: PLACES[place] for place in wrong}
    text = "\n".join(f"{place} = {value}" for place, value in table.items())
    with pytest.raises(ValueError) as raised:
        spec_from_text(text, "one.toml")
    lines = str(raised.value).splitlines()
    assert len(lines) == len(wrong) + (len(wrong) > 1)
    for place in wrong:
        part = place.split(".")[1] if "." in place else place
        assert any(part in line for line in lines[-len(wrong) :]), place


def test_all_mistakes_of_one_policy_are_said_at_once():
    """In its table, in the ranges of several parameters, and beside others."""
    table = TABLE | policy(sampel=3, cross={"rh": [1.0]})
    table |= {"seeds": {"from": 10, "to": 5}}
    with pytest.raises(ValueError) as raised:
        from_table(table, "one.toml")
    lines = str(raised.value).splitlines()[1:]
    assert len(lines) == 3
    for words in ("'sampel' is unknown", "has no ['rh']", "to must be at least"):
        assert sum(words in line for line in lines) == 1, words
    spec = walk.spec(points=2)
    grid = {"step": [-1.0, 1.0], "growth": [-2.0, 1.0]}
    spec = spec._replace(policies=spec.policies | {"walker": Entry(walk.WALKER, grid)})
    with pytest.raises(ValueError) as raised:
        draft(spec)
    lines = str(raised.value).splitlines()[1:]
    assert len(lines) == 2, "on both environments the same, said of one"
    assert all("'walker'" in line for line in lines)
    assert "step must be" in lines[0] and "growth must be" in lines[1]


PAGE = Path(__file__).resolve().parents[2] / "docs" / "sweep-files.md"
DOCS = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


@pytest.mark.slow
def test_the_files_of_the_docs():
    whole, span, seeds, design, crossed, zipped = map(tomllib.loads, DOCS)
    assert from_table(whole).seeds == 5_000
    assert list(from_table(whole | span).seeds) == list(range(5_000, 10_000))
    half_width = HalfWidth("regret", 5.0, at_most=50_000, pilot=5_000)
    assert from_table(whole | seeds).seeds == half_width
    assert from_table(whole | design).policies["tuned"].grid.count == 64
    rest = {"setting": "allocation", "horizon": 100}
    rest["policies"] = {"p": {"make": "uniform"}}
    assert len((six := from_table(rest | crossed)).environments) == 6
    pairs = from_table(rest | {"setting": "budgeted", "budget": 9} | zipped)
    assert len(pairs.environments) == 2
    for spec in (from_table(whole), from_table(whole | design), six, pairs):
        for environment in spec.environments.values():
            for entry in spec.policies.values():
                assert isinstance(entry.policy(environment.problem), Policy)
