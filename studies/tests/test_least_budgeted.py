"""Policies for budgets beside c log B: constants, quotients, notes, page and figure."""

from math import log

import matplotlib
import numpy as np
import pytest
from scipy.special import rel_entr

from jaxbandits.laws import Beta, beta
from jaxbandits.plots import style
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.budgeted import divergences, least
from jaxbandits_studies.judging.board import shipped
from jaxbandits_studies.judging.games import coins, narrow
from jaxbandits_studies.judging.protocols import PROTOCOLS
from jaxbandits_studies.judging.scores import missed
from studies.tests.checks import check_figure, check_page, check_records, entry

PRIZE, SLOW = least.QUICK


@pytest.fixture(scope="module")
def quick():
    return REGISTRY[least.NAME].run(Options(1, 1, quick=True))


@pytest.fixture
def all_cases(monkeypatch):
    """Of all cases, with constants that are the number of the case."""
    numbers = iter(1.0 + np.arange(len(PROTOCOLS["budgeted"].judging)))

    def given(environment, seeds, root_seed):
        table = np.full((seeds, 2), next(numbers))
        return dict.fromkeys(("joint", "independent"), divergences.Losses(table, table))

    monkeypatch.setattr(least, "losses", given)
    with matplotlib.rc_context(style("column")):
        return least.least(Options(1, 1))


def test_two_cases_have_records_of_bounds_and_policies(quick):
    check_records(quick, least.NAME)
    policies = (least.BOUND, *least.POLICIES, least.BEST)
    labels = [(r["environment"], r["policy"]) for r in quick.records]
    assert labels == [(title, name) for title in least.QUICK for name in policies]
    c = {
        (title, kind): entry(quick, title, least.BOUND, f"c_{kind}")["mean"]
        for title in least.QUICK
        for kind in ("joint", "independent")
    }
    assert all(c[title, "joint"] >= c[title, "independent"] for title in least.QUICK)
    # A sure reward of 0.504 at a sure 1/2: the gain at the price 1.02 is -0.006, and a
    # rival has all but a little of its mass there, and the rest at 1.
    assert c[PRIZE, "joint"] == pytest.approx(0.006 / log(1.006))
    for x in (0.2501, 0.3, 0.4):  # a mean cost of coins, with a mean reward of 2 x
        far = sum(rel_entr([0.5, 0.5, 0.6, 0.4], [2 * x, 1 - 2 * x, 1 - x, x]))
        assert c[SLOW, "independent"] > 0.3 / far
    board = {x.horizon: x for x in shipped("budgeted").cells if x.case == PRIZE}
    before, after = (board[b].scores["BTS"] for b in (100_000, 1_000_000))
    found = entry(quick, PRIZE, "BTS", "ratio_1000000")["mean"]
    bound = c[PRIZE, "independent"] * log(1_000_000)
    assert found == pytest.approx(after.mean / bound)
    growth = (after.mean - before.mean) / log(10)
    found = entry(quick, PRIZE, "BTS", "growth_1000000")["mean"]
    assert found == pytest.approx(growth)
    found = entry(quick, PRIZE, "BTS", "growth_ratio_1000000")["mean"]
    assert found == pytest.approx(growth / c[PRIZE, "independent"])


def test_arms_out_of_reach_do_not_count():
    table = np.array([[1.0, np.nan, 10.0]])
    found = divergences.Losses(table, 10 * table)
    assert found.total() == [11]
    assert found.within(1_000).tolist() == [1] and found.within(10_000) == [11]


def test_draws_of_coins_and_narrow_arms():
    """Classes of one K where nothing but 0 and 1 occurs; means are exact."""
    for make in (coins, narrow):
        more = (20.0,) if make is narrow else ()
        game = make("x", (0.3, 0.7), (0.3, 0.7), *more, 3)
        found = divergences.losses(game, 2, 5)
        assert found["joint"].constant.shape == (2, 3)
        for each in found.values():
            assert np.isnan(each.constant).sum(axis=1).tolist() == [1, 1]
        assert np.all(found["joint"].total() > found["independent"].total())
    params = Beta(np.array([[0.2, 3.0]]), np.array([[0.1, 0.02]]))
    values, chances = divergences._points(params, np.arange(2))
    np.testing.assert_allclose((values * chances).sum(axis=1), beta.mean(params)[0])
    assert np.all((values >= 0) & (values <= 1))


def test_notes_count_pairs(all_cases):
    short, kept, neither, own = all_cases.notes[:4]
    cells = [x for x in shipped("budgeted").cells if x.case in all_cases.datasets]
    away = len(missed(cells, "share-UCB, anytime", PROTOCOLS["budgeted"].goal))
    # Cases that lack their data are not counted.
    assert away == 36 or len(all_cases.datasets) < len(PROTOCOLS["budgeted"].judging)
    rest = len(cells) - away
    assert short.startswith(f"share-UCB, anytime falls short in {away} pairs.")
    assert kept.startswith(f"share-UCB, anytime does not fall short in {rest} pairs.")
    assert "Neither can be said in " in neither and f"of these {away}" in own
    assert len(all_cases.notes) == 4 + len(least.POLICIES) + 2
    grown = [
        {
            r["policy"]: r["metrics"].get(f"growth_{budget}", {}).get("mean")
            for r in all_cases.records
            if r["environment"] == title
        }
        for title in all_cases.datasets
        for budget in (10_000, 100_000, 1_000_000)
    ]
    ratios = [
        each[least.BEST] / min(x for x in map(each.get, least.LOOK_AGAIN) if x)
        for each in grown
        if each[least.BEST]
    ]
    assert f"in {sum(x < 1 for x in ratios)} of {len(ratios)} p" in all_cases.notes[-1]
    assert f"{np.median(ratios):.2f} times" in all_cases.notes[-1]
    # The figure of the same outcome.
    check_figure(all_cases.figure, [*least.POLICIES, least.BEST])


def test_the_page_has_what_the_full_run_found(quick):
    def shown(c):
        return f"{float(f'{c:.3g}'):,.0f}" if c >= 100 else f"{c:#.3g}".rstrip(".")

    def row(policies):
        bound, *others = policies.values()
        last = [x for name, x in bound.items() if "independent_within" in name][-1]
        cells = [*map(shown, (bound["c_joint"], bound["c_independent"], last))]
        for numbers in others:
            budget = [name for name in numbers if name.startswith("growth_")][-1]
            growth = numbers.get(f"growth_ratio_{budget.split('_')[-1]}")
            cells.append("" if growth is None else f"{growth:.2f}")
        return cells

    check_page(least.NAME, "least-budgeted-regret.md", row, quick, 1e-6)
