"""Points that have different numbers of seeds: each is what it is alone."""

import warnings

import numpy as np
import pytest
import xarray as xr

from jaxbandits import stats
from jaxbandits.results import load, save
from jaxbandits.stats import CoverageWarning, as_share, resample
from tests.heavy import in_short
from tests.stats.statistics import STATISTICS
from tests.tables import assert_refused, each_row

COUNTS = np.array([[30, 50, 20], [60, 0, 0]])
DIMS = ("policy", "params", "seed", "checkpoint")


def ragged(rng, counts=COUNTS, **coordinates):
    """Exponential values of two policies, the second with fewer points."""
    shape = (*counts.shape, counts.max(), 2)
    values = rng.exponential(size=shape).cumsum(axis=-1)
    played = np.arange(counts.max()) < counts[..., None]
    return xr.Dataset(
        {
            "regret": (DIMS, np.where(played[..., None], values, np.nan)),
            "rounds": (DIMS, np.where(played[..., None], [5, 9], 0)),
        },
        {
            "policy": ["a", "b"],
            "params": np.arange(counts.shape[1]),
            "seed": np.arange(counts.max()),
            "checkpoint": [5, 9],
            "param_x": (("policy", "params"), np.where(counts > 0, 1.5, np.nan)),
            "seeds": (("policy", "params"), counts),
            "environment": "e",
            **coordinates,
        },
        {"checkpoint_kind": "round"},
    )


@pytest.fixture
def data(rng):
    return ragged(rng)


def alone(data, row, point):
    """A single point with its own seeds."""
    count = int(data["seeds"][row, point])
    own = data.isel(policy=[row], params=[point], seed=slice(count))
    return own.drop_vars("seeds")


OF_POINTS = "mean sem quantiles interval bootstrap bounded interval_of fixed_width"
SEVERAL = {"several": lambda data: [stats.quantiles(data, "regret", [0.1, 0.5])]}


@pytest.mark.filterwarnings("ignore::jaxbandits.stats.CoverageWarning")
@each_row("name", [*OF_POINTS.split(), *SEVERAL])
def test_each_point_is_what_it_is_alone(data, name):
    statistic = (STATISTICS | SEVERAL)[name]
    found = statistic(data)
    for row, point in zip(*np.nonzero(COUNTS), strict=True):
        wanted = statistic(alone(data, row, point))
        for each, own in zip(found, wanted, strict=True):
            mine = each.isel(policy=[row], params=[point])
            assert mine.dims == own.dims
            # Its coordinates too; quantiles of xarray have fewer.
            assert mine.coords.keys() - own.coords.keys() <= {"seeds", "environment"}
            xr.testing.assert_allclose(
                mine.drop_vars(mine.coords.keys() - own.coords.keys()), own, rtol=1e-12
            )
    for each in found:
        assert each.isel(policy=1, params=[1, 2]).isnull().all()
        xr.testing.assert_equal(each["seeds"].variable, data["seeds"].variable)


