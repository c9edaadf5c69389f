"""Names and sizes of the registered experiments."""

import re

from jaxbandits import settings
from jaxbandits.experiments import REGISTRY
from jaxbandits.experiments.allocation import catalogue as allocation
from jaxbandits.experiments.budgeted import catalogue as budgeted
from jaxbandits.experiments.censored import catalogue as censored
from jaxbandits.experiments.farewell import catalogue as farewell
from jaxbandits.experiments.judging import leaderboard
from tests.rows import naming

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
        assert hasattr(settings, experiment.setting)
        assert experiment in PARTS[part].EXPERIMENTS


def test_titles_differ_and_so_do_the_sources_of_a_paper():
    titles = [e.title for e in REGISTRY.values()]
    assert all(titles) and len(set(titles)) == len(titles)
    for setting in PARTS:
        sources = [e.source for e in REGISTRY.values() if e.setting == setting]
        assert all(sources) and len(set(sources)) == len(sources)


def test_a_quick_form_is_no_larger_than_the_full_one():
    """(test_minutes.py and tests/test_reproduction.py hold the sizes of both.)"""
    for name, experiment in REGISTRY.items():
        with naming(name):
            full, quick = experiment.full, experiment.quick
            assert 1 <= quick.seeds <= full.seeds and 1 <= quick.horizon <= full.horizon
            assert full.progress is quick.progress is None
            assert quick.quick and not full.quick
            if experiment.fixed:
                assert (full.seeds, full.horizon) == (1, 1)
