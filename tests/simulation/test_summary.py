"""Records of a sweep, and the best point of every policy."""

import json

import numpy as np
import pytest

from jaxbandits.checks.points import points_from
from jaxbandits.cli.summary import best_points, sweep_records
from jaxbandits.cli.table import records_table
from jaxbandits.simulation import Entry
from tests.simulation import walk
from tests.simulation.runs import ONE, run

GRID = {"step": [2.0, 0.5], "growth": [1.0, 3.0]}
SPEC = walk.spec(
    seeds=30,
    horizon=8,
    policies={"walker": Entry(walk.WALKER, GRID), "idler": Entry(walk.WALKER)},
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweeps") / "walks.zarr"
    run(SPEC, path, devices=ONE).close()
    return path


def test_records_of_a_store_are_flat_and_complete(store):
    found = sweep_records(store)
    assert json.loads(json.dumps(found)) == found
    places = [(r["environment"], r["policy"]) for r in found]
    assert places == [
        (instance, policy)
        for instance in ("short", "long")
        for policy in ("walker",) * 4 + ("idler",)
    ]
    with run(SPEC, store) as dataset:
        ends = dataset["regret"].values[..., -1]
    for number, record in enumerate(found):
        instance, rest = divmod(number, 5)
        policy, point = divmod(rest, 4)
        params = (
            {"step": 1.0, "growth": 1.0} if policy else points_from(GRID).row(point)
        )
        values = ends[instance, policy, point]
        assert record.pop("metrics") == {
            "regret": {
                "mean": pytest.approx(np.mean(values), rel=1e-12),
                "sem": pytest.approx(np.std(values, ddof=1) / np.sqrt(30), rel=1e-12),
                "published": None,
            }
        }
        assert record == {
            "experiment": "walks",
            "environment": ("short", "long")[instance],
            "policy": ("walker", "idler")[policy],
            "params": params,
            "seeds": 30,
            "horizon": 8,
        }


def test_the_path_of_a_store_in_any_form(store):
    found = sweep_records(store)
    assert sweep_records(f"{store}/") == sweep_records(str(store)) == found


def test_best_points(store):
    """The shortest steps: half the regret of the next one."""
    records = sweep_records(store)
    best = best_points(records)
    assert [(r["environment"], r["policy"]) for r in best] == [
        ("short", "walker (step = 0.5, growth = 1)"),
        ("short", "idler"),
        ("long", "walker (step = 0.5, growth = 1)"),
        ("long", "idler"),
    ]
    for record, original in zip(best, [records[i] for i in (2, 4, 7, 9)], strict=True):
        assert record | {"policy": original["policy"]} == original
    assert records == sweep_records(store)


def record(policy, params, **means):
    entries = {
        name: {"mean": mean, "sem": None, "published": None}
        for name, mean in means.items()
    }
    return {"environment": "a", "policy": policy, "params": params, "metrics": entries}


@pytest.mark.parametrize(
    ("records", "name"),
    [
        # The regret wherever it stands, else what stands first.
        (
            [
                record("p", {"x": 1.0}, steps=1.0, regret=2.0),
                record("p", {"x": 2.0}, steps=2.0, regret=1.0),
            ],
            "p (x = 2)",
        ),
        # Of equal ones the first.
        (
            [record("p", {"x": 1.0}, regret=1.0), record("p", {"x": 2.0}, regret=1.0)],
            "p (x = 1)",
        ),
        # Only what tells the points apart is named.
        (
            [
                record("p", {"x": 1.0, "y": "inf"}, regret=1.0),
                record("p", {"x": 1.0, "y": 0.1234567}, regret=2.0),
            ],
            "p (y = inf)",
        ),
        ([record("p", {}, regret=3.0)], "p"),
    ],
    ids="regret tie apart single".split(),
)
def test_what_is_best(records, name):
    (found,) = best_points(records)
    assert found["policy"] == name


def test_points_and_policies_without_a_mean_are_left_out():
    records = [record("p", {"x": x}, regret=x) for x in (3.0, 1.0, 2.0)]
    records.append(record("q", {}, regret=0.0))
    for each in (records[1], records[3]):
        each["metrics"]["regret"]["mean"] = None
    assert [x["policy"] for x in best_points(records)] == ["p (x = 2)"]


def test_the_first_seeds_alone_count_where_later_ones_are_not_played(tmp_path):
    few = SPEC._replace(policies={"idler": Entry(walk.WALKER)}, seeds=30)
    store = tmp_path / "grown"
    run(few, store, block=30, devices=ONE).close()
    expected, first = sweep_records(store), set(store.glob("*/*"))
    run(few._replace(seeds=60), store, extend=True, block=30, devices=ONE).close()
    for path in set(store.glob("*/*")) - first - set(store.glob("asked/*")):
        path.unlink()  # as if the sweep had been killed at its first block
    with pytest.warns(UserWarning, match="NaN"):
        assert best_points(sweep_records(store)) == []
    assert sweep_records(store, 30) == expected


def test_of_a_gain_nobody_knows_what_is_best():
    records = [record("p", {"x": x}, reward=x) for x in (1.0, 2.0)]
    assert best_points(records) == records


def test_nothing_to_tell(tmp_path):
    """A sweep of which only vectors are kept has no records."""
    store = tmp_path / "one.zarr"
    small = SPEC._replace(policies={"idler": Entry(walk.WALKER)}, metrics=["small"])
    run(small, store, devices=ONE)
    assert sweep_records(store) == best_points([]) == []
    assert records_table([], "nothing").row_count == 0
