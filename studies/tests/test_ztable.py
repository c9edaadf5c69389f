"""The two tests of a table of numbers that were found twice."""

import numpy as np
import pytest

from studies.tests.ztable import Row, check_rows, of_repetitions
from tests.tables import naming


def rows(z, **changes):
    """Rows with given z: 3-4-5 errors, so that one z is a difference of 5."""
    found = [Row(f"row {i}", 100 + 5 * x, 3.0, 100.0, 4.0) for i, x in enumerate(z)]
    return [row._replace(**changes) for row in found]


def test_z_by_hand():
    (row,) = rows([2.0])
    assert row.z == pytest.approx(2.0)
    rounded = Row("rounded", 1.5, 0.0, 1.0, 0.0, rounding=0.5)
    assert rounded.z == pytest.approx(np.sqrt(3))
    # Their forty runs spread as our hundred do.
    assert of_repetitions(2.0, 100, 25) == pytest.approx(4.0)


def test_both_tests_have_their_own_border():
    for z, passes in [
        (
            50 * [1.3],
            True,
        ),  # the chi-square test alone: p = 0.001 is 86.7 = 50 * 1.317^2
        (50 * [1.33], False),
        (49 * [0.0] + [4.2], True),  # Bonferroni alone: 0.001 / 50 is 4.26
        (49 * [0.0] + [4.3], False),
    ]:
        with naming((z, passes)):
            if passes:
                check_rows(rows(z))
            else:
                with pytest.raises(AssertionError, match="chi-square p"):
                    check_rows(rows(z))


def test_what_is_no_table():
    for bad, message in (
        ([], "no rows"),
        (rows([0.0, 1.0], name="row"), "twice"),
        (rows([0.0], error=0.0, their_error=0.0), "without an error"),
    ):
        with pytest.raises(AssertionError, match=message), np.errstate(all="ignore"):
            check_rows(bad)
