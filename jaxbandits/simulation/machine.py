"""The machine on which runs are played: its devices, its limits, its description."""

import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
import numpy as np

from jaxbandits import checks
from jaxbandits.engine.choice import ENGINES
from jaxbandits.engine.devices import local_devices


class Machine(NamedTuple):
    """The machine on which runs are played.

    No bit of the results depends on it, except for `engine`: the numbers of two engines
    agree up to rounding.

    Attributes:
      devices: JAX devices to play on; None for all local devices.
      memory: the most bytes of the runs that are played at a time.
      chunk: runs (seeds times parameter points) that are played at a time; None for as
        many as fit into cache and memory.
      progress: whether to report on stderr: a bar on a terminal, else a few lines. None
        reports what takes longer than two seconds, unless ``JAXBANDITS_PROGRESS=off``
        is set.
      engine: ``scan``; ``vmap``, a slower engine that uses ``jax.vmap`` and depends on
        little of JAX; or ``fused``, which plays many rounds in one GPU kernel with a
        thread per run (docs/engine.md). ``auto`` chooses for each policy, at present
        ``scan``, and prints its choice and the reason (unless `progress` is False).
    """

    devices: Any = None
    memory: Annotated[int, checks.at_least_one] = 1 << 30
    chunk: Annotated[int | None, checks.at_least_one] = None
    progress: bool | None = None
    engine: str = "scan"


HERE = Machine()


def machine_of(machine: Machine) -> Machine:
    """The machine, checked, with a list of devices.

    Raises:
      TypeError, ValueError: naming the attribute that is wrong.
    """
    checks.instance("machine", machine, Machine, "of jaxbandits")
    checks.check_fields("machine", machine)
    checks.one_of("engine", machine.engine, ENGINES)
    # As Python's integers, which do not overflow.
    chunk = None if machine.chunk is None else int(machine.chunk)
    devices = _devices(machine.devices)
    return machine._replace(devices=devices, memory=int(machine.memory), chunk=chunk)


def _devices(devices: Any) -> list[Any]:
    """Devices to play on, by default all local devices."""
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


# Variables in which SLURM, PBS, LSF, Grid Engine and Flux number their jobs.
_JOBS = "SLURM_JOB_ID PBS_JOBID LSB_JOBID JOB_ID FLUX_JOB_ID".split()
_TASKS = "SLURM_ARRAY_TASK_ID PBS_ARRAY_INDEX LSB_JOBINDEX SGE_TASK_ID".split()
_BITS = {"avx512f": 512, "avx2": 256, "avx": 256, "sse2": 128, "asimd": 128}


def site_of(devices: list[Any]) -> dict[str, Any]:
    """What numbers may depend on in this process, as JSON can hold it.

    On a CPU their last bits may depend on the ``vector_bits``, the width of the vectors
    of the processor; 0 if it is unknown.
    """
    about = _cpuinfo()
    flags = about.get("flags", about.get("Features", "")).split()
    return {
        "backend": devices[0].platform,
        "devices": [str(device.device_kind) for device in devices],
        "processor": about.get("model name")
        or platform.processor()
        or platform.machine(),
        "vector_bits": next((bits for x, bits in _BITS.items() if x in flags), 0),
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
    }


def job() -> dict[str, Any]:
    """The host, this process, and the numbers that a batch system gave the process."""
    result: dict[str, Any] = {"host": socket.gethostname(), "pid": os.getpid()}
    for key, names in (("job", _JOBS), ("task", _TASKS)):
        given = [os.environ[name] for name in names if os.environ.get(name)]
        result |= {key: given[0]} if given else {}
    return result


def kind_of(site: Mapping[str, Any]) -> str:
    """The part of a site on which the last bits of numbers depend."""
    if site["backend"] != "cpu":
        return ", ".join(sorted(set(site["devices"])))
    return f"vectors of {site['vector_bits'] or '?'} bits"


def _cpuinfo() -> dict[str, str]:
    """The facts that Linux has about the first processor."""
    try:
        text = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}
