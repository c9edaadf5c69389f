"""Another axis for curves: linear between checkpoints, constant after the end."""

import numpy as np
import pytest

from jaxbandits.stats import as_share, resample
from tests.results.samples import dataset


def games():
    """Two seeds of two policies that spend 10 and 20; they stop at different rounds."""
    rounds = {
        "ucb": np.array([[[4, 8], [10, 40]]]),
        "uniform": np.array([[[2, 2], [1, 5]]]),
    }
    regret = {
        "ucb": np.array([[[2.0, 6.0], [1.0, 4.0]]]),
        "uniform": np.array([[[8.0, 8.0], [0.0, 2.0]]]),
    }
    return dataset(
        num_seeds=2,
        metrics={
            "ucb": {"regret": regret["ucb"], "optimal": rounds["ucb"] / 100},
            "uniform": {"regret": regret["uniform"]},
        },
        rounds=rounds,
        checkpoints=[10.0, 20.0],
        checkpoint_kind="spent",
    )


def test_by_hand():
    """From the origin to the first checkpoint, to the second, and flat from there."""
    found = resample(games(), "rounds", [0, 2, 4, 5, 8, 25, 100])
    expected = {
        ("ucb", 3): [0, 1, 2, 3, 6, 6, 6],
        ("ucb", 4): [0, 0.2, 0.4, 0.5, 0.8, 2.5, 4],
        # No round was played between the two checkpoints.
        ("uniform", 3): [0, 8, 8, 8, 8, 8, 8],
        ("uniform", 4): [0, 0.5, 1.5, 2, 2, 2, 2],
    }
    for (policy, seed), values in expected.items():
        curve = found["regret"].sel(policy=policy, params=0, seed=seed)
        np.testing.assert_allclose(curve, values, atol=1e-12)
    assert found["checkpoint"].values.tolist() == [0, 2, 4, 5, 8, 25, 100]
    rounds = found["rounds"].sel(policy="ucb", params=0).values
    np.testing.assert_allclose(rounds[0], [0, 2, 4, 5, 8, 8, 8])
    np.testing.assert_allclose(rounds[1], [0, 2, 4, 5, 8, 25, 40])


def test_the_rest_stays():
    data = games()
    found = resample(data, "rounds", [1, 2, 3])
    assert found["regret"].dims == data["regret"].dims
    assert dict(found.sizes) == dict(data.sizes) | {"checkpoint": 3}
    for name in ("policy", "params", "seed", "param_alpha", "run_seconds"):
        assert found[name].identical(data[name])
    assert set(found.data_vars) == set(data.data_vars)
    # What a policy has not it has not on another axis either.
    assert found["optimal"].sel(policy="uniform").isnull().all()
    assert found["optimal"].sel(policy="ucb").notnull().all()
    others = {k: v for k, v in found.attrs.items() if k != "checkpoint_kind"}
    assert others == {k: v for k, v in data.attrs.items() if k != "checkpoint_kind"}


def test_every_point_has_its_own_axis():
    data = dataset(points=2, checkpoint_kind="spent", checkpoints=[1, 2, 3, 4])
    data["rounds"][:, 1] = 2 * data["rounds"][:, 1]
    found = resample(data, "rounds", [100, 200])
    for point, places in ((0, [100, 200]), (1, [50, 100])):
        curve = data["regret"].sel(policy="ucb", params=point, seed=5).values
        expected = np.interp(places, [0, 10, 100, 1000, 10000], [0, *curve])
        again = found["regret"].sel(policy="ucb", params=point, seed=5)
        np.testing.assert_allclose(again, expected)


KINDS = [
    ("rounds", None, "round"),
    ("regret", None, "spent"),
    ("rounds", "share", "share"),
    ("regret", "share", "share"),
]


def test_every_kind_of_grid_gives_its_values(subtests):
    for along, kind, expected in KINDS:
        with subtests.test(along=along, expected=expected):
            found = resample(games(), along, [1.0, 2.0], kind)
            assert found.attrs["checkpoint_kind"] == expected


def test_other_axes_than_rounds():
    found = resample(games(), "regret", [1.0, 4.0])
    rounds = found["rounds"].sel(policy="ucb", params=0, seed=4)
    np.testing.assert_allclose(rounds, [10, 40])


def test_mistakes_in_the_axis():
    data = games()
    with pytest.raises(ValueError, match="'time' is unknown; known are rounds, regret"):
        resample(data, "time", [1, 2])
    data["regret"][1, 0, 1, 0] = 3.0  # Above the next.
    with pytest.raises(ValueError, match="^along: 'regret' decreases"):
        resample(data, "regret", [1, 2])
    assert resample(data, "rounds", [1, 2])["regret"].notnull().all()


def test_arrays_on_record_and_facts_of_runs_go_along():
    """As with ``keep``, and as a store has them; the dimensions in any order."""
    data = games()
    data["pulls"] = data["regret"].expand_dims(pulls_0=[1, 2], axis=-1)
    data["pulls"] = data["pulls"] * data["pulls_0"]
    data["session"] = data["rounds"].isel(checkpoint=0, drop=True)
    alone = resample(games(), "rounds", [1, 3])
    for given in (data, data.transpose("checkpoint", "seed", ..., "policy")):
        found = resample(given, "rounds", [1, 3])
        for number in (1, 2):
            pulls = found["pulls"].sel(pulls_0=number)
            expected = (number * alone["regret"]).transpose(*pulls.dims)
            np.testing.assert_allclose(pulls, expected)
        assert found["session"].equals(given["session"])
        assert found["regret"].dims == given["regret"].dims
    for name in ("pulls", "session"):
        with pytest.raises(ValueError, match=f"^along: '{name}' must be a number per"):
            resample(data, name, [1, 2])


def test_as_share():
    data = games()
    found = as_share(data)
    assert found["checkpoint"].values.tolist() == [0.5, 1.0]
    added = {"checkpoint_kind": "share", "share_of": "spent"}
    assert found.attrs == data.attrs | added
    for name in data.data_vars:
        np.testing.assert_array_equal(found[name], data[name])
    # The argument is as it was.
    assert data["checkpoint"].values.tolist() == [10, 20]
    assert data.attrs["checkpoint_kind"] == "spent"


def test_shares_are_of_checkpoints_that_increase():
    data = games()
    with pytest.raises(ValueError, match="^dataset must have the coordinate checkpo"):
        as_share(data.drop_vars("checkpoint"))
    for wrong in ([20, 10], [5, 5], [0, 0], [-1, 1]):
        with pytest.raises(ValueError, match="^checkpoint must "):
            as_share(data.assign_coords(checkpoint=wrong))
    found = as_share(data.assign_coords(checkpoint=[0, 4]))
    assert found["checkpoint"].values.tolist() == [0.0, 1.0]
