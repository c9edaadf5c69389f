"""Literal float64 twins of the policies for censored feedback and any real limit.

An arm keeps a list of points in order of creation. The limit of a round is that of a
playable point; a tie goes to the smallest arm, then to the earliest point of its list.
"""

from dataclasses import dataclass, field

import numpy as np

from tests.reference.choosing import Indexed


class PointPolicy(Indexed):
    """Plays the first argmax of the indices of the playable points, arm by arm."""

    def __init__(self, num_arms, max_limit, cost, penalty, horizon, capacity):
        self.num_arms, self.max_limit = num_arms, max_limit
        self.cost, self.penalty = cost, penalty
        self.horizon = horizon
        self.capacity = np.inf if capacity is None else capacity
        self.overflow = False

    def playable(self, arm):
        return self.points[arm]

    def index(self, point):
        raise NotImplementedError

    def all_points(self):
        return [x for arm in range(self.num_arms) for x in self.playable(arm)]

    def indices(self, t, noise):
        return np.array([self.index(point) for point in self.all_points()], np.float64)

    def position(self, arm, limit):
        point = self.played(arm, limit)
        assert abs(point.limit - limit) < 1e-6, f"the twin has no limit {limit}"
        return self.all_points().index(point)

    def played(self, arm, limit):
        """The playable point of the arm with the limit nearest to the given one."""
        return min(self.playable(arm), key=lambda point: abs(point.limit - limit))

    def value(self, limit, reward, consumption, censored):
        """The value of a round, eq. (7)."""
        return -self.penalty(limit) if censored else reward - self.cost(consumption)

    def has_room(self, arm, slots):
        """Whether the list of the arm takes so many more; if not, an overflow."""
        if len(self.points[arm]) + slots <= self.capacity:
            return True
        self.overflow = True
        return False


@dataclass(eq=False)
class GridPoint:
    """A grid point of z-RCUCB and what the rounds since its creation say of it."""

    limit: float
    width: float  # limit - down(limit)
    active: bool = True
    N: int = 0  # N_{i,tau}, below (8)
    N0: int = 0  # N_{i,0}
    exceeded: int = 0  # numerator of (9)
    gain: float = 0.0  # numerator of (8)
    at_risk: int = 0  # n_j of Kaplan-Meier, of the cell below the point
    events: int = 0  # d_j
    candidates: list = field(default_factory=list)  # inside the cell, if kept


