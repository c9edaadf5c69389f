"""Which devices runs are shared out over: all cores of a machine without accelerators.

JAX sees one device per machine unless it is told otherwise before it starts.
"""

import importlib.util
import logging
import os
import sys
from importlib.abc import MetaPathFinder

SWITCH = "JAXBANDITS_DEVICES"
KEEP = "keep"
_LOG = logging.getLogger("jaxbandits")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_all_cores() -> None:
    """Have JAX take every core for a device, unless the user has decided otherwise.

    JAX is told when it is imported, by whichever module: help and errors of the command
    line do not wait for it. Does nothing if JAX is imported already, if
    ``JAX_NUM_CPU_DEVICES`` or the flag ``--xla_force_host_platform_device_count`` is
    set, or with ``JAXBANDITS_DEVICES=keep``.

    Raises:
      ValueError: if ``JAXBANDITS_DEVICES`` is set to something else.
    """
    choice = os.environ.get(SWITCH, "")
    if choice not in ("", KEEP):
        raise ValueError(f"{SWITCH} must be {KEEP!r} or not set, got {choice!r}")
    if choice == KEEP or "jax" in sys.modules or _set_by_user():
        return
    sys.meta_path.insert(0, _WhenJaxIsImported())


class _WhenJaxIsImported(MetaPathFinder):
    """Sets the number of devices as soon as the module ``jax`` has been executed."""

    def find_spec(self, name, path=None, target=None):
        if name != "jax":
            return None
        sys.meta_path.remove(self)  # The finders behind it know where JAX is.
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                if not _set_by_user():
                    module.config.update("jax_num_cpu_devices", cores())

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


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
