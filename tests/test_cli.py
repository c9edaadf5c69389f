"""The command line of the library: what it prints and how it complains."""

import importlib.util
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

import jax
import pytest

import jaxbandits
from jaxbandits.cli import main as cli
from jaxbandits.registry import ENVIRONMENTS, environments, policies
from jaxbandits.results import open_store
from tests.commands import check_complaint
from tests.tables import naming

ROOT = Path(__file__).resolve().parents[1]
KEYS = {"experiments", "policies", "environments"}


@pytest.fixture
def alone(monkeypatch):
    """No installed package adds commands."""
    monkeypatch.setattr(cli, "added_modules", list)


def printed(capsys, *arguments):
    """What a command prints that ends well and warns of nothing."""
    assert cli.main([*arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def names_in(out, title):
    """First words of the lines below a title."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title)) + 1
    return [line.split()[0] for line in lines[start : lines.index("", start)]]


@pytest.mark.parametrize("columns", ["40", "200"])
def test_the_list_has_a_line_per_entry_that_begins_with_its_whole_name(
    capsys, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", columns)
    out = printed(capsys, "list")
    assert names_in(out, "Policies") == list(policies())
    assert names_in(out, "Environments") == list(environments())
    (line,) = (x for x in out.splitlines() if " censored/fixed " in x)
    cut = {"40": "…", "200": " censored.fixed(problem, arm=0, limit=0)"}
    assert line.endswith(cut[columns])


def test_the_list_takes_kinds_and_settings(capsys):
    out = printed(capsys, "list", "censored", "policies")
    listed = names_in(out, "Policies")
    assert "continuum/zooming" in listed and "budgeted/bts" not in listed
    assert "Environments" not in out
    found = json.loads(printed(capsys, "list", "policies", "censored", "--json"))
    assert found == {"policies": listed}


@pytest.mark.parametrize("words", [[], ["allocation"]])
def test_the_list_of_the_library_alone_keeps_its_keys_in_json(capsys, alone, words):
    found = json.loads(printed(capsys, "list", *words, "--json"))
    assert set(found) == KEYS and found["experiments"] == []
    if not words:
        assert found["policies"] == list(policies())
        assert found["environments"] == list(environments())


def test_the_list_shows_parameters_of_a_policy_with_defaults_ranges_and_source(capsys):
    out = printed(capsys, "list", "censored/rcucb-kaplan-meier")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "entry: censored.rcucb(problem, survival='kaplan_meier')" in lines
    assert "penalty_radius default 1; must be >= 0 and finite" in lines
    assert any("Bengs & Huellermeier" in line for line in lines)
    found = json.loads(printed(capsys, "list", "censored/rcucb", "--json"))
    alpha = {"default": 1.0, "range": "must be positive and finite"}
    assert found["parameters"]["alpha"] == alpha


@pytest.mark.slow
def test_the_list_shows_every_entry_with_a_range_for_every_parameter(capsys):
    for name in [*policies(), *environments()]:
        with naming(name):
            found = json.loads(printed(capsys, "list", name, "--json"))
            assert found["documentation"]
            for about in found.get("parameters", {}).values():
                assert about["range"].startswith("must be ")


def test_words_that_the_list_does_not_know_are_named(capsys):
    for words, message in [
        (["bandits"], "WORD: there is no kind, setting or entry 'bandits'"),
        (["censored/rcub"], "did you mean 'censored/rcucb'?"),
        (["censored", "censored/rcucb"], "'censored/rcucb' must stand alone"),
    ]:
        with naming(words):
            assert cli.main(["list", *words]) == 2
            out, err = capsys.readouterr()
            assert out == "" and message in err and err.count("\n") == 1


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
    found = json.loads(done.stdout)
    assert set(found) == KEYS and set(found["environments"]) >= set(ENVIRONMENTS)


def test_the_version_is_printed_with_those_of_packages_and_devices_on_request(capsys):
    assert printed(capsys, "--version") == f"jaxbandits {jaxbandits.__version__}\n"
    facts = json.loads(printed(capsys, "--version", "-v"))
    assert {"python", "jaxbandits", "jax", "jaxlib", "numpy"} <= set(facts["versions"])
    assert facts["versions"]["jax"] == jax.__version__
    assert facts["devices"] == [str(device) for device in jax.devices()]


def test_a_command_of_the_studies_is_refused_by_what_to_install(capsys, alone):
    for word, hint in [("reproduce", ""), ("recomend", " (did you mean 'recommend'?)")]:
        with naming(word):
            with pytest.raises(SystemExit) as stopped:
                cli.main([word, "censored"])
            assert stopped.value.code == 2
            message = (
                f"COMMAND: there is no command {word!r}{hint}; install "
                "jaxbandits-studies for compare, paper, recommend, reproduce\n"
            )
            out, err = capsys.readouterr()
            assert out == "" and err.endswith(message)


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
            words = ("sweep", "accept-version", "policies", "farewell", "traceback")
            assert all(word in script for word in words)


def test_completion_of_no_shell(capsys, monkeypatch):
    pytest.importorskip("shtab")
    assert cli.main(["completion", "ksh"]) == 2
    assert "SHELL must be one of" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "pip install 'jaxbandits[completion]'" in capsys.readouterr().err


def test_what_cannot_be_parsed(capsys):
    for arguments, message in [
        (["sweep"], "SPEC"),
        (["sweep", "one.toml", "--seeds", "many"], "argument --seeds: invalid"),
        (["sweep", "one.toml", "--block", "2.5"], "argument --block: invalid"),
        (["sweep", "one.toml", "--horizon", "5"], "--horizon"),
        (["sweep", "one.toml", "--shard", "3"], "argument --shard: invalid"),
        (["sweeps"], "no command 'sweeps' (did you mean 'sweep'?)"),
        (["sweep", "status"], "STORE"),
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

    monkeypatch.setattr("jaxbandits.simulation.fill.play", play)


def swept(capsys, *arguments):
    """What the command prints."""
    return printed(capsys, "sweep", *map(str, arguments))


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
    assert "[b]ig.zarr" in printed(capsys, "sweep", "status", "[b]ig.zarr")
    out = printed(capsys, "sweep", "status", "--text", "[b]ig.zarr")
    assert text.splitlines()[-2] in out
    assert cli.main(["sweep", "status", "[/no].zarr"]) == 2
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
    fields = {"experiment", "environment", "policy", "params", "seeds", "horizon"}
    assert {frozenset(r) for r in records} == {frozenset(fields | {"metrics"})}
    assert {(r["experiment"], r["environment"]) for r in records} == {("mine", "two")}
    assert {(r["seeds"], r["horizon"]) for r in records} == {(4, 3.0)}
    assert all(set(r["metrics"]) == {"regret"} for r in records)
    assert not Path("results").exists()


def test_seeds_are_the_pilot_s_with_a_half_width(capsys, spec, monkeypatch):
    asked = []

    def run_sweep(spec, *args, **kwargs):
        asked.append(spec.seeds)
        raise KeyboardInterrupt

    monkeypatch.setattr("jaxbandits.simulation.run_sweep", run_sweep)
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
        (["--workers", "2", "--shard", "0/2"], "shard must be left out where there "),
        (["--store", ".."], "store: there is no store at "),
        (["--block", "0"], "store: block must be >= 1 and finite, got 0"),
        (["--processes", "2"], "coordinator, processes and process go together"),
    ]:
        with naming((arguments, message)):
            assert cli.main(["sweep", str(spec), *arguments]) == 2
            check_complaint(capsys, f"jaxbandits: {message}")
            assert not Path("results").exists()


def test_mistakes_in_the_file_of_a_sweep(capsys, spec, nothing_played):
    for old, new, message in [
        ("seeds", "sedes", "'sedes' is unknown (did you mean 'seeds'?)"),
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

    monkeypatch.setattr("jaxbandits.simulation.fill.play", play)
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
