from ._variants import variants
from .drive import run_sweep
from .files import read_spec
from .processes import join
from .spec import Entry, HalfWidth, Spec
from .stored import Store
from .workers import Workers

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
