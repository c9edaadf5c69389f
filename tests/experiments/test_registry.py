"""Names and sizes of the registered experiments."""

import re

from jaxbandits import settings
from jaxbandits.experiments import REGISTRY, censored


def test_names_are_unique_and_start_with_a_setting():
    assert len(REGISTRY) == len(censored.EXPERIMENTS)
    for name, experiment in REGISTRY.items():
        assert experiment.name == name
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", name)
        assert experiment.setting == name.split("-")[0]
        assert hasattr(settings, experiment.setting)


def test_the_figures_of_the_censored_paper_are_there():
    figures = {f"censored-fig{i}" for i in (1, 2, 4, 6, 7, 8, 9)}
    assert figures | {"censored-radii", "censored-ts-updates"} <= set(REGISTRY)


def test_titles_and_sources_differ():
    for field in ("title", "source"):
        texts = [getattr(e, field) for e in REGISTRY.values()]
        assert all(texts) and len(set(texts)) == len(texts)


def test_full_is_the_papers_size_and_quick_no_larger():
    for name, experiment in REGISTRY.items():
        full, quick = experiment.full, experiment.quick
        assert 1 <= quick.seeds <= full.seeds and 1 <= quick.horizon <= full.horizon
        assert full.progress is quick.progress is None
        if full.horizon > 1:
            assert (full.seeds, full.horizon) == (100, 100_000), name
