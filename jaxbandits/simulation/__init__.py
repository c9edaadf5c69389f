"""Policies x parameter points x environments x seeds, played in memory or in a store.

`read_spec` and `run_sweep` play a sweep from a file, as `jaxbandits.simulate` does from
Python. `HalfWidth` says when there are enough seeds, `Store` has the options of a
store, `Workers` those of an executor, `join` makes a process one of several, and
`variants` makes an environment for each combination of arguments.

The list of public names is ``__init__.pyi``; a module is imported when it is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
