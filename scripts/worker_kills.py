"""Workers that are killed while they play: is a bit changed, and what does it cost?

    python -m scripts.worker_kills FOLDER [KILLS] [MODE ...]

Workers play one store: processes of a Dask cluster (``dask``), jobs of submitit on
this machine (``submitit``), ``jaxbandits sweep --shard I/2`` that is started anew where
it is killed (``shard``), or the processes of ``executor=2`` (``pool``, of which all die
with one). KILLS times (10) one of them gets a SIGKILL, evenly over the blocks that are
done. The store is held against that of one process, which is made in FOLDER if it is
not there. The exit status is 1 if a bit differs or a block is missing.

Useful seconds are those in which blocks of the store were played, by what they say.
"""

import logging
import os
import random
import shutil
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from jaxbandits import Machine, Store
from jaxbandits.results import open_store
from jaxbandits.simulation import Workers, read_spec, run_sweep
from jaxbandits.simulation.stores import status
from jaxbandits.store.block_store import BlockStore
from tests.simulation.processes import finish, start

SPEC = """
from tests.simulation import walk
SPEC = walk.spec(points=4, seeds={seeds}, horizon={horizon})
"""
SEEDS = int(os.environ.get("SEEDS", 512))
HORIZON = int(os.environ.get("HORIZON", 5_000_000))  # about a second of a block
BLOCK = 64
WORKERS = 2


def players(store: Path) -> list[int]:
    """Processes that have begun to play into a store, and are still there."""
    found = []
    with suppress(FileNotFoundError):
        for session in BlockStore(store).sessions().values():
            with suppress(ProcessLookupError):
                if session["pid"] != os.getpid():
                    os.kill(session["pid"], 0)
                    found.append(session["pid"])
    return found


def kill(store: Path, kills: int, total: int, over: threading.Event) -> None:
    """Kill so many of those who play, evenly over the blocks that are done."""
    rng, killed = random.Random(0), 0
    while killed < kills and not over.wait(0.1):
        alive, done = players(store), len([*store.glob("blocks/*.npz")])
        if alive and done >= total * (killed + rng.random()) / (kills + 1):
            with suppress(ProcessLookupError):
                os.kill(rng.choice(alive), signal.SIGKILL)
                killed += 1
    print(f"  killed: {killed}", flush=True)


def dask(spec: Path, store: Path) -> None:
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


def submitit(spec: Path, store: Path) -> None:
    import submitit as package

    executor = package.AutoExecutor(spec.parent / "jobs", cluster="local")
    executor.update_parameters(timeout_min=60)
    by(Workers(executor, tasks=WORKERS), spec, store)


def pool(spec: Path, store: Path) -> None:
    by(WORKERS, spec, store)


def by(executor, spec: Path, store: Path) -> None:
    kept, quiet = Store(store, block=BLOCK), Machine(progress=False)
    run_sweep(read_spec(spec), kept, quiet, executor=executor).close()


def shard(spec: Path, store: Path) -> None:
    def begin(number):
        more = ("--block", str(BLOCK), "--shard", f"{number}/{WORKERS}")
        # As the user has it who says nothing: programs are in the store.
        return start(store, spec=spec, more=more, JAX_COMPILATION_CACHE_DIR=None)

    running = {number: begin(number) for number in range(WORKERS)}
    while running:
        time.sleep(0.1)
        for number, process in list(running.items()):
            if process.poll() is None:
                continue
            code, said = finish(process)
            del running[number]
            if code == -signal.SIGKILL:
                running[number] = begin(number)
            elif code:
                raise SystemExit(said)


MODES = {"pool": pool, "shard": shard, "dask": dask, "submitit": submitit}


def measure(mode: str, spec: Path, whole, kills: int) -> bool:
    """Play once; whether anything was wrong."""
    store = spec.with_name(mode)
    shutil.rmtree(store, ignore_errors=True)
    total = status(spec.with_name("whole")).blocks
    over = threading.Event()
    killer = threading.Thread(target=kill, args=(store, kills, total, over))
    began = time.monotonic()
    killer.start()
    try:
        MODES[mode](spec, store)
    finally:
        over.set()
        killer.join()
    wall, blocks = time.monotonic() - began, BlockStore(store)
    with open_store(store) as found:
        same = (
            found.drop_vars("session")
            .drop_attrs()
            .load()
            .identical(whole.drop_vars("session").drop_attrs())
        )
    heads = [blocks.head(key) for key in blocks.played()]
    useful = sum(head["seconds"]["running"] for head in heads)
    halves = [file for file in store.glob("*/.*") if file.is_file()]
    print(
        f"{mode}, {kills} kills: identical: {same}; {len(heads)} of {total} blocks; "
        f"sessions: {len(blocks.sessions())}; useful {useful:.0f} s of {wall:.0f} s; "
        f"temporary files of those who were killed: {len(halves)}",
        flush=True,
    )
    return not same or len(heads) != total


def main(folder: str, kills: str = "10", *modes: str) -> int:
    """Measure; 1 if anything was wrong."""
    os.environ["JAX_NUM_CPU_DEVICES"] = "1"
    spec = Path(folder).absolute() / "walk.py"
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(SPEC.format(seeds=SEEDS, horizon=HORIZON))
    path = spec.with_name("whole")
    one = start(path, spec=spec, devices=2, cache=folder, more=("--block", str(BLOCK)))
    code, said = finish(one, 3600)
    if code:
        raise SystemExit(said)
    whole = open_store(path).load()
    return int(any([measure(mode, spec, whole, int(kills)) for mode in modes or MODES]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
