"""Policies side by side: a run that is too small for all devices takes some of them.

A device plays a full vector of lanes; with ten seeds on two devices, each of them would
play copies of the last seed in more than fifty lanes. So ten seeds take one device, and
two policies run at a time.
"""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import jax

from jaxbandits.engine.flags import in_play
from jaxbandits.engine.rollout import LANE_QUANTUM


def device_shares(devices: list, num_lanes: int) -> list[list]:
    """Groups of devices, each as large as `num_lanes` lanes can use."""
    size = min(len(devices), -(-num_lanes // LANE_QUANTUM))
    return [devices[i : i + size] for i in range(0, len(devices) - size + 1, size)]


def side_by_side(
    play: Callable[[Any, list, Callable[[], None]], Any],
    tasks: Iterable[Any],
    shares: list[list],
) -> Iterator[Any]:
    """``play(task, share, check)`` for all tasks, as many at a time as shares.

    Args:
      play: it must call ``check()`` now and then, which raises to stop it.
      tasks: first arguments of `play`.
      shares: groups of devices.

    Returns:
      Results in the order of the tasks. After an exception (or Ctrl-C) the others stop
      at their next check.
    """
    tasks = list(tasks)
    if len(shares) == 1 or len(tasks) == 1:
        yield from (play(task, shares[0], lambda: None) for task in tasks)
        return
    free = queue.SimpleQueue()
    for share in shares:
        free.put(share)
    stop, errors = threading.Event(), []
    x64 = bool(jax.config.jax_enable_x64)  # a setting of the calling thread

    def check():
        if stop.is_set():
            raise CancelledError

    def work(task):
        share = free.get()
        try:
            check()
            with in_play(), jax.enable_x64(x64):
                return play(task, share, check)
        except BaseException as error:
            errors.append(error)  # before another thread can be stopped
            stop.set()
            raise
        finally:
            free.put(share)

    with ThreadPoolExecutor(len(shares)) as pool:
        futures = [pool.submit(work, task) for task in tasks]
        try:
            for future in futures:
                yield future.result()
        except CancelledError:
            raise errors[0] from None
        finally:
            stop.set()
