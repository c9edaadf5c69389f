"""The comparison on a solver's log, by function and by command."""

import json
import re
from functools import partial

import jax
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.cli import main as cli
from jaxbandits_studies import datasets
from jaxbandits_studies.censored import compare
from jaxbandits_studies.censored.compare import compare_runs, default_limits
from jaxbandits_studies.common.ranking import ranks
from jaxbandits_studies.judging.advice import ADVICE
from studies.tests.checks import assert_readable, check_records, dealt_game
from tests.tables import naming

# "quick" is in time in nine runs of ten; "slow" never is within 2 s.
ROWS = [("quick", 0.1, 1.0 + i / 10, "ok") for i in range(9)] + [
    ("quick", 0.1, 10.0, "timeout"),
    *(("slow", 0.5, 4.0 + i, "ok") for i in range(4)),
    *(("slow", 0.5, 10.0, "timeout") for _ in range(4)),
]


def written(path, rows=ROWS, names=lambda name: name):
    lines = [f"{names(s)},{n},{t},{end}" for s, n, t, end in rows]
    path.write_text("\n".join(["solver,noise,time,end", *lines]) + "\n")
    return path


@pytest.fixture
def cast(monkeypatch):
    """Two policies only: all take a minute to compile."""
    two = {k: compare.CAST[k] for k in ("UCB", "uniform")}
    monkeypatch.setattr(compare, "CAST", two)


def test_the_advised_policy_is_played():
    assert ADVICE["censored"].policy in compare.CAST


def test_command(tmp_path, cast, capsys):
    path = written(tmp_path / "runs.csv")
    words = "--arm solver --arm noise --runtime time --status end --limits 2,6"
    end = ["--rounds", "400", "--seeds", "16", "--out", str(tmp_path / "out")]
    assert cli.main(["compare", str(path), *words.split(), *end]) == 0
    out = capsys.readouterr().out
    assert "runs.csv: play UCB, which loses" in out
    assert "runs.csv: solver = quick, noise = 0.1: best within 2, " in out
    assert "runs.csv: regret, 95 % intervals" in out
    assert "Limits, in the log's own unit: 2; 6. A time of 7 costs a reward of 1" in out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["experiment"], summary["source"]) == ("compare", str(path))
    assert summary["options"]["horizon"] == 400
    found = [(r["environment"], r["policy"]) for r in summary["records"]]
    assert found == [("runs.csv", "UCB"), ("runs.csv", "uniform")]
    for name in ("compare.png", "compare-runs-csv.nc", "table.md"):
        assert (tmp_path / "out" / name).is_file()


def test_uniform_play_loses_the_mean_of_the_gaps(tmp_path, cast):
    """In the log of the command, so that it is the same program."""
    path = written(tmp_path / "runs.csv")
    runs = datasets.load_runs(
        path, reward=None, seconds="time", configuration=["solver"], status="end"
    )
    outcome = compare_runs("mine", runs, limits=[2, 6], rounds=400, seeds=16)
    check_records(outcome, "compare")
    assert_readable(outcome.figure)
    (dataset,) = outcome.datasets.values()
    _, last = ranks(dataset, "gain")
    # Values by hand, of a unit of 7 s: the mean of times is 1.26 s, too late are a
    # tenth of "quick", all of "slow" within 2 s, and 5 in 8 of it within 6 s.
    first, second = 20 / 7, 60 / 7  # penalties
    values = [0.9 - 0.18 - first / 10, 0.9 - 0.18 - second / 10]
    values = np.array([*values, -first, 3 / 8 - 15 / 56 - 5 / 8 * second])
    assert last.policy == "uniform"
    assert last.regret == pytest.approx(400 * (values[0] - values.mean()), rel=0.02)
    assert last.brings == pytest.approx(400 * values.mean(), rel=0.02)


def test_neither_names_nor_the_order_of_rows_have_an_effect(tmp_path, monkeypatch):
    """The best of 30 configurations is the first, or the last."""
    random = np.random.default_rng(0)
    rows = [
        (str(c), 0.1, random.integers(1, 9) / (8 if c == 5 else 1), "ok")
        for c in range(30)
        for _ in range(c % 3 + 1)
    ]
    found = []
    for best in ("a", "z"):
        random.shuffle(rows)
        names = {
            str(c): best if c == 5 else f"m{random.integers(10**9)}" for c in range(30)
        }
        path = written(tmp_path / "runs.csv", rows, names.get)
        runs = datasets.load_runs(
            path, reward=None, seconds="time", configuration=["solver"]
        )
        ranked = "jaxbandits_studies.censored.compare.ranked"
        play = partial(compare_runs, "mine", runs, limits=[1, 4], rounds=20, seeds=8)
        found.append(dealt_game(monkeypatch, ranked, play))
    first, second = found
    assert first.game is second.game and first.problem == second.problem
    jax.tree.map(np.testing.assert_array_equal, first.setup, second.setup)


def test_default_limits_end_where_the_log_does(tmp_path):
    columns = {"reward": None, "seconds": "time", "configuration": ["solver"]}
    path = written(tmp_path / "runs.csv")
    limits = default_limits(datasets.load_runs(path, **columns, status="end"))
    assert limits[-1] == 7 and limits == sorted(set(limits)) and len(limits) == 10
    runs = datasets.load_runs(path, **columns, timeout=5.1)
    assert default_limits(runs)[-1] == 5
    censored.recorded("mine", runs, default_limits(runs))
    with pytest.raises(ValueError, match="none of them .* timeout, 0.5"):
        default_limits(datasets.load_runs(path, **columns, timeout=0.5))


def test_bad_options_are_refused(tmp_path, capsys):
    for words, named in [
        ("--arm solver --runtime t", "--runtime: .* has no column 't'"),
        ("--arm solvers --runtime time", "--arm: .* has no column 'solvers'"),
        ("--arm solver --runtime time --limits 1,x", "--limits must be numbers"),
        ("--arm solver --runtime time --timeout 5 --limits 2,6", "limits .* timeout"),
        ("--arm solver --runtime time --status end --tolerance 0.1", "tolerance"),
        (
            "--arm solver --runtime time --timeout 9 --rounds 0",
            "rounds must be at least 1",
        ),
        ("--arm solver --runtime time --timeout 9 --penalty -1", "penalty must be"),
        ("--arm solver --runtime time --group noise", "--group: for a log of pulls"),
    ]:
        with naming((words, named)):
            path = written(tmp_path / "runs.csv")
            out = ["--out", str(tmp_path / "out")]
            assert cli.main(["compare", str(path), *words.split(), *out]) == 2
            assert re.search(named, capsys.readouterr().err)
