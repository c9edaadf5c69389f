"""Statistics of points with different numbers of seeds, each over its own seeds.

If points stop one by one (`HalfWidth` with `each`), a point has the first seeds of the
axis, as many as the coordinate ``seeds`` says. Only the other seeds are left out: a
missing run among a point's own seeds makes its statistic NaN.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import xarray as xr

from jaxbandits.results.names import COUNT
from jaxbandits.stats.lookup import is_ragged
from jaxbandits.stats.replications import replications
from jaxbandits.stats.soundness import warn_of_coverage

_CELL = "cell"


def per_point(
    values: xr.DataArray, statistic: Callable[[xr.DataArray], Sequence[xr.DataArray]]
) -> Sequence[xr.DataArray]:
    """Statistics over ``seed``; of each point by itself if their numbers differ.

    Args:
      values: ``[..., seed, ...]``, with the coordinate ``seeds`` if points have
        different numbers.
      statistic: of values with the same seeds at all points; its arrays have the
        dimensions but ``seed``, and perhaps further ones before them.
    """
    if not is_ragged(values):
        return statistic(values)
    cells = _cells(values)
    sizes = [values.sizes[dim] for dim in cells]
    rest = {x: c for x, c in values.coords.items() if "seed" not in c.dims}
    rows, parts = zip(*_parts(values), strict=True)
    order = np.argsort(np.concatenate(rows))
    results = []
    for made in zip(*map(statistic, parts), strict=True):
        first, *_ = made = [each.transpose(_CELL, ...) for each in made]
        flat = np.concatenate([each.values for each in made])[order]
        dims = (*cells, *first.dims[1:])
        whole = xr.DataArray(flat.reshape(*sizes, *flat.shape[1:]), dims=dims)
        own = {x: c for x, c in first.coords.items() if _CELL not in c.dims}
        new = [dim for dim in dims if dim not in values.dims]
        old = [dim for dim in values.dims if dim in dims]
        results.append(whole.transpose(*new, *old).assign_coords({**rest, **own}))
    return results


def warn_per_point(values: xr.DataArray, what: str) -> None:
    """`warn_of_coverage`, once, of those points with the fewest seeds that need it."""
    parts = (part for _, part in _parts(values)) if is_ragged(values) else [values]
    for part in parts:
        if warn_of_coverage(replications(part), what):
            return


def _cells(values: xr.DataArray) -> list[str]:
    """The dimensions of points."""
    return [str(dim) for dim in values.dims if dim in values[COUNT].dims]


def _parts(values: xr.DataArray) -> Iterator[tuple[np.ndarray, xr.DataArray]]:
    """Points with equally many seeds: their numbers, and ``[cell, seed, ...]``.

    Fewest seeds come first. They include points that a policy does not have, which are
    NaN everywhere.
    """
    cells, total = _cells(values), values.sizes["seed"]
    ordered = values.transpose(*cells, "seed", ...)
    # None is what a join leaves where a policy has fewer points than another.
    counted = values[COUNT].transpose(*cells).fillna(0).astype(int)
    counts = np.minimum(counted.values.reshape(-1), total)
    rest = ordered.dims[len(cells) + 1 :]
    flat = ordered.values.reshape(len(counts), total, *ordered.shape[len(cells) + 1 :])
    beyond = np.arange(total) >= counts[:, None]
    if not np.isnan(flat[beyond]).all():
        raise ValueError(
            "dataset: has runs beyond the seeds that the coordinate seeds counts; the "
            "seed axis must begin with the first seed and keep its order, as in "
            "dataset.isel(seed=slice(100))"
        )
    own = {x: c for x, c in values.coords.items() if c.dims == ("seed",)}
    whole = xr.DataArray(flat, dims=(_CELL, "seed", *rest), coords=own)
    counts = np.maximum(counts, counts[counts > 0].min(initial=total))
    for count in np.unique(counts):
        rows = np.flatnonzero(counts == count)
        yield rows, whole.isel({_CELL: rows, "seed": slice(int(count))})
