"""Names and sizes of the registered experiments."""

import inspect
import re
from importlib import import_module

import pytest

from jaxbandits.registry import SETTINGS
from jaxbandits_studies import REGISTRY
from jaxbandits_studies.experiments import TABLE
from tests.tables import naming


def test_names_are_unique_and_start_with_a_setting():
    assert len(REGISTRY) == len(TABLE)
    for name, experiment in REGISTRY.items():
        assert experiment.name == name
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", name)
        assert experiment.setting in name.split("-")[:2]
        assert experiment.setting in SETTINGS


def test_every_row_of_the_table_names_a_function_of_the_options():
    known = {"name", "title", "source", "run", "arguments", "full", "quick", "fixed"}
    for row in TABLE:
        with naming(row["name"]):
            assert set(row) <= known
            module, _, function = row["run"].partition(":")
            run = getattr(import_module(f"jaxbandits_studies.{module}"), function)
            taken = inspect.signature(run)
            own = {"name": row["name"]} if "name" in taken.parameters else {}
            taken.bind(**own, **row.get("arguments", {}), options=None)
            assert ("full" in row) == ("quick" in row) == (not row.get("fixed"))


def test_titles_differ_and_so_do_the_sources_of_a_paper():
    titles = [e.title for e in REGISTRY.values()]
    assert all(titles) and len(set(titles)) == len(titles)
    for setting in SETTINGS:
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
