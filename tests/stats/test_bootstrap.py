"""BCa intervals: SciPy's numbers, no variance, missing seeds, skewed values."""

import numpy as np
from scipy import stats

from jaxbandits.stats import bootstrap, interval
from tests.results.samples import dataset, repetitions
from tests.tables import each_row


def ends(values, **arguments):
    """The ends for one policy's values ``[R, S]``, as ``[R]``."""
    arguments = {"resamples": 199} | arguments
    found = interval(repetitions(values), "regret", method="bootstrap", **arguments)
    return found.lower.values[0, :, 0], found.upper.values[0, :, 0]


@each_row("level", [0.8, 0.95])
def test_ends_are_those_of_scipy(rng, level):
    """SciPy resamples the values themselves there, with the same numbers."""
    values = rng.exponential(size=(3, 12))
    lower, upper = ends(values, level=level, seed=5)
    for row, low, high in zip(values, lower, upper, strict=True):
        expected = stats.bootstrap(
            (row,),
            np.mean,
            method="BCa",
            confidence_level=level,
            n_resamples=199,
            random_state=np.random.default_rng(5),
        ).confidence_interval
        np.testing.assert_allclose((low, high), expected, rtol=1e-9)


def test_the_interval_has_the_dimensions_and_the_mean_of_students():
    data = dataset(points=2, num_seeds=7)
    found = interval(data, "regret", method="bootstrap", resamples=99)
    student = interval(data, "regret")
    assert found.mean.identical(student.mean)
    for part, other in zip(found, student, strict=True):
        assert part.dims == other.dims and part.coords.keys() == other.coords.keys()
    assert (found.lower < found.mean).all() and (found.mean < found.upper).all()
    again = interval(data, "regret", method="bootstrap", resamples=99)
    other = interval(data, "regret", method="bootstrap", resamples=99, seed=1)
    assert again.lower.identical(found.lower)
    assert not other.lower.equals(found.lower)


def test_the_room_for_resamples_does_not_matter(rng, monkeypatch):
    values = rng.normal(size=(5, 9))
    expected = ends(values)
    for room in (1, 20, 450):
        monkeypatch.setattr(bootstrap, "BATCH", room)
        np.testing.assert_allclose(ends(values), expected, rtol=1e-12)


@each_row(
    "row", [[0, 1], [0, 0, 0, 1e-300], [1e16, 1e16 + 2, 1e16 + 6], [-1e300, 0, 1e300]]
)
def test_extreme_values_stay_quiet(row):
    lower, upper = ends([row])
    assert min(row) <= lower < upper <= max(row)
