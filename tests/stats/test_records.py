"""Records: plain Python, one per policy and parameter point."""

import json

import numpy as np
import pytest
import xarray as xr

from jaxbandits.results import build_dataset
from jaxbandits.stats import entry, make_record, mean, sem, summary_records
from tests.results.samples import arguments, dataset
from tests.tables import assert_named


def test_a_record_by_hand():
    data = dataset()
    records = summary_records(
        data,
        "figure 1",
        params={"K": np.int64(2)},
        published={"ucb": {"regret": 101, "optimal": None}},
    )
    at = {"policy": "ucb", "params": 0, "checkpoint": 10000}
    assert [record["policy"] for record in records] == ["ucb", "uniform"]
    assert records[0] == {
        "experiment": "figure 1",
        "environment": "two arms",
        "policy": "ucb",
        "params": {"K": 2, "alpha": 0.5},
        "seeds": 5,
        "horizon": 10000,
        "metrics": {
            "regret": {
                "mean": mean(data, "regret").sel(at).item(),
                "sem": sem(data, "regret").sel(at).item(),
                "published": 101.0,
            },
            "optimal": {
                "mean": mean(data, "optimal").sel(at).item(),
                "sem": sem(data, "optimal").sel(at).item(),
                "published": None,
            },
        },
    }


def test_records_go_through_json_with_null_for_nan():
    records = summary_records(
        dataset(points=2, num_seeds=1), "sweep", environment="easy"
    )
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    assert len(records) == 4
    assert [record["params"] for record in records] == [
        {"alpha": 0.5},
        {"alpha": 1.0},
        {},
        {},
    ]
    assert {record["environment"] for record in records} == {"easy"}
    assert records[0]["metrics"]["regret"]["sem"] is None
    assert records[2]["metrics"]["optimal"]["mean"] is None


def test_a_sweep_has_a_published_number_per_point():
    data = dataset(points=2)
    records = summary_records(data, "x", published={"ucb": {"regret": [1, None]}})
    published = [each["metrics"]["regret"]["published"] for each in records]
    assert published == [1.0, None, None, None]
    with pytest.raises(ValueError, match="1 entries, expected 2"):
        summary_records(data, "x", published={"ucb": {"regret": 1}})


def test_metrics_may_be_chosen():
    (record, _) = summary_records(dataset(), "x", metrics=["rounds"])
    assert record["metrics"] == {
        "rounds": {"mean": 10000.0, "sem": 0.0, "published": None}
    }


def test_arrays_are_left_out():
    """Only metrics that are one number per run have a place in a table."""
    made = arguments()
    made["metrics"]["ucb"]["pulls"] = np.ones((1, 5, 4, 2))
    made["metrics"]["ucb"]["points"] = np.full((1, 5, 4), 3)
    records = summary_records(build_dataset(**made), "x")
    assert [set(record["metrics"]) for record in records] == 2 * [
        {"regret", "optimal", "points"}
    ]
    assert records[0]["metrics"]["points"]["mean"] == 3.0
    assert records[1]["metrics"]["points"]["mean"] is None


def test_the_budget_that_was_spent_is_the_horizon():
    data = dataset(checkpoint_kind="spent", checkpoints=[0.1, 0.2, 0.3, 0.7])
    assert summary_records(data, "x")[0]["horizon"] == 0.7


def test_records_do_not_depend_on_the_order_of_dimensions():
    """As datasets that were joined or transposed have another one."""
    data = dataset(points=2, num_seeds=2)
    for dims in (("params", "policy", ...), ("checkpoint", ..., "policy")):
        turned = data.transpose(*dims)
        assert summary_records(turned, "x") == summary_records(data, "x")


def test_records_say_where_they_are():
    data = dataset()
    two = data.drop_vars("environment").expand_dims(environment=["e", "f"])
    with pytest.raises(ValueError, match="^dataset: it has 2 environments, e, f; sel"):
        summary_records(two, "x", environment="e")
    wanted = summary_records(data, "x", environment="f")
    assert summary_records(two.isel(environment=[1]), "x") == wanted


def test_who_was_played_to_another_checkpoint_is_named():
    data = dataset()
    other = data.isel(checkpoint=slice(2)).assign_coords(policy=["c", "d"])
    joined = xr.concat([data, other], "policy", join="outer")
    with pytest.raises(ValueError, match="^dataset: c, d lack the last checkpoint, 10"):
        summary_records(joined, "x")
    assert len(summary_records(joined.isel(checkpoint=[0, 1]), "x")) == 4
    # Fewer points are another thing.
    more = xr.concat(
        [dataset(points=2), other], "policy", join="outer", data_vars="all"
    )
    assert len(summary_records(more.isel(checkpoint=[1]), "x")) == 6


def test_points_are_the_same_for_all_seeds():
    data = dataset()
    other = data.assign_coords(
        seed=data["seed"] + 100, param_alpha=data["param_alpha"] + 1
    )
    joined = xr.concat([data, other], "seed", coords="different", compat="equals")
    for call in (lambda: summary_records(joined, "x"), lambda: mean(joined, "regret")):
        with pytest.raises(ValueError, match="^dataset: param_alpha differs between s"):
            call()
    # One policy has no alpha: what is missing everywhere is the same everywhere.
    same = other.assign_coords(param_alpha=data["param_alpha"])
    whole = xr.concat([data, same], "seed", coords="all", compat="equals")
    for seeds in (slice(None), [0]):
        assert mean(whole.isel(seed=seeds), "regret").notnull().all()


RECORD = {
    "experiment": "e",
    "environment": "x",
    "policy": "p",
    "metrics": {"regret": 1},
    "seeds": 2,
    "horizon": 10,
}


def test_what_makes_no_record_is_refused():
    assert make_record(**RECORD)["metrics"]["regret"] == entry(1)
    for given in ({"mean": 1}, entry(1), {"mean": np.int64(1), "sem": np.nan}):
        made = make_record(**RECORD | {"metrics": {"regret": given}})
        assert made["metrics"]["regret"] == entry(1)
    wrong = {
        "horizon": [np.nan],
        "metrics": [{1: 2.0}, {"regret": {"maen": 1}}, {"regret": {"mean": 1, "x": 2}}],
    }
    assert_named(make_record, RECORD, wrong, "^{}.* must be")
    texts = [{"regret": "x"}, {"regret": {"mean": "x"}}]
    assert_named(
        make_record,
        RECORD,
        {"metrics": texts},
        "^metrics.*: mean must be a real number",
    )
    below = {"metrics": [{"regret": {"mean": 1, "sem": -5}}]}
    assert_named(make_record, RECORD, below, "^metrics.*: sem must be >= 0")
    known = dict(dataset=dataset(), experiment="x")
    assert_named(summary_records, known, {"params": [3]}, "^{} must be a mapping")
