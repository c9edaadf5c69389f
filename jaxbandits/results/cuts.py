"""Runs that a largest number of rounds cut off, before their budget was spent."""

import warnings

import xarray as xr


class CutOffWarning(UserWarning):
    """Runs were cut off by `max_rounds`, before their budget was spent."""


def with_cuts(dataset: xr.Dataset, max_rounds: int) -> xr.Dataset:
    """The dataset with a variable ``cut``: which runs were over for their rounds."""
    return dataset.assign(cut=dataset["rounds"] >= max_rounds)


def warn_of_cuts(dataset: xr.Dataset, max_rounds: int, stacklevel: int) -> None:
    """Say which shares of a policy's runs were cut off, if any were.

    Args:
      dataset: with ``rounds``, of dims ``policy, params, seed, checkpoint`` and perhaps
        ``environment``; only the last checkpoint is read.
      max_rounds: the round after which a run is cut off.
      stacklevel: as of `warnings.warn`.
    """
    cut = dataset["rounds"].isel(checkpoint=-1) >= max_rounds
    if not bool(cut.any()):
        return
    shares = cut.mean(("params", "seed")).to_series()
    warnings.warn(
        f"max_rounds = {max_rounds} cut runs off, whose budget may not be spent: "
        + ", ".join(
            f"{100 * x:.3g} % of {_shown(name)}" for name, x in shares.items() if x
        )
        + "; the variable cut, or rounds >= max_rounds, says which",
        CutOffWarning,
        stacklevel=stacklevel + 1,
    )


def _shown(name: str | tuple[str, str]) -> str:
    if isinstance(name, str):
        return repr(name)
    environment, policy = name
    return f"{policy!r} on {environment!r}"
