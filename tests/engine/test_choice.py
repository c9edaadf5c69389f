"""Which engine plays, why, and where that is written."""

import json

import jax
import pytest

from jaxbandits import Machine, simulate
from jaxbandits.engine import gpu
from jaxbandits.engine.choice import Choice, choose, engine_for, say
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.vmapped import VMAP
from tests.engine.budget_game import ALTERNATE, environment
from tests.engine.gpu_cases import CASES
from tests.heavy import in_short
from tests.tables import each_row

POLICY, GAME = CASES["censored/uniform"].policy_and_game()


def test_who_is_asked_for_plays():
    for name in ("scan", "vmap", "fused", "fused-interpret"):
        assert choose(name, "cpu") == Choice(name, "asked for")
    assert engine_for("scan", POLICY, GAME, "gpu") is SCAN
    assert engine_for("vmap", POLICY, GAME, "gpu") is VMAP


@each_row("platform, why", [("cpu", "needs a GPU"), ("gpu", "has not been timed")])
def test_auto_is_the_scan_until_both_have_been_timed(platform, why):
    name, reason = choose("auto", platform)
    assert name == "scan" and why in reason
    assert engine_for("auto", POLICY, GAME, platform) is SCAN


def test_an_engine_names_what_it_lacks(monkeypatch):
    for name, platform, text in (
        ("quick", "cpu", "engine must be one of"),
        ("fused", "cpu", "needs a GPU"),
        ("fused-interpret", "gpu", "'fused-interpret' needs CPUs"),
    ):
        with pytest.raises(ValueError, match=text):
            engine_for(name, POLICY, GAME, platform)
    with pytest.raises(ValueError, match="'fused-interpret' needs no-such-compiler"):
        monkeypatch.setattr(gpu.build, "COMPILER", "no-such-compiler")
        engine_for("fused-interpret", POLICY, GAME, "cpu")
    monkeypatch.setattr(gpu.build, "nvrtc", _missing)
    with pytest.raises(ValueError, match="'fused' needs NVRTC, a library"):
        engine_for("fused", POLICY, GAME, "gpu")
    monkeypatch.setattr(gpu.build, "nvrtc", lambda: None)
    assert engine_for("fused", POLICY, GAME, "gpu") is gpu.FUSED


def _missing():
    raise gpu.BuildError("NVRTC, a library that is missing")


def test_reasons_are_printed_once(capsys):
    same, other = Choice("scan", "so"), Choice("fused", "thus")
    say("coins", {"a": same, "b": other, "c": same})
    assert capsys.readouterr().err.splitlines() == [
        "coins: engine scan for a, c: so",
        "coins: engine fused for b: thus",
    ]


@pytest.mark.parametrize(
    "name", in_short(["auto", "scan", "fused-interpret"], {"scan", "fused-interpret"})
)
def test_results_say_what_played_them(capsys, name):
    options = {"budget": 20, "checkpoints": [20], "seeds": 3}
    machine = Machine(jax.devices()[:1], engine=name)
    data = simulate(ALTERNATE, environment(), machine=machine, **options)
    (engines,) = json.loads(data.attrs["provenance"])["engines"].values()
    (found,) = engines.values()
    chosen = choose(name, "cpu")
    assert found == {**chosen._asdict(), "chunk": 64}
    printed = capsys.readouterr().err
    assert (printed.count("engine scan for") == 1) == (name == "auto")
    quiet = Machine(engine=name, progress=False, chunk=7)
    simulate(ALTERNATE, environment(), machine=quiet, **options)
    assert capsys.readouterr().err == ""
