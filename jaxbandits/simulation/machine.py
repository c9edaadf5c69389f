"""What runs are played on, and how that is watched: nothing that changes a number."""

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits import checks
from jaxbandits.engine.choice import ENGINES
from jaxbandits.engine.devices import local_devices


class Machine(NamedTuple):
    """What runs are played on, and how.

    Numbers do not depend on it, bit by bit, but for `engine`: engines agree up to
    rounding.

    Attributes:
      devices: JAX devices to share runs over; None for all local ones.
      memory: cap on the bytes of what is played at a time.
      chunk: runs (seeds times parameter points) that are played at a time; None to fit
        cache and memory.
      progress: whether to say on stderr what is compiled and played. None for what
        takes longer than two seconds, unless ``JAXBANDITS_PROGRESS=off`` is set: a bar
        where stderr is a terminal, else a few lines.
      engine: ``scan``; ``vmap``, the same by ``jax.vmap``, slower, which depends on
        little of JAX; or ``fused``: many rounds in one GPU kernel, a thread to a run
        (docs/engine.md). ``auto`` is ``scan`` until both have been timed on a GPU; it
        prints which it is and why (unless `progress` is False).
    """

    devices: Any = None
    memory: int = 1 << 30
    chunk: int | None = None
    progress: bool | None = None
    engine: str = "scan"


HERE = Machine()  # all local devices


def machine_of(machine: Machine) -> Machine:
    """A machine that can be played on, its devices a list.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    checks.instance("machine", machine, Machine, "of jaxbandits")
    checks.whole("machine: memory", machine.memory, 1)
    if machine.chunk is not None:
        checks.whole("machine: chunk", machine.chunk, 1)
    if machine.progress is not None:
        checks.flag("machine: progress", machine.progress)
    checks.one_of("engine", machine.engine, ENGINES)
    return machine._replace(devices=_devices(machine.devices))


def _devices(devices: Any) -> list[Any]:
    """Devices to play on: all local ones by default."""
    if devices is None:
        return local_devices()
    wanted = "devices must be a list of JAX devices, such as jax.local_devices()[:1]"
    if not isinstance(devices, list | tuple | np.ndarray) or len(devices) == 0:
        raise TypeError(f"{wanted}, got {checks.shown(devices)}")
    for device in devices:
        if not isinstance(device, jax.Device):
            raise TypeError(f"{wanted}; got {checks.shown(device)} in it")
    if len(set(devices)) < len(devices) or len({d.platform for d in devices}) > 1:
        raise ValueError(
            "devices must be different ones of one platform, got "
            f"{[str(d) for d in devices]}"
        )
    return list(devices)
