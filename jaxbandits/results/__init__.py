"""Labelled results, on the host and without JAX.

`build_dataset` puts names on the numbers of a simulation; `save` and `load` keep them
as netCDF, `open_store` opens the store of a sweep; `provenance` says what made
them; `at_points` picks a parameter point per policy. What follows from them is in
`jaxbandits.stats`.

What is public stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
