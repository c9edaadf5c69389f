"""Sweeps of which players are killed at random moments: is anything lost or changed?

    python -m scripts.kills [KILLS] [MODE ...]

A store is played by the command line (``one``, the default), by two shares of it
(``shard``), by the processes of ``executor=2`` (``pool``, of which all die with one),
by those of a Dask cluster (``dask``) or by jobs of submitit on this machine
(``submitit``). KILLS times (40) one of them is killed: those of the command line, which
are started anew, by SIGKILL, SIGTERM and SIGINT in turn, the others by SIGKILL. After
every kill all that is complete is held against a sweep that was not interrupted, at the
end everything. The exit status is 1 if a bit differs.

``one`` plays four sweeps: one of many blocks, one on drawn instances with a second
stage (a half-width), one in which points stop one by one, and one of the budgeted
setting from a TOML file; the other modes play the first. Useful seconds are those in
which blocks of the store were played, by what they say.
"""

import logging
import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from jaxbandits import Machine, Store
from jaxbandits.results import open_store
from jaxbandits.simulation import Workers, read_spec, run_sweep
from jaxbandits.store.block_store import BlockStore
from tests.simulation.processes import finish, is_made, start

MANY = """
from tests.simulation import walk
SPEC = walk.spec(points=9, seeds=600)
"""
DRAWN = """
from jaxbandits.simulation import HalfWidth
from tests.simulation import walk
SPEC = walk.spec(
    points=3,
    seeds=HalfWidth("regret", 1e-6, at_most=500, pilot=300),
    environments={"drawn": walk.DRAWN},
    runs_per_instance=2,
)
"""
MONEY = """
setting = "budgeted"
budget = 20
seeds = 2000
checkpoints = "log"
metrics = ["regret"]
environments.three = { make = "s_br", arguments = { num_arms = 3 } }
policies.uniform = { make = "uniform" }
policies.omega = { make = "omega_ucb", cross = { rho = [0.25, 1.0] } }
"""
EACH = """
from jaxbandits.simulation import HalfWidth
from tests.simulation import walk
SPEC = walk.spec(points=3, seeds=HalfWidth("regret", 3.0, pilot=100, each=True))
"""
SPECS = {"many.py": MANY, "drawn.py": DRAWN, "each.py": EACH, "money.toml": MONEY}
# Exit statuses of the command line by what ends it.
EXITS = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
BLOCK, WORKERS, QUIET = 40, 2, Machine(progress=False)
CLOCKS = ["session", "compile_seconds", "run_seconds"]
PAUSE = "0.03"  # seconds of a block, at least


def one(spec: Path, store: Path, running: dict, workers: int = 1) -> None:
    """The command line, started anew where it is killed; or shares of it."""
    more = ("--block", str(BLOCK))
    left = {f"{number}/{workers}" for number in range(workers)}
    while left:
        for number in left - running.keys():
            shares = ("--shard", number) if workers > 1 else ()
            cache = spec.with_name("cache")
            running[number] = start(store, cache=cache, spec=spec, more=more + shares)
        time.sleep(0.05)
        for number, process in [*running.items()]:
            if process.poll() is not None:
                code, output = finish(process)
                del running[number]
                if code == 0:
                    left.remove(number)
                elif code not in EXITS.values():
                    raise SystemExit(output)


