from ._variants import variants
from .drive import run_sweep
from .files import read_spec
from .hosts import join
from .spec import Entry, Spec
from .spread import Workers
from .stores import Store
from .until import HalfWidth

__all__ = [
    "Entry",
    "HalfWidth",
    "Spec",
    "Store",
    "Workers",
    "join",
    "read_spec",
    "run_sweep",
    "variants",
]
