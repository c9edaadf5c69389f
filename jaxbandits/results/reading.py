"""`open_store`, for the list of public names of `jaxbandits.results`."""

from jaxbandits.store.open import open_store

__all__ = ["open_store"]
