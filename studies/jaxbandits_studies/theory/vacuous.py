"""Bounds that say nothing."""

import warnings

import numpy as np

from jaxbandits.checks import Numbers


class VacuousBound(RuntimeWarning):
    """A bound exceeds what no policy can exceed, at every horizon asked for."""


def checked(bound: np.ndarray, trivial: Numbers, name: str = "the bound") -> np.ndarray:
    """The bound; warns the caller of the caller if it is vacuous throughout."""
    if np.size(bound) and np.all(bound > trivial):
        warnings.warn(
            f"{name} says nothing here: no policy can do worse at any horizon asked "
            "for",
            VacuousBound,
            stacklevel=4,
        )
    return bound
