"""Sweeps: policies x parameter points x environments x seeds, in a store that survives.

`sweep` plays one from Python, `read_spec` and `run_sweep` one from a file, `HalfWidth`
says when there are enough seeds, `Store` where results are kept, `Workers` who plays,
`join` makes a process one of several, `variants` one environment for each combination
of arguments.
"""

from jaxbandits.sweeps._sweep import sweep
from jaxbandits.sweeps._variants import variants
from jaxbandits.sweeps.drive import run_sweep
from jaxbandits.sweeps.files import read_spec
from jaxbandits.sweeps.hosts import join
from jaxbandits.sweeps.spec import Entry, Spec
from jaxbandits.sweeps.spread import Workers
from jaxbandits.sweeps.stores import Store
from jaxbandits.sweeps.until import HalfWidth

__all__ = [
    "Entry",
    "HalfWidth",
    "Spec",
    "Store",
    "Workers",
    "join",
    "read_spec",
    "run_sweep",
    "sweep",
    "variants",
]
