"""What runs are played on: devices, memory, progress, and in which machine they are."""

import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path
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


# As batch systems number their jobs: SLURM, PBS, LSF, Grid Engine, Flux.
_JOBS = "SLURM_JOB_ID PBS_JOBID LSB_JOBID JOB_ID FLUX_JOB_ID".split()
_TASKS = "SLURM_ARRAY_TASK_ID PBS_ARRAY_INDEX LSB_JOBINDEX SGE_TASK_ID".split()
_BITS = {"avx512f": 512, "avx2": 256, "avx": 256, "sse2": 128, "asimd": 128}


class Site(NamedTuple):
    """A place where blocks are played.

    Attributes:
      backend: platform of the devices, ``cpu``, ``gpu`` ...
      devices: their kinds, one by one.
      processor: model of the processor.
      vector_bits: width of its vectors, on which the last bits of numbers may depend
        on a CPU; 0 if unknown.
      xla_flags: the environment's.
    """

    backend: str
    devices: list[str]
    processor: str
    vector_bits: int
    xla_flags: str


def site_of(devices: list[Any]) -> Site:
    """This process, on some of its JAX devices."""
    about = _cpuinfo()
    flags = about.get("flags", about.get("Features", "")).split()
    return Site(
        devices[0].platform,
        [str(device.device_kind) for device in devices],
        about.get("model name") or platform.processor() or platform.machine(),
        next((bits for name, bits in _BITS.items() if name in flags), 0),
        os.environ.get("XLA_FLAGS", ""),
    )


def job() -> dict[str, Any]:
    """The host, this process, and the numbers that a batch system has given it."""
    result: dict[str, Any] = {"host": socket.gethostname(), "pid": os.getpid()}
    for key, names in (("job", _JOBS), ("task", _TASKS)):
        given = [os.environ[name] for name in names if os.environ.get(name)]
        result |= {key: given[0]} if given else {}
    return result


def kind_of(site: Mapping[str, Any]) -> str:
    """What numbers depend on, to the last bit, of a site as a store has it."""
    if site["backend"] != "cpu":
        return ", ".join(sorted(set(site["devices"])))
    return f"vectors of {site['vector_bits'] or '?'} bits"


def _cpuinfo() -> dict[str, str]:
    """What Linux says of the first processor."""
    try:
        text = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}
