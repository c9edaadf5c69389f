"""Records of a sweep: one per environment, policy and parameter point."""

import os
from pathlib import Path

from jaxbandits.results import open_store
from jaxbandits.stats import Record, summary_records


def sweep_records(
    store: str | os.PathLike[str], seeds: int | None = None
) -> list[Record]:
    """Means and standard errors at the last checkpoint, as `summary_records` has them.

    Args:
      store: path of the store. Means of points that lack blocks are None.
      seeds: how many of the first seeds count; all by default. An earlier call may have
        asked for more, which are not played yet.
    """
    with open_store(store) as dataset:
        if "seed" in dataset.dims:
            dataset = dataset.isel(seed=slice(seeds))
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
    """The record with the least regret of every policy in every environment.

    The name of the policy gets the parameters in which the point differs from others.
    Points whose mean is None do not count. Without regrets all records are returned.
    """
    if not all("regret" in record["metrics"] for record in records):
        return records
    games: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        games.setdefault((record["environment"], record["policy"]), []).append(record)
    best = []
    for game in games.values():
        known = [each for each in game if each["metrics"]["regret"]["mean"] is not None]
        if known:
            best.append(_named(min(known, key=_regret), game))
    return best


def _regret(record: Record) -> float:
    mean: float = record["metrics"]["regret"]["mean"]  # type: ignore[assignment]
    return mean


def _named(best: Record, game: list[Record]) -> Record:
    varied = {
        leaf: value
        for leaf, value in best["params"].items()
        if any(other["params"][leaf] != value for other in game)
    }
    text = ", ".join(f"{leaf} = {float(x):g}" for leaf, x in varied.items())
    return best | {"policy": f"{best['policy']} ({text})" if text else best["policy"]}
