"""Small sweeps with known numbers, whole and half finished."""

import numpy as np
import xarray as xr

from jaxbandits.results import build_dataset

ALPHAS = (0.1, 0.2, 0.1 + 0.2)
RADII = (0.0, 1.0)
GRID = [{"alpha": alpha, "radius": radius} for alpha in ALPHAS for radius in RADII]


def sweep(grids=None, num_seeds: int = 6, offset: float = 0.0) -> xr.Dataset:
    """Policies with parameter points of their own; by default "ucb" on `GRID`.

    A policy with fewer points than another has NaN at the rest. The mean of policy i
    at point p is about 10 + p + 5 i at the first checkpoint, and ten times as much at
    the second; seeds share noise.
    """
    grids = {"ucb": GRID} if grids is None else grids
    points = max(map(len, grids.values()))
    rng = np.random.default_rng(3)
    noise = rng.normal(size=num_seeds)
    metrics, params = {}, {}
    for place, (name, grid) in enumerate(grids.items()):
        values = np.full((points, num_seeds, 2), np.nan)
        for point in range(len(grid)):
            level = 10 + point + 5 * place + offset + noise
            own = 0.1 * rng.normal(size=num_seeds)
            values[point] = (level + own)[:, None] * [1, 10]
        metrics[name] = {"regret": values}
        params[name] = [*grid, *({} for _ in range(points - len(grid)))]
    return build_dataset(
        metrics,
        {name: np.broadcast_to([100, 2000], (points, num_seeds, 2)) for name in grids},
        checkpoints=[100, 2000],
        checkpoint_kind="round",
        seeds=np.arange(num_seeds),
        params=params,
        compile_seconds=dict.fromkeys(grids, 1.0),
        run_seconds=dict.fromkeys(grids, 1.0),
        environment="two arms",
        setting="censored",
        provenance={},
    )


def several(names=("easy", "hard"), **options) -> xr.Dataset:
    """`sweep` on several environments."""
    made = [sweep(offset=10.0 * i, **options) for i in range(len(names))]
    new = xr.DataArray(list(names), dims="environment", name="environment")
    return xr.concat(
        made, new, data_vars="all", coords="minimal", compat="override", join="exact"
    )


def unplayed(dataset: xr.Dataset, **where) -> xr.Dataset:
    """A copy whose runs at the places `where` (as for isel) are not played yet."""
    dataset = dataset.copy(deep=True)
    dataset["regret"][where] = np.nan
    return dataset
