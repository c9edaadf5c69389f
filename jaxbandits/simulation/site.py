"""Where blocks are played: what kind of devices, in which machine, for which job."""

import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

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
