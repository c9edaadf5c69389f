"""What a sweep takes, said beforehand; and nothing is played by that."""

import json

import numpy as np
import pytest

from jaxbandits.cli import main as cli
from jaxbandits.engine.devices import local_devices
from jaxbandits.engine.shares import device_shares
from jaxbandits.simulation import HalfWidth, Store, run_sweep
from jaxbandits.simulation.estimate import estimate
from jaxbandits.simulation.plan import make_plan, metric_shapes
from tests.simulation import walk

SPEC = walk.spec(points=2, seeds=200)


def test_runs_blocks_and_bytes_are_those_of_the_sweep(tmp_path):
    found = estimate(SPEC, block=64)
    dataset = run_sweep(SPEC, Store(tmp_path / "one.zarr", block=64))
    assert found.blocks == len([*tmp_path.glob("one.zarr/blocks/*")])
    assert found.runs == int((dataset["session"] > 0).sum())
    kept = [*metric_shapes(make_plan(SPEC)), "rounds"]
    numbers = sum(int((dataset[x].values != 0).size) for x in kept) * 8
    # Not all policies have all points.
    whole = dataset["session"].size / found.runs
    assert found.bytes == pytest.approx(numbers / whole + 4 * found.runs)
    assert found.rehearsed == len(found.seconds) == 4
    assert found.compiling > 0 and found.playing > 0 and found.memory > 1e7


@pytest.mark.parametrize("end", [{"horizon": 10**6}, {"horizon": 100}])
def test_times_are_scaled_from_a_few_rounds_and_compiling_is_not(monkeypatch, end):
    """Also what a chunk takes however long it is."""
    each, once, compiling = 1e-3, 0.125, 3.0
    longest, shares = [], device_shares(local_devices(), 64)

    def play(policy, environment, points, seeds, terms, *, clock, **options):
        rounds = terms.schedule.checkpoints[-1]
        longest.append(rounds)
        assert terms.schedule.last_round == rounds
        assert len(terms.schedule.checkpoints) > 10
        clock.compiling.append(compiling)
        clock.running.append(once + each * rounds)

    monkeypatch.setattr("jaxbandits.simulation.fill.play", play)
    spec = SPEC._replace(checkpoints="linear", **end)
    found = estimate(spec, block=64)
    alone = found.blocks * (once + each * end["horizon"])
    assert found.playing == pytest.approx(alone / len(shares), rel=1e-6)
    assert found.compiling == compiling * found.rehearsed == compiling * 4
    assert max(longest) < 3000


def test_a_half_width_is_estimated_by_its_pilot():
    until = HalfWidth("regret", 1.0, pilot=64)
    found, pilot = (estimate(SPEC._replace(seeds=seeds)) for seeds in (until, 64))
    assert found[:4] == pilot[:4]


def test_a_plan_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text(
        "from tests.simulation import walk\nSPEC = walk.spec(points=2, seeds=200)\n"
    )
    assert cli.main(["sweep", "one.py", "--plan"]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in ("runs", "blocks", "disk", "memory", "time"))
    assert "estimates" in said and "walker in short" in said
    assert cli.main(["sweep", "one.py", "--plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 1200
    assert [x.name for x in tmp_path.iterdir()] == ["one.py"]
    (tmp_path / "results" / "one").mkdir(parents=True)
    assert cli.main(["sweep", "one.py", "--plan"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "results/one may hold another sweep, or blocks of another size" in said


def test_what_is_wrong_with_a_spec_is_said_as_by_the_sweep():
    with pytest.raises(ValueError, match="seeds must be"):
        estimate(SPEC._replace(seeds=np.array([1, 1])))
