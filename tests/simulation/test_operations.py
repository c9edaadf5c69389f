"""What is asked of a store: how far it is, what it holds, whether it is right."""

import json
import shutil
import threading
import time
import warnings

import numpy as np
import pytest

from jaxbandits.cli import main as cli
from jaxbandits.results import open_store
from jaxbandits.simulation import Store, read_spec, run_sweep
from jaxbandits.simulation import plan as planning
from jaxbandits.simulation.fill import StoppedError
from jaxbandits.simulation.stores import merge, replay, status
from jaxbandits.store.block_file import ARRAYS, packed
from jaxbandits.store.block_store import BlockStore
from tests.simulation import walk
from tests.simulation.runs import ONE, QUIET, run
from tests.simulation.test_numbers import assert_same

# In memory a game is as many lanes as a block of a store: one program for all.
SPEC = walk.spec(points=2, seeds=30, horizon=8)
RUNS = 2 * (2 + 1) * 30
SIZE = 10


def played(path, spec=SPEC, machine=QUIET, **options):
    kept = {name: options.pop(name) for name in ("extend", "keep") if name in options}
    kept |= {"accept_version": options.pop("accept_version", False)}
    store = Store(path, block=None if "extend" in kept else SIZE, **kept)
    return run_sweep(spec, store, machine, **options)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("operations") / "one"
    played(path).close()
    return path


@pytest.fixture
def store(original, tmp_path):
    """A complete one, to do with as one likes."""
    return shutil.copytree(original, tmp_path / "one")


def drop(path, count):
    """Remove blocks that nobody says were ever there; how many runs they had."""
    for file in path.glob("done/*"):
        file.unlink()
    kept = BlockStore(path)
    gone = kept.blocks()[:count]
    for block in gone:
        kept.place.drop(f"blocks/{block.key}.npz")
    return sum(block.size for block in gone)


def rewritten(path, name, change):
    """A block whose numbers are others, and whose checksums are good."""
    store = BlockStore(path)
    key = store.blocks()[-1].key
    head = store.head(key)
    arrays = {each: store.read(key, each) for each in head[ARRAYS]}
    arrays[name] = change(arrays[name])
    store.place.drop(f"blocks/{key}.npz")
    store.place.put(f"blocks/{key}.npz", packed(arrays, head))


def test_a_store_says_how_far_it_is(store, capsys):
    found = status(store)
    assert (found.runs, found.done) == (RUNS, RUNS)
    assert found.blocks == found.blocks_done == len([*store.glob("blocks/*")])
    assert found.left_seconds == 0 and found.per_second > 0
    assert len(found.processors) == len(found.hosts) == 1
    left = drop(store, 3)
    found = status(store)
    assert (found.runs, found.done) == (RUNS, RUNS - left)
    assert found.blocks - found.blocks_done == 3
    assert found.left_seconds == pytest.approx(left / found.per_second)
    # Nobody has played lately: no rate, and no time.
    found = status(store, now=time.time() + 10_000)
    assert (found.per_second, found.left_seconds, found.hosts) == (0, None, [])
    assert cli.main(["sweep", "status", str(store)]) == 0
    assert "runs/s" in capsys.readouterr().out


def test_machines_whose_numbers_may_differ_are_warned_of(store):
    (session,) = BlockStore(store).sessions().values()
    for bits, warned in ((session["vector_bits"], 0), (128, 1)):
        other = session | {"processor": "another", "vector_bits": bits}
        BlockStore(store).enter(other)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            played(store)
        texts = [str(each.message) for each in said]
        assert len(texts) == warned
        assert all("several kinds of machines (vectors of" in text for text in texts)


@pytest.mark.parametrize("version", ["0.99.0", "0.0.1"])
def test_another_version_of_jax_is_refused(store, monkeypatch, version):
    real = planning.versions
    here = real(["jax"])["jax"]
    monkeypatch.setattr(
        planning, "versions", lambda names: real(names) | {"jax": version}
    )
    for accepts in (False, True):
        with pytest.raises(ValueError, match=f"versions.jax: {here} .* {version} now"):
            played(store, accept_version=accepts)


