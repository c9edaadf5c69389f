"""Stein's two stages: the rule by hand, exact coverage, and what a naive rule loses."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits.stats import (
    CoverageWarning,
    fixed_width_interval,
    interval_of,
    seeds_needed,
)
from tests.results.samples import dataset


def test_seeds_and_ends_by_hand():
    """Variance 14/3 and t(3) = 3.182446: 47.26 / h^2 seeds, but not less than 4."""
    pilot = [1.0, 2, 3, 6]
    assert [seeds_needed(pilot, h).item() for h in (0.5, 1, 2, 4, 100)] == [
        190,
        48,
        12,
        4,
        4,
    ]
    found = fixed_width_interval([*pilot, 8.0, 4.0], 4)
    half = 3.182446305 * (14 / 3 / 6) ** 0.5
    expected = [4, 4 - half, 4 + half]
    assert [part.item() for part in found] == pytest.approx(expected)


def test_all_runs_of_the_pilot_s_instances_count():
    """Two of each of five instances: not fewer than the ten that were played."""
    values = xr.DataArray(np.arange(10.0), dims="seed")
    values = values.assign_coords(instance=("seed", np.arange(10) // 2))
    with pytest.warns(CoverageWarning):
        assert seeds_needed(values, 1e6).item() == 10


def test_without_a_second_stage_it_is_student_s_interval(rng):
    values = xr.DataArray(rng.normal(size=(3, 8)), dims=("policy", "seed"))
    for part, other in zip(
        fixed_width_interval(values, 8, 0.9), interval_of(values, 0.9), strict=True
    ):
        np.testing.assert_allclose(part, other)


def test_the_seeds_of_labelled_values_are_counted():
    data = dataset(num_seeds=9)["regret"]
    needed = seeds_needed(data.isel(seed=slice(5)), 0.8)
    assert needed.dims == ("policy", "params", "checkpoint")
    assert needed.dtype == np.int64
    bare = seeds_needed(data.values[:, :, :5].swapaxes(2, 3), 0.8)
    np.testing.assert_array_equal(needed, bare)
    found = fixed_width_interval(data, 5)
    assert found.lower.dims == needed.dims and "param_alpha" in found.lower.coords
    bare = fixed_width_interval(data.values.swapaxes(2, 3), 5)
    np.testing.assert_array_equal(found.upper, bare.upper)


@given(
    st.lists(st.integers(-100, 100), min_size=2, max_size=12),
    st.floats(0.1, 10),
    st.sampled_from([0.5, 0.9, 0.99]),
)
def test_the_fewest_seeds_that_are_narrow_enough(pilot, half_width, level):
    needed = seeds_needed(pilot, half_width, level).item()

    def half(size):
        padded = np.resize(np.array(pilot, float), size)
        found = fixed_width_interval(padded, len(pilot), level)
        return (found.upper - found.lower).item() / 2

    if needed < 10_000:
        assert half(needed) <= half_width * (1 + 1e-9)
    if len(pilot) < needed < 10_000:
        assert half(needed - 1) > half_width * (1 - 1e-9)


def test_equal_seeds_need_no_more():
    assert seeds_needed([2.0, 2.0, 2.0], 1e-9).item() == 3
