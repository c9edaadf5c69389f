"""scripts/digests.py tells two trees apart by what every policy computes."""

import json
from importlib import metadata
from pathlib import Path
from runpy import run_path

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
RECORDED = json.loads((SCRIPTS / "digests.json").read_text())


@pytest.fixture(scope="module")
def script():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        return run_path(str(SCRIPTS / "digests.py"))


def test_programs_of_policies_are_those_on_record(script):
    if metadata.version("jax") != RECORDED["machine"]["jax"]:
        pytest.skip(f"recorded with JAX {RECORDED['machine']['jax']}")
    for name in ("censored/ucb", "budgeted/omega-ucb", "farewell/wait-ucb"):
        assert script["_program"](name)["program"] == RECORDED[name]["program"], name


def test_every_policy_is_on_record(script):
    assert set(script["policies"]()) == RECORDED.keys() - {
        "machine",
        *script["REPRODUCTIONS"],
    }


@pytest.mark.slow  # 7 s for the optima of the games
def test_every_policy_has_a_game(script):
    """Where a policy cannot be built for a game, `policy_of` says so."""
    for name in script["policies"]():
        assert script["_game"](name), name


def test_what_differs_is_named(script, capsys):
    one = {"machine": {"jax": "1"}, "a": {"program": "x", "results": "y"}}
    for other, wrong in (
        (one, False),
        (one | {"a": {"program": "x"}}, False),
        (one | {"a": {"program": "z"}}, True),
        (one | {"a": {"program": "x", "results": "z"}}, True),
        (one | {"machine": {}, "a": {"program": "x", "results": "z"}}, False),
        (one | {"b": {"program": "x"}}, True),
    ):
        assert script["_compare"](dict(one), dict(other)) == wrong, other
        assert ("a: " in capsys.readouterr().out) == (wrong and "b" not in other)
