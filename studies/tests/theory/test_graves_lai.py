"""The constant of Graves & Lai: by hand, and by brute force over a grid of rivals."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog, minimize, minimize_scalar
from scipy.special import rel_entr

from jaxbandits import censored
from jaxbandits_studies.theory import graves_lai
from tests.tables import each_row


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def values_of(chances, gain, penalties):
    """f64[K, M], eq. (2), of cells' chances f64[K, M] and gains f64[K, M]."""
    below = np.cumsum(chances, axis=1)
    return below, np.cumsum(chances * gain, axis=1) - penalties * (1 - below)


def test_one_limit_is_lai_and_robbins():
    """Worth p at no penalty, so that kl(p, best) is what tells arms apart."""
    p = np.array([0.8, 0.5, 0.3])
    below, values = values_of(p[:, None], np.ones((3, 1)), np.zeros(1))
    found = graves_lai.lower_bound(below, values, [0.0])
    pulls = 1 / kl(p[1:], 0.8)
    np.testing.assert_allclose(found.pulls[1:, 0], pulls, rtol=2e-3)
    assert found.pulls[0, 0] == 0
    assert found.constant == pytest.approx((0.8 - p[1:]) @ pulls, rel=2e-3)


def test_a_penalty_moves_what_has_to_be_told_apart():
    """Worth p - (1 - p) / 2 >= 0.4 asks for p >= 0.6."""
    p = np.array([0.6, 0.2])
    below, values = values_of(p[:, None], np.ones((2, 1)), np.array([0.5]))
    assert values[0, 0] == pytest.approx(0.4)
    found = graves_lai.lower_bound(below, values, [0.5])
    assert found.constant == pytest.approx(0.6 / kl(0.2, 0.6), rel=2e-3)


def brute_force(chances, gain, penalties, best, free):
    """One arm with two limits: a linear program with all rivals on a grid."""
    steps = np.linspace(1e-4, 1 - 1e-4, 400)
    first, second = (x.ravel() for x in np.meshgrid(steps, steps))
    if free:
        first, second = np.full_like(steps, chances[0]), steps
    keep = first + second < 1
    first, second = first[keep], second[keep]
    one = first * gain[0] - penalties[0] * (1 - first)
    both = first * gain[0] + second * gain[1] - penalties[1] * (1 - first - second)
    better = (both >= best) if free else ((one >= best) | (both >= best))
    mixes = np.stack([first, second, 1 - first - second])[:, better]
    cells = np.append(chances, 1 - sum(chances))[:, None]
    rows = np.stack([kl(cells[0], mixes[0]), rel_entr(cells, mixes).sum(axis=0)], 1)
    own = np.array(
        [
            chances[0] * gain[0] - penalties[0] * (1 - chances[0]),
            np.dot(chances, gain) - penalties[1] * (1 - sum(chances)),
        ]
    )
    cost = best - own
    cost[:free] = 1e-9
    return linprog(cost, A_ub=-rows, b_ub=-np.ones(len(rows))).fun


CASES = [
    # The shorter limit shows less and costs less; the longer one; a mixture.
    ([(0.5, 0.3), (0.2, 0.3)], [(1.0, 0.6), (1.0, 0.6)], (0.1, 0.4)),
    ([(0.5, 0.1), (0.1, 0.6)], [(0.9, 0.2), (0.9, 0.3)], (0.0, 0.8)),
    ([(0.6, 0.1), (0.4, 0.35)], [(1.0, 0.9), (0.5, 0.9)], (0.3, 0.5)),
]


@each_row("chances, gain, penalties", CASES)
def test_two_limits_cost_what_brute_force_says(chances, gain, penalties):
    chances, gain, penalties = map(np.array, (chances, gain, penalties))
    below, values = values_of(chances, gain, penalties)
    found = graves_lai.lower_bound(below, values, penalties)
    best = values.max()
    expected = 0.0
    for arm in range(2):
        gaps = best - values[arm]
        free = int(gaps[0] < 1e-9)
        if gaps[1] > 1e-9:
            expected += brute_force(chances[arm], gain[arm], penalties, best, free)
    # The grid leaves the nearest rivals out, so its program asks for a little less.
    assert found.constant == pytest.approx(expected, rel=0.02)
    np.testing.assert_allclose(np.sum((best - values) * found.pulls), found.constant)


def symbols(seed, arms=2, limits=2, each=2):
    """Random symbols of `each` gains per limit, of which some never happen."""
    rng = np.random.default_rng(seed)
    size = limits * each
    chances = rng.dirichlet(np.ones(size + 1), arms)[:, :-1]
    chances[:, 1] = 0.0
    gains = rng.uniform(-0.3, 1.0, (arms, size))
    return chances, np.repeat(np.arange(limits), each), gains, np.array([0.2, 0.4])


def test_symbols_that_are_cells_cost_what_cells_do():
    for chances, gain, penalties in CASES:
        chances, gain, penalties = map(np.array, (chances, gain, penalties))
        below, values = values_of(chances, gain, penalties)
        found = graves_lai.of_symbols(chances, [0, 1], gain, penalties)
        cells = graves_lai.lower_bound(below, values, penalties)
        assert found.constant == pytest.approx(cells.constant, rel=1e-3)
        np.testing.assert_allclose(found.pulls, cells.pulls, rtol=1e-2, atol=1e-3)


