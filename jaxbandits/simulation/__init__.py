"""Playing policies x parameter points x environments x seeds, in memory or a store.

`jaxbandits.simulate` plays one from Python, `read_spec` and `run_sweep` one from a
file, `HalfWidth` says when there are enough seeds, `Store` where results are kept,
`Workers` who plays, `join` makes a process one of several, `variants` one environment
for each combination of arguments.

What is public stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
