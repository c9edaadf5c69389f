"""The coverage study: its promises hold, and the page has its tables."""

from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "studies"


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    return import_module("interval_coverage")


def test_ranks_and_powers_are_as_high_as_promised(study):
    for _, cells in study.rank_rows(100):
        assert all(cell.value > 0.86 for cell in cells)
    for _, cells in study.power_rows(100):
        assert cells[1].promised and cells[1].value > 0.9


def test_the_page_has_a_place_for_every_table(study):
    page = study.PAGE.read_text()
    names = ("intervals", "shared", "dominance", "power", "ranks")
    made = study.written(page, dict.fromkeys(names, "| new |"))
    assert made.count("\n| new |\n") == 5
    assert "**" not in made.split("<!-- intervals -->")[1].split("<!-- /int")[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::jaxbandits.stats.CoverageWarning")
def test_every_promise_holds(study):
    _, missed = study.study(100)
    assert not missed