def test_a_newer_patch_of_jax_is_accepted_if_that_is_asked_for(store, monkeypatch):
    real = planning.versions

    def newer(packages):
        found = real(packages)
        return found | {name: f"{found[name]}.99" for name in found if name == "jax"}

    monkeypatch.setattr(planning, "versions", newer)
    with pytest.raises(ValueError, match=r"versions.jax: .* in the store, .*\.99 now"):
        played(store)
    before = {file.name for file in store.glob("blocks/*")}
    found = played(store, SPEC._replace(seeds=32), extend=True, accept_version=True)
    # What was played by the older one is not played again, and the new blocks say so.
    assert before < {file.name for file in store.glob("blocks/*")}
    first, second = json.loads(found.attrs["sessions"])
    assert "accepted" not in first and second["accepted"] is True
    assert (found["session"].sel(seed=[30, 31], policy="idler", params=0) == 2).all()
    assert "(accepted)" in status(store).sessions[1]["versions"]


def test_a_store_says_what_it_holds(store):
    found = status(store)
    assert found.extent["environments"] == "short, long"
    assert found.extent["policies"] == "walker (2), idler (1)"
    assert found.extent["seeds"] == "30: 0-29"
    assert [entry["runs"] for entry in found.sessions] == [RUNS]
    first = found.sessions[0]
    assert "jax 0." in first["versions"] and "bits" in first["processor"]
    assert found.text == ""


TOML = """
setting = "budgeted"
budget = 3
seeds = 6
metrics = ["regret"]
environments.two = { make = "s_br", arguments = { num_arms = 2 } }
policies.uniform = { make = "uniform" }
"""


@pytest.fixture(scope="module")
def original_of_a_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("file")
    (folder / "small.toml").write_text(TOML)
    spec, path = read_spec(folder / "small.toml"), folder / "one"
    run_sweep(spec, Store(path, block=2), QUIET).close()
    return path


@pytest.fixture
def from_file(original_of_a_file, tmp_path):
    return shutil.copytree(original_of_a_file, tmp_path / "one")


def test_blocks_are_played_again_from_the_text_in_the_store(from_file):
    assert status(from_file).text == TOML
    drop(from_file, 1)
    assert replay(from_file, None, 9) == 2
    rewritten(from_file, "regret", lambda regret: regret + 0.125)
    with pytest.raises(ValueError, match="other numbers .*: regret of two uniform"):
        replay(from_file, None, 9)


def test_a_store_without_a_text_needs_the_spec(store):
    with pytest.raises(ValueError, match="does not say in TOML .*--spec"):
        replay(store, None, 2)
    assert replay(store, SPEC, 2) == 2


@pytest.mark.parametrize("second", [range(15, 30), range(10, 30)], ids=str)
def test_stores_are_merged(tmp_path, second):
    """Of disjoint and of overlapping seeds; what is missing can be played on."""
    paths = [tmp_path / name for name in "ab"]
    spec = SPEC._replace(environments={"long": SPEC.environments["long"]})
    for path, seeds in zip(paths, (range(15), second), strict=True):
        played(path, spec._replace(seeds=list(seeds)))
    drop(paths[1], 1)
    merge(paths, tmp_path / "c").close()
    found = played(tmp_path / "c", spec)
    assert_same(found, run_sweep(spec, machine=QUIET))
    assert len(json.loads(found.attrs["sessions"])) >= 2
    again = spec._replace(seeds=32)
    found = played(tmp_path / "c", again, extend=True)
    assert_same(found, run_sweep(again, machine=QUIET))
    (file := next(tmp_path.glob("c/blocks/*"))).unlink()
    with pytest.raises(ValueError, match=f"{file} is missing"):
        open_store(tmp_path / "c")


def test_a_store_is_a_folder_that_can_be_copied_into_another(tmp_path, store):
    """Each has what the other lacks: `cp -rn` is a merge."""
    other = shutil.copytree(store, tmp_path / "two")
    whole = open_store(store).load()
    for number, path in enumerate((store, other)):
        for file in sorted(path.glob("blocks/*"))[number::2]:
            file.unlink()
    for file in other.rglob("*"):
        if file.is_file():
            shutil.copy(file, store / file.relative_to(other))
    assert_same(open_store(store), whole)


