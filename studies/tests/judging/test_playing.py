"""Runs behind a leaderboard: what is played, kept, and gone on with."""

import json
import sys

import leaderboards
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.judging import board, leaderboard, playing
from jaxbandits_studies.judging.leaderboard import leaderboard as play
from jaxbandits_studies.judging.protocol import Entrant
from studies.tests.judging.boards import COINS, ENTRANTS, PROTOCOL
from tests.tables import naming

OPTIONS = Options(seeds=3, horizon=40, progress=False)
CASE = "coins", COINS, 20


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """A whole leaderboard, and the folder of its runs."""
    folder = tmp_path_factory.mktemp("board")
    options = OPTIONS._replace(folder=folder)
    return play(PROTOCOL, "leaderboard-x", 7, options), folder


def test_the_runs_are_those_of_simulate(outcome):
    found, _ = outcome
    assert set(found.datasets) == {"coins", "short"}
    runs = found.datasets["coins"]["regret"]
    assert runs["checkpoint"].values.tolist() == [20, 40]
    for horizon, names in ((20, ["fast", "new"]), (40, ["new"])):
        # "new" is told the budget that is played.
        made = simulate(
            {
                name: ENTRANTS[name]
                .factory(COINS.problem)
                .over(**ENTRANTS[name].params)
                for name in names
            },
            COINS,
            budget=horizon,
            seeds=3,
            root_seed=7,
            checkpoints=[horizon],
        )
        here = runs.sel(checkpoint=horizon, policy=names)
        np.testing.assert_array_equal(here, made["regret"].isel(checkpoint=0))


def test_what_is_written(outcome):
    found, folder = outcome
    assert json.loads(json.dumps(found.records, allow_nan=False)) == found.records
    labels = {(r["environment"], r["horizon"], r["policy"]) for r in found.records}
    assert len(labels) == len(found.records) == 3 * 4
    assert found.notes[-1] == "Not played without its data: absent."
    assert (
        "reproduce leaderboard-x --seeds 3 --horizon 40"
        in found.pages["leaderboard.md"]
    )
    stores = {str(p.relative_to(folder / "stores")) for p in folder.glob("stores/*/*")}
    assert stores == {"7/coins-20.zarr", "7/coins-40.zarr", "7/short-20.zarr"}
    speeds = json.loads((folder / "speed.json").read_text())
    assert set(speeds) == set(ENTRANTS) and min(speeds.values()) > 0
    assert found.table.row_count == 4


def test_nothing_is_played_twice(outcome, monkeypatch):
    found, folder = outcome

    def refuse(*arguments, **others):
        raise AssertionError("played again")

    monkeypatch.setattr("jaxbandits.simulation.fill.play", refuse)
    monkeypatch.setattr("jaxbandits_studies.judging.speed.simulate", refuse)
    again = play(PROTOCOL, "leaderboard-x", 7, OPTIONS._replace(folder=folder))
    assert again.records == found.records


def test_more_seeds_and_entrants_are_added(tmp_path):
    options = OPTIONS._replace(folder=tmp_path, seeds=2)
    two = {name: ENTRANTS[name] for name in ("fast", "lost")}
    one = {"fast": two["fast"]}
    first = playing.play_case(PROTOCOL, *CASE, one, options, 7)
    more = options._replace(seeds=3)
    second = playing.play_case(PROTOCOL, *CASE, two, more, 7)
    np.testing.assert_array_equal(
        first["regret"], second["regret"].sel(policy=["fast"], seed=[0, 1])
    )
    fewer = playing.play_case(PROTOCOL, *CASE, two, options, 7)
    assert fewer["seed"].values.tolist() == [0, 1]
    np.testing.assert_array_equal(first["regret"], fewer["regret"].sel(policy=["fast"]))


def test_who_refuses_a_game_is_left_out():
    def never(problem):
        raise ValueError("problem: not this one")

    cast = ENTRANTS | {"never": Entrant(never)}
    found = playing.play_case(PROTOCOL, *CASE, cast, OPTIONS, 7)
    assert found["policy"].values.tolist() == [*ENTRANTS]


def test_who_is_too_slow_for_a_horizon_is_left_out():
    cast = ENTRANTS | {"fast": ENTRANTS["fast"]._replace(longest=20)}
    at_20 = playing.play_case(PROTOCOL, *CASE, cast, OPTIONS, 7)
    assert at_20["policy"].values.tolist() == [*ENTRANTS]
    at_21 = playing.play_case(PROTOCOL, "coins", COINS, 21, cast, OPTIONS, 7)
    assert at_21["policy"].values.tolist() == ["slow", "lost", "new"]


@pytest.fixture
def play_again(tmp_path, monkeypatch):
    """`leaderboards.play_again` on another board: what it would have written."""

    def called(before, protocol, name):
        written = []
        monkeypatch.setattr(leaderboards, "PROTOCOLS", {"budgeted": protocol})
        monkeypatch.setattr(leaderboards.board, "shipped", lambda setting: before)
        monkeypatch.setattr(
            leaderboards, "write", lambda *told: written.append(told[0])
        )
        leaderboards.play_again(tmp_path / name, "budgeted", [name], None)
        return written[0]

    return called


