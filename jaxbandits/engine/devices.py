"""The devices that share the runs: all cores of a machine without accelerators.

JAX has one CPU device for all cores unless a variable says otherwise before it starts.
"""

import logging
import os
import sys
from functools import cache

SWITCH = "JAXBANDITS_DEVICES"
KEEP = "keep"
NUMBER = "JAX_NUM_CPU_DEVICES"  # read by JAX when it is imported
_LOG = logging.getLogger("jaxbandits")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_all_cores() -> None:
    """Have JAX make a device of every core, unless the user has decided otherwise.

    This sets ``JAX_NUM_CPU_DEVICES``, which JAX reads when it is first imported. It
    does nothing if JAX is imported already, if that variable or the flag
    ``--xla_force_host_platform_device_count`` is set, or with
    ``JAXBANDITS_DEVICES=keep``.

    Raises:
      ValueError: if ``JAXBANDITS_DEVICES`` is set to something else.
    """
    choice = os.environ.get(SWITCH, "")
    if choice not in ("", KEEP):
        raise ValueError(f"{SWITCH} must be {KEEP!r} or not set, got {choice!r}")
    if choice != KEEP and "jax" not in sys.modules and not _is_set():
        os.environ[NUMBER] = str(cores())


def local_devices() -> list:
    """The devices of this process; warns once if they leave cores idle."""
    import jax

    devices = jax.local_devices()
    alone = len(devices) == 1 and devices[0].platform == "cpu" and cores() > 1
    if alone and os.environ.get(SWITCH) != KEEP and not _is_set():
        _note(
            f"JAX started with one device for {cores()} cores: import jaxbandits "
            f"before jax, set {NUMBER}={cores()}, or set {SWITCH}={KEEP} "
            "to leave it so"
        )
    return devices


def _is_set() -> bool:
    flags = os.environ.get("XLA_FLAGS", "")
    return NUMBER in os.environ or "xla_force_host_platform_device_count" in flags


@cache
def _note(text: str) -> None:
    _LOG.warning(text)