def test_stores_that_do_not_agree_are_not_merged(tmp_path, store):
    copy = shutil.copytree(store, tmp_path / "two")
    rewritten(copy, "regret", lambda regret: np.nextafter(regret, 99))
    with pytest.raises(ValueError, match="other numbers .* regret of "):
        merge([store, copy], tmp_path / "c")


@pytest.mark.slow
def test_stores_of_other_sweeps_are_not_merged(tmp_path, store):
    other = tmp_path / "two"
    played(other, SPEC._replace(root_seed=1))
    with pytest.raises(ValueError, match="root_seed: 0 in the store, 1 now"):
        merge([store, other], tmp_path / "c")
    with pytest.raises(ValueError, match="^stores must be at least two, got 1"):
        merge([store], tmp_path / "c")
    with pytest.raises(FileExistsError, match="exists already"):
        merge([store, store], other)


def test_stores_are_asked_on_the_command_line(capsys, from_file):
    def told(*arguments):
        assert cli.main(["sweep", *map(str, arguments)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    assert "6 of 6 runs (100.0%)" in told("status", from_file)
    said = json.loads(told("status", from_file, "--json"))
    assert said["done"] == 6
    assert said["extent"]["block"] == "2 runs or fewer, of at most 1 points"
    assert 'make = "s_br"' in told("status", from_file, "--text")
    assert json.loads(told("status", from_file, "--json"))["text"] == TOML
    out = told("verify", from_file, "--blocks", "2")
    assert "every file is as it was written (3 blocks)" in out
    assert "2 random blocks played again, every bit as in the store" in out
    into = from_file.with_name("two")
    assert "6 seeds" in told("merge", from_file, from_file, "--into", into)
    assert_same(open_store(into), open_store(from_file))
    assert cli.main(["sweep", "status", str(into.with_name("none"))]) == 2
    assert "there is no store at" in capsys.readouterr().err


# Blocks that are played again are compared bit by bit.


def test_a_store_that_is_as_it_was_played_stays_so(store):
    before = open_store(store).load()
    run(SPEC, store, verify=100, devices=ONE)
    assert open_store(store).load().identical(before)


@pytest.mark.parametrize("name", ["regret", "rounds", "small"])
def test_other_numbers_with_a_good_checksum_are_found(store, name):
    """In the last bit, where no damage shows."""
    integer = name == "rounds"
    rewritten(store, name, lambda x: x + 1 if integer else np.nextafter(x, 99))
    run(SPEC, store)
    with pytest.raises(
        ValueError, match=rf"other numbers .*: {name} of (short|long) (walker|idler), "
    ):
        run(SPEC, store, verify=100, devices=ONE)


def test_a_sweep_of_other_games_has_no_block_to_compare(store):
    other = SPEC._replace(environments={"another": walk.GAME})
    assert replay(store, SPEC, 1) == 1
    half = SPEC._replace(policies={"idler": SPEC.policies["idler"]})
    with pytest.warns(UserWarning, match=r"^store: 12 blocks of .* lacks.*\(--spec\)$"):
        assert replay(store, half, 99) == 6
    with pytest.raises(
        ValueError, match="spec: .* has no block of what it plays: walker in another"
    ):
        replay(store, other, 1)


def test_a_number_of_blocks_is_none_below_zero(store):
    with pytest.raises(ValueError, match="^store: verify must be >= 0"):
        run(SPEC, store, verify=-1)


def test_a_sweep_that_is_told_to_stop_begins_no_block(tmp_path):
    """The processes of `test_killed` finish theirs."""
    stop = threading.Event()
    told = walk.GAME._replace(tables=lambda instance: stop.set() or ())
    spec, path = SPEC._replace(environments={"short": told}), tmp_path / "one"
    # Its metrics are asked for when the sweep is planned, so before the first block.
    with pytest.raises(StoppedError, match="^stopped after 0 of 9 blocks"):
        run(spec, path, block=SIZE, stop=stop, devices=ONE)
    stop.clear()
    found = run(spec, path, devices=ONE)
    assert found["session"].sel(policy="idler").isel(params=0).all()
