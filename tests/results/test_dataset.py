"""Shapes, names and complaints of `build_dataset`."""

import json
from functools import partial, reduce
from operator import getitem

import numpy as np
import pytest

from jaxbandits.results import build_dataset
from tests.results.samples import arguments, dataset
from tests.tables import assert_refused, each_row


def test_values_lie_where_their_names_say():
    made = arguments(points=2)
    data = build_dataset(**made)
    assert data["regret"].dims == ("policy", "params", "seed", "checkpoint")
    assert dict(data.sizes) == {"policy": 2, "params": 2, "seed": 5, "checkpoint": 4}
    picked = data["regret"].sel(policy="uniform", params=1, seed=4, checkpoint=1000)
    assert picked.item() == made["metrics"]["uniform"]["regret"][1, 1, 2]
    assert data["run_seconds"].sel(policy="uniform").item() == 2.0
    assert data["compile_seconds"].sel(policy="ucb").item() == 1.5
    assert {data[name].dtype for name in ("regret", "optimal")} == {np.dtype("f8")}
    assert data["rounds"].dtype == data["checkpoint"].dtype == np.int64


def test_what_a_policy_has_not_is_nan():
    data = dataset(points=2)
    assert data["optimal"].sel(policy="uniform").isnull().all()
    assert data["optimal"].sel(policy="ucb").notnull().all()
    assert data["param_alpha"].sel(policy="ucb").values.tolist() == [0.5, 1.0]
    assert data["param_alpha"].sel(policy="uniform").isnull().all()


def test_attributes():
    data = dataset()
    assert json.loads(data.attrs["provenance"])["device"] == "cpu"
    assert data["environment"].item() == "two arms"
    assert data.attrs["setting"] == "censored"
    assert data.attrs["checkpoint_kind"] == "round"


def test_spent_budget_gives_float_checkpoints():
    data = dataset(checkpoint_kind="spent", checkpoints=[0.5, 1, 2, 4])
    assert data["checkpoint"].dtype == np.float64


MISTAKES_ARE_NAMED = [
    ({"metrics": {}}, "metrics must have at least one policy"),
    ({"rounds": {}}, "rounds must have the policies"),
    ({"params": {"ucb": {}}}, "params must have the policies"),
    ({"params": {"ucb": {"a": []}, "uniform": {}}}, r"params\['ucb'\]: a must be a"),
    ({"params": {"ucb": {"a": "1"}, "uniform": {}}}, r"params\['ucb'\]: a must"),
    ({"params": {"ucb": {"a": [1, 2]}, "uniform": {}}}, "one for each of 1 points"),
    ({"run_seconds": {"ucb": 1.0}}, "run_seconds must have the"),
    ({"seeds": [1, 2, 3, 4]}, r"shape \('P', 4, 4\) .* got \(1, 5, 4\)"),
    ({"seeds": [1, 1, 2, 3, 4]}, "seeds must be distinct"),
    ({"seeds": []}, "seeds must be"),
    ({"checkpoints": [1, 2, 2, 3]}, "checkpoints must increase"),
    ({"checkpoints": []}, "checkpoints must be a list"),
    ({"checkpoints": [1.0, 2.0, 3.0, 4.0]}, "checkpoints must be a list of integers"),
    ({"checkpoints": [-2, -1, 0, 1]}, "checkpoints must be >= 0 and finite"),
    ({"compile_seconds": {"ucb": -1.0, "uniform": 0.5}}, r"compile_seconds\['ucb'\]"),
    ({"run_seconds": {"ucb": 1.0, "uniform": np.nan}}, r"run_seconds\['uniform'\]"),
    ({"checkpoint_kind": "time"}, "checkpoint_kind must be one of"),
    ({"provenance": {"when": object()}}, "provenance.when: object"),
]


def test_mistakes_are_named():
    calls = [(partial(dataset, **x), words) for x, words in MISTAKES_ARE_NAMED]
    assert_refused(calls, ValueError)


def test_parameter_points_are_different():
    equal = {"ucb": {"alpha": [1.0, 1.0], "beta": [2.0, 2.0]}, "uniform": {}}
    with pytest.raises(ValueError, match=r"params\['ucb'\] must be different points"):
        dataset(2, params=equal)
    equal["ucb"]["beta"] = [2.0, 3.0]
    assert dataset(2, params=equal).sizes["params"] == 2


def with_histogram(**changes):
    """Arguments with a metric that has further axes, ``[1, 5, 4, 2, 3]``."""
    made = arguments(**changes)
    made["metrics"]["ucb"]["histogram"] = np.arange(120).reshape(1, 5, 4, 2, 3)
    return made


def test_further_axes_have_dimensions_of_their_own():
    data = build_dataset(**with_histogram())
    histogram = data["histogram"]
    further = ("histogram_0", "histogram_1")
    assert histogram.dims == (*data["regret"].dims, *further)
    assert histogram.dtype == np.float64
    assert [data.sizes[name] for name in further] == [2, 3]
    assert not set(further) & set(data.coords)
    picked = histogram.sel(policy="ucb", seed=4, checkpoint=1000)
    expected = np.arange(120).reshape(5, 4, 2, 3)[1, 2]
    np.testing.assert_array_equal(picked.squeeze("params"), expected)
    assert histogram.sel(policy="uniform").isnull().all()


RUNS = (1, 5, 4)
WRONG_ARRAYS = [
    ("rounds/uniform", np.broadcast_to([-1, 1, 2, 3], RUNS), "not fall"),
    ("rounds/uniform", np.broadcast_to([4, 3, 2, 1], RUNS), "not fall"),
    ("rounds/uniform", np.full(RUNS, 0.5), r"rounds\['uniform'\] must be integers"),
    (
        "metrics/uniform/regret",
        np.zeros((1, 4, 5)),
        r"metrics\['uniform'\]\['regret'\] must",
    ),
    (
        "metrics/uniform/histogram",
        np.zeros((*RUNS, 2, 2)),
        "'histogram' has shape .* for 'uniform'",
    ),
    ("metrics/ucb/seed", np.zeros(RUNS), "is taken"),
    ("metrics/ucb/param_alpha", np.zeros(RUNS), "is taken"),
    ("metrics/ucb/run_seconds", np.zeros(RUNS), "is taken"),
    ("metrics/ucb/rounds", np.zeros(RUNS), "is taken"),
]


@each_row("place, array, message", WRONG_ARRAYS)
def test_arrays_that_are_wrong_are_named(place, array, message):
    made = with_histogram()
    *way, last = place.split("/")
    reduce(getitem, way, made)[last] = array
    with pytest.raises(ValueError, match=message):
        build_dataset(**made)
