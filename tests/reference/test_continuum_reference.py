"""Self-checks of the continuum twins: hand-computed cases and invariants."""

import numpy as np
import pytest

from tests.reference.continuum_policies import ZRCUCB, Doubling, StoOO, Zooming
from tests.rows import for_all

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


def test_a_round_below_a_point_counts_for_the_penalty_only():
    policy = ZRCUCB(1, 1.0, horizon=10, **EAGER, **SETTING)
    policy.update(1, 0, 1.0, 1.0, 0.9, False)
    assert limits(policy) == [1.0, 0.5]
    policy.update(2, 0, 0.5, 1.0, 0.2, False)
    old = policy.points[0][0]
    assert (old.N, old.N0, old.exceeded) == (1, 2, 0)
    assert old.gain == pytest.approx(0.91)  # the second round is not in N
    policy.update(3, 0, 0.5, 0.0, np.inf, True)
    assert (old.N, old.N0, old.exceeded) == (1, 3, 1)
    assert policy.estimate(old) == pytest.approx(0.91 - 2 / 3)


def check_order_of_extension(splits, history, first, second):
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


def test_order_of_extension():
    for_all(
        check_order_of_extension,
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


def test_extension_waits_for_the_radius():
    """(14) with c = s / sqrt(N), without a penalty: extended once N >= s^2 / 4."""
    policy = ZRCUCB(1, 1.0, horizon=10, smoothness=2.0, delta=0.5, **FREE)
    needed = int(np.ceil(2 * np.log(100 / 0.5) / 4))
    for t in range(1, needed + 1):
        assert limits(policy) == [1.0]
        policy.update(t, 0, 1.0, 1.0, 0.3, False)
    assert limits(policy) == [1.0, 0.5]


def test_points_below_the_played_one_are_extended_too_but_not_untried_ones():
    policy = ZRCUCB(1, 1.0, horizon=10, splits=4, **EAGER, **SETTING)
    policy.update(1, 0, 1.0, 1.0, 0.1, False)
    policy.points[0][0].width = -1.0  # keep tau_max out of the way
    policy.update(2, 0, 0.5, 1.0, 0.1, False)
    new = np.array([1, 2, 3, 5, 6, 7]) / 16  # of 1/4 and 1/2, not of 3/4
    assert limits(policy)[4:] == list(new)


def test_overflow_of_restart():
    policy = ZRCUCB(1, 1.0, horizon=10, capacity=3, **EAGER, **SETTING)
    policy.update(1, 0, 1.0, 1.0, 0.1, False)
    assert not policy.overflow
    policy.update(2, 0, 1.0, 1.0, 0.1, False)
    assert policy.overflow
    assert limits(policy) == [1.0, 0.5, 0.75]
    assert [p.width for p in policy.points[0]] == [0.25, 0.5, 0.25]


def test_overflow_of_inherit():
    for capacity, overflow in ((3, True), (4, False)):
        policy = ZRCUCB(
            1, 1.0, horizon=10, capacity=capacity, history="inherit", **EAGER, **SETTING
        )
        policy.update(1, 0, 1.0, 1.0, 0.1, False)
        assert policy.overflow == overflow
    assert limits(policy) == [1.0, 0.5, 0.75, 0.25]
    policy.update(2, 0, 1.0, 1.0, 0.1, False)
    assert policy.overflow and active_limits(policy) == [1.0, 0.5]


def test_recommends_the_best_of_the_finest_level():
    policy = ZRCUCB(2, 1.0, horizon=10, **EAGER, **SETTING)
    assert policy.recommend() == (0, 1.0)
    policy.update(1, 1, 1.0, 0.0, 0.2, False)  # arm 1: width 1/2, 1/2 is untried
    assert policy.recommend() == (1, 1.0)
    policy.update(2, 0, 1.0, 1.0, 0.2, False)
    assert policy.recommend() == (0, 1.0)  # same level, larger estimate
    policy.update(3, 1, 0.5, 0.0, 0.2, False)  # finer: 1, 1/2 at width 1/4
    assert policy.recommend() == (1, 1.0)  # both at -0.02: the first of the list
    policy.update(4, 1, 0.5, 1.0, 0.2, False)  # 1/4 too is tried: 0.98, once
    assert [p.width for p in policy.points[1][:4]] == [1 / 8, 1 / 8, 1 / 4, 1 / 8]
    assert policy.recommend() == (1, 0.25)


# StoOO


def test_stooo_expands_in_place():
    policy = StoOO(1, 1.0, horizon=10, splits=3, radius=0.0, **SETTING)
    assert policy.recommend() == (0, 0.5) == policy.act(1)
    policy.update(1, 0, 0.5, 1.0, 0.1, False)
    assert limits(policy) == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    policy.update(2, 0, 0.5, 1.0, 0.1, False)
    assert limits(policy) == pytest.approx(np.array([3, 7, 15, 9, 11]) / 18)
    widths = [cell.width for cell in policy.points[0]]
    assert widths == pytest.approx([1 / 3, 1 / 9, 1 / 3, 1 / 9, 1 / 9])
    assert policy.recommend() == (0, pytest.approx(0.5))


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


def test_stooo_recommends_the_best_of_the_deepest():
    policy = StoOO(3, 1.0, horizon=10, radius=0.0, **FREE)
    for t, (arm, reward, best) in enumerate([(1, 0.2, 1), (2, 0.7, 2), (0, 0.7, 2)]):
        policy.update(t + 1, arm, 0.5, reward, 0.1, False)
        assert policy.recommend() == (best, 0.5)
    policy.update(4, 0, 0.75, 0.0, np.inf, True)
    assert policy.recommend() == (0, 0.75)
    policy.update(5, 1, 0.25, 0.1, 0.1, False)
    assert policy.recommend() == (1, 0.25)


def test_stooo_overflow():
    policy = StoOO(1, 1.0, horizon=10, splits=3, radius=0.0, capacity=4, **FREE)
    policy.update(1, 0, 0.5, 1.0, 0.1, False)
    assert not policy.overflow
    policy.update(2, 0, 0.5, 1.0, 0.1, False)
    assert policy.overflow and len(policy.points[0]) == 3
    assert policy.points[0][1].n == 1 and len(policy.expanded) == 1


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


# the doubling trick


class Scripted:
    """Notes the rounds it sees; recommends (their number, horizon)."""

    def __init__(self, horizon):
        self.horizon, self.seen, self.overflow = horizon, [], False

    def act(self, t):
        return 0, float(t)

    def indices(self, t):
        return [np.array([t / self.horizon])]

    def update(self, t, *feedback):
        self.seen.append(t)
        self.overflow = self.horizon == 6

    def recommend(self):
        return len(self.seen), float(self.horizon)


def test_doubling_epochs():
    built = []

    def make(horizon):
        built.append(Scripted(horizon))
        return built[-1]

    policy = Doubling(make, first=3)
    recommended, overflow = [policy.recommend()], []
    for t in range(1, 12):
        arm, limit = policy.act(t)
        assert limit == (t if t <= 3 else t - 3 if t <= 9 else t - 9)
        assert policy.indices(t)[0] == limit / (3 if t <= 3 else 6 if t <= 9 else 12)
        policy.update(t, arm, limit, 0.0, 0.1, False)
        recommended.append(policy.recommend())
        overflow.append(policy.overflow)
    assert [inner.horizon for inner in built] == [3, 6, 12]
    assert [inner.seen for inner in built] == [[1, 2, 3], [1, 2, 3, 4, 5, 6], [1, 2]]
    first = [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert recommended == first + [(3, 3)] * 5 + [(6, 6)] * 3
    assert overflow == [False] * 3 + [True] * 8
