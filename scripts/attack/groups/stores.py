"""Stores that are not what they seem: half copied, linked, of other programs."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import xarray as xr
import zarr

from attack.case import Case
from attack.games import GAME, GREEDY
from jaxbandits import Machine, Store, results, sweep
from jaxbandits.sweeps.summary import sweep_records

GRID = {"eps": [0.1, 0.2]}
WORDS = ("store", "path", "a.zarr", "extend", "block")


def play(store="a.zarr", **change):
    """A small sweep into a store."""
    options = {"horizon": 10, "seeds": 4, "block": 4} | change
    kept = {name: options.pop(name) for name in Store._fields if name in options}
    machine = Machine(progress=False, engine=options.pop("engine", "scan"))
    place = None if store is None else Store(store, **kept)
    grid = options.pop("grid", GRID)
    return sweep(GREEDY, GAME, grid, store=place, machine=machine, **options)


def cases() -> list[Case]:
    found = []
    for what, harm in HARMS.items():
        found += [_opened(what, harm), _swept(what, harm), _told(what, harm)]
    found += [_made(what, make) for what, make in PLACES.items()]
    return [*found, *_changed()]


def _json(name, change):
    def harm(path):
        file = path / name
        old = json.loads(file.read_text())
        change(old)
        file.write_text(json.dumps(old))

    return harm


def _file(pattern, act):
    def harm(path):
        act(sorted(path.glob(pattern))[0])

    return harm


def _both_roots(text):
    def harm(path):
        for name in ("zarr.json", "results/root.json"):
            (path / name).write_text(text)

    return harm


def _as_file(path):
    shutil.rmtree(path)
    path.write_bytes(b"a.zarr")


def _loop(path):
    shutil.rmtree(path)
    path.symlink_to(path)


def _dangling(path):
    shutil.rmtree(path)
    path.symlink_to("nowhere.zarr")


def _v2(path):
    shutil.rmtree(path)
    xr.Dataset({"regret": ("seed", np.ones(3))}).to_zarr(path, zarr_format=2)


def _another(path):
    shutil.rmtree(path)
    xr.Dataset({"regret": ("seed", np.ones(3))}).to_zarr(path, zarr_format=3)


def _netcdf(path):
    shutil.rmtree(path)
    xr.Dataset({"regret": ("seed", np.ones(3))}).to_netcdf(path, engine="h5netcdf")


def _array_alone(path):
    shutil.rmtree(path)
    zarr.save_array(str(path), np.ones(3), zarr_format=3)


def _inner(path):
    """The store was copied into a folder of its own name, as ``cp -r a b`` does."""
    shutil.move(path, "tmp")
    path.mkdir()
    shutil.move("tmp", path / path.name)


def _half(path):
    """A copy that was interrupted: every second file is there."""
    for file in sorted(file for file in path.rglob("*") if file.is_file())[::2]:
        file.unlink()


def _folder_for_a_chunk(file):
    file.unlink()
    file.mkdir()


CHUNK = "results/c.0.0.0.*"
HARMS = {
    "a file": _as_file,
    "a loop of links": _loop,
    "a link to nothing": _dangling,
    "Zarr 2": _v2,
    "xarray's own": _another,
    "netCDF": _netcdf,
    "a lone array": _array_alone,
    "a folder with the store in it": _inner,
    "half of a copy": _half,
    "an empty folder": lambda p: (shutil.rmtree(p), p.mkdir()),
    "both roots empty": _both_roots(""),
    "both roots a list": _both_roots("[]"),
    "both roots null": _both_roots("null"),
    "both roots {}": _both_roots("{}"),
    "both roots deep": _both_roots("[" * 100_000),
    "a newer format": _json("zarr.json", lambda x: x["attributes"].update(format=99)),
    "a format of text": _json(
        "zarr.json", lambda x: x["attributes"].update(format="2")
    ),
    "a chunk of another run": _file(CHUNK, lambda f: f.write_bytes(b"1" * 99)),
    "an empty chunk": _file(CHUNK, lambda f: f.write_bytes(b"")),
    "a folder for a chunk": _file(CHUNK, _folder_for_a_chunk),
    "no seeds": lambda p: shutil.rmtree(p / "seed"),
    "no results": lambda p: shutil.rmtree(p / "results"),
}
# What is as good as new for whoever reads or plays.
HARMLESS = {
    "a link to the store": lambda p: (p.rename("b.zarr"), p.symlink_to("b.zarr")),
    "a file beside it": lambda p: Path(".a.zarr.swp").write_text("mine"),
    "a file in it": lambda p: (p / "README.md").write_text("mine"),
    ".DS_Store in it": lambda p: (p / "results" / ".DS_Store").write_bytes(b"\0" * 9),
    "a folder in it": lambda p: (p / "notes").mkdir(),
    "moved by hand": lambda p: (p.rename("b.zarr"), Path("b.zarr").rename(p)),
    "touched": lambda p: [os.utime(f, (0, 0)) for f in p.rglob("*") if f.is_file()],
}
HARMS |= HARMLESS


def _same(found) -> bool:
    """What was played, or nothing at all."""
    try:
        expected = play(store=None)["regret"].values
        return bool(
            np.array_equal(found["regret"].values.squeeze(), expected.squeeze())
        )
    except (TypeError, KeyError):
        return False


def _opened(what, harm):
    def call():
        play()
        harm(Path("a.zarr"))
        return results.open_store("a.zarr").load()

    return Case(f"open_store of {what}", call, WORDS, _same, heavy=True)


def _swept(what, harm):
    """The next sweep mends it bit by bit, or says why not."""

    def call():
        play()
        harm(Path("a.zarr"))
        return play().load()

    return Case(f"sweep into {what}", call, WORDS, _same, heavy=True)


def _told(what, harm):
    def call():
        play()
        harm(Path("a.zarr"))
        return sweep_records("a.zarr")

    fine = None if what not in HARMLESS else (lambda found: len(found) == 2)
    return Case(f"sweep_records of {what}", call, WORDS, fine, heavy=True)


PLACES = {
    "under a file": lambda: (Path("f").write_text("x"), play("f/a.zarr")),
    "of a name too long": lambda: play("a" * 300 + ".zarr"),
    "with a NUL": lambda: play("a\0.zarr"),
    "of bytes": lambda: play(b"a.zarr"),
    "that is a folder of Python": lambda: (Path("a.zarr").mkdir(), play(Path.cwd())),
    "/dev/null": lambda: play("/dev/null"),
    "/proc/a.zarr": lambda: play("/proc/a.zarr"),
    "file:///tmp": lambda: play("file:///tmp/a.zarr"),
    "of dots": lambda: play(".."),
    "a dataset": lambda: play(results.open_store("a.zarr") if play() is None else GAME),
    "a Zarr group": lambda: play(zarr.open_group("b.zarr", mode="w")),
}


def _made(what, call):
    return Case(f"sweep into a store {what}", call, WORDS, heavy=True)


def _changed():
    """A second sweep into a good store."""
    for what, change in {
        "fewer seeds": {"seeds": 2},
        "other seeds": {"seeds": [7, 8]},
        "fewer points": {"grid": {"eps": [0.1]}},
        "another block": {"block": 2},
        "more rounds": {"horizon": 11},
        "fewer metrics": {"metrics": ["rounds"]},
        "runs_per_instance": {"runs_per_instance": 2},
        "a budget": {"horizon": None, "budget": 5.0},
        "an engine that is none": {"engine": "fast"},
        "verify = 1.5": {"verify": 1.5},
        "verify = -1": {"verify": -1},
        "verify = True": {"verify": True},
    }.items():

        def call(change=change):
            play()
            return play(**change)

        words = (*WORDS, *change, "seeds", "points", "metrics", "checkpoints")
        yield Case(f"then {what}", call, words, heavy=True)
