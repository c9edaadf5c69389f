"""A sweep's store as a dataset; see `jaxbandits.store.open`."""

from jaxbandits.store.open import open_store

__all__ = ["open_store"]
