from ._build_dataset import build_dataset
from ._provenance import provenance
from .lookup import at_points
from .netcdf import load, save
from .reading import open_store

__all__ = [
    "at_points",
    "build_dataset",
    "load",
    "open_store",
    "provenance",
    "save",
]
