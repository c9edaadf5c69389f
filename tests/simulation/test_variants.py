"""Environments by the arguments of what makes them, and what results say of these."""

import itertools

import numpy as np
import pytest

import jaxbandits as jb
from jaxbandits.budgeted import s_br
from jaxbandits.laws.thresholds import lomax
from jaxbandits.results import load, save
from jaxbandits.simulation import Entry, Spec, run_sweep, variants
from jaxbandits.simulation.files import from_table
from tests.simulation import walk
from tests.simulation.runs import QUIET
from tests.tables import each_row

TABLE = {
    "setting": "budgeted",
    "budget": 5,
    "seeds": 2,
    "environments": {
        "S-Br": {
            "make": "s_br",
            "arguments": {"cost_floor": 0.25},
            "cross": {"num_arms": [2, 3]},
        }
    },
    "policies": {"omega": {"make": "omega_ucb"}},
}


def scaled(factor=1.0, kind="plain", extra=()):
    return walk.GAME._replace(setup=np.float64(factor + (kind == "far") + len(extra)))


def spec(environments, seeds=3):
    walker = Entry(walk.WALKER, {"step": [1.0, 2.0]})
    return Spec({"walker": walker}, environments, seeds=seeds, horizon=8)


def test_one_for_each_combination():
    found = variants("S-Br", s_br, {"num_arms": [2, 3], "cost_floor": (0.5, 0.25)})
    assert list(found) == [
        "S-Br (num_arms = 2, cost_floor = 0.5)",
        "S-Br (num_arms = 2, cost_floor = 0.25)",
        "S-Br (num_arms = 3, cost_floor = 0.5)",
        "S-Br (num_arms = 3, cost_floor = 0.25)",
    ]
    last = found["S-Br (num_arms = 3, cost_floor = 0.25)"]
    assert last.problem == s_br(3).problem and last.setup["floor"] == 0.25
    assert last.provenance["num_arms"] == 3


def test_the_i_th_values_together():
    """Zipped ones slowest, as in grids; values may stand there again."""
    zipped = jb.zipped({"num_arms": [2, 3, 3], "budget": (5, 5, 6)}, {"kind": "ab"})
    crossed = {"kind": ["a", "b"]}
    with pytest.raises(TypeError, match=r"^arguments\['kind'\] must be a list"):
        variants("w", lambda **chosen: walk.GAME, zipped)
    made = variants("w", lambda **_: walk.GAME, zipped._replace(crossed=crossed))
    assert list(made) == [
        "w (num_arms = 2, budget = 5, kind = a)",
        "w (num_arms = 2, budget = 5, kind = b)",
        "w (num_arms = 3, budget = 5, kind = a)",
        "w (num_arms = 3, budget = 5, kind = b)",
        "w (num_arms = 3, budget = 6, kind = a)",
        "w (num_arms = 3, budget = 6, kind = b)",
    ]
    called = []
    variants(
        "w",
        lambda **chosen: called.append(chosen) or walk.GAME,
        jb.zipped({"a": [1, 2], "b": ["x", "y"]}),
    )
    assert called == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


def test_a_file_that_zips():
    """Beside what it crosses, with the words of policies."""
    zipped = {"num_arms": [2, 3], "cost_floor": [0.5, 0.25]}
    entry = {"make": "s_br", "zip": zipped}
    found = from_table(TABLE | {"environments": {"S-Br": entry}}).environments
    assert list(found) == [
        "S-Br (num_arms = 2, cost_floor = 0.5)",
        "S-Br (num_arms = 3, cost_floor = 0.25)",
    ]
    assert [each.setup["floor"] for each in found.values()] == [0.5, 0.25]
    spaced = {"from": 0.25, "to": 0.5, "points": 2}
    entry = {"make": "s_br", "zip": {"cost_floor": spaced}, "cross": {"num_arms": [2]}}
    found = from_table(TABLE | {"environments": {"S-Br": entry}}).environments
    assert list(found) == [
        "S-Br (cost_floor = 0.25, num_arms = 2)",
        "S-Br (cost_floor = 0.5, num_arms = 2)",
    ]


def test_texts_functions_and_lists_have_names():
    values = {"kind": ["near", np.linspace, True, (1, "a", 0.1), lomax]}
    assert [*variants("w", lambda kind: walk.GAME, values)] == [
        "w (kind = near)",
        "w (kind = linspace)",
        "w (kind = True)",
        "w (kind = (1, a, 0.1))",
        "w (kind = Lomax)",
    ]