def test_drawn_instances_are_counted(rng):
    """Two runs of each, of which a point has a whole number."""
    instance = np.arange(60) // 2
    data = ragged(rng, instance=("seed", instance))
    for function in (stats.mean, stats.sem):
        found = function(data, "regret")
        for row, point in ((0, 0), (0, 1), (1, 0)):
            own = function(alone(data, row, point), "regret")
            np.testing.assert_allclose(
                found[row, point], own[0, 0], rtol=1e-12, err_msg=function.__name__
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoverageWarning)
        found = stats.fixed_width_interval(data["regret"], 20)
        own = stats.fixed_width_interval(alone(data, 0, 1)["regret"], 20)
    np.testing.assert_allclose(found.upper[0, 1], own.upper[0, 0], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*along the dimension seed are NaN:UserWarning")
def test_a_run_that_is_missing_among_its_seeds(data):
    data["regret"][0, 1, 40] = np.nan
    found = stats.mean(data, "regret")
    assert np.isnan(found[0, 1]).all() and np.isfinite(found[0, [0, 2]]).all()


@pytest.mark.filterwarnings("ignore:.*along the dimension seed are NaN:UserWarning")
def test_the_axis_begins_with_the_first_seed(data):
    """Others would be taken for those of a point."""
    part = data.isel(seed=slice(30))
    found, whole = stats.mean(part, "regret"), stats.mean(data, "regret")
    np.testing.assert_allclose(found[0, 2], whole[0, 2], rtol=1e-12)
    wanted = data["regret"][0, 1, :30].mean("seed")
    np.testing.assert_allclose(found[0, 1], wanted, rtol=1e-12)
    with pytest.raises(ValueError, match="^dataset: has runs beyond the seeds"):
        stats.mean(data.isel(seed=slice(None, None, -1)), "regret")
    # What is left of a point is not all of it.
    assert np.isnan(stats.mean(data.isel(seed=slice(10, None)), "regret")[0, 0]).all()


REFUSED = {
    "band": lambda data: stats.band(data, "regret"),
    "dominance": lambda data: stats.dominance(data, "regret"),
    "paired": lambda data: stats.paired_difference(data, "regret", "a", "b"),
    "two_level": lambda data: stats.two_level(data, "regret"),
    "quantile_interval": lambda data: stats.quantile_interval(data, "regret", 0.5),
    "resample": lambda data: resample(data, "rounds", [1, 5]),
}


@pytest.mark.filterwarnings("ignore::jaxbandits.stats.CoverageWarning")
@pytest.mark.parametrize("name", in_short(REFUSED, {"dominance"}))
def test_what_needs_the_same_seeds_of_all_says_so(data, name):
    with pytest.raises(ValueError, match="have 20 to 60 seeds .the coordinate seeds"):
        REFUSED[name](data)
    # The way out that it names.
    common = data.isel(seed=slice(20)).assign_coords(instance=("seed", range(20)))
    REFUSED[name](common)


@each_row("name", ["plot_bars", "plot_curves", "plot_ranks"])
def test_pictures_say_so_too(data, name):
    from jaxbandits import plots

    with pytest.raises(ValueError, match="have 30 to 60 seeds .the coordinate seeds"):
        getattr(plots, name)(data, "regret")


def test_records_have_the_seeds_of_their_point(data):
    records = stats.summary_records(data, "x")
    assert [record["seeds"] for record in records] == [30, 50, 20, 60]
    means = stats.mean(data, "regret").isel(checkpoint=-1)
    assert records[1]["metrics"]["regret"]["mean"] == pytest.approx(float(means[0, 1]))


def test_final_has_nothing_at_the_others(data):
    found = stats.final(data, "regret")
    assert np.isnan(found[0, 2, 20:]).all() and np.isfinite(found[0, 2, :20]).all()
    assert as_share(data)["regret"].shape == data["regret"].shape


def test_there_is_one_warning_of_the_fewest_seeds(rng):
    counts = np.array([[10, 40], [60, 0]])
    data = ragged(rng, counts)
    data["regret"][:] = data["regret"].where(
        data["regret"].isnull(), rng.normal(size=data["regret"].shape)
    )
    with pytest.warns(CoverageWarning, match="10 replications are too few") as said:
        stats.interval(data, "regret")
    assert len(said) == 1 and said[0].filename == __file__
    enough = data.isel(policy=0, params=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = stats.interval(enough, "regret")
    assert np.isfinite(found.lower).all()


def test_points_of_different_seeds_are_saved_and_loaded(data, tmp_path):
    save(data, tmp_path / "x.nc")
    xr.testing.assert_identical(load(tmp_path / "x.nc"), data)


def test_policies_with_fewer_points_can_be_joined(data):
    """Points that one has not have no number of seeds then."""
    few = data.isel(policy=[1], params=[0])
    joined = xr.concat([data.isel(policy=[0]), few], "policy", join="outer")
    assert np.isnan(joined["seeds"][1, 2])
    for function in (stats.mean, stats.sem):
        found, wanted = function(joined, "regret"), function(data, "regret")
        np.testing.assert_array_equal(found, wanted)
    assert stats.summary_records(joined, "x") == stats.summary_records(data, "x")


def test_what_points_of_different_seeds_do_not_have_is_refused(data):
    assert_refused(
        {
            "'regret' is an array of dask": lambda: stats.mean(data.chunk(), "regret"),
            r"pilot must be in 2, ..., 20, .* got 21": lambda: (
                stats.fixed_width_interval(data["regret"], 21)
            ),
            "^dataset: seeds must be a coordinate over p": lambda: stats.mean(
                data.reset_coords("seeds"), "regret"
            ),
        },
        ValueError,
    )
