"""The constant of Graves & Lai: by hand, and by brute force over a grid of rivals."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import rel_entr

from jaxbandits.settings import censored as settings
from jaxbandits.theory import graves_lai


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


@pytest.mark.parametrize(("chances", "gain", "penalties"), CASES)
def test_two_limits_by_brute_force(chances, gain, penalties):
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


def test_nothing_to_learn():
    """All arms are level, and the best limit is the longest: it shows everything."""
    below, values = values_of(
        np.full((3, 2), 0.4), np.array([[0.5, 1.0]] * 3), np.zeros(2)
    )
    found = graves_lai.lower_bound(below, values, [0.0, 0.0])
    assert found.constant == 0 and not found.pulls.any()


def test_of_an_environment():
    """More limits beyond the best one have to be told apart too."""
    constants = []
    for size in (3, 5):
        game = settings.poscorr(settings.equidistant(size))
        oracle = game.oracle()
        penalties = game.problem.penalties()
        found = graves_lai.lower_bound(1 - oracle.censoring, oracle.values, penalties)
        assert np.all(found.pulls[oracle.gaps == 0] == 0)
        constants.append(found.constant)
    assert all(constant > 0 for constant in constants)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"below": [[0.5, 0.4]]}, "^below must not fall"),
        ({"below": [[0.5, 1.4]]}, "^below"),
        ({"values": [[0.1]]}, "^values"),
        ({"values": [[0.1, np.nan]]}, "^values"),
        ({"penalties": [0.1]}, "^penalties"),
        ({"penalties": [-0.1, 0.2]}, "^penalties"),
    ],
)
def test_mistakes(change, message):
    arguments = {"below": [[0.5, 0.6]], "values": [[0.1, 0.2]], "penalties": [0.1, 0.2]}
    with pytest.raises(ValueError, match=message):
        graves_lai.lower_bound(**arguments | change)


@pytest.mark.slow
def test_the_page_has_what_its_lines_print(capsys):
    page = Path(__file__).parents[2] / "docs" / "theory" / "least-regret.md"
    text = page.read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    (said,) = capsys.readouterr().out.splitlines()
    assert f'It prints "{said}".' in text
