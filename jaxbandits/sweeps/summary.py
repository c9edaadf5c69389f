"""A sweep in flat records: one per instance, policy and parameter point."""

import os
from pathlib import Path
from typing import Any

from jaxbandits.results import open_store
from jaxbandits.stats import summary_records


def sweep_records(store: str | os.PathLike) -> list[dict[str, Any]]:
    """Means and standard errors at the last checkpoint, as `summary_records` has them.

    Args:
      store: a complete sweep.
    """
    with open_store(store) as dataset:
        return [
            record
            for instance in dataset["instance"].values.tolist()
            for record in summary_records(
                dataset.sel(instance=instance, drop=True),
                Path(store).name.removesuffix(".zarr"),
                instance=instance,
            )
            # Policies with fewer points than others have nothing at the rest.
            if any(entry["mean"] is not None for entry in record["metrics"].values())
        ]


def best_points(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of every policy on every instance the record with the least regret.

    The policy's name tells the parameters that distinguish the point from the policy's
    others. Where no regret is kept all records are returned.
    """
    if not all("regret" in record["metrics"] for record in records):
        return records
    games: dict[tuple[str, str], list[dict]] = {}
    for record in records:
        games.setdefault((record["instance"], record["policy"]), []).append(record)
    return [_named(min(game, key=_regret), game) for game in games.values()]


def _regret(record: dict[str, Any]) -> float:
    mean = record["metrics"]["regret"]["mean"]
    return float("inf") if mean is None else mean


def _named(best: dict[str, Any], game: list[dict[str, Any]]) -> dict[str, Any]:
    varied = {
        leaf: value
        for leaf, value in best["params"].items()
        if any(other["params"][leaf] != value for other in game)
    }
    text = ", ".join(f"{leaf} = {float(x):g}" for leaf, x in varied.items())
    return best | {"policy": f"{best['policy']} ({text})" if text else best["policy"]}