class ZRCUCB(PointPolicy):
    """Zooming-RCUCB, section 4.1, Algorithm 1."""

    def __init__(
        self,
        num_arms,
        max_limit,
        cost,
        penalty,
        horizon,
        splits=2,
        alpha=1.0,
        delta=0.05,
        gain_radius=1.0,
        penalty_radius=1.0,
        smoothness=1.0,
        history="restart",
        capacity=None,
        kaplan_meier=False,
    ):
        super().__init__(num_arms, max_limit, cost, penalty, horizon, capacity)
        self.kaplan_meier = kaplan_meier
        self.splits, self.history, self.smoothness = splits, history, smoothness
        self.gain_radius, self.penalty_radius = gain_radius, penalty_radius
        self.s = np.sqrt(2 * alpha * np.log(num_arms * horizon**2 / delta))
        self.points = []
        for arm in range(num_arms):
            self.points.append([GridPoint(max_limit, max_limit)])
            if history == "whole":  # all points of the finest grid, of all arms
                self.points[arm] = [
                    GridPoint(max_limit * k / capacity, 0.0, active=False)
                    for k in range(1, capacity)
                ] + self.points[arm]
            if history == "inherit":
                self.add_candidates(arm, self.points[arm][0])

    def playable(self, arm):
        return [point for point in self.points[arm] if point.active]

    def estimate(self, point):
        """(10), for a point with N > 0."""
        risk = point.exceeded / point.N0  # (9)
        if self.kaplan_meier:
            (points,) = (row for row in self.points if point in row)
            risk = 1.0
            for below in points[: points.index(point) + 1]:
                if below.at_risk:
                    risk *= 1 - below.events / below.at_risk
        return point.gain / point.N - self.penalty(point.limit) * risk  # (8)

    def confidence(self, point):
        """c_{i,tau}(n T^2 / delta; alpha)."""
        if point.N == 0:
            return np.inf
        penalty = self.penalty(point.limit)
        gain_radius = self.gain_radius * self.s / np.sqrt(point.N)
        loss_radius = self.penalty_radius * penalty * self.s / np.sqrt(point.N0)
        return gain_radius + loss_radius

    def index(self, point):
        """(13)."""
        if point.N == 0:
            return np.inf
        bias = self.smoothness * point.width
        return self.estimate(point) + self.confidence(point) + bias

    def update(self, t, noise, arm, limit, reward, consumption, censored):
        limit = self.played(arm, limit).limit
        left = 0.0  # of the point's cell, where points are sorted
        for point in self.points[arm]:
            within = not censored and consumption <= point.limit
            point.N0 += 1
            seen = limit >= point.limit * (1 - 1e-9)
            if seen and (left == 0 or censored or consumption > left):
                point.at_risk += 1
                point.events += within
            left = point.limit
            if not within:
                point.exceeded += 1
            if limit >= point.limit * (1 - 1e-9):
                point.N += 1
                if within:
                    point.gain += reward - self.cost(consumption)
        due = [
            point
            for point in self.playable(arm)
            if point.N > 0 and self.smoothness * point.width >= self.confidence(point)
        ]  # (14)
        for point in due:
            self.extend(arm, point)

    def interior(self, point):
        """The limits that split the cell of a point into equal parts."""
        left = point.limit - point.width
        return [left + k * point.width / self.splits for k in range(1, self.splits)]

    def add_candidates(self, arm, point):
        """Keeps the interior points of a new cell, to learn but not to be played."""
        width = point.width / self.splits
        point.candidates = [
            GridPoint(limit, width, active=False) for limit in self.interior(point)
        ]
        self.points[arm] += point.candidates

    def extend(self, arm, point):
        if self.history == "whole":
            self.open(arm, point)
            return
        inherit = self.history == "inherit"
        fresh_cells = self.splits if inherit else 1
        if not self.has_room(arm, fresh_cells * (self.splits - 1)):
            return
        width = point.width / self.splits
        if not inherit:
            self.points[arm] += [
                GridPoint(limit, width) for limit in self.interior(point)
            ]
            point.width = width
            return
        former = point.candidates
        point.width = width
        for candidate in former:
            candidate.active, candidate.width = True, width
        for new in [point, *former]:
            self.add_candidates(arm, new)

    def open(self, arm, point):
        """Makes points playable that have watched from the first round."""
        width = point.width / self.splits
        if width < 0.99 * self.max_limit / len(self.points[arm]):
            self.overflow = True
            return
        for limit in self.interior(point):
            (known,) = (
                p for p in self.points[arm] if abs(p.limit - limit) < width / 100
            )
            known.active, known.width = True, width
        point.width = width

    def recommend(self):
        """The pair of the finest grid level, Algorithm 1, line 9."""
        tried = [
            (arm, point)
            for arm in range(self.num_arms)
            for point in self.playable(arm)
            if point.N > 0
        ]
        if not tried:
            return 0, float(self.max_limit)
        finest = min(point.width for _, point in tried)
        level = [pair for pair in tried if pair[1].width <= finest * (1 + 1e-6)]
        arm, point = max(level, key=lambda pair: self.estimate(pair[1]))  # the first
        return arm, float(point.limit)


@dataclass(eq=False)
class Cell:
    """A cell (left, left + width], played at its centre."""

    left: float
    width: float
    n: int = 0
    total: float = 0.0

    @property
    def limit(self):
        return self.left + self.width / 2


class StoOO(PointPolicy):
    """Stochastic optimistic optimisation on the interval of each arm, Munos (2014)."""

    def __init__(
        self,
        num_arms,
        max_limit,
        cost,
        penalty,
        horizon,
        splits=2,
        delta=0.05,
        radius=1.0,
        smoothness=1.0,
        capacity=None,
    ):
        super().__init__(num_arms, max_limit, cost, penalty, horizon, capacity)
        self.splits, self.delta = splits, delta
        self.radius, self.smoothness = radius, smoothness
        self.value_range = 1 + penalty(max_limit)
        self.points = [[Cell(0.0, max_limit)] for _ in range(num_arms)]
        self.expanded = []  # (width, mean, arm, centre) in order of expansion

    def r(self, n):
        log_term = np.log(self.horizon**2 / self.delta)
        return self.radius * self.value_range * np.sqrt(log_term / (2 * n))

    def index(self, cell):
        if cell.n == 0:
            return np.inf
        bias = self.smoothness * cell.width / 2
        return cell.total / cell.n + self.r(cell.n) + bias

    def update(self, t, noise, arm, limit, reward, consumption, censored):
        cell = self.played(arm, limit)
        cell.n += 1
        cell.total += self.value(cell.limit, reward, consumption, censored)
        if self.smoothness * cell.width / 2 >= self.r(cell.n):
            self.expand(arm, cell)

    def expand(self, arm, cell):
        if not self.has_room(arm, self.splits - 1):
            return
        self.expanded.append((cell.width, cell.total / cell.n, arm, cell.limit))
        width = cell.width / self.splits
        children = [Cell(cell.left + k * width, width) for k in range(self.splits)]
        self.points[arm][self.points[arm].index(cell)] = children[0]
        self.points[arm] += children[1:]

    def recommend(self):
        """The centre of the deepest expanded cell, the best of several."""
        if not self.expanded:
            return 0, self.max_limit / 2
        deepest = min(width for width, *_ in self.expanded)
        level = [entry for entry in self.expanded if entry[0] <= deepest * (1 + 1e-6)]
        _, _, arm, centre = max(level, key=lambda entry: entry[1])  # the first
        return arm, float(centre)