@pytest.mark.parametrize("stored", [False, True], ids=["memory", "store"])
def test_results_have_the_values(stored, tmp_path):
    """Numbers as such, NaN where there are none; text where one is text."""
    environments = variants("w", scaled, {"factor": [1, 4]})
    environments |= variants("far", scaled, {"kind": ["far"], "extra": [(), (1,)]})
    environments["walk"] = walk.GAME
    store = tmp_path / "s.zarr" if stored else None
    found = run_sweep(spec(environments), store, QUIET)
    factors = found["environment_factor"]
    np.testing.assert_array_equal(factors, [1, 4, np.nan, np.nan, np.nan])
    assert factors.dims == ("environment",) and factors.dtype == np.float64
    assert found["environment_kind"].values.tolist() == ["", "", "far", "far", ""]
    assert found["environment_extra"].values.tolist() == ["", "", "()", "(1)", ""]
    save(found.load().drop_attrs(), tmp_path / "s.nc")
    assert load(tmp_path / "s.nc")["environment_kind"].equals(found["environment_kind"])


def test_results_are_grouped_by_them(tmp_path):
    """And the numbers are those of the environment alone."""
    environments = variants("w", scaled, {"factor": [1, 4], "kind": ["near", "far"]})
    found = run_sweep(spec(environments), machine=QUIET)
    means = found["regret"].groupby("environment_kind").mean("environment")
    by_hand = found["regret"].isel(environment=[0, 2]).mean("environment")
    np.testing.assert_array_equal(means.sel(environment_kind="near"), by_hand)
    walker, far = walk.WALKER.over(step=[1.0, 2.0]), scaled(4, "far")
    alone = jb.simulate(walker, far, horizon=8, seeds=3, machine=QUIET)
    wanted = found["regret"].isel(environment=3)
    np.testing.assert_array_equal(alone["regret"].values, wanted.values)


BAD_ARGUMENTS = [
    ({}, TypeError, "arguments must map names to lists of values"),
    ({"factor": 2}, TypeError, r"arguments\['factor'\] must be a list of values"),
    ({"factor": []}, ValueError, r"arguments\['factor'\] must have at least"),
    ({"factor": {1, 2}}, TypeError, r"arguments\['factor'\] must be a list of"),
    ({"factor": itertools.count()}, ValueError, r"\['factor'\] must have at least"),
    ({"factor": [10**400]}, TypeError, "arguments: a value must be a real number"),
    ({"": [1]}, ValueError, "arguments: a name must not be empty"),
    ({1: [1]}, TypeError, "arguments: a name must be a string, got 1"),
    ({"factor": [b"3"]}, TypeError, "must be numbers, texts, functions or"),
    ({"other": [1]}, TypeError, "unexpected keyword argument 'other'"),
    (jb.zipped([1]), TypeError, "arguments must map names to lists of values"),
    (
        jb.zipped({"factor": [1, 2], "kind": ["a"]}),
        ValueError,
        "of equal length to zip them, got {'factor': 2, 'kind': 1}",
    ),
    (
        jb.zipped({"factor": [1]}, {"factor": [2]}),
        ValueError,
        r"^arguments both crosses and zips \['factor'\]",
    ),
    (
        jb.zipped({"factor": [1, 2, 1], "kind": ["a", "b", "a"]}),
        ValueError,
        r"different, got w \(factor = 1, kind = a\) twice",
    ),
    (jb.zipped({"factor": 1, "kind": ["a"]}), TypeError, r"\['factor'\] must be a"),
]


@each_row("values, error, message", BAD_ARGUMENTS)
def test_bad_arguments_of_a_grid_are_refused(values, error, message):
    with pytest.raises(error, match=message):
        variants("w", scaled, values)


BAD_FILES = [
    ({"cross": {"num_arms": 3}}, r"S-Br: arguments\['num_arms'\] must be a list"),
    (
        {"cross": {"cost_floor": [0.1]}, "arguments": {"cost_floor": 0.2}},
        r"environments.S-Br: \['cost_floor'\] are both in arguments and in cross",
    ),
    ({"cross": {"arms": [3]}}, "environments.S-Br: arguments: .*'arms'"),
    (
        {"zip": {"num_arms": [3]}},
        r"environments.S-Br: arguments both crosses and zips \['num_arms'\]",
    ),
]


@each_row("change, message", BAD_FILES)
def test_bad_variants_in_a_file_are_refused(change, message):
    entry = TABLE["environments"]["S-Br"] | change
    with pytest.raises(ValueError, match=message):
        from_table(TABLE | {"environments": {"S-Br": entry}})
