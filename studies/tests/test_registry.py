"""Names and sizes of the registered experiments."""

import re

import pytest

import jaxbandits
from jaxbandits_studies import REGISTRY
from jaxbandits_studies.allocation import catalogue as allocation
from jaxbandits_studies.budgeted import catalogue as budgeted
from jaxbandits_studies.censored import catalogue as censored
from jaxbandits_studies.farewell import catalogue as farewell
from jaxbandits_studies.judging import leaderboard
from tests.tables import naming

PARTS = {
    "leaderboard": leaderboard,
    "censored": censored,
    "allocation": allocation,
    "budgeted": budgeted,
    "farewell": farewell,
}


def test_names_are_unique_and_start_with_a_setting():
    assert len(REGISTRY) == sum(len(part.EXPERIMENTS) for part in PARTS.values())
    for name, experiment in REGISTRY.items():
        assert experiment.name == name
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", name)
        part, of_board = name.split("-")[:2]
        board = part == "leaderboard"
        assert experiment.setting == (of_board if board else part)
        assert hasattr(jaxbandits, experiment.setting)
        assert experiment in PARTS[part].EXPERIMENTS


def test_titles_differ_and_so_do_the_sources_of_a_paper():
    titles = [e.title for e in REGISTRY.values()]
    assert all(titles) and len(set(titles)) == len(titles)
    for setting in PARTS:
        sources = [e.source for e in REGISTRY.values() if e.setting == setting]
        assert all(sources) and len(set(sources)) == len(sources)


# Seeds and horizon of what was not measured in full: of all others test_minutes.py and
# test_reproduction.py hold them.
OTHER_SIZE = {
    "budgeted-fig6": (100, 150_000),
    "leaderboard-censored": (200, 1_000_000),
    "leaderboard-allocation": (200, 100_000),
    "leaderboard-budgeted": (200, 1_000_000),
    "leaderboard-farewell": (200, 1_000_000),
}


@pytest.mark.parametrize("name", OTHER_SIZE)
def test_full_is_the_papers_size_and_quick_no_larger(name):
    full, quick = REGISTRY[name].full, REGISTRY[name].quick
    assert (full.seeds, full.horizon) == OTHER_SIZE[name]
    assert 1 <= quick.seeds <= full.seeds and 1 <= quick.horizon <= full.horizon


def test_forms_are_quick_or_full_and_fixed_ones_have_no_size():
    for name, experiment in REGISTRY.items():
        with naming(name):
            full, quick = experiment.full, experiment.quick
            assert 1 <= quick.seeds <= full.seeds and 1 <= quick.horizon <= full.horizon
            assert full.progress is quick.progress is None
            assert quick.quick and not full.quick
            if experiment.fixed:
                assert (full.seeds, full.horizon) == (1, 1)
            if name.endswith("-final"):
                assert full == REGISTRY[name.removesuffix("-final")].full
