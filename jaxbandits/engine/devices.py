"""Which devices runs are shared out over: all cores of a machine without accelerators.

JAX sees one device per machine unless it is told otherwise before it starts.
"""

import logging
import os
import sys

SWITCH = "JAXBANDITS_DEVICES"
KEEP = "keep"
_LOG = logging.getLogger("jaxbandits")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_all_cores() -> None:
    """Have JAX take every core for a device, where nobody has said anything else.

    Does nothing if JAX is imported already, if ``JAX_NUM_CPU_DEVICES`` or the flag
    ``--xla_force_host_platform_device_count`` is set, or with
    ``JAXBANDITS_DEVICES=keep``.

    Raises:
      ValueError: if ``JAXBANDITS_DEVICES`` is set to something else.
    """
    choice = os.environ.get(SWITCH, "")
    if choice not in ("", KEEP):
        raise ValueError(f"{SWITCH} must be {KEEP!r} or not set, got {choice!r}")
    if choice == KEEP or "jax" in sys.modules or _set_by_user():
        return
    import jax

    jax.config.update("jax_num_cpu_devices", cores())


def local_devices() -> list:
    """The devices of this process; a note, once, if they leave cores idle."""
    import jax

    devices = jax.local_devices()
    alone = len(devices) == 1 and devices[0].platform == "cpu" and cores() > 1
    if alone and os.environ.get(SWITCH) != KEEP and not _set_by_user():
        _note(
            f"JAX started with one device for {cores()} cores: import jaxbandits "
            f"before jax, set JAX_NUM_CPU_DEVICES={cores()}, or set {SWITCH}={KEEP} "
            "to leave it so"
        )
    return devices


def _set_by_user() -> bool:
    flag = "xla_force_host_platform_device_count"
    return "JAX_NUM_CPU_DEVICES" in os.environ or flag in os.environ.get(
        "XLA_FLAGS", ""
    )


_noted: set[str] = set()


def _note(text: str) -> None:
    if text not in _noted:
        _noted.add(text)
        _LOG.warning(text)
