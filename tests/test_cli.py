"""The command line: what it prints, what it writes, how it complains."""

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

import jaxbandits
from jaxbandits import cli
from jaxbandits.experiments import REGISTRY, Options
from jaxbandits.policies import REGISTRY as POLICIES
from jaxbandits.results import open_store
from jaxbandits.settings import REGISTRY as ENVIRONMENTS
from jaxbandits.stats import CoverageWarning
from jaxbandits.sweeps.fill import StoppedError
from tests.experiments.checks import RECORD
from tests.tables import naming

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def idle(monkeypatch):
    """Experiments that fail the test if they are run."""

    def run(options):
        raise AssertionError(f"ran with {options}")

    for name, experiment in REGISTRY.items():
        monkeypatch.setitem(REGISTRY, name, experiment._replace(run=run))


def check_listing(found):
    assert set(found) == {"experiments", "policies", "environments"}
    assert [e["name"] for e in found["experiments"]] == list(REGISTRY)
    for listed in found["experiments"]:
        experiment = REGISTRY[listed["name"]]
        assert listed == {
            "name": experiment.name,
            "setting": experiment.setting,
            "title": experiment.title,
            "source": experiment.source,
            "seeds": experiment.full.seeds,
            "horizon": experiment.full.horizon,
            "minutes": listed["minutes"],  # tests/experiments/test_minutes.py
        }
    assert found["policies"] == list(POLICIES)
    assert found["environments"] == list(ENVIRONMENTS)


