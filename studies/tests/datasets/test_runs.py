"""Recorded runs of one's own: loading, timeouts, the game with one's own prices."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from jaxbandits import censored
from jaxbandits.censored import z_rcucb
from jaxbandits.testing import trace_run
from jaxbandits_studies.datasets import load_runs
from studies.tests.checks import memory_below
from tests.tables import assert_refused, naming

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


@pytest.fixture
def log(write):
    return load_runs(write(LOG), **COLUMNS, timeout=10)


def test_runs_are_grouped_by_configuration_and_ordered_by_run(write):
    runs = load_runs(write(GOOD.to_csv(index=False)))
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


def test_infinite_times_without_a_timeout_are_worth_a_warning(write):
    text = LOG.replace("10.0", "inf").replace("10.4", "inf")
    with pytest.warns(UserWarning, match="does not say when they were stopped"):
        runs = load_runs(write(text), **COLUMNS)
    assert runs.timeout is None and np.isinf(runs.seconds).sum() == 2
    censored.recorded("mine", runs, [3.0, 300.0])


BAD = {
    "seconds: .* has no column 'seconds'": GOOD.drop(columns="seconds"),
    "reward: .* has no column 'reward'": GOOD.drop(columns="reward"),
    "path: cells of column 'seconds' .* are no numbers >= 0, first '' in row 3": (
        GOOD.assign(seconds=[1, 1, np.nan, 1, 1, 1, 1])
    ),
    "path: .* 'reward' .* no numbers in \\[0, 1\\] .* first 'x' in row 3": (
        GOOD.assign(reward=[1, 1, "x", 1, 1, 1, 1])
    ),
    "path: cells of column 'trees' .* are empty, first '' in row 3": (
        GOOD.assign(trees=[1, 1, np.nan, 1, 1, 1, 1])
    ),
    "path: cells of column 'seconds' .* first '-2.0' in row 1": (
        GOOD.assign(seconds=-GOOD["seconds"])
    ),
    "path: cells of column 'reward' .* first '1.5' in row 2": (
        GOOD.assign(reward=2 * GOOD["reward"])
    ),
    "path: .* has no configurations": GOOD.drop(columns="trees"),
    "path: .* has no rows": GOOD[:0],
}


def test_bad_tables_are_refused_by_name(write):
    for message, table in BAD.items():
        with pytest.raises(ValueError, match=message):
            load_runs(write(table.to_csv(index=False)))


def test_words_of_a_configuration_stand_as_they_are(write):
    """Also those that pandas takes for a cell without an entry."""
    log = "solver,depth,reward,seconds\nNA,None,1,2\nNA,3,NA,inf\nnull,3,0.5,4\n"
    columns = {"configuration": ["solver", "depth"], "timeout": 5}
    runs = load_runs(write(log), **columns)
    words = ({"solver": "NA", "depth": "3"}, {"solver": "NA", "depth": "None"})
    assert runs.configurations == (*words, {"solver": "null", "depth": "3"})
    np.testing.assert_array_equal(runs.reward[:, 0], [0, 1, 0.5])
    for row in (",3,1,2\n", "walk,,1,2\n"):
        with pytest.raises(ValueError, match="are empty, first '' in row 4"):
            load_runs(write(log + row), **columns)
    with pytest.raises(ValueError, match="column 'reward' .* first 'NA' in row 4"):
        load_runs(write(log + "walk,3,NA,2\n"), **columns)


def test_configurations_that_are_written_differently_are_two(write):
    alike = (
        ("01", "1", "1"),
        ("9007199254740993", "9007199254740992", "1.5"),
        ("1.50", "1.5", "2"),
        ("-0.0", "0.0", "1.5"),
        ("1e3", "1000", "1000.0"),
        ("True", "1", "yes"),
    )
    for names in alike:
        with naming(names):
            rows = [f"{name},1,{i + 1}" for i, name in enumerate((*names, names[0]))]
            log = "\n".join(["id,reward,seconds", *rows]) + "\n"
            runs = load_runs(write(log), configuration=["id"])
            found = {
                c["id"]: own[~np.isnan(own)].tolist()
                for c, own in zip(runs.configurations, runs.seconds, strict=True)
            }
            assert found[names[0]] == [1, 4] and found[names[1]][0] == 2
            assert len(found) == len({*names})


def test_rows_that_are_all_configurations_are_worth_a_warning(write):
    log = "solver,seed,reward,seconds\na,1,1,1\na,2,1,2\nb,1,1,1\nb,2,1,3\n"
    with pytest.warns(UserWarning, match="made of solver, seed: say by configuration"):
        runs = load_runs(path := write(log))
    assert len(runs.configurations) == 4
    assert len(load_runs(path, configuration=["solver"])[2]) == 2


CAPPED = """solver,reward,seconds,cutoff
a,1,3,5
a,0,5,5
a,1,7,20
a,0,20,20
b,1,2,4
b,1,8,20
"""


def test_a_run_is_censored_at_its_own_cutoff(write):
    """Up to 5 s all six runs are known; beyond, the second one of a is not."""
    runs = load_runs(write(CAPPED), configuration=["solver"], cutoff="cutoff")
    assert runs.timeout == 5
    np.testing.assert_array_equal(
        runs.seconds, [[3, np.inf, 7, np.inf], [2, 8, np.nan, np.nan]]
    )
    game = censored.recorded("capped", runs, [2.5, 5.0])
    np.testing.assert_allclose(game.oracle().censoring, [[1, 0.75], [0.5, 0.5]])
    with pytest.raises(ValueError, match="at most the timeout .* 5.0 .* cutoff"):
        censored.recorded("capped", runs, [2.5, 6.0])


def test_a_cutoff_that_stopped_nobody_limits_nothing(write):
    text = CAPPED.replace("a,0,5,5\n", "").replace("a,0,20,20\n", "")
    runs = load_runs(write(text), configuration=["solver"], cutoff="cutoff")
    assert runs.timeout is None
    censored.recorded("free", runs, [2.5, 100.0])


NEARLY = "solver,reward,seconds\na,1,9.98\na,1,3\nb,1,9.85\nb,1,10.2\n"


def test_a_run_just_below_its_timeout_counts_as_finished_with_a_warning(write):
    path = write(NEARLY)
    with pytest.warns(UserWarning, match="as 9.98 of 10 in row 1 .* tolerance=0.01"):
        runs = load_runs(path, timeout=10)
    assert np.isinf(runs.seconds).tolist() == [[False, False], [False, True]]
    runs = load_runs(path, timeout=10, tolerance=0.01)
    assert np.isinf(runs.seconds).tolist() == [[True, False], [False, True]]
    assert runs.timeout == 10
    load_runs(path, timeout=10, tolerance=0.0)


def test_a_run_that_was_stopped_early_is_worth_a_warning(write):
    path = write(LOG.replace("10.4", "1"))
    with pytest.warns(UserWarning, match="before .* as at 1 of 10 in row 5 below"):
        load_runs(path, status="status", timeout=10, **COLUMNS)


def test_ties_at_the_longest_time_without_a_timeout_are_worth_a_warning(write):
    path = write("solver,seconds\na,60\na,60\na,3\nb,60\nb,2\n")
    options = {"configuration": ["solver"], "reward": None}
    with pytest.warns(
        UserWarning, match="3 of 5 runs took exactly the longest time, 60"
    ):
        load_runs(path, **options)
    about = load_runs(path, **options, timeout=60).about
    assert about["notes"] == []
    path = write("solver,seconds\na,6\na,5\na,6\nb,5\n")
    assert load_runs(path, **options).about["notes"] == []
    # Who says when one run was stopped means that the others were not.
    text = "solver,seconds,cutoff\na,60,inf\na,60,99\na,3,inf\nb,60,inf\nb,2,inf\n"
    path = write(text)
    assert load_runs(path, **options, cutoff="cutoff").about["notes"] == []


STATUS = """solver,reward,seconds,status
a,1,9.98,Timed-Out
a,1,3,ok
a,,,memout
b,1,2,CRASH
b,1,10.4,solved
b,,11,timeout
"""


def test_a_status_says_how_a_run_ended(write):
    path = write(STATUS)
    columns = {"configuration": ["solver"], "status": "status"}
    inf = np.inf
    with pytest.warns(UserWarning, match=r"1 runs finished .* 10.4 of 10 in row 5"):
        runs = load_runs(path, **columns, timeout=10)
    np.testing.assert_array_equal(runs.seconds, [[inf, 3, inf], [inf, 10.4, inf]])
    np.testing.assert_array_equal(runs.reward, [[0, 1, 0], [0, 1, 0]])
    assert runs.timeout == 10
    # Without a timeout, a run was stopped after its seconds.
    assert load_runs(path, **columns).timeout == 9.98


def test_runs_that_finished_bring_one_without_a_reward(write):
    log = "solver,seconds\na,3\na,10\nb,2\nb,4\n"
    options = {"configuration": ["solver"], "reward": None, "timeout": 10}
    runs = load_runs(write(log), **options)
    np.testing.assert_array_equal(runs.reward, [[1, 0], [1, 1]])


def test_one_long_configuration_takes_no_room_in_the_others(write):
    """A thousand configurations, one with 20,000 runs: 25,000 runs and no table."""
    sizes = np.full(1_000, 5)
    sizes[0] = 20_000
    names = np.repeat(np.arange(1_000), sizes)
    log = pd.DataFrame({"c": names, "reward": 1, "seconds": 1 + names % 7})
    path = write(log.to_csv(index=False))
    with memory_below(15 * 16 * len(log)):  # bytes of a reward and a time: 16
        game = censored.recorded("long", load_runs(path), [2.0, 5.0])
    assert game.oracle().censoring[3, 0] == 1 and game.oracle().censoring[1, 0] == 0


def test_row_numbers_are_no_configuration(tmp_path):
    GOOD.to_csv(tmp_path / "numbered.csv")
    with pytest.raises(ValueError, match="path: .* a column without a name"):
        load_runs(tmp_path / "numbered.csv")
    runs = load_runs(tmp_path / "numbered.csv", configuration=["trees"])
    assert len(runs.configurations) == 3


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
    for limits in ([1, 1], [0, 2], [1, np.inf]):
        words = f"^limits must be above 0, finite and strictly .* \\[{limits[0]}.0, "
        with pytest.raises(ValueError, match=words):
            censored.recorded("mine", log, limits)
    with pytest.raises(ValueError, match="limits must be at most the timeout"):
        censored.recorded("mine", log, [3.0, 10.1])
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


def test_bad_columns_and_files_are_refused(tmp_path, write):
    good = write(GOOD.to_csv(index=False))
    columns = [
        ({"configuration": "trees"}, "configuration must be a list .* 'trees'"),
        ({"configuration": 3}, "configuration must be a list"),
        ({"configuration": [["trees"]]}, "configuration: a name must be a string"),
        ({"configuration": ["trees", "reward"]}, "configuration .* different columns"),
        ({"configuration": ["leaves"]}, "has no column 'leaves'"),
        ({"reward": 3}, "reward must be a string"),
        ({"seconds": ["seconds"]}, "seconds must be a string"),
        ({"reward": "seconds"}, "reward, seconds, .* different columns"),
        ({"timeout": 0.0}, "timeout"),
    ]
    rows = [(partial(load_runs, good, **o), words) for o, words in columns]
    late = load_runs(good, timeout=0.5)
    rows.append(
        (partial(censored.recorded, "mine", late, [0.5]), "none of them finished")
    )
    # By their first cells the rows are row numbers to pandas, in any case.
    for first in (0, 1):
        path = tmp_path / f"long{first}.csv"
        long = "".join(f"{first + i},0.5,2.0,0.7\n" for i in range(3))
        path.write_text("solver,reward,seconds\n" + long)
        rows.append((partial(load_runs, path), "path: .* more cells than col"))
    (tmp_path / "empty.csv").touch()
    rows.append((partial(load_runs, tmp_path / "empty.csv"), "path: .*empty"))
    assert_refused(rows, (TypeError, ValueError))
    with pytest.raises(FileNotFoundError):
        load_runs(tmp_path / "none.csv")


def test_a_bad_status_cutoff_or_tolerance_is_refused(write):
    table = [
        (("CRASH", "who knows"), {}, "status 'who knows' in row 4 .* not known"),
        (
            ("10.4,solved", "inf,solved"),
            {},
            "'seconds' .* finished, first 'inf' in row 5",
        ),
        (("a,1,3", "a,,3"), {}, "'reward' .* finished, first '' in row 2"),
        (("a,1,3", "a,1,fast"), {}, "'seconds' .* finished, first 'fast' in row 2"),
        (("", ""), {"tolerance": 0.1}, "tolerance .* without status"),
        (("", ""), {"status": "state"}, "status: .* has no column 'state'"),
        (("", ""), {"status": "reward"}, "different columns"),
    ]
    for change, options, words in table:
        path = write(STATUS.replace(*change))
        options = {"status": "status", "timeout": 10} | options
        with pytest.raises(ValueError, match=words):
            load_runs(path, configuration=["solver"], **options)
    path = write(CAPPED.replace("b,1,2,4", "b,1,2,0"))
    load = partial(load_runs, path, configuration=["solver"])
    rows = [
        (partial(load, tolerance=0.1), "tolerance is a share .* timeout or cutoff"),
        (partial(load, cutoff="cutoff"), "path: .*'cutoff' .* above 0, got 0 in row 5"),
    ]
    assert_refused(rows)
