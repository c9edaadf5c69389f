"""Self-checks of the continuum twins: hand-computed cases and invariants."""

import numpy as np
import pytest

from tests.reference.continuum_policies import ZRCUCB, StoOO, Zooming
from tests.tables import each_row

SETTING = dict(cost=lambda x: x / 10, penalty=lambda x: 2 * x)
FREE = dict(cost=lambda x: 0.0, penalty=lambda x: 0.0)
EAGER = dict(gain_radius=0.0, penalty_radius=0.0)  # every tried point is extended


def limits(policy, arm=0):
    return [point.limit for point in policy.points[arm]]


def active_limits(policy, arm=0):
    return [point.limit for point in policy.playable(arm)]


def assert_cells(cells, max_limit):
    """The cells (left, width) partition (0, max_limit]."""
    cells = sorted(cells)
    ends = [0.0] + [left + width for left, width in cells]
    np.testing.assert_allclose([left for left, _ in cells], ends[:-1], atol=1e-12)
    assert ends[-1] == pytest.approx(max_limit)
    assert all(width > 0 for _, width in cells)


def grid_cells(policy, arm=0):
    return [(p.limit - p.width, p.width) for p in policy.playable(arm)]


# z-RCUCB


def test_index_by_hand():
    policy = ZRCUCB(
        2, 1.0, horizon=10, gain_radius=0.5, penalty_radius=2.0, smoothness=3.0,
        delta=0.1, alpha=1.5, **SETTING,
    )  # fmt: skip
    assert policy.act(1) == (0, 1.0)
    assert [list(values) for values in policy.indices(1)] == [[np.inf], [np.inf]]
    policy.update(1, 0, 1.0, 0.8, 0.5, False)
    assert policy.act(2) == (1, 1.0)
    policy.update(2, 0, 1.0, 0.0, np.inf, True)
    s = np.sqrt(3 * np.log(2 * 100 / 0.1))
    radius = 0.5 * s / np.sqrt(2) + 2.0 * 2.0 * s / np.sqrt(2)
    expected = (0.8 - 0.05) / 2 - 2.0 * 1 / 2 + radius + 3.0
    assert policy.indices(3)[0][0] == pytest.approx(expected, rel=1e-14)


def test_what_each_point_learns_from_a_round():
    policy = ZRCUCB(1, 1.0, horizon=10, history="inherit", splits=4, **SETTING)
    policy.update(1, 0, 1.0, 1.0, 0.5, False)
    policy.update(2, 0, 1.0, 0.5, 0.7, False)
    policy.update(3, 0, 1.0, 0.0, np.inf, True)
    seen = [(p.limit, p.N, p.N0, p.exceeded, p.gain) for p in policy.points[0]]
    expected = [
        (1.0, 3, 3, 1, 0.95 + 0.43),
        (0.25, 3, 3, 3, 0.0),
        (0.5, 3, 3, 2, 0.95),
        (0.75, 3, 3, 1, 0.95 + 0.43),
    ]
    np.testing.assert_allclose(seen, expected)
    assert active_limits(policy) == [1.0]


@each_row(
    "splits, history, first, second",
    [
        (2, "restart", [1, 1 / 2], [3 / 4, 1 / 4]),
        (3, "restart", [1, 1 / 3, 2 / 3], np.array([7, 8, 1, 2, 4, 5]) / 9),
        (
            4,
            "restart",
            [1, 1 / 4, 1 / 2, 3 / 4],
            np.array([13, 14, 15, 1, 2, 3, 5, 6, 7, 9, 10, 11]) / 16,
        ),
        (2, "inherit", [1, 1 / 2, 3 / 4, 1 / 4], np.array([7, 5, 3, 1]) / 8),
        (
            3,
            "inherit",
            np.array([9, 3, 6, 7, 8, 1, 2, 4, 5]) / 9,
            np.array(
                [25, 26, 19, 20, 22, 23]  # of the cells 9/9, then 7/9 and 8/9
                + [7, 8, 1, 2, 4, 5]  # 3/9, then 1/9 and 2/9
                + [16, 17, 10, 11, 13, 14]  # 6/9, then 4/9 and 5/9
            )
            / 27,
        ),
    ],
)
def test_points_are_added_in_the_papers_order(splits, history, first, second):
    policy = ZRCUCB(
        1, 2.0, horizon=10, splits=splits, history=history, **EAGER, **SETTING
    )
    policy.update(1, 0, 2.0, 1.0, 0.3, False)
    np.testing.assert_allclose(limits(policy), 2 * np.array(first), rtol=1e-14)
    assert_cells(grid_cells(policy), 2.0)
    assert len(policy.playable(0)) == splits
    policy.update(2, 0, 2.0, 1.0, 0.3, False)
    expected = 2 * np.concatenate([first, second])
    np.testing.assert_allclose(limits(policy), expected, rtol=1e-14)
    assert_cells(grid_cells(policy), 2.0)
    assert len(policy.playable(0)) == splits**2
    assert {round(p.width * splits**2, 9) for p in policy.playable(0)} == {2.0}


# StoOO


def test_stooo_index_and_expansion_by_hand():
    policy = StoOO(1, 1.0, horizon=100, radius=0.5, smoothness=4.0, **SETTING)
    r = 0.5 * 3 * np.sqrt(np.log(100**2 / 0.05) / 2)  # r(1); needs r <= 2
    needed = int(np.ceil(r**2 / 4))
    for t in range(1, needed):
        assert policy.act(t) == (0, 0.5)
        policy.update(t, 0, 0.5, 0.0, np.inf, True)
        expected = -1.0 + r / np.sqrt(t) + 2.0  # the penalty of 1/2
        assert policy.indices(t + 1)[0] == pytest.approx([expected])
    policy.update(needed, 0, 0.5, 0.0, np.inf, True)
    assert limits(policy) == [0.25, 0.75]
    assert np.all(np.isposinf(policy.indices(needed + 1)[0]))


# zooming


def test_zooming_gap_by_hand():
    radius = 0.3 / np.sqrt(2 * np.log(100))  # r(n) = 0.3 / sqrt(n + 1)
    policy = Zooming(2, 1.0, horizon=100, radius=radius, **FREE)
    assert policy.recommend() == (0, 0.5)
    assert policy.gap(0) == pytest.approx((0.0, 0.2))
    r = 0.3 / np.sqrt(2)
    policy.update(1, 0, 0.5, 1.0, 0.1, False)  # covers 0.5 -+ r
    left = (0.5 - r) / 2
    assert limits(policy) == pytest.approx([0.5, left])
    assert limits(policy, 1) == [0.5]
    assert policy.indices(2)[0] == pytest.approx([1.0 + 2 * r, np.inf])
    assert policy.act(2) == (0, pytest.approx(left))
    policy.update(2, 0, left, 0.0, 0.1, False)  # right of 0.5 + r
    right = (0.5 + r + 1.0) / 2
    assert limits(policy) == pytest.approx([0.5, left, right])
    policy.update(3, 0, right, 0.0, 0.1, False)
    assert policy.gap(0) is None and len(policy.points[0]) == 3
    assert policy.recommend() == (0, 0.5)
    policy.update(4, 1, 0.5, 0.0, 0.1, False)
    policy.update(5, 1, 0.5, 0.0, 0.1, False)
    assert policy.recommend() == (1, 0.5)
