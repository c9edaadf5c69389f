"""The store of a sweep: whole at every moment, whatever happens to the writer."""

import errno
import json
import os
import subprocess
import sys
import threading
from functools import partial

import jax
import numpy as np
import pytest
import xarray as xr
import zarr

from jaxbandits.results import open_store, root
from jaxbandits.results.dataset import Place
from jaxbandits.results.layout import DIMS, RUN_DIMS
from jaxbandits.results.locks import writer
from jaxbandits.results.mending import mend_metadata
from jaxbandits.results.root import CHECKSUM, COPY, FORMAT
from jaxbandits.results.store import (
    check_store,
    create_store,
    grow_store,
    sessions,
    set_attributes,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps import fill as filling
from jaxbandits.sweeps import stores, worker
from tests.heavy import in_short
from tests.sweeps import walk
from tests.sweeps.processes import ROOT
from tests.sweeps.runs import run
from tests.sweeps.test_numbers import assert_same

CHUNK = (2, 4)
SHAPES = {"regret": (), "pair": (2,)}
ATTRIBUTES = {"environment": "x", "spec": "{}", "sessions": "[]"}


def axes(environments=("a",), policies=("p",), points=3, seeds=6) -> xr.Dataset:
    """Axes of a sweep; prefixes of one another."""
    shape = len(environments), len(policies), points
    step = sum(x * 10**i for i, x in enumerate(np.indices(shape)[::-1])) + 0.5
    return xr.Dataset(
        coords={
            "environment": list(environments),
            "policy": list(policies),
            "params": np.arange(points),
            "seed": np.arange(seeds) ** 2,
            "checkpoint": np.array([3, 5]),
            "param_step": (RUN_DIMS[:3], step),
            "instance": ("seed", np.arange(seeds) // 2),
        }
    )


SMALL = axes()
LARGE = axes(("a", "b"), ("p", "q"), points=5, seeds=11)


def block(place, shapes=SHAPES):
    """Values of a block that tell where it lies."""
    where = np.indices((10, 20, 2))[:, place.params, place.seed]
    number = where[0] * 100 + where[1] + where[2] / 4 + 1000 * (1 + place.policy)
    values = {
        name: number if not shape else np.stack([number, -number], -1)
        for name, shape in shapes.items()
    }
    return values | {"rounds": number.astype(np.int32)}


def fill(path, place, session=1):
    write_block(path, place, block(place), session)


@pytest.fixture
def store(tmp_path):
    """A small store with two blocks: a full one, and one at the edge."""
    path = tmp_path / "one.zarr"
    create_store(path, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    fill(path, Place(0, 0, slice(0, 2), slice(0, 4)))
    fill(path, Place(0, 0, slice(2, 3), slice(4, 6)), 2)
    return path


def contents(path):
    """Everything that readers see, through plain xarray."""
    with xr.open_zarr(path, chunks=None) as dataset:
        table = dataset["results"].load()
        names = dict.fromkeys(name.split("[")[0] for name in table["variable"].values)
        found = dataset.drop_vars(["results", "variable"]).load()
        attributes = {k: v for k, v in dataset.attrs.items() if k != CHECKSUM}
    for name in names:
        parts = [
            table.sel(variable=label).drop_vars("variable")
            for label in table["variable"].values
            if label.split("[")[0] == name
        ]
        found[name] = parts[0] if len(parts) == 1 else xr.concat(parts, f"{name}_0")
    found["pair"] = found["pair"].transpose(..., "pair_0")
    session = found["session"].isel(checkpoint=0, drop=True)
    found["session"] = session.fillna(0).astype("i4")
    found["rounds"] = found["rounds"].fillna(0).astype("i8")
    return found.drop_attrs().assign_attrs(attributes)


def files(path):
    """All but journals, which are of those who played."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in path.rglob("*")
        if file.is_file() and file.parent.name != "journal"
    }


@pytest.fixture
def failing(monkeypatch):
    """``failing(n)``: after n more files no file comes to its place any more.

    Zarr writes all files under temporary names; a link must find nothing in its place.
    """
    moves = {"replace": os.replace, "link": os.link}
    lock = threading.Lock()

    def fail_after(count):
        left = [count]

        def moved(move, *args, **kwargs):
            with lock:
                left[0] -= 1
                if left[0] < 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return move(*args, **kwargs)

        for name, move in moves.items():
            monkeypatch.setattr(os, name, partial(moved, move))
        return left

    yield fail_after
    for name, move in moves.items():
        monkeypatch.setattr(os, name, move)


def number_of_writes(failing, action) -> int:
    left = failing(10**6)
    action()
    return 10**6 - left[0]


def test_a_new_store_is_empty(tmp_path):
    path = tmp_path / "one.zarr"
    create_store(path, LARGE, SHAPES, CHUNK, ATTRIBUTES)
    found = contents(path)
    assert found.sizes == dict(zip(DIMS, (2, 2, 5, 11, 2), strict=True)) | {"pair_0": 2}
    assert found["pair"].dims == (*DIMS, "pair_0")
    assert found["regret"].dtype == "f8" and found["regret"].isnull().all()
    assert found["pair"].isnull().all()
    assert found["rounds"].dtype == "i8" and not found["rounds"].any()
    assert found["session"].dims == RUN_DIMS and not found["session"].any()
    for name, coordinate in LARGE.coords.items():
        np.testing.assert_array_equal(found[name], coordinate)
    assert set(found.coords) == set(LARGE.coords)
    assert found.attrs == ATTRIBUTES | {"format": FORMAT}
    complete, shape = sessions(path)[:] > 0, sessions(path).chunks[-2:]
    assert complete.shape == (2, 2, 5, 11) and not complete.any() and shape == CHUNK
    assert stored_shapes(path) == SHAPES
    assert [file.name for file in tmp_path.iterdir()] == ["one.zarr"]


def test_a_store_is_made_whole_or_not_at_all(tmp_path, failing):
    path = tmp_path / "one.zarr"

    def create(path=path):
        create_store(path, SMALL, SHAPES, CHUNK, ATTRIBUTES)

    writes = number_of_writes(failing, lambda: create(tmp_path / "other.zarr"))
    before = contents(tmp_path / "other.zarr")
    assert writes >= 20
    for count in range(writes):
        failing(count)
        with pytest.raises(OSError, match="No space left"):
            create()
        assert [file.name for file in tmp_path.iterdir()] == ["other.zarr"]
    failing(writes)
    create()
    xr.testing.assert_identical(contents(path), before)


def test_a_store_replaces_nothing(store):
    before = files(store)
    with pytest.raises(FileExistsError, match=f"^store: {store} exists already"):
        create_store(store, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    assert files(store) == before


def test_somebody_else_makes_the_same_store_at_the_same_time(tmp_path, monkeypatch):
    path = tmp_path / "one.zarr"
    link = os.link

    def late(source, target):
        monkeypatch.setattr(os, "link", link)
        create_store(path, SMALL, SHAPES, CHUNK, {"by": "another"})
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(FileExistsError, match=f"another program has just made {path}"):
        create_store(path, SMALL, SHAPES, CHUNK, {"by": "me"})
    assert contents(path).attrs["by"] == "another"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_block_is_there_at_once(store):
    found = contents(store)
    for place, session in (
        (Place(0, 0, slice(0, 2), slice(0, 4)), 1),
        (Place(0, 0, slice(2, 3), slice(4, 6)), 2),
    ):
        for name, values in block(place).items():
            np.testing.assert_array_equal(found[name].values[place], values)
        assert (found["session"].values[place] == session).all()
    assert int((found["session"] > 0).sum()) == int((found["rounds"] > 0).sum() / 2)
    assert found["regret"].notnull().sum() == 2 * (8 + 2)
    complete = sessions(store)[:] > 0
    np.testing.assert_array_equal(complete, found["session"].values > 0)
    # 1000 for the policy, point 1, seed 3, second checkpoint.
    assert found["regret"].values[0, 0, 1, 3].tolist() == [1103.0, 1103.25]
    assert found["pair"].values[0, 0, 1, 3, 1].tolist() == [1103.25, -1103.25]


def test_a_block_counts_when_all_of_it_is_there(store, failing):
    place = Place(0, 0, slice(0, 2), slice(4, 6))
    before = files(store)
    writes = number_of_writes(failing, lambda: fill(store, place))
    assert writes == 1
    for name in set(files(store)) - set(before):
        (store / name).unlink()
    failing(0)
    with pytest.raises(OSError, match="No space left"):
        fill(store, place)
    complete = sessions(store)[:] > 0
    assert not complete[place].any()
    assert complete.sum() == 8 + 2
    failing(writes)
    fill(store, place)
    assert (sessions(store)[place] > 0).all()


def test_what_open_store_adds(tmp_path):
    """Strings of NumPy; parameters without environments where those do not differ."""
    path = tmp_path / "one.zarr"
    names = {"environments": ("Zürich", "東京 ☃"), "policies": ("ε-first", "Ω")}
    wanted = axes(**names)
    same = np.array([[[1, 2, np.nan]] * 2] * 2)
    wanted = wanted.assign_coords(param_same=(RUN_DIMS[:3], same))
    create_store(path, wanted, SHAPES, CHUNK, ATTRIBUTES)
    found = open_store(path)
    assert found["environment"].dtype.kind == found["policy"].dtype.kind == "U"
    assert found["environment"].values.tolist() == list(names["environments"])
    assert found.sel(policy="Ω", environment="東京 ☃").sizes["seed"] == 6
    assert found["param_same"].dims == ("policy", "params")
    np.testing.assert_array_equal(found["param_same"], [[1, 2, np.nan]] * 2)
    assert found["param_step"].dims == ("environment", "policy", "params")
    np.testing.assert_array_equal(found["param_step"], wanted["param_step"])
    assert set(found.coords) == set(wanted.coords)


def test_a_reader_is_never_ahead_of_the_writer(tmp_path):
    """Plain xarray: what `session` says is there is there, in every variable."""
    path = tmp_path / "one.zarr"
    create_store(path, axes(seeds=100), SHAPES, (1, 4), ATTRIBUTES)
    values = block(Place(0, 0, slice(1), slice(4)))
    done = threading.Event()

    def writer():
        try:
            for seed in range(0, 100, 4):
                place = Place(0, 0, slice(0, 1), slice(seed, seed + 4))
                write_block(path, place, values, 1)
        finally:
            done.set()

    thread = threading.Thread(target=writer)
    thread.start()
    partial = 0
    try:
        while not done.is_set():
            for found in (contents(path), open_store(path).load()):
                played = found["session"] > 0
                partial += bool(0 < played.sum() < 100)
                for name in ("regret", "rounds", "pair"):
                    there = found[name].notnull() & (found[name] != 0)
                    dims = [d for d in there.dims if d not in RUN_DIMS]
                    assert there.all(dims).where(played, True).all(), name
    finally:
        thread.join()
    assert partial > 0


FEW = walk.spec(points=2, seeds=2, horizon=8, environments={"short": walk.GAME})
ONE = jax.local_devices()[:1]


@pytest.mark.parametrize("give", [str, zarr.storage.LocalStore], ids=["path", "Zarr"])
def test_a_relative_path_is_read_where_it_was_opened(tmp_path, monkeypatch, give):
    """Values are read when they are asked for, in whatever folder that is."""
    monkeypatch.chdir(tmp_path)
    whole, found = run(FEW, devices=ONE), run(FEW, give("sweep.zarr"), devices=ONE)
    opened = open_store(give("sweep.zarr"))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    for dataset in (found, opened):
        assert_same(dataset, whole)
    assert not list((tmp_path / "other").iterdir())


def test_a_store_that_is_gone_has_no_numbers(tmp_path):
    """To Zarr they would be as those not played yet."""
    opened = run(FEW, tmp_path / "sweep.zarr", devices=ONE)
    (tmp_path / "sweep.zarr").rename(tmp_path / "moved.zarr")
    with pytest.raises(FileNotFoundError, match="sweep.zarr is not where it was open"):
        opened.load()


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "runs.zarr").write_text("numbers")
    for function in (open_store, check_store):
        with pytest.raises(ValueError, match="store must be a folder, and .* is a fi"):
            function(tmp_path / "runs.zarr")


def test_session_is_read_first(store):
    """Before any metric, by whatever loads a whole dataset."""
    assert next(iter(open_store(store).data_vars)) == "session"


def test_other_urls_are_refused_by_name():
    for url in ("hdfs://node/x.zarr", "file:///tmp/x.zarr"):
        for function in (open_store, check_store):
            with pytest.raises(ValueError, match=f"^store: {url} is a URL"):
                function(url)


def test_no_store(tmp_path):
    for path in (tmp_path / "none.zarr", tmp_path):
        for function in (open_store, check_store):
            with pytest.raises(FileNotFoundError, match="^store: there is no Zarr sto"):
                function(path)


def test_stores_of_others_are_refused(tmp_path, store, monkeypatch):
    other = tmp_path / "other.zarr"
    zarr.open_group(other, mode="w", attributes={"title": "mine"})
    with pytest.raises(
        ValueError, match=f"^store: {other} is a Zarr store, but not of"
    ):
        open_store(other)
    with monkeypatch.context() as later:
        later.setattr(root, "FORMAT", FORMAT + 1)
        create_store(late := tmp_path / "late.zarr", SMALL, {}, CHUNK, {})
    message = (
        f"^store: {late} has format {FORMAT + 1}; .* writes format {FORMAT}: take the "
        "newer version that made it$"
    )
    for function in (open_store, mend_metadata):
        with pytest.raises(ValueError, match=message):
            function(late)
    with monkeypatch.context() as earlier:
        earlier.setattr(root, "FORMAT", 2)
        create_store(early := tmp_path / "early.zarr", SMALL, {}, CHUNK, {})
    for function in (open_store, mend_metadata):
        with pytest.raises(ValueError, match=r"format 2; .*: finish it with the older"):
            function(early)
    # The first format had neither a digest nor a copy.
    (store / COPY).unlink()
    first = {"attributes": {"format": 1, "fingerprint": "1"}, "zarr_format": 3}
    (store / "zarr.json").write_text(json.dumps(first))
    for function in (open_store, mend_metadata):
        with pytest.raises(ValueError, match=r"format 1; .*: finish it with the older"):
            function(store)


def test_attributes_are_replaced(store, failing):
    before = files(store), contents(store)
    for count in (0, 1):  # The copy comes first.
        failing(count)
        with pytest.raises(OSError):
            set_attributes(store, {"spec": "new"})
        assert files(store)["zarr.json"] == before[0]["zarr.json"]
    failing(2)
    set_attributes(store, {"spec": "new"})
    assert contents(store).attrs == {"spec": "new", "format": FORMAT}
    xr.testing.assert_equal(contents(store), before[1])


def test_a_store_grows(store):
    before, old = files(store), contents(store)
    more = SHAPES | {"late": ()}
    grow_store(store, LARGE, more, ATTRIBUTES | {"sessions": "[1]"})
    found = contents(store)
    assert found.attrs == ATTRIBUTES | {"sessions": "[1]", "format": FORMAT}
    assert found.sizes == dict(zip(DIMS, (2, 2, 5, 11, 2), strict=True)) | {"pair_0": 2}
    for name, coordinate in LARGE.coords.items():
        np.testing.assert_array_equal(found[name], coordinate)
    # What was there keeps its place, the rest is empty.
    corner = dict(zip(RUN_DIMS, map(slice, (1, 1, 3, 6)), strict=True))
    for name in old.data_vars:
        np.testing.assert_array_equal(found[name].isel(corner), old[name])
        assert int((found[name] > 0).sum()) == int((old[name] > 0).sum())
    assert stored_shapes(store) == more and found["late"].isnull().all()
    assert sessions(store).chunks[-2:] == CHUNK
    # No block is written again.
    after = files(store)
    blocks = [name for name in before if name.startswith("results/c.")]
    assert len(blocks) == 2 and all(after[name] == before[name] for name in blocks)
    # New blocks, and the rest of one at the old edge.
    fill(store, Place(1, 1, slice(4, 5), slice(8, 11)), 3)
    fill(store, Place(0, 0, slice(2, 4), slice(6, 8)), 3)
    found = contents(store)
    np.testing.assert_array_equal(
        found["session"].values[0, 0, 2], [0] * 4 + [2] * 2 + [3] * 2 + [0] * 3
    )
    old_part = found["regret"].isel(corner)
    np.testing.assert_array_equal(old_part, old["regret"])
    assert found["regret"].values[1, 1, 4, 10].tolist() == [2410.0, 2410.25]


# In the short run at every third write, and the last one.
@pytest.mark.parametrize("every", in_short([3, 1], {1}))
def test_growth_that_is_interrupted_anywhere(store, failing, tmp_path, every):
    def grow(path=store, to=LARGE):
        grow_store(path, to, SHAPES | {"late": ()}, {"spec": "new"})

    before, complete = contents(store), sessions(store)[:] > 0
    before_opened = open_store(store).load()
    copy = tmp_path / "copy.zarr"
    create_store(copy, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    for file, data in files(store).items():
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        (copy / file).write_bytes(data)
    writes = number_of_writes(failing, lambda: grow(copy))
    assert writes > 20
    for count in sorted({*range(0, writes, every), writes - 1}):
        failing(count)
        with pytest.raises(OSError, match="No space left"):
            grow()
        xr.testing.assert_identical(contents(store), before)
        # What is written too early stays: one look at the end of every few is enough.
        if count % 5 == 0 or count == writes - 1:
            xr.testing.assert_identical(open_store(store).load(), before_opened)
            np.testing.assert_array_equal(sessions(store)[:] > 0, complete)
            assert stored_shapes(store) == SHAPES
    # A block of the old extent, played in between.
    failing(10)
    place = Place(0, 0, slice(0, 2), slice(4, 6))
    fill(store, place)
    fill(copy, place)
    failing(writes + 1)  # The new metric of the new block is one more file.
    grow()
    xr.testing.assert_identical(contents(store), contents(copy))


def test_growth_after_one_that_was_interrupted_may_be_smaller(store, monkeypatch):
    before = contents(store)

    def fail(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("jaxbandits.results.store.publish", fail)
    with pytest.raises(OSError):
        grow_store(store, LARGE, SHAPES, ATTRIBUTES)
    results = zarr.open_group(store, use_consolidated=False)["results"]
    assert results.shape[:4] == (2, 2, 5, 11)  # All is done but the last step.
    monkeypatch.undo()
    grow_store(store, axes(seeds=7), SHAPES, ATTRIBUTES)
    found = contents(store)
    assert found.sizes["seed"] == 7 and found.sizes["environment"] == 1
    xr.testing.assert_identical(found.isel(seed=slice(6)), before)
    assert found["regret"][..., 6, :].isnull().all()


# ---- with a sweep

SPEC = FEW._replace(seeds=25)
SIZE = 10
BLOCKS = 3 * 3  # walker's two points, idler


def played_with(spec=SPEC, store=None, **options):
    kept = {} if store is None else {"block": SIZE}
    options = {"devices": ONE} | kept | options
    return run(spec, store, **options)


@pytest.fixture(scope="module")
def whole():
    return played_with()


@pytest.mark.slow
def test_stores_of_one_sweep_are_equal(whole, tmp_path):
    stores = [tmp_path / name for name in ("a.zarr", "b.zarr")]
    for path in stores:
        assert_same(played_with(store=path), whole)
    found = [files(path) for path in stores]
    assert all(each["zarr.json"] == each.pop(COPY) for each in found)
    roots = [json.loads(each.pop("zarr.json")) for each in found]
    assert found[0] == found[1]
    made = [json.loads(r["attributes"].pop("provenance")) for r in roots]
    for each, provenance in zip(roots, made, strict=True):
        assert len(json.loads(each["attributes"].pop("sessions"))) == 1
        del provenance["created"]  # the second in which a store was made
        del each["attributes"][CHECKSUM]
    assert roots[0] == roots[1]
    assert made[0] == made[1]
    # The same call plays nothing, and says that it was there.
    played_with(store=stores[1])
    again = files(stores[1])
    del again[COPY]
    attributes = json.loads(again.pop("zarr.json"))["attributes"]
    assert again == found[1]
    assert len(json.loads(attributes["sessions"])) == 2


@pytest.mark.parametrize("complete", in_short([0, 4], {0}))
def test_a_disk_that_is_full(whole, tmp_path, monkeypatch, complete):
    store = tmp_path / "one.zarr"
    left = [complete]

    def write(*args):
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        write_block(*args)

    monkeypatch.setattr(worker, "write_block", write)
    message = (
        f"store: cannot write to {store}: No space left on device; {complete} of "
        f"{BLOCKS} blocks of this run are complete and safe"
    )
    with pytest.raises(OSError, match=message) as raised:
        played_with(store=store)
    assert raised.value.errno == errno.ENOSPC
    found = open_store(store).load()
    assert len(np.unique(np.argwhere(blocks_of(found)), axis=0)) == complete
    monkeypatch.undo()
    assert_same(played_with(store=store), whole)
    sessions = open_store(store)["session"]
    assert (blocks_of(sessions.to_dataset()) == 1).sum() == complete
    assert (blocks_of(sessions.to_dataset()) == 2).sum() == BLOCKS - complete


def blocks_of(dataset):
    """The session of every block."""
    return dataset["session"].values[..., ::SIZE]


@pytest.mark.slow
def test_files_that_cannot_be_that_large(tmp_path):
    """A real limit of the system, in a process of its own."""
    store = tmp_path / "one.zarr"
    code = f"""
import resource
from tests.sweeps import walk
from tests.sweeps.runs import run
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
spec = walk.spec(seeds=2000, horizon=40, checkpoints="linear", policies=dict(
    idler=walk.SPEC.policies["idler"]), environments=dict(short=walk.GAME))
try:
    run(spec, {str(store)!r}, block=1024)
except OSError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        # jaxlib 0.10.0 logs an error for a program that it reads from a folder.
        env=os.environ
        | {
            "PYTHONPATH": str(ROOT),
            "JAXBANDITS_DEVICES": "keep",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"[Errno {errno.EFBIG}] store: cannot write to {store}: File too large; 0 of 2 "
        "blocks of this run are complete and safe, the same command goes on from "
        "there\n"
    )
    assert not open_store(store)["session"].any()
    assert not list(store.rglob("*.partial"))


def never(*args, **kwargs):
    raise AssertionError("played")


def test_a_store_that_cannot_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr(filling, "play", never)
    (tmp_path / "file").touch()
    store = tmp_path / "file" / "one.zarr"
    with pytest.raises(OSError, match=f"store: cannot write to {store}: "):
        played_with(store=store)


def test_a_store_that_cannot_be_written_to(tmp_path, monkeypatch):
    store = tmp_path / "one.zarr"
    small = SPEC._replace(policies={"i": SPEC.policies["idler"]})
    played_with(small._replace(seeds=15), store)
    before = files(tmp_path)

    def refuse(dir):
        assert dir == store
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    # Permissions mean nothing to a superuser, who may well run this.
    monkeypatch.setattr(stores.tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(filling, "play", never)
    with pytest.raises(PermissionError, match=f"cannot write to {store}: Permission"):
        played_with(small, store, extend=True)
    assert files(tmp_path) == before


def test_two_programs_do_not_write_to_one_store(tmp_path, monkeypatch):
    """The lock is of the file as it was opened: one process is as good as two."""
    store = tmp_path / "one.zarr"
    whole = played_with(store=store).load()
    with writer(store) as lock:
        assert lock.together()
        monkeypatch.setattr(filling, "play", never)
        with pytest.raises(BlockingIOError, match=f"another program is .* {store}"):
            played_with(store=store)
        assert_same(open_store(store), whole)
    played_with(store=store)


def test_blocks_of_another_size_are_refused(tmp_path):
    store = tmp_path / "one.zarr"
    small = SPEC._replace(policies={"i": SPEC.policies["idler"]}, seeds=100)
    run(small, store, block=70, devices=ONE)
    run(small, store, block=70)
    run(small, store, block=64)  # So many they are: whole vectors of lanes.
    with pytest.raises(ValueError, match=r"^block must be left out .* 64 runs"):
        run(small, store, block=32)
