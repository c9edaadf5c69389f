"""Workers that are killed while they play: is a bit changed, and what does it cost?

    python -m scripts.worker_kills FOLDER [KILLS] [MODE ...]

Four workers play one store: processes of a Dask cluster (``dask``), jobs of submitit on
this machine (``submitit``), ``jaxbandits sweep --shard I/4`` that is started anew where
it is killed (``shard``), or the processes of ``executor=4`` (``pool``, of which all die
with one). KILLS times (30) one that is in the midst of a block gets a SIGKILL. The
store is held against that of one process, which is made in FOLDER if it is not there.
The exit status is 1 if a bit differs, or a block is played to its end more than twice.

Seconds are the processors', so that they say the same where other programs run beside.
Useful are those of blocks that were played to their end; of a block that had to be
compiled as many as the others of its game took, and the rest is said by itself. All are
those of all processes, killed ones too.
"""

import logging
import os
import random
import resource
import shutil
import signal
import statistics
import sys
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from jaxbandits import Machine, Store
from jaxbandits.results import open_store
from jaxbandits.sweeps import Workers, read_spec, run_sweep
from jaxbandits.sweeps.journal import players
from tests.sweeps.processes import finish, start

SPEC = """
from tests.sweeps import walk
SPEC = walk.spec(points=4, seeds={seeds}, horizon={horizon})
"""
SEEDS = int(os.environ.get("SEEDS", 1536))
HORIZON = int(os.environ.get("HORIZON", 20_000_000))  # some 2.5 s of a block
BLOCK = 64
WORKERS = 4
CORES = 2


class Told(NamedTuple):
    """What journals say.

    Attributes:
      begun: how often each block was begun.
      ended: how often each block was played to its end.
      useful: processor seconds of blocks that were ended.
      compiling: processor seconds of those beyond what others of their games took.
      playing: processes in the midst of a block.
    """

    begun: Counter
    ended: Counter
    useful: float
    compiling: float
    playing: list[int]


def told(store: Path) -> Told:
    """What the journals of a store say now."""
    begun, ended, playing = Counter(), Counter(), []
    busy, compiled = defaultdict(list), defaultdict(list)
    for player in players(store) if store.exists() else ():
        last = None
        for last in player.events:
            where = tuple(last.get("block", ()))
            begun[where] += last["event"] == "begins"
            if last["event"] == "ends":
                ended[where] += 1
                short = last["compiling"] < 0.05 * last["seconds"]
                (busy if short else compiled)[where[:2]].append(last["busy"])
        if last and last["event"] == "begins" and psutil.pid_exists(player.who["pid"]):
            playing.append(player.who["pid"])
    usual = {game: statistics.median(times) for game, times in busy.items()}
    most = [(game, time) for game, times in compiled.items() for time in times]
    more = sum(max(time - usual.get(game, 0), 0) for game, time in most)
    useful = sum(map(sum, busy.values())) + sum(time for _, time in most) - more
    return Told(+begun, +ended, useful, more, playing)


def kill(store: Path, kills: int, total: int, over: threading.Event) -> None:
    """Kill so many of those who play, evenly over the blocks that are done."""
    rng, killed, dead = random.Random(0), 0, set()
    while killed < kills and not over.wait(0.1):
        now = told(store)
        alive = [pid for pid in now.playing if pid not in dead]
        if alive and len(now.ended) >= total * (killed + rng.random()) / (kills + 1):
            dead.add(pid := rng.choice(alive))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
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
        by(client.get_executor(), spec, store)


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
            status, said = finish(process)
            del running[number]
            if status == -signal.SIGKILL:
                running[number] = begin(number)
            elif status:
                raise SystemExit(said)


MODES = {"dask": dask, "submitit": submitit, "shard": shard, "pool": pool}


def processor_seconds() -> float:
    """Of this process and of those that it has waited for."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(mode: str, spec: Path, whole, kills: int) -> bool:
    """Play once; whether anything was wrong."""
    store = spec.with_name(f"{mode}.zarr")
    shutil.rmtree(store, ignore_errors=True)
    total = len(told(spec.with_name("whole.zarr")).ended)
    over = threading.Event()
    killer = threading.Thread(target=kill, args=(store, kills, total, over))
    began, used = time.monotonic(), processor_seconds()
    killer.start()
    try:
        MODES[mode](spec, store)
    finally:
        over.set()
        killer.join()
    wall, used = time.monotonic() - began, processor_seconds() - used
    with open_store(store) as found:
        same = (
            found.drop_vars("session")
            .drop_attrs()
            .load()
            .identical(whole.drop_vars("session").drop_attrs())
        )
    now = told(store)
    print(
        f"{mode}, {kills} kills: identical: {same}; {len(now.ended)} blocks, played to "
        f"the end at most {max(now.ended.values())} times, begun at most "
        f"{max(now.begun.values())} times, lost or twice: "
        f"{sum(now.begun.values()) - len(now.ended)}\n"
        f"  useful {now.useful:.0f} s, compiling {now.compiling:.0f} s, all "
        f"{used:.0f} s, wall {wall:.0f} s\n"
        f"  useful / ({CORES} x wall) = {now.useful / (CORES * wall):.2f}, "
        f"useful / (all - compiling) = {now.useful / (used - now.compiling):.2f}",
        flush=True,
    )
    return not same or max(now.ended.values()) > 2


def main(folder: str, kills: str = "30", *modes: str) -> int:
    """Measure; 1 if anything was wrong."""
    os.environ["JAX_NUM_CPU_DEVICES"] = "1"
    spec = Path(folder).absolute() / "walk.py"
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(SPEC.format(seeds=SEEDS, horizon=HORIZON))
    path = spec.with_name("whole.zarr")
    one = start(
        path, spec=spec, devices=CORES, cache=folder, more=("--block", str(BLOCK))
    )
    status, said = finish(one, 3600)
    if status:
        raise SystemExit(said)
    whole = open_store(path).load()
    return int(any([measure(mode, spec, whole, int(kills)) for mode in modes or MODES]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
