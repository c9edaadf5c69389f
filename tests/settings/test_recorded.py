"""Recorded runs of one's own: loading, timeouts, the game with one's own prices."""

import numpy as np
import pandas as pd
import pytest

from jaxbandits.policies.censored import z_rcucb
from jaxbandits.settings import censored
from jaxbandits.testing import trace_run

GOOD = pd.DataFrame(
    {
        "run": [1, 0, 0, 1, 0, 1, 2],
        "trees": [100, 100, 200, 200, 300, 300, 300],
        "reward": [0.5, 0.75, 1.0, 0.0, 0.25, 0.5, 0.5],
        "seconds": [2.0, 1.0, 3.0, 5.0, 4.0, 8.0, 9.0],
    }
)
# A solver's log: words, other names, other columns, runs that were stopped after 10 s.
LOG = """solver,seed,noise,solved,time,status
walk,1,0.1,1,2.5,ok
walk,2,0.1,,10.0,timeout
walk,1,0.5,1,4,ok
walk,2,0.5,1,6,ok
exact,1,0.1,,10.4,timeout
"""
COLUMNS = {"reward": "solved", "seconds": "time", "configuration": ["solver", "noise"]}


def written(tmp_path, table):
    path = tmp_path / "runs.csv"
    if isinstance(table, str):
        path.write_text(table)
    else:
        table.to_csv(path, index=False)
    return path


@pytest.fixture
def log(tmp_path):
    return censored.load_runs(written(tmp_path, LOG), **COLUMNS, timeout=10)


def test_runs_are_grouped_by_configuration_and_ordered_by_run(tmp_path):
    runs = censored.load_runs(written(tmp_path, GOOD))
    assert runs.configurations == ({"trees": 100}, {"trees": 200}, {"trees": 300})
    none = np.nan
    expected = [[0.75, 0.5, none], [1, 0, none], [0.25, 0.5, 0.5]]
    np.testing.assert_array_equal(runs.reward, expected)
    np.testing.assert_array_equal(runs.seconds, [[1, 2, none], [3, 5, none], [4, 8, 9]])
    assert runs.about["runs_of_each"] == [2, 3] and runs.timeout is None


def test_a_log_with_runs_that_timed_out(log):
    names = [tuple(c.values()) for c in log.configurations]
    assert names == [("exact", 0.1), ("walk", 0.1), ("walk", 0.5)]
    none, inf = np.nan, np.inf
    np.testing.assert_array_equal(log.seconds, [[inf, none], [2.5, inf], [4, 6]])
    np.testing.assert_array_equal(log.reward, [[0, none], [1, 0], [1, 1]])
    assert log.timeout == 10


def test_infinite_times_are_timeouts_without_one(tmp_path):
    text = LOG.replace("10.0", "inf").replace("10.4", "inf")
    runs = censored.load_runs(written(tmp_path, text), **COLUMNS)
    assert runs.timeout is None and np.isinf(runs.seconds).sum() == 2
    # Then nobody knows how long was waited, and any limit is taken.
    censored.recorded("mine", runs, [3.0, 300.0])


BAD = {
    "no column seconds": GOOD.drop(columns="seconds"),
    "no column reward": GOOD.drop(columns="reward"),
    "a seconds that is not a number: .*nan": GOOD.assign(
        seconds=[1, 1, np.nan, 1, 1, 1, 1]
    ),
    "a reward that is not a number: 'x'": GOOD.assign(reward=[1, 1, "x", 1, 1, 1, 1]),
    "missing entries in": GOOD.assign(trees=[1, 1, np.nan, 1, 1, 1, 1]),
    "negative seconds": GOOD.assign(seconds=-GOOD["seconds"]),
    "rewards outside": GOOD.assign(reward=2 * GOOD["reward"]),
    "no configurations": GOOD.drop(columns="trees"),
    "no rows": GOOD[:0],
}


@pytest.mark.parametrize("message", BAD)
def test_bad_tables_are_refused_by_name(tmp_path, message):
    with pytest.raises(ValueError, match=f"path: .*{message.strip()}"):
        censored.load_runs(written(tmp_path, BAD[message]))


def test_words_of_a_configuration_stand_as_they_are(tmp_path):
    """Also those that pandas takes for a cell without an entry."""
    log = "solver,depth,reward,seconds\nNA,None,1,2\nNA,3,NA,inf\nnull,3,0.5,4\n"
    runs = censored.load_runs(written(tmp_path, log))
    words = ({"solver": "NA", "depth": "3"}, {"solver": "NA", "depth": "None"})
    assert runs.configurations == (*words, {"solver": "null", "depth": "3"})
    np.testing.assert_array_equal(runs.reward[:, 0], [0, 1, 0.5])
    for row in (",3,1,2\n", "walk,,1,2\n"):
        with pytest.raises(ValueError, match="has missing entries in"):
            censored.load_runs(written(tmp_path, log + row))
    with pytest.raises(ValueError, match="a reward that is not a number: 'NA'"):
        censored.load_runs(written(tmp_path, log + "walk,3,NA,2\n"))


