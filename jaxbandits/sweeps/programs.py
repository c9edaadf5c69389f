"""Compiled programs that the workers of a store share: compiled by one, read by all."""

import hashlib
from pathlib import Path

import jax

from jaxbandits.sweeps.journal import WORK
from jaxbandits.sweeps.site import site_of


def programs_of(path: Path) -> str | None:
    """The folder of compiled programs in a store; None where the user has one."""
    if jax.config.jax_compilation_cache_dir:
        return None
    return str(path / WORK / "programs")


def share_programs(folder: str) -> None:
    """Have JAX keep programs there, with those of machines like this one.

    Nothing happens where it keeps them somewhere already.
    """
    if jax.config.jax_compilation_cache_dir:
        return
    here = site_of(jax.local_devices())
    kind = hashlib.sha256(repr(here._replace(devices=here.devices[:1])).encode())
    jax.config.update("jax_compilation_cache_dir", f"{folder}/{kind.hexdigest()[:16]}")
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