def dask(spec: Path, store: Path, running: dict) -> None:
    import dask
    from dask.distributed import Client, LocalCluster

    # On a busy machine a worker takes its time to start. The cluster gives it 15 s
    # to be back, and then ends it for good, in the midst of its start.
    patience = {
        "distributed.comm.timeouts.connect": "300s",
        "distributed.deploy.lost-worker-timeout": "600s",
    }
    with (
        dask.config.set(patience),
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        by(client, spec, store)


def submitit(spec: Path, store: Path, running: dict) -> None:
    import submitit as package

    executor = package.AutoExecutor(spec.parent / "jobs", cluster="local")
    executor.update_parameters(timeout_min=60)
    by(Workers(executor, tasks=WORKERS), spec, store)


def by(executor, spec: Path, store: Path) -> None:
    run_sweep(read_spec(spec), Store(store, block=BLOCK), QUIET, executor=executor)


MODES = {
    "one": one,
    "shard": partial(one, workers=WORKERS),
    "pool": lambda spec, store, running: by(WORKERS, spec, store),
    "dask": dask,
    "submitit": submitit,
}


def players(store: Path, running: dict) -> list[int]:
    """Processes that play: of the command line, or that have begun in the store."""
    if running:
        return [each.pid for each in [*running.values()] if each.poll() is None]
    pids = []
    with suppress(FileNotFoundError):
        for session in BlockStore(store).sessions().values():
            with suppress(ProcessLookupError):
                if session["pid"] != os.getpid():
                    os.kill(session["pid"], 0)
                    pids.append(session["pid"])
    return pids


def kill(store: Path, whole, kills: int, running: dict, over) -> tuple[int, int]:
    """Kill so many of those who play, until it is over; look at the store each time.

    Returns:
      How many were killed, and after how many kills something was lost or other than
      in the `whole` sweep.
    """
    rng = np.random.default_rng(0)
    blocks = int((whole["rounds"].isel(checkpoint=-1) > 0).sum()) // BLOCK
    killed = wrong = complete = 0
    while killed < kills:
        # Every fourth anywhere, a start included; the others after some blocks.
        anywhere = killed % 4 == 3
        share = (killed + rng.random()) / (kills + 1)
        if over.wait(rng.uniform(0, 6) if anywhere else 0.1):
            break
        while not anywhere and len([*store.glob("blocks/*.npz")]) < blocks * share:
            if over.wait(0.05):
                return killed, wrong
        ends = [*EXITS] if running else [signal.SIGKILL]
        if alive := players(store, running):
            with suppress(ProcessLookupError):
                os.kill(int(rng.choice(alive)), ends[killed % len(ends)])
                killed += 1
                if is_made(store):
                    with open_store(store) as stored:
                        stored = stored.load()
                    done = stored["session"] > 0
                    lost = int(done.sum()) < complete
                    wrong += lost or differs(stored, whole, done)
                    complete = int(done.sum())
    return killed, wrong


def differs(stored, whole, done=True) -> bool:
    """Whether a run that is done has other bits than in the whole sweep."""
    stored, whole = (
        data.drop_vars(CLOCKS, errors="ignore") for data in (stored, whole)
    )
    return not stored.where(done).equals(whole.reindex(seed=stored["seed"]).where(done))


def killed(mode: str, spec: Path, kills: int) -> bool:
    """Play once; whether anything was wrong."""
    whole = run_sweep(read_spec(spec), machine=QUIET)
    store, running, over = spec.with_name(f"{mode}-{spec.stem}"), {}, threading.Event()
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        killer = pool.submit(kill, store, whole, kills, running, over)
        try:
            MODES[mode](spec, store, running)
        finally:
            over.set()
    (times, wrong), wall = killer.result(), time.monotonic() - began
    blocks = BlockStore(store)
    with open_store(store) as stored:
        same = stored.sizes == whole.sizes and not differs(stored.load(), whole)
    heads = [blocks.head(key) for key in blocks.played()]
    useful = sum(head["seconds"]["running"] for head in heads)
    halves = [file for file in store.glob("*/.*") if file.is_file()]
    print(
        f"{mode}, {spec.name}: {times} kills, wrong after {wrong}; "
        f"identical when complete: {same}; {len(heads)} blocks, sessions: "
        f"{len(blocks.sessions())}; useful {useful:.0f} s of {wall:.0f} s; temporary "
        f"files: {len(halves)}",
        flush=True,
    )
    return bool(wrong) or not same


def main(kills: str = "40", *modes: str) -> int:
    """Kill and compare; 1 if anything was wrong."""
    os.environ |= {"JAX_NUM_CPU_DEVICES": "1", "WALK_PAUSE": PAUSE}
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
        for mode in modes or ["one"]:
            names = [*SPECS] if mode == "one" else ["many.py"]
            for number, name in enumerate(names):
                spec = Path(folder, name)
                spec.write_text(SPECS[name])
                count = len(range(number, int(kills), len(names)))
                wrong += killed(mode, spec, count)
    print(f"stores that were wrong: {wrong}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