def test_entrants_are_played_again(outcome, tmp_path, play_again):
    """As they were, and timed; cells that none of them can play are left alone."""

    def never(problem):
        raise ValueError("problem: not this one")

    whole = board.loaded(outcome[0].pages["leaderboard.json"])
    spoilt = whole.cells[0]._replace(
        scores=whole.cells[0].scores | {"new": whole.cells[0].scores["slow"]}
    )
    before = whole._replace(cells=(spoilt, *whole.cells[1:]), microseconds={})
    protocol = PROTOCOL._replace(entrants=ENTRANTS | {"never": Entrant(never)})
    again = play_again(before, protocol, "new")
    untouched = play_again(before, protocol, "never")
    assert list(again.microseconds) == ["new"] and again.microseconds["new"] > 0
    digits = 10.0 ** (1 - board.DIGITS)  # that files keep
    for found, known in zip(again.cells, whole.cells, strict=True):
        mean = known.scores["new"].mean
        assert found.scores["new"].mean == pytest.approx(mean, rel=digits)
    assert untouched.cells == before.cells and untouched.microseconds == {}
    assert not (tmp_path / "never" / "stores").exists()


def test_all_are_played_again_where_another_rival_is_best(outcome, play_again):
    """The board says of a worse rival that it is the best."""
    whole = board.loaded(outcome[0].pages["leaderboard.json"])
    cell = whole.cells[0]
    worse = next(
        name for name in cell.scores if ENTRANTS[name].rival and name != cell.best
    )
    least = cell.scores[cell.best].mean / 2
    scores = cell.scores | {worse: cell.scores[worse]._replace(mean=least)}
    spoilt = cell._replace(best=worse, scores=scores)
    before = whole._replace(cells=(spoilt, *whole.cells[1:]))
    again = play_again(before, PROTOCOL, "new").cells[0]
    assert again.best == cell.best and set(again.scores) == set(cell.scores)
    for name, score in cell.scores.items():
        expected = pytest.approx(score, rel=10.0 ** (1 - board.DIGITS))
        assert again.scores[name] == expected


@pytest.mark.parametrize(
    ("titles", "horizon", "played"), [([], 39, [2]), (["coins", "absent"], None, [1])]
)
def test_cells_that_the_package_lacks_are_played(
    outcome, tmp_path, monkeypatch, capsys, titles, horizon, played
):
    """As they are in a board that is played whole; what is there stays untouched."""
    whole = board.loaded(outcome[0].pages["leaderboard.json"])
    first = whole.cells[0]
    spoilt = first._replace(best_high=first.best_high + 1)
    written = []
    monkeypatch.setattr(leaderboards, "PROTOCOLS", {"budgeted": PROTOCOL})
    monkeypatch.setattr(
        leaderboards.board, "shipped", lambda _: whole._replace(cells=(spoilt,))
    )
    monkeypatch.setattr(leaderboards, "write", lambda *told: written.append(told))
    leaderboards.play_missing(tmp_path / "new", "budgeted", titles, horizon)
    last, name = written[-1]
    assert name == "leaderboard-budgeted" and len(written) == len(played)
    again = board.loaded(board.dumped(last)).cells  # with the digits that files keep
    assert again == (spoilt, *(whole.cells[place] for place in played))
    assert last.microseconds == whole.microseconds
    assert "absent is left out" in capsys.readouterr().out


def test_unknown_names_are_refused(tmp_path, monkeypatch, capsys):
    for told, named in [
        (["--missing", "cendored"], "'cendored' must be one of censored, allocation"),
        (["--missing", "censored", "trab"], "'trab' must be one of PosCorr, 10 limits"),
        (
            ["--again", "censored", "TS", "trap"],
            "'trap' must be one of RCUCB, eq. (12)",
        ),
    ]:
        with naming((told, named)):
            monkeypatch.setattr(
                sys, "argv", ["leaderboards.py", str(tmp_path / "x"), *told]
            )
            with pytest.raises(SystemExit):
                leaderboards.main()
            assert named in capsys.readouterr().err and not (tmp_path / "x").exists()


def test_parameters_may_depend_on_the_horizon():
    told = ENTRANTS["new"]
    own = told._replace(params={"budget": lambda options: 3 * options.horizon})
    cast = {"told": told, "own": own}
    found = playing.play_case(PROTOCOL, *CASE, cast, OPTIONS, 7)
    assert found["param_budget"].values.ravel().tolist() == [20.0, 60.0]


def test_horizons_go_up_to_the_options():
    for horizon, played in [(40, (20, 40)), (39, (20,)), (7, (7,)), (10**6, (20, 40))]:
        with naming((horizon, played)):
            options = OPTIONS._replace(horizon=horizon)
            assert (
                playing.horizons_of(PROTOCOL, PROTOCOL.judging["coins"], options)
                == played
            )


def test_a_first_look_plays_one_case(tmp_path):
    options = Options(2, 20, progress=False, quick=True, folder=tmp_path)
    found = play(PROTOCOL, "leaderboard-x", 7, options)
    assert {r["environment"] for r in found.records} == {"coins"}
    assert {r["policy"] for r in found.records} == {"slow", "new"}
    assert not (tmp_path / "speed.json").exists()


def test_the_last_seeds_are_others(monkeypatch):
    asked = []
    monkeypatch.setattr(leaderboard, "leaderboard", lambda *given: asked.append(given))
    for setting in leaderboard.PROTOCOLS:
        for suffix in ("", "-final"):
            REGISTRY[f"leaderboard-{setting}{suffix}"].run(None)
    seeds = {name: root_seed for _, name, root_seed, _ in asked}
    for setting, protocol in leaderboard.PROTOCOLS.items():
        name = f"leaderboard-{setting}"
        assert seeds[name] != seeds[f"{name}-final"]
        assert asked.count((protocol, name, seeds[name], None)) == 1
