"""The commands that studies add: what they print and write, how they complain."""

import contextlib
import json
import re
import subprocess
import warnings

import numpy as np
import pytest

from jaxbandits.cli import main as cli
from jaxbandits.simulation.fill import StoppedError
from jaxbandits.stats import CoverageWarning
from jaxbandits_studies import REGISTRY, Options
from tests.commands import check_complaint
from tests.tables import each_row, naming


@pytest.fixture
def idle(monkeypatch):
    """Experiments that fail the test if they are run."""

    def run(options):
        raise AssertionError(f"ran with {options}")

    for name, experiment in REGISTRY.items():
        monkeypatch.setitem(REGISTRY, name, experiment._replace(run=run))


def test_reproduce_for_print(capsys, tmp_path):
    """A picture of the width and in the form that is asked, and tables."""
    arguments = "reproduce budgeted-fig5 --format pdf --width column --out".split()
    assert cli.main([*arguments, str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""
    picture = (tmp_path / "budgeted-fig5.pdf").read_bytes()
    assert picture.startswith(b"%PDF")
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([0-9.]+) ", picture)
    assert float(box) == pytest.approx(72 * 3.25)
    assert "\\begin{tabular}" in (tmp_path / "table.tex").read_text()
    assert "| Wilson |" in (tmp_path / "table.md").read_text()


def test_the_printed_number_and_the_paths_stand_on_the_screen(capsys, tmp_path):
    """2.95 is a slip of the paper, 8.61 is right."""
    name = "budgeted-example2"
    assert cli.main(["reproduce", name, "--quick", "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if "2.95" in line)
    assert "m-UCB" in line and "8.61" in line
    assert lines[-2].startswith(f"Numbers: {tmp_path / 'summary.json'}")
    assert lines[-1] == f"Figure: {tmp_path / name}.png"


def test_sizes_without_effect_are_said(tmp_path, monkeypatch):
    """Also where no progress is shown."""
    monkeypatch.setenv("JAXBANDITS_PROGRESS", "off")
    asked = ["reproduce", "budgeted-example2", "--out", str(tmp_path)]
    with pytest.warns(UserWarning, match="--seeds and --horizon have no effect on bud"):
        assert cli.main([*asked, "--seeds", "5"]) == 0


@pytest.mark.parametrize(
    ("arguments", "warned"), [(["--quick"], False), (["--quick", "--seeds", "3"], True)]
)
def test_a_quick_form_does_not_warn_of_its_seeds(
    capsys, tmp_path, monkeypatch, arguments, warned
):
    """Whoever asks for other ones is warned."""
    name = "budgeted-fig5"

    def run(options):
        warnings.warn("few seeds", CoverageWarning, stacklevel=2)
        return played(options)

    played, quick = REGISTRY[name].run, Options(2, 10, quick=True)
    experiment = REGISTRY[name]._replace(run=run, quick=quick, fixed=False)
    monkeypatch.setitem(REGISTRY, name, experiment)
    asked = ["reproduce", name, "--out", str(tmp_path), *arguments]
    with pytest.warns(CoverageWarning) if warned else contextlib.nullcontext():
        assert cli.main(asked) == 0
    sentence = "Intervals from so few seeds are not sure"
    assert (sentence in capsys.readouterr().out) == (not warned)


def test_sizes_that_are_asked_reach_the_experiment(tmp_path, monkeypatch, capsys):
    """Which then is interrupted: a line says so, and the folder is there by then."""
    name, asked = "censored-fig4", []

    def run(options):
        asked.append((options.seeds, options.horizon))
        raise KeyboardInterrupt

    monkeypatch.setitem(REGISTRY, name, REGISTRY[name]._replace(run=run))
    monkeypatch.chdir(tmp_path)
    for words in ("", "--quick", "--quick --seeds 7", "--horizon 9"):
        assert cli.main(["reproduce", name, *words.split()]) == 130
        out, err = capsys.readouterr()
        assert (out, err) == ("", "jaxbandits: interrupted\n")
    assert (tmp_path / "results" / name).is_dir()
    assert asked == [(100, 100_000), (20, 2_000), (7, 2_000), (100, 9)]


def test_sigterm_ends_an_experiment_that_keeps_its_runs(capsys, tmp_path, monkeypatch):
    folders = []

    def run(options):
        folders.append(options.folder)
        raise StoppedError("stopped after 1 of 2 blocks of this run")

    name = "leaderboard-budgeted"
    monkeypatch.setitem(REGISTRY, name, REGISTRY[name]._replace(run=run))
    assert cli.main(["reproduce", name, "--out", str(tmp_path)]) == 128 + 15
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "goes on from there" in err
    assert "SIGTERM: stopped after 1 of 2 blocks" in err
    assert folders == [tmp_path]


MISTAKES = {
    "censored-fig3": "NAME: there is no experiment 'censored-fig3' (did you mean",
    "censored-fig9 --seeds 0": "--seeds must be at least 1, got 0",
    "censored-fig9 --horizon -5": "--horizon must be at least 1, got -5",
    "censored-fig9 --quick --seeds -1": "--seeds must be at least 1",
    "censored-fig4 --format gif": "--format must be one of ('png', 'pdf', 'svg')",
    "censored-fig4 --width page": "--width must be one of ('column', 'text')",
    "censored-fig4 --width 0.5": "--width must be in [1.5, 60], got 0.5",
}


@each_row("line, message", MISTAKES.items())
def test_mistakes_are_named_before_anything_is_played(
    capsys, tmp_path, idle, line, message
):
    folder = tmp_path / "out"
    assert cli.main(["reproduce", *line.split(), "--out", str(folder)]) == 2
    check_complaint(capsys, f"jaxbandits: {message}")
    assert not folder.exists()


def test_our_faults_pass_and_others_on_request(monkeypatch, tmp_path):
    """A mistake is one line, unless where it came from is asked."""
    with pytest.raises(ValueError, match="there is no experiment"):
        cli.main(["reproduce", "nothing", "--traceback"])

    def run(options):
        return np.zeros(3).reshape(2)

    name = "censored-fig4"
    monkeypatch.setitem(REGISTRY, name, REGISTRY[name]._replace(run=run))
    with pytest.raises(ValueError, match="reshape"):
        cli.main(["reproduce", name, "--out", str(tmp_path)])


def test_a_file_where_the_folder_should_be(capsys, tmp_path, idle):
    for below in [(), ("deeper",)]:
        with naming(below):
            file = tmp_path / "results"
            file.write_text("mine")
            folder = str(file.joinpath(*below))
            assert cli.main(["reproduce", "censored-fig9", "--out", folder]) == 2
            check_complaint(capsys, f"jaxbandits: out: cannot write to {folder}")
            assert file.read_text() == "mine"


def test_the_list_has_every_experiment(capsys, idle, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert cli.main(["list", "experiments"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "Policies" not in out
    title, *lines, _ = out.splitlines()
    assert [line.split()[0] for line in lines] == list(REGISTRY)
    for line, experiment in zip(lines, REGISTRY.values(), strict=True):
        assert line.endswith(experiment.title)
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) == 80 and any(line.endswith("…") for line in lines)


def test_the_list_has_facts_of_experiments_as_json(capsys, idle):
    assert cli.main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["experiments"]] == list(REGISTRY)
    for listed in found["experiments"]:
        experiment = REGISTRY[listed["name"]]
        assert listed == {
            "name": experiment.name,
            "setting": experiment.setting,
            "title": experiment.title,
            "source": experiment.source,
            "seeds": experiment.full.seeds,
            "horizon": experiment.full.horizon,
            "minutes": listed["minutes"],  # test_minutes.py
        }
    assert "allocation/criteo" in found["environments"]
    assert cli.main(["list", "censored", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["experiments"]
    assert {each["setting"] for each in found} == {"censored"}
    assert cli.main(["list", "censored-fig4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) in found


def test_bash_completes_names(capsys, tmp_path):
    pytest.importorskip("shtab")
    cli.main(["completion", "bash"])
    script = tmp_path / "complete.sh"
    script.write_text(capsys.readouterr().out)
    ask = (
        f"source {script}; COMP_WORDS=(jaxbandits reproduce censored-ra); COMP_CWORD=2;"
        "_shtab_jaxbandits; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True)
    assert done.stdout.split() == ["censored-radii"], done.stderr
