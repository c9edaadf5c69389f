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
# Seeds and horizon (rounds, budget or time) of the papers' own experiments, and of the
# others.
PAPER_SIZE = {"censored": (100, 100_000), "budgeted": (100, 150_000)}
OTHER_SIZE = {
    "censored-simple-regret": (64, 1_000_000),
    "censored-fig5": (64, 13_440),
    "censored-solver": (64, 40_000),
    "censored-bounds": (64, 100_000),
    "censored-recommendation": (64, 100_000),
    "censored-prior": (64, 20_000),
    "censored-spread": (64, 20_000),
    "censored-fine": (64, 20_000),
    "censored-coverage": (2_000, 10_000),
    "budgeted-fig1": (10_000, 10_000),
    "budgeted-bounds": (100, 100_000),
    "budgeted-recommendation": (1_000, 150_000),
    "budgeted-lost-runs": (2_000, 100_000),
    "budgeted-share": (64, 100_000),
    "budgeted-joint": (256, 20_000),
    "budgeted-shrunk": (64, 10_000),
    "budgeted-forgetting": (64, 10_000),
    "budgeted-changing": (256, 10_000),
    "farewell-fig1": (10, 10_000_000),
    "farewell-readings": (10, 10_000_000),
    "farewell-fig2": (10, 10_000_000),
    "farewell-side": (20, 1_000_000),
    "farewell-crossover": (20, 1_000_000),
    "farewell-applications": (20, 300_000),
    "farewell-prior": (64, 100_000),
    "farewell-radius": (64, 10_000),
    "farewell-bounds": (10, 1_000_000),
    "farewell-coverage": (20_000, 1_000),
    "allocation-fig1": (100, 1_000),
    "allocation-fig2": (100, 100_000),
    "allocation-fig3": (100, 10_000),
    "allocation-fig4": (100, 10_000),
    "allocation-ordered": (100, 10_000),
    "allocation-fig6": (2_000, 1),
    "allocation-fig7": (100, 1_000),
    "allocation-estimator": (1_000, 2_000),
    "allocation-slopes": (16, 1_000_000),
    "allocation-radii": (100, 10_000),
    "allocation-tuning": (32, 2_000),
    "allocation-draws": (64, 10_000),
    "allocation-families": (32, 1_000),
    "allocation-unknown": (16, 1_000),
    "allocation-hard": (64, 30_000),
    "allocation-cascade": (100, 10_000),
    "allocation-oracle": (500, 1),
    "allocation-mg": (50, 1),
    **{
        f"leaderboard-{setting}{suffix}": (200, longest)
        for suffix in ("", "-final")
        for setting, longest in (
            ("censored", 1_000_000),
            ("allocation", 100_000),
            ("budgeted", 1_000_000),
            ("farewell", 1_000_000),
        )
    },
}
FIXED = {
    *("censored-fig1", "censored-fig2", "censored-grids", "censored-least"),
    *("budgeted-fig3f", "budgeted-fig5", "budgeted-table1", "budgeted-example2"),
    *("budgeted-least", "farewell-least"),
    "allocation-fig5",
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


def test_the_figures_of_the_papers_are_there():
    for setting, figures in [
        ("censored", "fig1 fig2 fig4 fig6 fig7 fig8 fig9 radii ts-updates"),
        ("censored", "combinatorial duels"),
        ("budgeted", "fig1 fig3 fig4 fig5 fig6 table1 example2 recommendation"),
        ("budgeted", "fig3a fig3b fig3c fig3d fig3f bounds"),
        ("farewell", "fig1 fig2 readings side crossover applications"),
        ("farewell", "bounds coverage"),
        ("allocation", "fig1 fig2 fig3 fig4 fig5 fig6 fig7"),
        ("allocation", "estimator slopes radii oracle mg draws families"),
        ("allocation", "cascade ordered unknown"),
    ]:
        with naming((setting, figures)):
            assert {f"{setting}-{figure}" for figure in figures.split()} <= set(
                REGISTRY
            )


def test_titles_differ_and_so_do_the_sources_of_a_paper():
    titles = [e.title for e in REGISTRY.values()]
    assert all(titles) and len(set(titles)) == len(titles)
    for setting in PARTS:
        sources = [e.source for e in REGISTRY.values() if e.setting == setting]
        assert all(sources) and len(set(sources)) == len(sources)


def test_full_is_the_papers_size_and_quick_no_larger():
    for name in REGISTRY:
        with naming(name):
            experiment = REGISTRY[name]
            full, quick = experiment.full, experiment.quick
            assert 1 <= quick.seeds <= full.seeds and 1 <= quick.horizon <= full.horizon
            assert full.progress is quick.progress is None
            assert quick.quick and not full.quick
            assert experiment.fixed == (name in FIXED)
            if experiment.fixed:
                assert (full.seeds, full.horizon) == (1, 1)
            else:
                expected = OTHER_SIZE.get(name) or PAPER_SIZE[experiment.setting]
                assert (full.seeds, full.horizon) == expected
