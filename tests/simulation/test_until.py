"""Seeds until a mean is known: Stein's number, and no more."""

import math
import warnings

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from jaxbandits.results import open_store
from jaxbandits.simulation import Entry, HalfWidth
from jaxbandits.simulation.spec import pilot_of, seeds_needed
from jaxbandits.stats import CoverageWarning
from tests.simulation import walk
from tests.simulation.runs import ONE, run
from tests.simulation.test_numbers import assert_same
from tests.tables import each_row

PILOT = 20
# With so many seeds and those of a second stage two points are one vector of lanes.
SPEC = walk.spec(points=2, seeds=PILOT, horizon=8, metrics=["regret"])
# The widest: a step of 2 on the instance where everything counts three times.
WIDEST = {"environment": "long", "policy": "walker", "params": 1}


def played(spec=SPEC, store=None, **options):
    kept = {} if store is None else {"block": 64}
    options = {"devices": ONE} | kept | options
    return run(spec, store, **options)


@pytest.fixture(scope="module")
def pilot():
    return played()


def deviation(pilot, cell=WIDEST):
    values = pilot["regret"].sel(cell).isel(checkpoint=-1).values
    assert values.shape == (PILOT,)
    return math.sqrt(((values - values.mean()) ** 2).sum() / (PILOT - 1))


def largest_deviation(regret):
    """Of all points at the end; a policy without a parameter has NaN beside its own."""
    values = regret.isel(checkpoint=-1).transpose("seed", ...).values
    return np.nanmax(values.std(axis=0, ddof=1))


def stein(s, half_width, level):
    quantile = stats.t.ppf(1 - (1 - level) / 2, PILOT - 1)
    return max(PILOT, math.ceil((quantile * s / half_width) ** 2))


@pytest.mark.parametrize(("share", "level"), [(0.4, 0.95), (1.0, 0.9)])
def test_as_many_seeds_as_stein_says(pilot, share, level):
    """The half-width in standard deviations of the pilot."""
    s = deviation(pilot)
    assert s == pytest.approx(largest_deviation(pilot["regret"]), rel=1e-12)
    wanted = stein(s, share * s, level)
    found = played(until=HalfWidth("regret", share * s, level))
    assert found.sizes["seed"] == wanted
    assert (wanted > PILOT) == (share < 1)
    assert found["seed"].values.tolist() == list(range(wanted))
    assert (found["rounds"].values[..., -1] > 0).sum() == 2 * (2 + 1) * wanted
    assert_same(found, played(SPEC._replace(seeds=wanted)))


def test_other_means_than_the_last_one_may_be_wider(pilot):
    """Policies with one point only have nothing at the others."""
    only = SPEC._replace(policies={"idler": Entry(walk.WALKER), **SPEC.policies})
    s = deviation(pilot)
    found = played(only, until=HalfWidth("regret", 0.4 * s))
    assert found.sizes["seed"] == stein(s, 0.4 * s, 0.95)
    assert np.isnan(found["regret"].sel(policy="idler", params=1)).all()


def test_listed_seeds_are_the_pilot(pilot, tmp_path):
    """The new ones are the first that are not among them."""
    listed = [*range(1, 2 * PILOT, 2)]
    s = deviation(played(SPEC._replace(seeds=listed)))
    found = played(
        SPEC._replace(seeds=listed), until=HalfWidth("regret", 0.6 * s, at_most=23)
    )
    wanted = min(stein(s, 0.6 * s, 0.95), 23)
    new = [0, 2, 4][: wanted - PILOT]
    assert found["seed"].values.tolist() == listed + new


def test_a_half_width_stops_at_most_seeds_with_a_warning(pilot):
    s = deviation(pilot)
    needed = stein(s, 0.01 * s, 0.95)
    message = (
        f"a half-width of {0.01 * s:g} takes {needed} seeds; stopped at at_most = 30"
    )
    with pytest.warns(UserWarning, match=message):
        found = played(until=HalfWidth("regret", 0.01 * s, at_most=30))
    assert found.sizes["seed"] == 30
    assert_same(found, played(SPEC._replace(seeds=30)))


@pytest.mark.parametrize("half_width", [1e-9, 1e-300])
def test_at_most_where_no_integer_counts_what_is_needed(stored, half_width):
    found = seeds_needed(open_store(stored), HalfWidth("regret", half_width), 5)
    assert found.max() == 2**62


