"""Runs that the horizon cut off before their budget was spent."""

import xarray as xr

from jaxbandits.console.faults import warn


class CutOffWarning(UserWarning):
    """Runs were cut off by the horizon, before their budget was spent."""


def warn_of_cuts(
    dataset: xr.Dataset, budget: float | None, horizon: int | None
) -> None:
    """Warn of policies whose runs were cut off, with the shares of these runs.

    Args:
      dataset: with ``rounds``, of which the last checkpoint is read.
      budget: of the game, or None.
      horizon: the round after which a run is cut off, or None.
    """
    if budget is None or horizon is None:
        return
    rounds = dataset["rounds"].isel(checkpoint=-1)
    if kept := "moment" in rounds.dims:
        # Moments say how long the longest run of a block is.
        rounds = rounds.sel(moment="max", drop=True).rename(part="seed")
    # Points that a policy lacks have no rounds.
    share = (rounds >= horizon).where(rounds > 0).mean(("params", "seed"))
    if not bool((share > 0).any()):
        return
    if "environment" in share.dims and share.sizes["environment"] == 1:
        share = share.isel(environment=0, drop=True)
    if "environment" not in share.dims:
        share = share.reset_coords(drop=True)
    warn(
        f"horizon = {horizon} cut runs off, whose budget may not be spent: "
        + ", ".join(
            f"runs of {_shown(name)}" if kept else f"{100 * x:.3g} % of {_shown(name)}"
            for name, x in share.to_series().items()
            if x > 0
        )
        + ("" if kept else "; the variable cut, or rounds >= horizon, says which"),
        CutOffWarning,
    )


def _shown(name: str | tuple[str, str]) -> str:
    if isinstance(name, str):
        return repr(name)
    environment, policy = name
    return f"{policy!r} on {environment!r}"
