"""scripts/every_policy.py knows two trees apart by what every policy computes."""

import json
from importlib import metadata
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
import xarray as xr

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
RECORDED = json.loads((SCRIPTS / "digests.json").read_text())


@pytest.fixture(scope="module")
def script():
    return SimpleNamespace(**run_path(str(SCRIPTS / "every_policy.py")))


def test_programs_of_policies_are_those_on_record(script):
    if metadata.version("jax") != RECORDED["machine"]["jax"]:
        pytest.skip(f"recorded with JAX {RECORDED['machine']['jax']}")
    for name in ("censored/ucb", "budgeted/omega-ucb", "farewell/wait-ucb"):
        found = script.digests(name, seeds=0)
        assert found == {"program": RECORDED[name]["program"]}, name


def test_every_policy_is_on_record(script):
    assert set(script.policies()) == RECORDED.keys() - {
        "machine",
        *script.REPRODUCTIONS,
    }


@pytest.mark.slow  # 7 s for the optima of the games
def test_every_policy_has_a_game(script):
    """A policy that cannot be built for a game of its setting is left out there."""
    for name in script.policies():
        assert next(script.cases(name, 200)), name


def test_what_differs_is_named_and_what_is_new_is_added(script, tmp_path):
    file = tmp_path / "digests.json"
    file.write_text('{"machine": {}}')
    for found, same, text in (
        ({"program": "x"}, True, "added"),
        ({"program": "x", "results": "y"}, True, "added"),
        ({"program": "x"}, True, "as before"),
        ({"program": "z"}, False, "{'program': 'z'}, before: {'program': 'x'}"),
        ({"program": "x", "results": "z"}, False, None),
    ):
        answer = script.compared(file, "a", lambda name, found=found: found)
        assert answer == (same, text or answer[1]), found
    assert json.loads(file.read_text())["a"] == {"program": "x", "results": "y"}


def test_digests_of_another_machine_and_of_no_policy(script, tmp_path, capsys):
    file = tmp_path / "digests.json"
    file.write_text(json.dumps({"machine": {}, "censored/none": {"program": "x"}}))
    with pytest.raises(SystemExit, match="another machine"):
        script.compare(file, programs=False, only=["*"])
    assert script.compare(file, programs=True, only=["*none"]) == [False]
    assert "got 'censored/none'" in capsys.readouterr().out


def test_bits_of_results(script):
    data = xr.Dataset({"a": ("seed", [0.0, 1.0]), "run_seconds": 3.0})
    assert script.bits(data) == script.bits(data.assign(run_seconds=4.0))
    assert script.bits(data) == script.bits(data.rename(a="b"))
    assert script.bits(data) != script.bits(-data)


@pytest.mark.slow
def test_an_engine_plays_the_same_runs(script):
    case = next(script.cases("budgeted/uniform", 20))
    sound, text = script.engines(case, 64, "fused-interpret")
    assert sound and text.endswith(", 0 runs apart"), text
