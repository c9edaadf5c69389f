"""A sweep in flat records: one per environment, policy and parameter point."""

import os
from pathlib import Path

from jaxbandits.results import open_store
from jaxbandits.stats import Record, summary_records


def sweep_records(store: str | os.PathLike[str]) -> list[Record]:
    """Means and standard errors at the last checkpoint, as `summary_records` has them.

    Args:
      store: a complete sweep.
    """
    with open_store(store) as dataset:
        return [
            record
            for place in range(dataset.sizes["environment"])
            for record in summary_records(
                dataset.isel(environment=place),
                Path(store).name.removesuffix(".zarr"),
            )
            if record["metrics"]
        ]


def best_points(records: list[Record]) -> list[Record]:
    """Of every policy on every environment the record with the least regret.

    The policy's name tells the parameters that distinguish the point from the policy's
    others. Where no regret is kept all records are returned.
    """
    if not all("regret" in record["metrics"] for record in records):
        return records
    games: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        games.setdefault((record["environment"], record["policy"]), []).append(record)
    return [_named(min(game, key=_regret), game) for game in games.values()]


def _regret(record: Record) -> float:
    mean = record["metrics"]["regret"]["mean"]
    return float("inf") if mean is None else mean


def _named(best: Record, game: list[Record]) -> Record:
    varied = {
        leaf: value
        for leaf, value in best["params"].items()
        if any(other["params"][leaf] != value for other in game)
    }
    text = ", ".join(f"{leaf} = {float(x):g}" for leaf, x in varied.items())
    return best | {"policy": f"{best['policy']} ({text})" if text else best["policy"]}
