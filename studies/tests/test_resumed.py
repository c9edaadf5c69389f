"""Experiments that are killed go on where they were, to the same numbers."""

import itertools
import json

import numpy as np
import pytest
import xarray as xr

import jaxbandits_studies
from jaxbandits.cli import main as cli
from jaxbandits.console.progress import SWITCH
from jaxbandits.plots import figure
from jaxbandits.stats import make_record
from jaxbandits.store.block_store import BlockStore
from jaxbandits_studies import Experiment, Options, Outcome, minutes
from jaxbandits_studies.common.playing import play
from tests.simulation import walk

OPTIONS = Options(seeds=6, horizon=20, progress=False)
POLICIES = {"walker": walk.WALKER.over(step=[0.5, 1.0]), "idler": walk.WALKER}
GAME = {"horizon": 20, "checkpoints": [10]}


def played(folder=None, **changes):
    return play(
        POLICIES, walk.GAME, OPTIONS._replace(folder=folder), **(GAME | changes)
    )


def without_seconds(dataset):
    """Bits of everything but what tells of the machine."""
    seconds = ("compile_seconds", "run_seconds")
    return dataset.drop_attrs().drop_vars(seconds, errors="ignore")


def test_runs_of_others_are_not_forgotten(walking, tmp_path):
    """Of a folder that has that name, or has files of somebody, or of other sizes."""
    played(tmp_path)
    runs = tmp_path / "runs"
    (store,) = runs.iterdir()
    others = ["mine.txt", "0123456789abcdef.zarr/sweep.json", "my.zarr/sweep.json"]
    for name in others:
        (runs / name).parent.mkdir(exist_ok=True)
        (runs / name).write_text("{}")
    (runs / "my.zarr/sweep.json").write_bytes((store / "sweep.json").read_bytes())
    assert (
        cli.main(["reproduce", "walk-a", "--out", str(tmp_path), "--seeds", "6"]) == 0
    )
    assert all((runs / name).is_file() for name in others)
    assert not store.exists() and len([*runs.iterdir()]) == 3
    assert (tmp_path / "summary.json").exists()


@pytest.mark.slow
def test_a_summary_says_how_many_runs_had_been_played_before(walking, tmp_path):
    played(tmp_path, seeds=np.arange(6))
    for found in (18, 0):  # seeds times points, of two policies
        assert cli.main(["reproduce", "walk-a", "--out", str(tmp_path)]) == 0
        summary = json.loads((tmp_path / "summary.json").read_text())
        assert summary["provenance"]["found_runs"] == found
        assert minutes.is_whole(summary) == (not found)


