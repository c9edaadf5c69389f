"""The Numba rival: a plain loop per seed, in one process per core.

The processes are spawned, so a script that calls :func:`play_timed` or
:func:`measure` must guard its entry with ``if __name__ == "__main__"``.
"""

import itertools
import math
import multiprocessing
import os
import time

import numba
import numpy as np

from .game import ARMS, COST, LIMIT_COUNT, LIMITS, PENALTIES, RATES, optimal_shares


@numba.njit(fastmath=True, error_model="numpy")
def play_one(seed, horizon, penalty_radius, limits, penalties, rates, cost, pulls):
    """Play one run of RCUCB and add its pulls to ``pulls`` (``[K, M]``)."""
    np.random.seed(seed)
    arms = rates.size
    limit_count = limits.size
    plays = np.zeros(arms, np.int64)
    counts = np.zeros((arms, limit_count), np.int64)
    exceeded = np.zeros((arms, limit_count), np.int64)
    gains = np.zeros((arms, limit_count))
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
            limit = limit_count - 1
        else:
            arm = 0
            limit = 0
            best = -1e30  # fastmath knows no infinity
            two_log = 2.0 * math.log(t)
            for i in range(arms):
                penalty_width = 0.0
                if penalty_radius != 0.0:
                    penalty_width = penalty_radius * math.sqrt(two_log / plays[i])
                for m in range(limit_count):
                    index = (
                        gains[i, m] / counts[i, m]
                        - penalties[m] * (exceeded[i, m] / plays[i] - penalty_width)
                        + math.sqrt(two_log / counts[i, m])
                    )
                    if index > best:
                        best = index
                        arm = i
                        limit = m
        consumption = -math.log1p(-np.random.random()) / rates[arm]
        reward = np.random.random()
        censored = consumption > limits[limit]
        pulls[arm, limit] += 1
        plays[arm] += 1
        for m in range(limit_count):
            over = censored or consumption > limits[m]
            if over:
                exceeded[arm, m] += 1
            if m <= limit:
                counts[arm, m] += 1
                if not over:
                    gains[arm, m] += reward - cost * consumption


def play_chunk(first, count, horizon, penalty_radius):
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    pulls = np.zeros((count, ARMS, LIMIT_COUNT), np.int64)
    for k in range(count):
        play_one(
            first + k,
            horizon,
            penalty_radius,
            LIMITS,
            PENALTIES,
            RATES,
            COST,
            pulls[k],
        )
    return pulls


def _work(connection, first, count, horizon, penalty_radius):
    """Compile, say so, wait for the word, play, and send the pulls."""
    play_chunk(0, 1, 2 * ARMS, penalty_radius)
    connection.send(None)
    connection.recv()
    connection.send(play_chunk(first, count, horizon, penalty_radius))
    connection.close()


def available_cores():
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def play_timed(seeds, horizon, penalty_radius=0.0, seed=0, processes=None):
    """Play ``seeds`` runs, split over the processes; return pulls and seconds.

    The seconds run from the word to start, given when every process has
    compiled, to the arrival of the last process's pulls.
    """
    processes = min(processes or available_cores(), seeds)
    context = multiprocessing.get_context("spawn")
    bounds = np.linspace(0, seeds, processes + 1).astype(int)
    workers = []
    try:
        for low, high in itertools.pairwise(bounds):
            ours, theirs = context.Pipe()
            first = seed * 1_000_003 + int(low)
            arguments = (theirs, first, int(high - low), horizon, penalty_radius)
            process = context.Process(target=_work, args=arguments, daemon=True)
            process.start()
            theirs.close()
            workers.append((process, ours))
        for _, connection in workers:
            connection.recv()
        start = time.perf_counter()
        for _, connection in workers:
            connection.send(None)
        parts = [connection.recv() for _, connection in workers]
        seconds = time.perf_counter() - start
        for process, _ in workers:
            process.join()
    finally:
        for process, connection in workers:
            connection.close()
            if process.is_alive():
                process.terminate()
    return np.concatenate(parts), seconds


def play(seeds, horizon, penalty_radius=0.0, seed=0, processes=None):
    """Play ``seeds`` independent runs of RCUCB.

    Args:
        seeds: number of independent runs.
        horizon: number of rounds.
        penalty_radius: factor of the penalty part of the radius.
        seed: first seed's offset; runs of different ``seed`` do not overlap
            as long as there are at most a million of them.
        processes: number of processes; by default one per core.

    Returns:
        The pulls, integers of shape ``[seeds, K, M]``.
    """
    return play_timed(seeds, horizon, penalty_radius, seed, processes)[0]


def measure(seeds: int, horizon: int) -> dict:
    """Time one play, without compilation and process start."""
    processes = min(available_cores(), seeds)
    pulls, seconds = play_timed(seeds, horizon, seed=1, processes=processes)
    return {
        "name": "Numba",
        "seed_rounds_per_s": seeds * horizon / seconds,
        "cores": processes,
        "optimal_share": float(optimal_shares(pulls).mean()),
    }
