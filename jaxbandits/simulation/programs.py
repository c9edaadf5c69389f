"""Compiled programs that processes of a store share: compiled by one, read by all."""

import hashlib
import shutil
from collections.abc import Callable
from typing import Any

import jax

from jaxbandits.simulation.site import site_of
from jaxbandits.store.place import Folder, Place

_FOLDER = "work/programs"


def forget_programs(place: Place) -> None:
    """Remove the programs of a store that is complete."""
    if isinstance(place, Folder):
        shutil.rmtree(place.path / _FOLDER, ignore_errors=True)


def share_programs(place: Place) -> None:
    """Have JAX keep programs in a store's folder, with those of machines like this one.

    Nothing happens where it keeps them somewhere already, or the store is no folder.
    """
    if not isinstance(place, Folder) or jax.config.jax_compilation_cache_dir:
        return
    here = site_of(jax.local_devices())
    kind = hashlib.sha256(repr(here._replace(devices=here.devices[:1])).encode())
    folder = place.path / _FOLDER / kind.hexdigest()[:16]
    update: Callable[[str, Any], None] = jax.config.update
    update("jax_compilation_cache_dir", str(folder))
    update("jax_persistent_cache_min_compile_time_secs", 0.0)
    update("jax_persistent_cache_min_entry_size_bytes", -1)