def test_other_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match="timeout"):
        censored.load_runs(written(tmp_path, GOOD), timeout=0.0)
    with pytest.raises(ValueError, match="no column leaves"):
        censored.load_runs(written(tmp_path, GOOD), configuration=["leaves"])
    runs = censored.load_runs(written(tmp_path, GOOD), timeout=0.5)
    with pytest.raises(ValueError, match="runs: none of them finished"):
        censored.recorded("mine", runs, [0.5])


def test_row_numbers_are_no_configuration(tmp_path):
    GOOD.to_csv(tmp_path / "numbered.csv")
    with pytest.raises(ValueError, match="path: .* a column without a name"):
        censored.load_runs(tmp_path / "numbered.csv")
    runs = censored.load_runs(tmp_path / "numbered.csv", configuration=["trees"])
    assert len(runs.configurations) == 3


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"configuration": "trees"}, "configuration must be a list .* 'trees'"),
        ({"configuration": 3}, "configuration must be a list"),
        ({"configuration": [["trees"]]}, "configuration: a name must be a string"),
        ({"configuration": ["trees", "reward"]}, "configuration .* different columns"),
        ({"reward": None}, "reward must be a string"),
        ({"seconds": ["seconds"]}, "seconds must be a string"),
        ({"reward": "seconds"}, "reward, seconds, .* different columns"),
        ({"seconds": "run"}, "reward, seconds, .* different columns"),
    ],
)
def test_columns_are_names_and_different(tmp_path, arguments, named):
    with pytest.raises((TypeError, ValueError), match=named):
        censored.load_runs(written(tmp_path, GOOD), **arguments)


@pytest.mark.parametrize("first", [0, 1])
def test_rows_that_are_too_long_are_not_shifted(tmp_path, first):
    """By their first cells: row numbers, to pandas, in any case."""
    path = tmp_path / "long.csv"
    rows = [f"{first + i},0.5,2.0,0.7\n" for i in range(3)]
    path.write_text("solver,reward,seconds\n" + "".join(rows))
    with pytest.raises(ValueError, match="path: .* more cells than columns"):
        censored.load_runs(path)


def test_an_empty_file_and_no_file(tmp_path):
    (tmp_path / "empty.csv").touch()
    with pytest.raises(ValueError, match=r"path: .*empty"):
        censored.load_runs(tmp_path / "empty.csv")
    with pytest.raises(FileNotFoundError):
        censored.load_runs(tmp_path / "none.csv")


def test_values_by_hand(log):
    """A unit is four seconds; a run in vain costs 0.25 plus its limit."""
    game = censored.recorded(
        "mine",
        log,
        [3.0, 5.0, 10.0],
        cost=censored.scaled(0.1),
        penalty=lambda x: 0.25 + x,
        unit=4.0,
    )
    assert game.problem.limits == (0.75, 1.25, 2.5) and game.problem.max_limit == 2.5
    late = np.array([1.0, 1.5, 2.75])
    expected = [
        -late,
        (1 - 0.1 * 0.625 - late) / 2,
        [-1.0, (1 - 0.1 - 1.5) / 2, 1 - 0.1 * 1.25],
    ]
    oracle = game.oracle()
    np.testing.assert_allclose(oracle.values, expected, rtol=0, atol=1e-12)
    assert (oracle.arm, oracle.limit) == (2, 2)
    assert game.provenance["seconds_per_unit"] == 4


def test_limits_up_to_the_timeout(log):
    with pytest.raises(ValueError, match="limits must be at most the timeout"):
        censored.recorded("mine", log, [3.0, 10.1])
    with pytest.raises(ValueError, match="limits must be numbers or 'any'"):
        censored.recorded("mine", log, "all")
    problem = censored.recorded("mine", log, censored.ANY).problem
    assert problem.max_limit == pytest.approx(
        10 / 6
    )  # of the longest run that finished
    by_grid = censored.recorded("mine", log, [1.0, 6.0])
    assert by_grid.problem.limits == (1 / 6, 1.0)


def test_z_rcucb_plays_recorded_runs(log):
    """The arm that always finishes wins, at limits of no grid."""
    game = censored.recorded("mine", log, censored.ANY, penalty=censored.scaled(1.0))
    oracle = game.oracle()
    assert (oracle.arm, oracle.limit) == (2, 1.0)
    policy = z_rcucb(game.problem, 200, capacity=8)
    params = policy.params._replace(gain_radius=0.1, penalty_radius=0.1)
    trace = trace_run(policy, game, 200, params=params)
    assert np.all(trace.actions.limit <= np.float32(10 / 6))
    assert np.argmax(trace.environment.pulls) == 2
    assert len(np.unique(trace.actions.limit)) >= 4
