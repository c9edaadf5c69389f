"""A sweep in flat records: one per instance, policy and parameter point."""

import os
from typing import Any

from jaxbandits.results import open_store, summary_records


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
                os.path.basename(store).removesuffix(".zarr"),
                instance=instance,
            )
            # Policies with fewer points than others have nothing at the rest.
            if any(entry["mean"] is not None for entry in record["metrics"].values())
        ]


def best_points(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of every policy on every instance the record with the least of the first metric.

    That is the regret where it is kept. The policy's name tells the parameters that
    distinguish the point from the policy's others.
    """
    games: dict[tuple[str, str], list[dict]] = {}
    for record in records:
        games.setdefault((record["instance"], record["policy"]), []).append(record)
    return [_named(min(game, key=_first_metric), game) for game in games.values()]


def _first_metric(record: dict[str, Any]) -> float:
    metrics = record["metrics"]
    entry = metrics.get("regret", next(iter(metrics.values())))
    return float("inf") if entry["mean"] is None else entry["mean"]


def _named(best: dict[str, Any], game: list[dict[str, Any]]) -> dict[str, Any]:
    varied = {
        leaf: value
        for leaf, value in best["params"].items()
        if any(other["params"][leaf] != value for other in game)
    }
    text = ", ".join(f"{leaf} = {value:g}" for leaf, value in varied.items())
    return best | {"policy": f"{best['policy']} ({text})" if text else best["policy"]}