def test_one_limit_and_two_gains_by_hand():
    """No penalty, gains of 0 and 1: rivals have the mean of the best arm."""
    chances = np.array([[0.6, 0.2], [0.2, 0.3]])
    found = graves_lai.of_symbols(chances, [0, 0], [[1.0, 0.0]] * 2, [0.0])
    assert found.constant == pytest.approx(0.4 / kl(0.2, 0.6), rel=2e-3)
    # It never gains in the second arm: nobody tells a small chance from none.
    found = graves_lai.of_symbols([[0.6, 0.2], [0.0, 0.5]], [0, 0], [[1, 0]] * 2, [0])
    assert found.constant == pytest.approx(0.6 / -np.log(0.4), rel=2e-3)


def apart(weights, chances, seen, gains, penalties, best, limit):
    """Least divergence of a rival of one arm, by SciPy, of shares of all symbols."""
    cells, seen = np.append(chances, 1 - chances.sum()), np.append(seen, len(penalties))
    worth = np.where(seen <= limit, np.append(gains, 0.0), -penalties[limit])

    def divergence(mix):
        total = 0.0
        for j, weight in enumerate(weights):
            shown = seen <= j
            total += weight * rel_entr(cells[shown], mix[shown]).sum()
            total += weight * rel_entr(cells[~shown].sum(), mix[~shown].sum())
        return total

    rng = np.random.default_rng(0)
    found = [
        minimize(
            divergence,
            rng.dirichlet(np.ones(len(cells))),
            method="SLSQP",
            bounds=[(1e-9, 1.0)] * len(cells),
            constraints=[
                {"type": "eq", "fun": lambda q: q.sum() - 1},
                {"type": "ineq", "fun": lambda q: worth @ q - best},
            ],
        )
        for _ in range(2)
    ]
    return min((x.fun for x in found if x.success), default=np.inf)


def test_symbols_cost_what_brute_force_says(seed=3):
    """Pulls of a worse arm's two limits in any proportion, and rivals by SciPy."""
    chances, seen, gains, penalties = game = symbols(seed)
    worth = np.where(seen <= [[0], [1]], gains[:, None], -penalties[:, None])
    values = np.sum(worth * chances[:, None], axis=2)
    values -= penalties * (1 - chances.sum(axis=1, keepdims=True))
    best = values.max()
    worse = int(np.argmin(values.max(axis=1)))
    gaps = best - values[worse]

    def price(share):
        weights = np.array([1 - share, share])
        arm = (chances[worse], seen, gains[worse], penalties, best)
        return weights @ gaps / min(apart(weights, *arm, j) for j in (0, 1))

    options = {"bounds": (0, 1), "method": "bounded", "options": {"xatol": 5e-3}}
    expected = minimize_scalar(price, **options).fun
    expected = min(expected, price(0.0), price(1.0))
    found = graves_lai.of_symbols(*game)
    part = gaps @ found.pulls[worse]
    assert part == pytest.approx(expected, rel=5e-3)


@each_row("seed", [0, 1])
def test_who_is_told_more_has_less_to_pay(seed):
    """And who may do more; and money may be counted in other units."""
    chances, seen, gains, penalties = symbols(seed)
    found = graves_lai.of_symbols(chances, seen, gains, penalties).constant
    scaled = graves_lai.of_symbols(chances, seen, 3 * gains, 3 * penalties).constant
    assert scaled == pytest.approx(3 * found, rel=2e-3)
    # Both gains of a cell are one, and known.
    cells = chances.reshape(2, 2, 2).sum(axis=2)
    gained = (chances * gains).reshape(2, 2, 2).sum(axis=2)
    below = np.cumsum(cells, axis=1)
    values = np.cumsum(gained, axis=1) - penalties * (1 - below)
    known = graves_lai.lower_bound(below, values, penalties).constant
    assert known <= found * 1.002
    # A third limit shows no more than the second one, and cannot be made the best one.
    more = np.append(penalties, 5.0)
    late = graves_lai.of_symbols(chances, seen, gains, more).constant
    assert late <= found * 1.002


def test_where_nothing_is_to_be_learnt_nothing_is_paid():
    """All arms are level, and the best limit is the longest: it shows everything."""
    below, values = values_of(
        np.full((3, 2), 0.4), np.array([[0.5, 1.0]] * 3), np.zeros(2)
    )
    found = graves_lai.lower_bound(below, values, [0.0, 0.0])
    assert found.constant == 0 and not found.pulls.any()


def test_more_limits_of_an_environment_have_to_be_told_apart():
    constants = []
    for size in (3, 5):
        game = censored.poscorr(censored.equidistant(size))
        oracle = game.oracle()
        penalties = game.problem.penalties()
        found = graves_lai.lower_bound(1 - oracle.censoring, oracle.values, penalties)
        assert np.all(found.pulls[oracle.gaps == 0] == 0)
        constants.append(found.constant)
    assert all(constant > 0 for constant in constants)


@pytest.mark.slow
def test_the_page_has_what_its_lines_print(capsys):
    page = Path(__file__).parents[2] / "results" / "theory" / "least-regret.md"
    text = page.read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    (said,) = capsys.readouterr().out.splitlines()
    assert f'It prints "{said}".' in text
