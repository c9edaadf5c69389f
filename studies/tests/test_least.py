"""Cell Thompson sampling beside c log T: quotients, growth, and the notes on them."""

from math import log

import matplotlib
import numpy as np
import pytest

from jaxbandits.plots import style
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.censored import least
from jaxbandits_studies.judging import board as boards
from jaxbandits_studies.judging.board import shipped
from jaxbandits_studies.judging.protocols import PROTOCOLS
from studies.tests.checks import check_figure, check_page, check_records, entry

HORIZONS = PROTOCOLS["censored"].horizons


@pytest.fixture(scope="module")
def quick():
    return REGISTRY[least.NAME].run(Options(1, 1, quick=True))


@pytest.fixture
def all_cases(monkeypatch):
    """Of all cases, with a constant that is the number of the case."""
    constants = (
        least.Constants(-1.0, 10.0 * i)
        for i in range(len(PROTOCOLS["censored"].judging))
    )
    monkeypatch.setattr(least, "constants_of", lambda environment: next(constants))
    with matplotlib.rc_context(style("column")):
        return least.least(Options(1, 1))


def test_a_case_and_a_trap(quick):
    check_records(quick, least.NAME)
    assert [r["environment"] for r in quick.records] == list(least.QUICK)
    case, trap = least.QUICK
    known, c = (
        entry(quick, case, least.POLICY, f"c_{x}")["mean"] for x in ("known", "any")
    )
    assert 0 < known < c
    board = {
        cell.horizon: cell.scores[least.POLICY]
        for cell in shipped("censored").cells
        if cell.case == case
    }
    assert tuple(board) == HORIZONS
    for t, score in board.items():
        found = entry(quick, case, least.POLICY, f"ratio_{t}")
        assert found["mean"] == pytest.approx(score.mean / (c * log(t)))
        assert found["sem"] == pytest.approx(score.error / (c * log(t)))
    before, after = (board[t].mean for t in HORIZONS[-2:])
    growth = (after - before) / log(10)
    found = entry(quick, case, least.POLICY, "per_log")
    assert found["mean"] == pytest.approx(growth)
    (record,) = (r for r in quick.records if r["environment"] == trap)
    assert record["metrics"]["c_known"]["mean"] == 0
    assert record["metrics"]["c_any"]["mean"] == 0
    assert not any(name.startswith("ratio") for name in record["metrics"])
    assert quick.notes[-1] == f"c is 0, and any regret is infinitely more: {trap}."


def test_notes_name_the_cases_that_miss_the_goal(all_cases):
    assert len(all_cases.records) == len(PROTOCOLS["censored"].judging)
    for t, note in zip(HORIZONS, all_cases.notes, strict=False):
        ratios = {
            r["environment"]: r["metrics"][f"ratio_{t}"]["mean"]
            for r in all_cases.records[1:]
            if f"ratio_{t}" in r["metrics"]
        }
        missed = {name for name, ratio in ratios.items() if ratio > least.WITHIN}
        assert f"{len(ratios) - len(missed)} of {len(ratios)} cases" in note
        assert {name for name in ratios if f"{name} " in note} == missed
    assert any("more in" in note for note in all_cases.notes)
    growths = [
        r["metrics"]["per_log"]["mean"] / (10 * i)
        for i, r in enumerate(all_cases.records)
        if i
    ]
    assert f"{np.median(growths):.2f} in the median" in all_cases.notes[-2]
    assert f"{max(growths):.3g}." in all_cases.notes[-2]
    # The figure of the same outcome.
    fig = all_cases.figure
    names = [r["environment"] for r in all_cases.records[1:]]  # c > 0
    check_figure(fig, names)
    over = fig.axes[0]
    for line, record in zip(over.lines, all_cases.records[1:], strict=False):
        ratios = (record["metrics"].get(f"ratio_{t}") for t in HORIZONS)
        expected = [each["mean"] for each in ratios if each]
        np.testing.assert_allclose(line.get_ydata(), expected)


def test_the_page_has_what_the_full_run_found(quick):
    def row(policies):
        (found,) = policies.values()
        if found["c_any"] == 0:
            return ["0", "0", *[""] * (len(HORIZONS) + 1)]
        both = [f"{found[x]:#.3g}".rstrip(".") for x in ("c_known", "c_any")]
        ratios = [found.get(f"ratio_{t}") for t in HORIZONS]
        growth = found["per_log"] / found["c_any"]
        return both + ["" if x is None else f"{x:.2f}" for x in (*ratios, growth)]

    check_page(least.NAME, "least-regret.md", row, quick, 1e-2)


def test_without_a_leaderboard_there_are_no_quotients(monkeypatch):
    monkeypatch.setattr(boards, "shipped", lambda setting: None)
    for name in ("censored-least", "budgeted-least", "farewell-least"):
        with pytest.raises(ValueError, match=f"^{name} needs the leaderboard"):
            REGISTRY[name].run(Options(1, 1, quick=True))
