"""Sweeps in files: what is read, and what is said about mistakes."""

import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits import Range, budgeted, sampled
from jaxbandits.checks.points import points_from
from jaxbandits.cli import main as cli
from jaxbandits.simulation import Entry, HalfWidth, Spec, read_spec, run_sweep
from jaxbandits.simulation.files import from_table, spec_from_text
from jaxbandits.simulation.plan import draft
from jaxbandits.simulation.schema import SCHEMA, faults
from tests.simulation import walk

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
make = "omega_ucb"
zip = {rho = [0.25, 0.5], z_cap = [1, 2.5]}

[policies.log]
make = "omega_ucb"
cross = {rho = {from = 0.25, to = 4, points = 3, scale = "log"}, z_cap = 2}

[policies.uniform]
make = "uniform"

[seeds]
metric = "regret"
half_width = 2.5
level = 0.9
pilot = 7
at_most = 50
"""
# Everything but the part that a test is about.
TABLE = {
    "setting": "budgeted",
    "budget": 5,
    "environments": {"three": {"make": "s_br", "arguments": {"num_arms": 3}}},
    "policies": {"omega": {"make": "omega_ucb"}},
}


def test_seeds_from_one_to_another():
    """As in other tables the end is one of them; 1e3 is a float in TOML."""
    span = {"from": 990, "to": 1e3}
    assert list(from_table(TABLE | {"seeds": span}).seeds) == list(range(990, 1001))
    alone = {"from": 7, "to": 7}
    assert list(from_table(TABLE | {"seeds": alone}).seeds) == [7]


A_SPAN_OF_SEEDS_THAT_IS_NONE = [
    ({"from": 5}, "seeds: 'to' is a required property"),
    ({"to": 5}, "seeds: 'from' is a required property"),
    ({"from": -1, "to": 5}, "seeds.from: -1 is less than the minimum of 0"),
    ({"from": 6, "to": 5}, "seeds: to must be at least from = 6, got 5"),
    ({"from": 1, "to": 5, "step": 2}, "(known are from, to)"),
]


def test_a_span_of_seeds_that_is_none(subtests):
    for span, message in A_SPAN_OF_SEEDS_THAT_IS_NONE:
        with subtests.test(span=span, message=message):
            with pytest.raises(ValueError) as raised:
                from_table(TABLE | {"seeds": span}, "one.toml")
            assert message in str(raised.value)


@pytest.fixture
def written(tmp_path):
    """``written(text, name="one.toml")`` is the path of a file."""

    def write(text, name="one.toml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), "utf-8")
        return path

    return write


def test_editors_and_we_agree_about_the_schema():
    """What it refuses is what JSON Schema refuses."""
    jsonschema = pytest.importorskip("jsonschema")
    judge = jsonschema.Draft202012Validator(SCHEMA)
    judge.check_schema(SCHEMA)
    for change, *_ in WHAT_THE_SCHEMA_REFUSES:
        table = {k: x for k, x in (TABLE | change).items() if x is not None}
        assert not judge.is_valid(table) and any(faults(table))
    assert judge.is_valid(TABLE) and not any(faults(TABLE))


def test_every_key_has_a_place():
    """No key of a file is dropped in silence, every field can be written in one."""
    of_spec = set(Spec._fields) - {"text"}  # That is the file itself.
    assert set(SCHEMA["properties"]) == of_spec | {"setting"}
    assert {"environments", "policies"} < of_spec
    assert set(SCHEMA["$defs"]["half_width"]["properties"]) == set(HalfWidth._fields)


def test_a_full_file(written):
    spec = read_spec(written(FULL))
    assert spec._replace(policies={}, environments={}) == Spec(
        {},
        {},
        seeds=HalfWidth("regret", 2.5, 0.9, 50, 7),
        budget=12.5,
        checkpoints=[2.5, 5.0],
        horizon=900,
        root_seed=3,
        runs_per_instance=2,
        metrics=["regret"],
        text=FULL,
    )
    assert list(spec.environments) == ["drei Maschinen"]
    instance = spec.environments["drei Maschinen"]
    wanted = budgeted.s_br(3, cost_floor=0.5)
    assert instance.provenance == wanted.provenance
    assert instance.problem == wanted.problem
    # Factories are cached, so that equal arguments give one object.
    made = {name: e.policy(instance.problem) for name, e in spec.policies.items()}
    assert made["star"] is budgeted.omega_star_ucb(
        instance.problem, exploration="log_share"
    )
    assert made["crossed"] is made["log"] is budgeted.omega_ucb(instance.problem)
    columns = {
        name: {leaf: x.tolist() for leaf, x in entry.grid.columns.items()}
        for name, entry in spec.policies.items()
    }
    assert columns["star"] == {"rho": [0.5, 1.0, 1.5, 2.0]}
    assert columns["crossed"] == {"rho": [0.25, 0.5], "z_cap": [1.0, 2.5]}
    assert columns["log"]["z_cap"] == [2.0] * 3
    np.testing.assert_allclose(columns["log"]["rho"], [0.25, 1, 4], 1e-15)
    assert columns["uniform"] == {}


def test_defaults():
    spec = from_table(TABLE)
    plain = Spec({}, {}, budget=5)
    assert spec._replace(policies={}, environments={}) == plain


def test_lists_become_tuples():
    """A factory with a cache takes no lists."""
    entry = {"make": "fixed", "arguments": {"arm": [1, [2, 3]]}}
    spec = from_table(TABLE | {"policies": {"fixed": entry}})
    assert spec.policies["fixed"].policy.arguments == {"arm": (1, (2, 3))}


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SPECS = 1", "must define SPEC, a jaxbandits.simulation.Spec"),
        ("SPEC = {'seeds': 1}", "must define SPEC, a jaxbandits.simulation.Spec"),
    ],
)
def test_modules_with_mistakes(written, text, message):
    path = written(text, "one.py")
    with pytest.raises(ValueError) as raised:
        read_spec(path)
    said = str(raised.value)
    assert said.startswith(f"SPEC: {path}") and message in said


def test_no_file(tmp_path):
    path = tmp_path / "none.toml"
    with pytest.raises(FileNotFoundError, match=f"^SPEC: there is no file {path}$"):
        read_spec(path)
    with pytest.raises(FileNotFoundError, match="^SPEC: there is no file"):
        read_spec(tmp_path)


def test_another_kind_of_file(written):
    with pytest.raises(ValueError, match=r"^SPEC: .*one.json must be a .toml or a .py"):
        read_spec(written("{}", "one.json"))


def test_a_file_that_is_no_toml_is_refused(tmp_path, subtests):
    for data in [b"seeds = ", b"[a]\n[a]", b'seeds = "\xff"']:
        with subtests.test(data=data):
            path = tmp_path / "one.toml"
            path.write_bytes(data)
            with pytest.raises(ValueError, match=f"^SPEC: {path} is not TOML: "):
                read_spec(path)


WHAT_THE_SCHEMA_REFUSES = [
    ({"setting": "plain"}, "setting: 'plain'", "'allocation', 'budgeted'"),
    ({"setting": None}, "'setting' is a required", ""),
    (
        {"sedes": 5},
        "Additional",
        "'sedes' was unexpected) (did you mean 'seeds'?) (known are setting, see",
    ),
    ({"seeds": "many"}, "seeds: 'many'", "How many seeds, or which"),
    ({"seeds": 0}, "seeds: 0", "minimum of 1"),
    ({"seeds": [3, -1]}, "seeds.1: -1", "minimum of 0"),
    ({"horizon": "9"}, "horizon: '9'", "'integer' (Number of rounds;"),
    ({"budget": 0}, "budget: 0", "(Play until this much is spent.)"),
    ({"checkpoints": "log2"}, "checkpoints: 'log2'", "'linear' or 'log'"),
    ({"metrics": "regret"}, "metrics: 'regret'", "'array' (What to keep"),
    ({"root_seed": -1}, "root_seed: -1", "minimum of 0 (Root seed.)"),
    ({"runs_per_instance": 0}, "runs_per_instance: 0", "minimum of 1"),
    ({"environments": {}}, "environments: {}", "non-empty"),
    ({"environments": {"a": {}}}, "environments.a: 'make' is a required", ""),
    ({"policies": {"p": "ucb"}}, "policies.p: 'ucb'", "'object'"),
    ({"seeds": {"metric": "regret"}}, "seeds: 'half_width' is a required", ""),
    (
        {"seeds": {"metric": "regret", "half_width": 1, "levle": 0.9}},
        "seeds: Additional",
        "(known are metric, half_width, level, pilot, at_most, each)",
    ),
    (
        {"seeds": {"metric": "regret", "half_width": 1, "level": 1}},
        "seeds.level: 1",
        "maximum of 1",
    ),
]


def test_what_the_schema_refuses(written, subtests):
    for change, where, allowed in WHAT_THE_SCHEMA_REFUSES:
        with subtests.test(where=where, allowed=allowed):
            table = {
                key: value
                for key, value in (TABLE | change).items()
                if value is not None
            }
            with pytest.raises(ValueError) as raised:
                from_table(table, "one.toml")
            said = str(raised.value)
            assert said.startswith(f"one.toml: {where}") and allowed in said


def test_environments_have_names_of_their_own():
    """Also those that are crossed, in whatever order."""
    three = {"make": "s_br", "cross": {"num_arms": [3, 4]}}
    seven = {"make": "s_br", "arguments": {"num_arms": 7}}
    both = {"three": three, "three (num_arms = 3)": seven}
    for table in (both, dict(reversed(both.items()))):
        with pytest.raises(
            ValueError, match=r"^one.toml: two environments are called "
        ):
            from_table(TABLE | {"environments": table}, "one.toml")
    found = from_table(TABLE | {"environments": {"three": three, "seven": seven}})
    names = ["three (num_arms = 3)", "three (num_arms = 4)", "seven"]
    assert list(found.environments) == names


def instance(**entry):
    return {"environments": {"three": TABLE["environments"]["three"] | entry}}


def policy(**entry):
    return {"policies": {"p": {"make": "omega_ucb"} | entry}}


WHAT_IS_WRONG_WITH_AN_ENTRY = [
    (
        instance(make="s_brr"),
        "environments.three.make: 's_brr' is unknown (did you ",
    ),
    (
        instance(make="x"),
        "environments.three.make: 'x' is unknown; known are changing, fb_br, ",
    ),
    (
        instance(make="x/y"),
        "environments.three.make: 'x/y' is unknown; known are budgeted/changing, ",
    ),
    (
        instance(make="farewell/figure-1a"),
        "environments.three.make: 'farewell/figure",
    ),
    (
        instance(make="make_problem"),
        "environments.three.make: 'make_problem' is ",
    ),
    (instance(make="Problem"), "environments.three.make: 'Problem' is unknown"),
    (
        instance(arguments={}),
        "environments.three.arguments: missing a required ",
    ),
    (
        instance(arguments={"num_arms": 3, "arms": 3}),
        "environments.three.arguments: got an unexpected keyword argument 'arms'",
    ),
    (
        instance(arguments={"num_arms": 0}),
        "environments.three.arguments: num_arms must be at least",
    ),
    (
        instance(arguments={"num_arms": "3"}),
        "environments.three.arguments: num_arms",
    ),
    (
        policy(make="omega_ucbb"),
        "policies.p.make: 'omega_ucbb' is unknown (did you mean 'omega_ucb'?); "
        "known are b_greedy, b_greedy_code, bts,",
    ),
    (policy(make="Params"), "policies.p.make: 'Params' is unknown"),
    (
        policy(arguments={"explore": 1}),
        "policies.p.arguments: got an unexpected keyword argument 'explore'",
    ),
    (policy(arguments={"problem": 1}), "policies.p.arguments: multiple values"),
    (policy(cross={"rho": "x"}), "policies.p.cross.rho: 'x' is not valid"),
    (policy(cross={"rho": [1, "a"]}), "policies.p.cross.rho.1: 'a' is not of type"),
    (policy(cross={"rho": []}), "policies.p.cross.rho: [] should be non-empty"),
    (policy(cross={"rho": True}), "policies.p.cross.rho: True is not valid"),
    (policy(cross={"rho": [1, 1.0]}), "policies.p has equal points"),
    (
        policy(cross={"rho": [float("nan")]}),
        "policies.p: rho must be a number",
    ),
    (policy(cross={"rho": 1}, zip={"rho": 2}), "policies.p both crosses and zips"),
    (
        policy(zip={"rho": [1, 2], "z_cap": [1, 2, 3]}),
        "policies.p must have columns of eq",
    ),
    (policy(grid={"rho": 1}), "policies.p: Additional properties are not allowed"),
]


def test_what_is_wrong_with_an_entry(subtests):
    for change, message in WHAT_IS_WRONG_WITH_AN_ENTRY:
        with subtests.test(message=message):
            with pytest.raises(ValueError) as raised:
                from_table(TABLE | change, "one.toml")
            assert str(raised.value).startswith(f"one.toml: {message}")


BAD_RANGES = [
    ({"points": 1}, ".points: 1 is less than the minimum of 2"),
    ({"points": 2.5}, ".points: 2.5 is not of type 'integer'"),
    ({"scale": "ln"}, ".scale: 'ln' is not one of ['linear', 'log']"),
    ({"step": 1}, ": Additional properties are not allowed ('step' was unexpec"),
    ({"to": None}, ": 'to' is a required property (Evenly spaced values.)"),
    ({"from": 0, "scale": "log"}, ": from and to must be positive and finite on a"),
    ({"from": -1, "scale": "log"}, ": from and to must be positive and finite"),
    ({"to": float("inf")}, ": from and to must be finite, got (1, inf)"),
]


def test_bad_ranges_of_seeds_are_refused(subtests):
    for change, message in BAD_RANGES:
        with subtests.test(message=message):
            values = {"from": 1, "to": 2, "points": 3} | change
            values = {key: value for key, value in values.items() if value is not None}
            with pytest.raises(ValueError) as raised:
                from_table(TABLE | policy(cross={"rho": values}), "one.toml")
            assert str(raised.value).startswith(
                f"one.toml: policies.p.cross.rho{message}"
            )


def design(**change):
    ranges = {
        "rho": {"from": 0.1, "to": 10, "scale": "log"},
        "z_cap": {"from": 1, "to": 2},
    }
    return policy(sample={"points": 8, "ranges": ranges} | change)


def test_a_design():
    """As `sampled` makes it; 8.0 is a whole number."""
    said = {"method": "latin_hypercube", "points": 8.0, "seed": 3}
    table = TABLE | design(**said)
    table["policies"]["p"]["cross"] = {"warm": [0, 1]}
    points = from_table(table).policies["p"].grid
    ranges = {"rho": Range(0.1, 10, "log"), "z_cap": Range(1, 2)}
    grid = sampled(ranges, 8, "latin_hypercube", 3, {"warm": [0, 1]})
    wanted = points_from(grid)
    assert points.count == wanted.count == 16
    for leaf, column in wanted.columns.items():
        np.testing.assert_array_equal(points.columns[leaf], column)


DESIGNS_WITH_MISTAKES = [
    ({"points": 6}, ": points must be a power of two with method 'sobol', 4 or 8"),
    ({"method": "halton"}, ".method: 'halton' is not one of"),
    ({"seed": -1}, ".seed: -1 is less than the minimum of 0"),
    ({"ranges": {"rho": {"from": 1}}}, ".ranges.rho: 'to' is a required property"),
    (
        {"ranges": {"rho": {"from": 0, "to": 1, "scale": "log"}}},
        ": ranges['rho']: ends must be positive and finite on a log scale",
    ),
    (
        {"ranges": {"rho": {"from": 0.5, "to": 4, "whole": True}}},
        ": ranges['rho']: ends must be whole numbers, got 0.5 and 4",
    ),
    ({"ranges": {}}, ".ranges: {} should be non-empty"),
]


def test_designs_with_mistakes(subtests):
    for change, message in DESIGNS_WITH_MISTAKES:
        with subtests.test(message=message):
            with pytest.raises(ValueError) as raised:
                from_table(TABLE | design(**change), "one.toml")
            assert str(raised.value).startswith(f"one.toml: policies.p.sample{message}")


def test_a_design_is_no_zip():
    table = TABLE | design()
    table["policies"]["p"]["zip"] = {"rho": [1, 2]}
    with pytest.raises(ValueError, match="policies.p: zip and sample exclude"):
        from_table(table)


def test_a_whole_number_may_have_a_point():
    values = {"from": 1, "to": 2, "points": 3.0}
    spec = from_table(TABLE | policy(cross={"rho": values}))
    assert spec.policies["p"].grid.columns["rho"].tolist() == [1.0, 1.5, 2.0]


NOTHING_IS_MADE_BEFORE_ALL_IS_CHECKED = [
    (
        policy(cross={"rho": [0.5, -1.0]}),
        "rho must be positive and finite, got",
    ),
    (
        policy(cross={"roh": 1}),
        "policies['p'] has no ['roh']; it has",
    ),
    (
        policy(arguments={"exploration": "none"}),
        "policies['p'] cannot be made: exploration",
    ),
    ({"budget": None, "seeds": 3}, "give horizon or budget"),
    ({"horizon": 0}, "horizon: 0 is less than the minimum of 1"),
    ({"checkpoints": [3, 2]}, "checkpoints must be"),
    ({"metrics": ["regrets"]}, "metrics: ['regrets'] unknown; known are ['"),
    ({"seeds": [1, 1]}, "seeds must be different integers"),
    (
        policy(cross={"rho": [0.5, 0.5 + 1e-10]}),
        "policies['p'] has points that are equal in float32",
    ),
]


def test_nothing_is_made_before_all_is_checked(tmp_path, subtests):
    for change, message in NOTHING_IS_MADE_BEFORE_ALL_IS_CHECKED:
        with subtests.test(message=message):
            store = tmp_path / "new" / "one.zarr"
            with pytest.raises(ValueError) as raised:
                table = {k: x for k, x in (TABLE | change).items() if x is not None}
                run_sweep(from_table(table), store)
            assert message in str(raised.value)
            assert not store.exists()
            assert not store.parent.exists() or not list(store.parent.iterdir())


def test_an_error_of_a_file_names_its_only_policy(tmp_path):
    spec = from_table(TABLE | policy(cross={"rho": [0.5, -1.0]}))
    with pytest.raises(ValueError, match="^policy 'p': rho must be positive"):
        run_sweep(spec._replace(text="a file's"), tmp_path / "s")


MODULES_THAT_FAIL = [
    ("x = (", "one.py, line 1 ends with SyntaxError: "),
    ("x = 1\ny = {}[3]", "one.py, line 2 ends with KeyError: 3"),
    ("import no_such_module", "one.py, line 1 ends with ModuleNotFoundError: "),
    ("import sys\n\nsys.exit(0)", "one.py, line 3 ends with SystemExit: 0"),
]


def test_modules_that_fail(written, subtests):
    for text, message in MODULES_THAT_FAIL:
        with subtests.test(text=text, message=message):
            with pytest.raises(ValueError, match=r"^SPEC: ") as raised:
                read_spec(written(text, "one.py"))
            said = str(raised.value)
            assert message in said or message.replace(", line 1", "") in said


def test_an_object_is_a_table(written):
    text = """
    setting = "farewell"
    budget = 5

    [environments.one]
    make = "farewell/environment"

    [environments.one.arguments]
    name = "x"
    delay = [[1.0]]
    reward = {make = "Beta", a = [[2.0]], b = [[3.0]]}
    reward_law = LAW

    [policies.p]
    make = "farewell/wait-ucb-shorter"
    """
    spec = read_spec(written(text.replace("LAW", '{make = "beta"}')))
    assert spec.environments["one"].provenance["reward_law"] == "Beta"
    assert spec.policies["p"].policy.arguments == {"observe": "shorter"}
    message = r"environments.one.arguments: reward_law must be a Law .*, got 'beta'"
    with pytest.raises(ValueError, match=message):
        read_spec(written(text.replace("LAW", '"beta"')))


def test_a_float_may_stand_for_an_integer():
    spec = from_table(TABLE | {"seeds": 1e1, "horizon": 1e2})
    assert (spec.seeds, spec.horizon) == (10, 100)
    assert all(isinstance(x, int) for x in (spec.seeds, spec.horizon))
    assert from_table(TABLE | {"seeds": [3.0, 1]}).seeds == [3, 1]


def test_too_many_points():
    values = {"from": 1, "to": 2, "points": 10**10}
    with pytest.raises(ValueError, match="points: 10000000000|cross.rho"):
        from_table(TABLE | policy(cross={"rho": values}))
    many = {"from": 1, "to": 2, "points": 10**4}
    with pytest.raises(ValueError, match="policies.p has 100000000 points; at most"):
        from_table(TABLE | policy(cross={"rho": many, "z_cap": many}))


ENDS_THAT_ARE_NO_FLOAT = [
    (
        {"cross": {"rho": {"from": 1, "to": 10**400, "points": 2}}},
        "^SPEC: policies.p.cross.rho: to must be a real number",
    ),
    (
        {"cross": {"rho": {"from": -1e308, "to": 1e308, "points": 3}}},
        "^SPEC: policies.p.cross.rho: from and to must be finite",
    ),
    (
        {"sample": {"points": 2, "ranges": {"rho": {"from": 1, "to": 10**400}}}},
        r"^SPEC: policies.p.sample: ranges\['rho'\]: high must be a real number",
    ),
]


def test_ends_that_are_no_float(subtests):
    for entry, named in ENDS_THAT_ARE_NO_FLOAT:
        with (
            subtests.test(entry=entry, named=named),
            pytest.raises((TypeError, ValueError), match=named),
        ):
            from_table(TABLE | policy(**entry))


def test_a_file_may_begin_with_a_mark(tmp_path):
    """As the editors and shells of Windows write it."""
    text = "setting = 'farewell'\n[environments.x]\nmake = 'figure_1a'\n"
    text += "[policies.y]\nmake = 'hazard_thompson'\n"
    (tmp_path / "one.toml").write_text(text, "utf-8-sig")
    assert list(read_spec(tmp_path / "one.toml").policies) == ["y"]


@pytest.mark.parametrize("checkpoints", [np.array([9, 5, 2], np.uint64), [1.0, np.nan]])
def test_checkpoints_that_fall_or_are_nan(checkpoints):
    end = {"horizon": 10} if len(checkpoints) == 3 else {"budget": 3.0, "horizon": None}
    spec = from_table(TABLE)._replace(**({"budget": None} | end))
    with pytest.raises(ValueError, match="^checkpoints must"):
        run_sweep(spec._replace(checkpoints=checkpoints))


def test_a_store_that_is_a_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="^store: hdfs://node/x.zarr is a URL"):
        run_sweep(from_table(TABLE), "hdfs://node/x.zarr")
    assert not list(tmp_path.iterdir())


def test_each_setting_has_its_own_policies():
    assert SCHEMA["properties"]["setting"]["enum"] == [
        "censored",
        "allocation",
        "budgeted",
        "farewell",
    ]
    with pytest.raises(ValueError, match="known are .*rcucb.*z_rcucb"):
        from_table(TABLE | {"setting": "censored"})


def test_the_command_line_names_the_file(written, capsys):
    path = written(FULL.replace("horizon = 900", "horizon = 0"))
    assert cli.main(["sweep", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"  {path}: horizon: 0 is less than the minimum" in err


MISTAKES = {  # Where it is, and what stands there.
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


@given(wrong=st.sets(st.sampled_from([*MISTAKES]), min_size=1))
def test_all_mistakes_of_a_file_are_said_at_once_a_line_each(wrong):
    """Each with its place; nothing is said of what is right."""
    table = RIGHT | {place: MISTAKES[place] for place in wrong}
    text = "\n".join(f"{place} = {value}" for place, value in table.items())
    with pytest.raises(ValueError) as raised:
        draft(spec_from_text(text, "one.toml"))
    lines = str(raised.value).splitlines()
    assert len(lines) == len(wrong) + (len(wrong) > 1)
    for place in wrong:
        part = place.removesuffix(".cross").replace("policies.", "")
        assert any(f"{part}" in line for line in lines[-len(wrong) :]), place


def test_all_mistakes_of_one_policy_are_said_at_once():
    """In its arguments, or in the ranges of several parameters."""
    entry = policy(arguments={"starr": 1, "explor": 2}, cross={"rho": []})
    table = TABLE | {"policies": {"p": {"make": "omega_ucb"} | entry["policies"]["p"]}}
    table["policies"]["p"]["cross"] = {"rho": [1.0, 1.0]}
    with pytest.raises(ValueError) as raised:
        from_table(table, "one.toml")
    assert all(x in str(raised.value) for x in ("'starr'", "'explor'", "equal points"))
    spec = walk.spec(points=2)
    grid = {"step": [-1.0, 1.0], "growth": [-2.0, 1.0]}
    spec = spec._replace(policies=spec.policies | {"walker": Entry(walk.WALKER, grid)})
    with pytest.raises(ValueError) as raised:
        draft(spec)
    lines = str(raised.value).splitlines()[1:]
    assert len(lines) == 2, "on both environments the same, said of one"
    assert all("'walker'" in line for line in lines)
    assert "step must be" in lines[0] and "growth must be" in lines[1]


def test_a_parameter_among_arguments_is_sent_to_its_place():
    table = TABLE | policy(make="omega_ucb", arguments={"rho": 0.5})
    with pytest.raises(ValueError, match="'rho' is a parameter, .* cross, zip or sam"):
        from_table(table, "one.toml")


def test_what_else_is_wrong_with_a_policy_and_seeds_is_said_once():
    table = TABLE | policy(make="omega_ucb", sampel=3, cross={"rh": [1.0]})
    table |= {"seeds": {"from": 10, "to": 5}}
    given = repr(table)
    with pytest.raises(ValueError) as raised:
        from_table(table, "one.toml")
    lines = str(raised.value).splitlines()[1:]
    assert len(lines) == 3 and repr(table) == given
    for words in ("'sampel' was unexpected", "has no ['rh']", "to must be at least"):
        assert sum(words in line for line in lines) == 1, words