def test_what_was_killed_goes_on(tmp_path, monkeypatch):
    """One block is in the store, and is not played again."""
    options = OPTIONS._replace(folder=tmp_path, quick=True)
    write, calls = BlockStore.write, itertools.count()

    def killing(*arguments):
        if next(calls):
            raise KeyboardInterrupt
        write(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(BlockStore, "write", killing)
        with pytest.raises(KeyboardInterrupt):
            play(POLICIES, walk.GAME, options, **GAME)
    found = play(POLICIES, walk.GAME, options, **GAME)
    assert without_seconds(found).identical(without_seconds(played()))
    (store,) = (tmp_path / "quick-runs").iterdir()
    assert len({*store.glob("sessions/*")}) == len({*store.glob("blocks/*")}) == 2


@pytest.fixture
def walking(monkeypatch):
    """One experiment, which plays."""

    def run(options):
        record = make_record("walk-a", "n", "TS", {}, seeds=1, horizon=2)
        dataset = play(POLICIES, walk.GAME, options, **GAME)
        return Outcome({"n": dataset}, [record], lambda: figure()[0])

    quick = OPTIONS._replace(quick=True)
    made = Experiment("walk-a", "title", "source", run, OPTIONS, quick)
    monkeypatch.setattr(jaxbandits_studies, "REGISTRY", {made.name: made})


@pytest.fixture
def registry(monkeypatch):
    """Three experiments, and how often each was run."""
    runs = []

    def run(name, fails):
        def of(options):
            runs.append(name)
            if fails:
                raise FileNotFoundError(f"{name}: there is no file data.csv")
            record = make_record(name, "n", "TS", {"regret": 1.0}, seeds=1, horizon=2)
            datasets = {"n": xr.Dataset({"value": ("x", np.ones(2))})}
            return Outcome(datasets, [record], lambda: figure()[0])

        return of

    names = {
        "censored-a": False,
        "allocation-b": False,
        "censored-c": True,
        "censored-d": False,
        "leaderboard-censored": False,
    }
    small = Options(seeds=2, horizon=3)
    quick = small._replace(quick=True)
    made = {
        name: Experiment(name, "title", "source", run(name, fails), small, quick)
        for name, fails in names.items()
    }
    monkeypatch.setattr(jaxbandits_studies, "REGISTRY", made)
    return runs


def test_all_experiments_of_a_paper_that_are_not_done(registry, tmp_path, capsys):
    """One that fails does not keep the others from being played."""
    command = ["reproduce", "all", "--paper", "censored", "--out", str(tmp_path)]
    assert cli.main(command) == 2
    assert registry == ["censored-a", "censored-c", "censored-d"]
    assert "censored-c: there is no file data.csv" in capsys.readouterr().err
    assert (tmp_path / "censored-d" / "summary.json").exists()
    registry.clear()
    assert cli.main(command) == 2
    assert registry == ["censored-c"]
    assert (
        f"censored-a is in {tmp_path / 'censored-a'} already" in capsys.readouterr().err
    )
    registry.clear()
    assert cli.main([*command, "--seeds", "5"]) == 2
    assert registry == ["censored-a", "censored-c", "censored-d"]


def test_what_several_experiments_show_is_played_once(monkeypatch, tmp_path):
    """By `all`, which lets go of the runs when every experiment is written."""
    kept, fails = [], [True]

    def run(options):
        if kept and fails.pop():
            raise FileNotFoundError("there is no file data.csv")
        record = make_record("walk-a", "n", "TS", {}, seeds=1, horizon=2)
        dataset = played(options.folder)
        kept.append({path.name for path in (tmp_path / "runs").iterdir()})
        (store,) = (tmp_path / "runs").iterdir()
        assert len([*store.glob("sessions/*")]) == 1
        return Outcome({"n": dataset}, [record], lambda: figure()[0])

    monkeypatch.setattr(
        jaxbandits_studies,
        "REGISTRY",
        {
            name: Experiment(name, "title", "source", run, OPTIONS, OPTIONS)
            for name in ("walk-a", "walk-b")
        },
    )
    command = ["reproduce", "all", "--out", str(tmp_path)]
    assert cli.main(command) == 2
    assert (tmp_path / "runs").exists(), "what failed goes on with them"
    fails.append(False)
    assert cli.main(command) == 0
    assert kept[0] == kept[1]
    assert not (tmp_path / "runs").exists()


def test_what_another_version_has_written_is_played_again(registry, tmp_path):
    command = ["reproduce", "all", "--paper", "allocation", "--out", str(tmp_path)]
    assert cli.main(command) == 0 and registry == ["allocation-b"]
    assert cli.main(command) == 0 and registry == ["allocation-b"]
    file = tmp_path / "allocation-b" / "summary.json"
    said = json.loads(file.read_text())
    said["provenance"]["versions"]["jaxbandits"] = "0.0"
    file.write_text(json.dumps(said))
    assert cli.main(command) == 0 and registry == ["allocation-b"] * 2


def test_a_paper_goes_with_all(registry, capsys):
    assert cli.main(["reproduce", "censored-a", "--paper", "censored"]) == 2
    assert "--paper goes with the name all" in capsys.readouterr().err
    assert cli.main(["reproduce", "all", "--paper", "plain"]) == 2
    assert "--paper must be one of" in capsys.readouterr().err
    assert not registry


def test_quick_forms_of_all_forget_their_runs_and_no_others(walking, tmp_path):
    played(tmp_path)
    command = ["reproduce", "all", "--out", str(tmp_path), "--quick"]
    assert cli.main(command) == 0
    assert {x.name for x in tmp_path.iterdir()} == {"runs", "walk-a"}


def test_it_says_first_what_is_played_and_where(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv(SWITCH)
    command = ["reproduce", "budgeted-example2", "--quick", "--out", str(tmp_path)]
    assert cli.main(command) == 0
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert "omega-UCB and m-UCB on two arms" in first
    assert second.endswith(f"into {tmp_path}")


def test_what_the_help_says_of_quick_forms_was_measured():
    """Most less than a minute of one core, all less than three."""
    quick = [t.processor_seconds for t in minutes.measured().values() if t.quick]
    assert np.median(quick) < 60 and max(quick) < 3 * 60
