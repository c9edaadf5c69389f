"""One process per core, for contestants whose loop holds Python's lock.

The processes are spawned, so a script must guard its entry with ``if __name__ ==
"__main__"``.
"""

import itertools
import multiprocessing
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .contest import Played, Timed


def in_all_processes(play_block: Callable[[Any, int, int, float], Played], warm: float):
    """A contestant that shares the runs out to processes.

    Args:
      play_block: ``play_block(game, first, count, horizon)`` plays the runs ``first,
        ..., first + count - 1``, each seeded by its number; a function of a module, so
        that a process can import it.
      warm: the horizon of an untimed first call in every process.
    """

    def timed(game, seeds, horizon, seed=1):
        processes = min(available_cores(), seeds)
        context = multiprocessing.get_context("spawn")
        bounds = np.linspace(0, seeds, processes + 1).astype(int)
        workers = []
        try:
            for low, high in itertools.pairwise(bounds):
                ours, theirs = context.Pipe()
                # Blocks of different seeds do not overlap below a million runs.
                runs = (seed * 1_000_003 + int(low), int(high - low))
                arguments = (theirs, play_block, game, *runs, horizon, warm)
                process = context.Process(target=_work, args=arguments, daemon=True)
                process.start()
                theirs.close()
                workers.append((process, ours))
            for _, connection in workers:
                connection.recv()
            began = time.perf_counter()
            for _, connection in workers:
                connection.send(None)
            parts = [connection.recv() for _, connection in workers]
            seconds = time.perf_counter() - began
        finally:
            for process, connection in workers:
                connection.close()
                process.join(timeout=1)
                if process.is_alive():
                    process.terminate()
        played = Played(*map(np.concatenate, zip(*parts, strict=True)))
        return Timed(played, seconds, processes)

    return timed


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _work(connection, play_block, game, first, count, horizon, warm):
    """Compile, say so, wait for the word, play, and send what was played."""
    play_block(game, 0, 1, min(horizon, warm))
    connection.send(None)
    connection.recv()
    connection.send(play_block(game, first, count, horizon))
    connection.close()
