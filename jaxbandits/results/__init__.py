"""Labelled results, on the host and without JAX.

`build_dataset` puts names on numbers, `save` and `load` keep datasets as netCDF,
`open_store` opens the store of a sweep, `provenance` says what made results, and
`at_points` picks a parameter point per policy. Inference from results is in
`jaxbandits.stats`.

The list of public names is ``__init__.pyi``; a module is imported when it is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
