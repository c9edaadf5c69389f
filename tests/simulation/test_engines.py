"""``auto`` is planned once: a store keeps what it was made with."""

import json

from jaxbandits.engine.choice import Choice
from jaxbandits.results import open_store
from jaxbandits.simulation import Entry, plan
from tests.simulation import walk
from tests.simulation.runs import run


def spec_of(*names):
    spec = walk.spec(points=1, seeds=3)
    (entry, *_) = spec.policies.values()
    policies = {name: Entry(entry.policy) for name in names}
    return spec._replace(
        policies=policies, environments={"walk": walk.GAME}, engine="auto"
    )


def stored(path):
    """What a store says: engines of its sweep, and of what its sessions played."""
    attributes = open_store(path).attrs
    policies = json.loads(attributes["spec"])["policies"]
    planned = {name: each["engine"]["walk"] for name, each in policies.items()}
    sessions = json.loads(attributes["sessions"])
    return planned, [s.get("engines", {}).get("walk") for s in sessions]


def test_a_store_keeps_its_engines(tmp_path, monkeypatch, capsys):
    path = tmp_path / "walk.zarr"
    run(spec_of("a"), path)
    planned, (session,) = stored(path)
    assert planned == {"a": "scan"}
    assert session["a"]["engine"] == "scan" and session["a"]["chunk"] % 64 == 0
    assert "needs a GPU" in session["a"]["reason"]
    assert "walk: engine scan for a: the GPU engine needs a GPU" in (
        capsys.readouterr().err
    )
    # Another choice now: only what is new to the store is played that way.
    now = Choice("vmap", "otherwise")
    monkeypatch.setattr(plan, "choose", lambda *args: now)
    run(spec_of("a"), path, progress=False)
    assert capsys.readouterr().err == ""
    run(spec_of("a", "b"), path, extend=True)
    planned, sessions = stored(path)
    assert planned == {"a": "scan", "b": "vmap"}
    assert list(sessions[1]) == ["b"]  # Who plays nothing is no session.
    assert sessions[1]["b"]["reason"] == "otherwise"
    assert "engine scan for a: the store was made with it" in capsys.readouterr().err


def test_an_engine_that_is_asked_for_is_not_settled(tmp_path):
    path = tmp_path / "walk.zarr"
    spec = spec_of("a")._replace(engine="vmap")
    run(spec, path)
    description = json.loads(open_store(path).attrs["spec"])
    assert description["engine"] == "vmap"
    assert "engine" not in description["policies"]["a"]
    (session,) = json.loads(open_store(path).attrs["sessions"])
    assert session["engines"]["walk"]["a"]["reason"] == "asked for"