def test_the_list_has_every_experiment_policy_and_environment(
    capsys, idle, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "200")
    assert cli.main(["list"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for experiment in REGISTRY.values():
        (line,) = (li for li in out.splitlines() if f" {experiment.name} " in li)
        assert experiment.title in line and experiment.source in line
    of_policies, of_environments = out.split(" Policies ")[1].split(" Environments ")
    for registry, part in ((POLICIES, of_policies), (ENVIRONMENTS, of_environments)):
        for name, maker in registry.items():
            (line,) = (li for li in part.splitlines() if f" {name} " in li)
            assert f" {maker.factory.__name__} " in line
            assert all(f" {x} = " in line for x in (*maker.arguments, *maker.needs))


def test_the_list_of_a_setting_has_nothing_else(capsys, idle, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert cli.main(["list", "censored"]) == 0
    out, _ = capsys.readouterr()
    assert "censored-fig4" in out and "continuum/zooming" in out
    assert "censored/forest" in out and "budgeted" not in out
    assert cli.main(["list", "censored", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {e["setting"] for e in found["experiments"]} == {"censored"}
    for kind, registry in (("policies", POLICIES), ("environments", ENVIRONMENTS)):
        assert found[kind] == [
            n for n in registry if n.startswith(("cens", "cont", "comb", "duel"))
        ]


def test_the_list_is_printed_as_json(capsys, idle):
    assert cli.main(["list", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    check_listing(json.loads(out))


@pytest.mark.slow
def test_list_as_a_program_of_its_own():
    done = subprocess.run(
        [sys.executable, "-m", "jaxbandits", "list", "--json"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    check_listing(json.loads(done.stdout))


def test_info_says_versions_and_devices(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert cli.main(["info"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "versions" in out and "devices" in out and cli_jax().__version__ in out
    assert cli.main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {"python", "jaxbandits", "jax", "jaxlib", "numpy"} <= set(facts["versions"])
    assert facts["versions"]["jax"] == cli_jax().__version__
    assert facts["devices"] == [str(device) for device in cli_jax().devices()]


def cli_jax():
    import jax

    return jax


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


def test_pictures_that_cannot_be(capsys, idle, tmp_path):
    """Said before anything is played."""
    for asked, message in [
        (["--format", "gif"], "--format must be one of ('png', 'pdf', 'svg')"),
        (["--width", "page"], "--width must be one of ('column', 'text')"),
        (["--width", "0.5"], "--width must be in [1.5, 60], got 0.5"),
    ]:
        with naming((asked, message)):
            command = [
                "reproduce",
                "censored-fig4",
                "--out",
                str(tmp_path / "a"),
                *asked,
            ]
            assert cli.main(command) == 2
            assert message in capsys.readouterr().err
            assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [(["--quick"], False), (["--quick", "--seeds", "3"], True)],
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
    sentence = "Of a quick form intervals are not sure"
    assert (sentence in capsys.readouterr().out) == (not warned)


def test_sizes_that_are_asked_reach_the_experiment(tmp_path, monkeypatch):
    """Which then stops."""
    name, asked = "censored-fig4", []

    def run(options):
        asked.append((options.seeds, options.horizon))
        raise KeyboardInterrupt

    monkeypatch.setitem(REGISTRY, name, REGISTRY[name]._replace(run=run))
    for words in ("", "--quick", "--quick --seeds 7", "--horizon 9"):
        command = ["reproduce", name, "--out", str(tmp_path), *words.split()]
        assert cli.main(command) == 130
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


def test_an_interruption_is_said_in_one_line(capsys, tmp_path, monkeypatch):
    """The folder of the experiment's name is there by then."""

    def run(options):
        raise KeyboardInterrupt

    name = "censored-fig4"
    monkeypatch.setitem(REGISTRY, name, REGISTRY[name]._replace(run=run))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["reproduce", name]) == 130
    out, err = capsys.readouterr()
    assert (out, err) == ("", "jaxbandits: interrupted\n")
    assert (tmp_path / "results" / name).is_dir()


def test_mistakes_are_named(capsys, tmp_path, idle):
    for arguments, message in [
        (
            ["censored-fig3"],
            "NAME: there is no experiment 'censored-fig3' (did you mean 'censored-fig",
        ),
        (["censored-fig9", "--seeds", "0"], "--seeds must be at least 1, got 0"),
        (["censored-fig9", "--horizon", "-5"], "--horizon must be at least 1, got -5"),
        (["censored-fig9", "--quick", "--seeds", "-1"], "--seeds must be at least 1"),
    ]:
        with naming((arguments, message)):
            folder = tmp_path / "out"
            assert cli.main(["reproduce", *arguments, "--out", str(folder)]) == 2
            check_complaint(capsys, f"jaxbandits: {message}")
            assert not folder.exists()


def check_complaint(capsys, start):
    """One line on stderr, nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(start)
    assert err.count("\n") == 1 and "Traceback" not in err


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"jaxbandits {jaxbandits.__version__}\n"


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


def test_a_file_of_ones_own_that_fails_is_found(capsys, tmp_path):
    """By its line; and by the traceback that leads into it, on request."""
    spec = tmp_path / "mine.py"
    spec.write_text("def half(x):\n    raise ValueError('no half')\n\nhalf(1)\n")
    assert cli.main(["sweep", str(spec)]) == 2
    check_complaint(capsys, f"jaxbandits: SPEC: {spec}, line 2 ends with ValueError")
    with pytest.raises(ValueError, match="SPEC") as found:
        cli.main(["sweep", str(spec), "--traceback"])
    chain = "".join(traceback.format_exception(found.value))
    assert "mine.py" in chain and "in half" in chain


def test_scripts_of_completion_have_the_words(capsys):
    for shell in ["bash", "zsh", "fish"]:
        with naming(shell):
            pytest.importorskip("shtab")
            assert cli.main(["completion", shell]) == 0
            script, err = capsys.readouterr()
            assert err == ""
            words = ("reproduce", "width", "budgeted-example2", "farewell", "traceback")
            assert all(word in script for word in words)


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


def test_completion_of_no_shell(capsys, monkeypatch):
    pytest.importorskip("shtab")
    assert cli.main(["completion", "ksh"]) == 2
    assert "SHELL must be one of" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "pip install 'jaxbandits[completion]'" in capsys.readouterr().err


def test_a_file_where_the_folder_should_be(capsys, tmp_path, idle):
    for below in [(), ("deeper",)]:
        with naming(below):
            file = tmp_path / "results"
            file.write_text("mine")
            folder = str(file.joinpath(*below))
            assert cli.main(["reproduce", "censored-fig9", "--out", folder]) == 2
            check_complaint(capsys, f"jaxbandits: out: cannot write to {folder}")
            assert file.read_text() == "mine"


def test_what_cannot_be_parsed(capsys, idle):
    for arguments, message in [
        (
            ["reproduce", "censored-fig9", "--seeds", "many"],
            "argument --seeds: invalid",
        ),
        (["reproduce", "censored-fig9", "--horizon", "1e5"], "argument --horizon"),
        (["reproduce", "censored-fig9", "--seeds", "2.5"], "argument --seeds"),
        (["reproduce"], "NAME"),
        (["reproduce", "censored-fig9", "--rounds", "9"], "--rounds"),
        (["sweep"], "SPEC"),
        (["sweep", "one.toml", "--seeds", "many"], "argument --seeds: invalid"),
        (["sweep", "one.toml", "--block", "2.5"], "argument --block: invalid"),
        (["sweep", "one.toml", "--horizon", "5"], "--horizon"),
        (["sweeps"], "sweeps"),
        ([], "COMMAND"),
    ]:
        with naming((arguments, message)):
            with pytest.raises(SystemExit) as stopped:
                cli.main(arguments)
            assert stopped.value.code == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert err.startswith("usage: jaxbandits") and message in err


SPEC = """
setting = "budgeted"
seeds = 4
budget = 3
checkpoints = [1.5]
metrics = ["regret"]

[environments.two]
make = "s_br"
arguments = {num_arms = 2, cost_floor = 0.25}

[policies.uniform]
make = "uniform"

[policies.omega]
make = "omega_ucb"
cross = {rho = [0.25, 0.5, 1.0]}
"""


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """The path of a small sweep; runs start in a folder of their own."""
    path = tmp_path / "small.toml"
    path.write_text(SPEC)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return path


@pytest.fixture
def nothing_played(monkeypatch):
    def play(*args, **kwargs):
        raise AssertionError("played")

    monkeypatch.setattr("jaxbandits.sweeps.fill.play", play)


def swept(capsys, *arguments):
    """Exit status 0, nothing on stderr; stdout."""
    assert cli.main(["sweep", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_sweep_is_stored_and_its_best_points_are_shown(capsys, spec):
    out = swept(capsys, spec)
    store = os.path.join("results", "small")
    assert out.splitlines()[-1] == f"wrote {store}"
    assert f"{store}: best points (mean ± s.e.)" in out
    with open_store(store) as dataset:
        regret = dataset["regret"].load().isel(checkpoint=-1)
        assert dataset.attrs["setting"] == "budgeted"
    assert dict(regret.sizes) == {"environment": 1, "policy": 2, "params": 3, "seed": 4}
    best = regret.sel(policy="omega").mean("seed").argmin("params").item()
    rho = ("0.25", "0.5", "1")[best]
    (line,) = (li for li in out.splitlines() if "omega" in li)
    assert f"omega (rho = {rho})" in line
    assert f"{regret.sel(policy='omega', params=best).mean('seed').item():,.1f}" in line
    (line,) = (li for li in out.splitlines() if "uniform" in li)
    assert "two" in out and "(" not in line


def test_names_of_a_sweep_are_printed_as_they_stand(capsys, spec):
    """Also where they would be markup, formulas, or orders to the terminal."""
    names = ["TS [fast]", "TS [slow]", "[/b]", ":smile:", "_$x$"]
    policies = "".join(f'[policies."{name}"]\nmake = "uniform"\n' for name in names)
    text = SPEC.partition("[policies")[0].replace("s.two]", 's."[/two] \\u001b[2J"]')
    spec.write_text(text + policies)
    out = swept(capsys, spec, "--store", "[b]ig.zarr")
    for name in (*names, "[/two] \\x1b[2J", "wrote [b]ig.zarr"):
        assert name in out
    for command in ("status", "show"):
        assert cli.main([command, "[b]ig.zarr"]) == 0
        assert "[b]ig.zarr" in capsys.readouterr().out
    assert cli.main(["show", "[b]ig.zarr"]) == 0
    assert text.splitlines()[-2] in capsys.readouterr().out
    assert cli.main(["show", "[/no].zarr"]) == 2
    assert "[/no].zarr" in capsys.readouterr().err


def test_a_sweep_as_json(capsys, spec, tmp_path):
    store = tmp_path / "new" / "mine.zarr"
    records = json.loads(swept(capsys, spec, "--json", "--store", store))
    assert [(r["policy"], r["params"].get("rho")) for r in records] == [
        ("uniform", None),
        ("omega", 0.25),
        ("omega", 0.5),
        ("omega", 1.0),
    ]
    assert {frozenset(r) for r in records} == {frozenset(RECORD)}
    assert {(r["experiment"], r["environment"]) for r in records} == {("mine", "two")}
    assert {(r["seeds"], r["horizon"]) for r in records} == {(4, 3.0)}
    assert all(set(r["metrics"]) == {"regret"} for r in records)
    assert not Path("results").exists()


def test_seeds_are_the_pilot_s_with_a_half_width(capsys, spec, monkeypatch):
    asked = []

    def run_sweep(spec, *args, **kwargs):
        asked.append(spec.seeds)
        raise KeyboardInterrupt

    monkeypatch.setattr("jaxbandits.sweeps.run_sweep", run_sweep)
    until = '{ metric = "regret", half_width = 1.0, pilot = 5, at_most = 9 }'
    spec.write_text(SPEC.replace("seeds = 4", f"seeds = {until}"))
    assert cli.main(["sweep", str(spec), "--seeds", "7"]) == 130
    check_complaint(capsys, "jaxbandits: interrupted")
    assert [(seeds.pilot, seeds.at_most) for seeds in asked] == [(7, 9)]


def test_a_sweep_that_is_complete(capsys, spec, request):
    first = swept(capsys, spec, "--json")
    request.getfixturevalue("nothing_played")
    assert swept(capsys, spec, "--json") == first


def test_mistakes_in_the_arguments_of_a_sweep(capsys, spec, nothing_played):
    for arguments, message in [
        (["--seeds", "0"], "--seeds must be at least 1, got 0"),
        (["--workers", "0"], "--workers must be at least 1, got 0"),
        (["--workers", "2", "--shard", "0/2"], "--shard must be left out where there "),
        (["--store", ".."], "store: there is no store at "),
        (["--block", "0"], "store: block must be at least 1, got 0"),
        (["--processes", "2"], "coordinator, processes and process go together"),
    ]:
        with naming((arguments, message)):
            assert cli.main(["sweep", str(spec), *arguments]) == 2
            check_complaint(capsys, f"jaxbandits: {message}")
            assert not Path("results").exists()


def test_mistakes_in_the_file_of_a_sweep(capsys, spec, nothing_played):
    for old, new, message in [
        ("seeds", "sedes", "Additional properties are not allowed ('sedes' was"),
        ("omega_ucb", "omega_uc", "policies.omega.make: 'omega_uc' is unknown (did"),
        ("[policies.uniform]", "[policies.uniform", "is not TOML"),
        ("0.25, 0.5", "-0.25, 0.5", "rho must be positive"),
        ('"regret"', '"regrets"', "metrics: ['regrets'] unknown; known are"),
    ]:
        with naming((old, new, message)):
            spec.write_text(SPEC.replace(old, new))
            assert cli.main(["sweep", str(spec)]) == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert err.startswith("jaxbandits: ") and message in err
            assert err.count("\n") == 1
            assert not Path("results", "small").exists()


def test_a_sweep_that_is_interrupted(capsys, spec, monkeypatch):
    def play(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("jaxbandits.sweeps.fill.play", play)
    assert cli.main(["sweep", str(spec)]) == 130
    check_complaint(capsys, "jaxbandits: interrupted")


def test_workers_without_their_package_are_refused_before_anything_is_loaded(
    capsys, tmp_path, monkeypatch
):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "cloudpickle" else find(name, *rest),
    )
    assert cli.main(["sweep", str(tmp_path / "no.toml"), "--workers", "2"]) == 2
    check_complaint(capsys, "jaxbandits: --workers needs cloudpickle: pip install")
