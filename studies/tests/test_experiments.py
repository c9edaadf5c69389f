"""Every experiment, rehearsed: its records, and a figure that a column has room for."""

import inspect
import tomllib
from functools import partial
from importlib import resources

import matplotlib
import pytest

from jaxbandits import allocation
from jaxbandits.plots import style
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.allocation import unknown as allocation_unknown
from jaxbandits_studies.common.casts import LENGTHS, cast, contestant, games
from jaxbandits_studies.experiments import TABLE
from studies.tests.checks import assert_readable, check_records, legend_texts
from tests.games import game_of
from tests.heavy import in_short
from tests.tables import each_row, naming

# Without a rehearsal: they need data, report what no rehearsal has, or play nothing and
# have tests of their own.
OTHERWISE = {
    "budgeted-fig3d",
    "budgeted-fig3f",
    "budgeted-table1",
    "censored-coverage",
    "censored-simple-regret",
    "allocation-estimator",
    "allocation-oracle",
    "allocation-mg",
}
OTHERWISE |= {name for name in REGISTRY if name.endswith("-least")}
OTHERWISE |= {name for name in REGISTRY if name.startswith("leaderboard-")}
REHEARSED = REGISTRY.keys() - OTHERWISE
# The first experiment of a function stands for all that it plays, in the short run;
# without those that other tests play, or whose games take a second to make.
DEAR = """
    censored-fig1 censored-fine censored-grids allocation-fig1 allocation-fig5
    budgeted-fig1 budgeted-fig5
""".split()
FIRST = {*{row["run"]: row["name"] for row in reversed(TABLE)}.values()} - {*DEAR}
# Of every kind of figure one: curves, marks, intervals, bars, a table, a line each.
DRAWN = """
    censored-fig4 censored-prior allocation-draws allocation-families
    allocation-unknown budgeted-example2 budgeted-fig4 farewell-fig1
""".split()
CASTS, LISTS = (
    tomllib.loads((resources.files("jaxbandits_studies") / file).read_text("utf-8"))
    for file in ("casts.toml", "games.toml")
)
# Of casts that play another game than the others of their setting.
GAMES = {
    "combinatorial": partial(game_of, "combinatorial"),
    "duels": partial(game_of, "dueling"),
    "ordered": partial(game_of, "ordered"),
    "cascade": partial(allocation.simulation, 3, cascade=True),
}
GAMES |= {
    name: game.make
    for name, game in allocation_unknown.GAMES.items()
    if name != "sigmoids"  # Its benchmark takes seconds.
}


def in_a_column(rehearsal, name, **options):
    """The narrowest width: what is readable there mostly is elsewhere."""
    with matplotlib.rc_context(style("column")):
        return rehearsal(name, **options)[0]


@pytest.mark.parametrize("name", in_short(sorted(REHEARSED), REHEARSED - FIRST))
def test_an_experiment_has_records_and_a_figure(rehearsal, no_data, name):
    outcome = in_a_column(rehearsal, name, seeds=2, horizon=400, quick=True)
    check_records(outcome, name)
    for title, data in outcome.datasets.items():
        assert title and all(size for size in data.sizes.values())
    figure = outcome.figure
    texts = legend_texts(figure) if figure.legends else []
    assert figure.axes and len(set(texts)) == len(texts)
    if name in DRAWN:
        assert_readable(figure)


# Rehearsals have not the metrics or the horizons that the full forms of these draw, or
# their data are not in the package; or what is computed takes minutes.
QUICK_ALONE = (
    "leaderboard",
    "allocation-hard",
    "budgeted-fig3d",
    "budgeted-fig3f",
    "budgeted-least",
    "censored-coverage",
    "censored-fig5",
    "censored-fine",
    "censored-least",
    "censored-simple-regret",
    "censored-spread",
    "censored-solver",
    "farewell-least",
)


@pytest.mark.slow
def test_figures_can_be_read(rehearsal, no_data):
    """Of full forms where they can be drawn."""
    quick = {"seeds": 2, "horizon": 400, "quick": True}
    for name in REGISTRY:
        full = not name.startswith(QUICK_ALONE)
        if full or name in REHEARSED:
            with naming(name):
                options = {} if full else quick
                assert_readable(in_a_column(rehearsal, name, **options).figure)


def test_lengths_of_exploration_by_hand():
    options = Options(1, 10_000)
    lengths = {name: of(options) for name, of in LENGTHS.items()}
    assert lengths == {"T": 10_000, "log T": 9, "T^(2/3)": 464}


@each_row("setting, name", [(s, n) for s, each in CASTS.items() for n in each])
def test_the_members_of_a_cast_are_different_policies(setting, name):
    problem = GAMES.get(name, partial(game_of, setting))().problem
    own = {"thompson_adding_up": allocation.thompson}
    made = []
    for member in cast(setting, name, **own).values():
        params = {
            k: v(Options(1, 60)) if callable(v) else v for k, v in member[1].items()
        }
        entry = member.factory(problem).over(**params)
        rows = [entry.grid.row(i) for i in range(entry.grid.count)]
        own = entry.policy.params._asdict() if entry.policy.params else {}
        made += [
            (entry.policy.act, entry.policy.update, str(own | row)) for row in rows
        ]
    alike = 1 if name == "cascade" else 0
    assert len(set(made)) == len(made) - alike


@each_row("setting, name", [(s, n) for s, each in LISTS.items() for n in each])
def test_the_games_of_a_list_are_functions_with_arguments_that_they_take(setting, name):
    """Some take long to make."""
    for row in games(setting, name).values():
        inspect.signature(row.make.func).bind(**row.make.keywords)
        assert set(row.facts) <= {"printed", "deviations"}


def test_a_factory_that_is_none_is_named():
    with pytest.raises(ValueError, match="make: there is no 'rcub' in jaxbandits.cens"):
        contestant("censored", "rcub")