BAD_VALUES = [
    (HalfWidth("regret", 0.0), PILOT, ValueError, "half_width must be positive"),
    (HalfWidth("regret", 1.0, 1.0), PILOT, ValueError, r"level must be in \(0, 1"),
    (
        HalfWidth("regret", 1.0, at_most=19),
        PILOT,
        ValueError,
        "at_most must be at least 20, got 19",
    ),
    (HalfWidth(["regret"], 1.0), PILOT, TypeError, "metric must be a string, got"),
    (HalfWidth("regret", 1.0), 1, ValueError, "pilot must be at least 2 seeds, go"),
    (HalfWidth("regret", 1.0), [4], ValueError, "pilot must be at least 2 seeds, "),
    (HalfWidth("regret", 1.0), [1, 1], ValueError, "pilot must be different int"),
    (HalfWidth("regrets", 1.0), PILOT, ValueError, "metric: 'regrets' is unknown; kno"),
    (HalfWidth("small", 1.0), PILOT, ValueError, "metric: 'small' must be a number pe"),
    (HalfWidth("session", 1.0), PILOT, ValueError, "metric: 'session' is unknown"),
]


@each_row("until, seeds, error, message", BAD_VALUES)
def test_bad_half_widths_are_refused(tmp_path, until, seeds, error, message):
    """Before there is a store."""
    store = tmp_path / "one.zarr"
    with pytest.raises(error, match=f"^(seeds: )?{message}"):
        played(SPEC._replace(seeds=seeds, metrics=None), store, until=until)
    assert not store.exists()


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("pilot") / "one.zarr"
    played(SPEC._replace(metrics=None), path)
    return path


def test_a_verdict_is_about_the_first_seeds(pilot, stored):
    """As many as the pilot has, whatever else there is."""
    until = HalfWidth("regret", 0.4 * deviation(pilot), at_most=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CoverageWarning)
        found = seeds_needed(open_store(stored), until, PILOT).max()
        fewer = seeds_needed(open_store(stored), until, 5).max()
    assert found == stein(deviation(pilot), until.half_width, 0.95)
    largest = largest_deviation(pilot["regret"].isel(seed=slice(5)))
    quantile = stats.t.ppf(0.975, 4)
    assert fewer == math.ceil((quantile * largest / until.half_width) ** 2)


def test_a_mean_without_spread_takes_the_pilot(stored):
    found = seeds_needed(open_store(stored), HalfWidth("rounds", 1e-9), PILOT)
    assert found.max() <= PILOT


def made(values, **coordinates):
    """A dataset of one mean, as a store has it."""
    dims = ("environment", "policy", "params", "seed")
    values = np.asarray(values, float)[None, None, None]
    return xr.Dataset(
        {
            "regret": ((*dims, "checkpoint"), values[..., None]),
            "rounds": ((*dims, "checkpoint"), np.ones((*values.shape, 1), int)),
        },
        {"seed": np.arange(values.shape[-1]), **coordinates},
    )


def test_shared_instances_are_counted_whole(rng):
    """All runs of as many instances as their means take."""
    means = rng.normal(size=30)
    runs = np.repeat(means, 4) + np.tile([-0.1, 0.1, 0, 0], 30)
    data = made(runs, instance=("seed", np.arange(120) // 4))
    alone = seeds_needed(made(means), HalfWidth("regret", 0.1), 30)
    assert alone.max() > 100
    found = seeds_needed(data, HalfWidth("regret", 0.1), 120)
    assert found.max() == 4 * alone.max()


@pytest.mark.parametrize(
    "seeds", [[*range(22)], [*range(10)], [*range(10, 30)], [0, 10, 20]], ids=str
)
def test_the_pilot_has_whole_instances(seeds):
    assert pilot_of(HalfWidth("regret", 1.0, pilot=20), 10).tolist() == [*range(20)]
    with pytest.raises(ValueError, match="^pilot must be seeds 0, 1, ... and all 10"):
        pilot_of(HalfWidth("regret", 1.0, pilot=seeds), 10)


def test_a_pilot_that_says_too_little_is_warned_of(rng):
    lost = np.full(50, 200.0)
    with pytest.warns(CoverageWarning, match="in 1 of 1 samples all replications are"):
        seeds_needed(made(lost), HalfWidth("regret", 1.0), 50)
    lost[3] = 5000
    with pytest.warns(CoverageWarning, match="too skewed .*skewness 6.9, 50 rep"):
        seeds_needed(made(lost), HalfWidth("regret", 100.0), 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seeds_needed(made(rng.normal(size=50)), HalfWidth("regret", 0.5), 50)
