from ._build_dataset import build_dataset
from ._provenance import provenance
from ._resample import as_share, resample
from .lookup import at_points
from .netcdf import load, save
from .reading import open_store

__all__ = [
    "as_share",
    "at_points",
    "build_dataset",
    "load",
    "open_store",
    "provenance",
    "resample",
    "save",
]
