"""Space-filling designs: spread, whole numbers, the same points again."""

from functools import partial

import numpy as np

from jaxbandits import Range, sampled
from jaxbandits.checks.points import points_from
from tests.tables import assert_refused, naming

TWO = {"a": Range(-1.0, 3.0), "b": Range(0.1, 10.0, "log")}


def strata(values, low, high, parts):
    """How many values lie in each of equal parts of a range."""
    return np.histogram(values, parts, (low, high))[0].tolist()


def test_each_parameter_is_spread_evenly():
    """One value in each of as many parts as there are points."""
    for seed in [0, 1, 7]:
        for method in ["sobol", "latin_hypercube"]:
            with naming((seed, method)):
                points = points_from(sampled(TWO, 16, method, seed))
                assert points.count == 16
                assert strata(points.columns["a"], -1, 3, 16) == [1] * 16
                assert strata(np.log10(points.columns["b"]), -1, 1, 16) == [1] * 16


def test_a_sobol_sequence_spreads_over_pairs_too():
    """One point in each cell, whatever the cells' shape."""
    for seed in [0, 1, 7]:
        with naming(seed):
            points = points_from(sampled(TWO, 16, seed=seed))
            a, b = points.columns["a"], np.log10(points.columns["b"])
            for parts in ((2, 8), (4, 4), (8, 2)):
                counts, *_ = np.histogram2d(a, b, parts, ((-1, 3), (-1, 1)))
                assert (counts == 1).all()


def test_the_seed_says_which_points():
    for method in ["sobol", "latin_hypercube"]:
        with naming(method):
            first, again, other = (
                points_from(sampled(TWO, 8, method, seed)).columns for seed in (3, 3, 4)
            )
            for leaf in TWO:
                np.testing.assert_array_equal(first[leaf], again[leaf])
                assert not np.isin(first[leaf], other[leaf]).any()


def test_what_is_crossed_goes_with_every_point():
    grid = sampled(TWO, 4, crossed={"c": [1, 2]})
    points = points_from(grid)
    assert points.count == 8
    np.testing.assert_array_equal(points.columns["c"], [1, 2] * 4)
    np.testing.assert_array_equal(points.columns["a"][::2], grid.columns["a"])


def test_every_whole_number_is_as_frequent_as_the_others():
    points = points_from(sampled({"n": Range(3, 6, whole=True), **TWO}, 64))
    values, counts = np.unique(points.columns["n"], return_counts=True)
    assert values.tolist() == [3, 4, 5, 6] and counts.tolist() == [16] * 4


def test_whole_numbers_on_a_log_scale():
    """From one to the next: 1 has half of [1, 4)."""
    points = points_from(sampled({"n": Range(1, 3, "log", whole=True), **TWO}, 64))
    values, counts = np.unique(points.columns["n"], return_counts=True)
    assert values.tolist() == [1, 2, 3]
    np.testing.assert_allclose(
        counts, 64 * np.log([2, 3 / 2, 4 / 3]) / np.log(4), atol=1
    )


def test_points_that_whole_numbers_make_equal_are_one():
    """In the order of the sequence."""
    points = points_from(sampled({"n": Range(1, 5, whole=True)}, 32))
    assert sorted(points.columns["n"]) == [1, 2, 3, 4, 5]
    more = points_from(sampled({"n": Range(1, 5, whole=True), **TWO}, 32))
    seen = dict.fromkeys(more.columns["n"].tolist())
    assert more.count == 32 and len(seen) == 5


def test_logarithms_are_rounded():
    """So that the last bit of a machine's exponential makes no other sweep."""
    values = points_from(sampled(TWO, 64)).columns["b"]
    assert all(value == float(f"{value:.12g}") for value in values)


BAD = [
    ({"points": 1}, "points must be at least 2"),
    ({"points": 48}, "points must be a power of two with method 'sobol', 32 or 64"),
    ({"points": 2**20}, "points must be at most 1000000"),
    ({"method": "halton"}, "method must be one of"),
    ({"seed": -1}, "seed must be at least 0"),
    ({"ranges": {"a": Range(0, 1, "log")}}, "positive and finite on a log scale"),
    ({"ranges": {"a": Range(-1e308, 1e308)}}, "so far apart that float64 overflows"),
    ({"ranges": {"a": Range(1e-300, 1e300, "log")}}, "float64 overflows"),
    (
        {"ranges": {f"a{i}": Range(0, 1) for i in range(30_000)}},
        "ranges must have at most 21201 leaves with method 'sobol', got 30000",
    ),
    ({"ranges": {"a": Range(1, 1)}}, "must be finite, and increase, got 1 and 1"),
    ({"ranges": {"a": Range(1, np.inf)}}, "finite, and increase, got 1 and inf"),
    ({"ranges": {"a": Range(0.5, 2, whole=True)}}, "must be whole numbers, got 0.5"),
    ({"ranges": {"a": Range(1, 2, "ln")}}, r"ranges\['a'\]: scale must be one of"),
    ({"points": 16.0}, "points must be an integer"),
    ({"ranges": {}}, "ranges must map names of parameters to jaxbandits.Range"),
    ({"ranges": {"a": (1, 2)}}, r"ranges\['a'\] must be a Range \(of jax"),
    ({"ranges": {"a": Range("1", 2)}}, r"ranges\['a'\]: low must be"),
    ({"ranges": {"a": Range(1, 2, whole=1)}}, r"ranges\['a'\]: whole must be"),
]


def test_bad_designs_are_refused():
    good = {"ranges": TWO, "points": 16}
    rows = [(partial(sampled, **good | change), words) for change, words in BAD]
    assert_refused(rows, (TypeError, ValueError))
