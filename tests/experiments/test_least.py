"""Cell Thompson sampling beside c log T: quotients, growth, and the notes on them."""

import json
from math import log
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from jaxbandits.experiments import REGISTRY, Options
from jaxbandits.experiments.censored import least
from jaxbandits.experiments.common.writing import SUMMARY
from jaxbandits.experiments.judging import board as boards
from jaxbandits.experiments.judging.board import shipped
from jaxbandits.experiments.judging.censored import PROTOCOL
from jaxbandits.plots import style
from jaxbandits.settings import censored as settings
from tests.experiments.checks import (
    assert_readable,
    check_records,
    entry,
    legend_texts,
)
from tests.plots.crowding import complaints

HORIZONS = (1_000, 10_000, 100_000)


@pytest.fixture(scope="module")
def quick():
    return REGISTRY[least.NAME].run(Options(1, 1, quick=True))


@pytest.fixture
def all_cases(monkeypatch):
    """Of all cases, with a constant that is the number of the case."""
    constants = iter(np.arange(len(PROTOCOL.judging)) * 10.0)
    monkeypatch.setattr(least, "constant_of", lambda environment: next(constants))
    with matplotlib.rc_context(style("column")):
        return least.least(Options(1, 1))


def test_a_case_and_a_trap(quick):
    check_records(quick, least.NAME)
    assert [r["environment"] for r in quick.records] == list(least.QUICK)
    case, trap = least.QUICK
    c = entry(quick, case, least.POLICY, "c")["mean"]
    assert c == least.constant_of(settings.low_censoring()) > 0
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
    growth = (board[100_000].mean - board[10_000].mean) / log(10)
    found = entry(quick, case, least.POLICY, "per_log")
    assert found["mean"] == pytest.approx(growth)
    (record,) = (r for r in quick.records if r["environment"] == trap)
    assert record["metrics"]["c"]["mean"] == 0
    assert not any(name.startswith("ratio") for name in record["metrics"])
    assert quick.notes[-1] == f"c is 0, and any regret is infinitely more: {trap}."


def test_notes_name_the_cases_that_miss_the_goal(all_cases):
    assert len(all_cases.records) == len(PROTOCOL.judging)
    for t, note in zip(HORIZONS, all_cases.notes, strict=False):
        ratios = {
            r["environment"]: r["metrics"][f"ratio_{t}"]["mean"]
            for r in all_cases.records[1:]
        }
        missed = {name for name, ratio in ratios.items() if ratio > least.WITHIN}
        assert f"{len(ratios) - len(missed)} of {len(ratios)} cases" in note
        assert {name for name in ratios if f"{name} " in note} == missed
    assert any("more in" in note for note in all_cases.notes)


def test_the_figure(all_cases):
    fig = all_cases.figure
    names = [r["environment"] for r in all_cases.records[1:]]  # c > 0
    assert legend_texts(fig) == names
    over = fig.axes[0]
    for line, record in zip(over.lines, all_cases.records[1:], strict=False):
        expected = [record["metrics"][f"ratio_{t}"]["mean"] for t in HORIZONS]
        np.testing.assert_allclose(line.get_ydata(), expected)
    assert_readable(fig)
    assert complaints(fig) == []


def test_the_page_has_what_the_full_run_found(quick):
    docs = Path(__file__).parents[2] / "docs"
    kept = json.loads((docs / "reproduction" / least.NAME / SUMMARY).read_text())
    page = (docs / "theory" / "least-regret.md").read_text()
    assert [r["environment"] for r in kept["records"]] == list(PROTOCOL.judging)
    for record in kept["records"]:
        found = {name: each["mean"] for name, each in record["metrics"].items()}
        if found["c"] > 0:
            ratios = [f"{found[f'ratio_{t}']:.2f}" for t in HORIZONS]
            growth = found["per_log"] / found["c"]
            row = [f"{found['c']:#.3g}".rstrip("."), *ratios, f"{growth:.2f}"]
        else:
            row = ["0", *[""] * 4]
        cells = " ".join(f"| {x}".rstrip() for x in (record["environment"], *row))
        assert f"\n{cells} |\n" in page
    for record in quick.records:
        assert record["metrics"]["c"]["mean"] == pytest.approx(
            next(
                r["metrics"]["c"]["mean"]
                for r in kept["records"]
                if r["environment"] == record["environment"]
            ),
            rel=1e-3,
        )


def test_without_a_leaderboard(monkeypatch):
    monkeypatch.setattr(boards, "shipped", lambda setting: None)
    with pytest.raises(ValueError, match="^censored-least needs the leaderboard"):
        least.least(Options(1, 1, quick=True))
