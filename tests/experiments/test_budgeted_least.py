"""What is asked of a consistent policy, beside what the budgeted leaderboard has."""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import rel_entr

from jaxbandits.experiments import REGISTRY, Options
from jaxbandits.experiments.budgeted import least
from jaxbandits.experiments.common.writing import SUMMARY
from jaxbandits.experiments.judging.board import shipped
from jaxbandits.experiments.judging.budgeted import PROTOCOL
from jaxbandits.laws import Bernoulli, Beta, Product, bernoulli, product
from jaxbandits.settings.budgeted import fixed
from tests.experiments.checks import assert_readable, check_records, legend_texts

BUDGETS = (1_000, 10_000, 100_000, 1_000_000)


@pytest.fixture(scope="module")
def quick():
    return REGISTRY[least.NAME].run(Options(1, 1, quick=True))


def metrics(records, title):
    """By policy."""
    return {
        r["policy"]: {name: each["mean"] for name, each in r["metrics"].items()}
        for r in records
        if r["environment"] == title
    }


def test_records(quick):
    check_records(quick, least.NAME)
    title = "rare bill"
    board = {x.horizon: x for x in shipped("budgeted").cells if x.case == title}
    assert tuple(board) == BUDGETS
    found = metrics(quick.records, title)
    asked = [found["least"][f"asked_{budget}"] for budget in BUDGETS]
    for name in (least.BEST, "share-UCB, anytime"):
        best = name == least.BEST
        means = [x.scores[x.best if best else name].mean for x in board.values()]
        for budget, mean, due in zip(BUDGETS, means, asked, strict=True):
            assert found[name][f"times_{budget}"] == pytest.approx(mean / due)
        growth = (means[-1] - means[-2]) / (asked[-1] - asked[-2])
        assert found[name]["growth_1000000"] == pytest.approx(growth)
        assert "growth_1000" not in found[name]
    assert {"times_100000", "growth_100000"} < {*found["price TS"]}
    assert "times_1000000" not in found["price TS"]
    assert "grows by less than is asked in 6 of 9 pairs" in quick.notes[0]


def test_what_is_asked_by_hand():
    """Two coins that cost 1: c log B, until that is more than the money pays for."""
    arms = Product(Bernoulli(np.array([0.5, 0.3])), Bernoulli(np.ones(2)))
    game = fixed("two", product(bernoulli, bernoulli), arms)
    board = shipped("budgeted")._replace(seeds=2)
    found = least.asked_of(game, board)
    kl = rel_entr([0.3, 0.7], [0.5, 0.5]).sum()
    for budget in (5, 10_000):
        pulls = min(log(budget) / kl, budget)
        np.testing.assert_allclose(found.regret(budget), 2 * [0.2 * pulls], rtol=1e-6)
    assert log(5) / kl > 5


def test_nodes_of_beta_laws():
    a, b = np.array([[0.3, 2.0, 4.5]]), np.array([[0.7, 5.0, 0.2]])
    exists = np.array([[True, True, False]])
    law = least._atoms(Beta(a, b), exists)
    for arm, own in enumerate((0, 1, 0)):  # what is not there is as the first
        beta = stats.beta(a[0, own], b[0, own])
        assert law.means()[0, arm] == pytest.approx(beta.mean(), rel=1e-12)
        found = np.sum(law.chances[0, arm] * np.log1p(-0.9 * law.values[0, arm]))
        wanted = beta.expect(lambda x: np.log1p(-0.9 * x))
        assert found == pytest.approx(wanted, rel=1e-5)


def test_the_figure(quick):
    assert legend_texts(quick.figure) == list(least.DRAWN)
    left, right = quick.figure.axes
    for ax, kind in ((left, "times"), (right, "growth")):
        for line, name in zip(ax.lines, least.DRAWN, strict=False):
            values = [
                metrics(quick.records, title)[name][f"{kind}_{least.SHOWN}"]
                for title in least.QUICK
            ]
            np.testing.assert_allclose(line.get_xdata(), np.maximum(values, 0.01))
    assert_readable(quick.figure)


def test_the_page_has_what_the_full_run_found():
    docs = Path(__file__).parents[2] / "docs"
    kept = json.loads((docs / "reproduction" / least.NAME / SUMMARY).read_text())
    page = (docs / "theory" / "least-regret-budgeted.md").read_text()
    titles = list(dict.fromkeys(r["environment"] for r in kept["records"]))
    assert titles == list(PROTOCOL.judging)
    for title in titles:
        of = metrics(kept["records"], title)
        asked = of["least"][f"asked_{least.SHOWN}"]
        cells = [title, f"{asked:,.{0 if asked > 10 else 2}f}"]
        for name in (least.BEST, *least.POLICIES):
            cells.append(f"{of[name][f'growth_{least.SHOWN}']:.2f}")
        assert f"| {' | '.join(cells)} |" in page
    for note in kept["notes"]:
        assert note in " ".join(page.split())


def test_without_a_leaderboard(monkeypatch):
    monkeypatch.setattr(least, "shipped", lambda setting: None)
    with pytest.raises(ValueError, match="^budgeted-least needs the leaderboard"):
        least.least(Options(1, 1, quick=True))