@dataclass(eq=False)
class Ball:
    """An active point of the zooming algorithm."""

    limit: float
    n: int = 0
    total: float = 0.0


class Zooming(PointPolicy):
    """The zooming algorithm on the interval of each arm, Slivkins' book, 4.3."""

    def __init__(
        self,
        num_arms,
        max_limit,
        cost,
        penalty,
        horizon,
        radius=1.0,
        smoothness=1.0,
        capacity=None,
    ):
        super().__init__(num_arms, max_limit, cost, penalty, horizon, capacity)
        self.radius, self.smoothness = radius, smoothness
        self.value_range = 1 + penalty(max_limit)
        self.points = [[Ball(max_limit / 2)] for _ in range(num_arms)]

    def r(self, n):
        log_term = 2 * np.log(self.horizon)
        return self.radius * self.value_range * np.sqrt(log_term / (n + 1))

    def index(self, ball):
        return ball.total / ball.n + 2 * self.r(ball.n) if ball.n else np.inf

    def update(self, t, noise, arm, limit, reward, consumption, censored):
        ball = self.played(arm, limit)
        ball.n += 1
        ball.total += self.value(ball.limit, reward, consumption, censored)
        gap = self.gap(arm)
        if gap is not None and self.has_room(arm, 1):
            self.points[arm].append(Ball((gap[0] + gap[1]) / 2))

    def intervals(self, arm):
        """What the points cover, each a half-open [low, high)."""
        halves = [self.r(ball.n) / self.smoothness for ball in self.points[arm]]
        balls = zip(self.points[arm], halves, strict=True)
        return [(ball.limit - half, ball.limit + half) for ball, half in balls]

    def gap(self, arm):
        """The leftmost uncovered [a, b) in [0, max_limit), None if there is none."""
        intervals = self.intervals(arm)
        ends = [0.0] + [high for _, high in intervals if high < self.max_limit]
        starts = [
            x for x in ends if not any(low <= x < high for low, high in intervals)
        ]
        if not starts:
            return None
        a = min(starts)
        return a, min([low for low, _ in intervals if low > a] + [self.max_limit])

    def recommend(self):
        """The most played point."""
        pairs = [(arm, b) for arm in range(self.num_arms) for b in self.points[arm]]
        arm, ball = max(pairs, key=lambda pair: pair[1].n)  # the first
        return arm, float(ball.limit)


class Doubling(Indexed):
    """The doubling trick: epochs of first, 2 first, 4 first, ... rounds."""

    def __init__(self, make, first):
        self.make, self.length = make, first
        self.start = 0  # rounds in finished epochs
        self.policy = make(first)
        self.finished = None  # recommendation of the last finished epoch
        self.overflowed = False  # in a finished epoch

    @property
    def overflow(self):
        return self.overflowed or self.policy.overflow

    def all_points(self):
        return self.policy.all_points()

    def position(self, arm, limit):
        return self.policy.position(arm, limit)

    def indices(self, t, noise):
        return self.policy.indices(t - self.start, noise)

    def update(self, t, noise, arm, limit, reward, consumption, censored):
        round_ = arm, limit, reward, consumption, censored
        self.policy.update(t - self.start, noise, *round_)
        if t - self.start == self.length:
            self.finished, self.overflowed = self.policy.recommend(), self.overflow
            self.start += self.length
            self.length *= 2
            self.policy = self.make(self.length)

    def recommend(self):
        return self.policy.recommend() if self.finished is None else self.finished
