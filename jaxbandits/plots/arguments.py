"""Arguments of environments as further parameters of the points that figures show.

A sweep over `variants` has a coordinate ``environment_num_arms`` of its environments.
A figure over ``num_arms`` needs no more than points that have it for a parameter: those
of all environments in a row.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.plots.labels import value_labels
from jaxbandits.plots.points import (
    argument_of,
    arguments,
    cells,
    check_at,
    check_parameter,
    parameters,
    the_policy,
)
from jaxbandits.plots.words import literal
from jaxbandits.results.dataset import DIMS
from jaxbandits.results.lookup import check_dataset
from jaxbandits.results.names import COUNT, FACT, INSTANCE, PARAMETER
from jaxbandits.stats.lookup import one_environment


def along(
    dataset: xr.Dataset, axes: Mapping[str, str | None], at: Mapping[str, Any]
) -> tuple[xr.Dataset, dict[str, Any]]:
    """A dataset of one environment, whose parameters have all axes among them.

    If an axis shows an argument, the points of all environments with that argument are
    concatenated. Otherwise the dataset has the points of the one environment.

    Args:
      dataset: dataset of one or several environments.
      axes: plot's argument -> the parameter or argument of environments on this axis,
        or None for an unused axis.
      at: parameter or argument -> value that selects points and environments.

    Returns:
      The dataset, and the part of `at` about parameters.
    """
    check_dataset(dataset)
    for axis, name in axes.items():
        if name is not None:
            check_parameter(dataset, name, axis)
    rest = {}
    for name, value in at.items():
        column = argument_of(dataset, name)
        if column is None or not isinstance(value, str):
            checks.number(f"at[{name!r}]", value)
        if column is None:
            rest[name] = value
            continue
        same = [_equal(each, value) for each in column]
        if not any(same):
            raise ValueError(
                f"at: {name} has no value {value!r}; it has {_listed(column)}"
            )
        dataset = dataset.isel(environment=np.flatnonzero(same))
    for axis, name in axes.items():
        column = argument_of(dataset, name) if name else None
        if column is None:
            continue
        if column.dtype.kind not in "biuf":
            raise ValueError(
                f"{axis}: {name!r} must have numbers, it has {_listed(column)}; select "
                "one by `at`, or see plot_panels"
            )
        dataset = dataset.isel(environment=~np.isnan(column))
    columns = {
        name: column
        for name in filter(None, axes.values())
        if (column := argument_of(dataset, name)) is not None
    }
    if arguments(dataset) and _alike(dataset, columns):
        asked = {name.removeprefix(FACT) for name in columns}
        others = {
            name: column.tolist()
            for name, column in arguments(dataset).items()
            if name.removeprefix(FACT) not in asked and len(set(column.tolist())) > 1
        }
        if others:
            words = ", ".join(f"{n} ({_listed(each)})" for n, each in others.items())
            example = {name: values[0] for name, values in others.items()}
            raise ValueError(
                f"at: environments differ in {words}, which no axis shows; select "
                f"values, as in at={example}"
            )
        return one_environment(dataset), rest  # which says what to do
    if not columns:
        return one_environment(dataset), rest
    return _in_a_row(dataset, columns), rest


def _alike(dataset: xr.Dataset, columns: Mapping[str, np.ndarray]) -> bool:
    """Whether some environments are equal in these columns."""
    rows = {tuple(row) for row in zip(*columns.values(), strict=True)} or {()}
    return len(rows) < dataset.sizes["environment"]


def by_value(
    dataset: xr.Dataset,
    name: str,
    *,
    policy: str | None = None,
    at: Mapping[str, float | str] | None = None,
) -> xr.Dataset:
    """The points of a policy as if they were policies, for curves or bars of them. ::

        plots.plot_curves(plots.by_value(data, "num_arms", policy="TS"))

    Args:
      dataset: as `jaxbandits.simulate` makes it, of one environment, or of `variants`.
      name: of a parameter, or of an argument in which environments differ
        (``num_arms``, which the dataset has as ``environment_num_arms``).
      policy: its name; may be left out if one policy alone has the parameter.
      at: parameter or argument -> value that selects the points and environments,
        where others vary too.

    Returns:
      Dataset of one environment, whose policies are called ``num_arms = 3`` and so on,
      the smallest value first, with one parameter point each.

    Raises:
      TypeError, ValueError: naming the argument that is unknown or out of range; `at`
        if points or environments differ in something else too.
    """
    given = at or {}
    checks.mapping("at", given)
    dataset, points = along(dataset, {"name": name}, given)
    policy = the_policy(dataset, policy, {"name": name})
    check_at(dataset, [policy], points)
    result = cells(dataset, policy, (name,), points)
    if not result:
        raise ValueError(f"at: no point of {policy!r} has all of {dict(given)}")
    values = sorted(value for (value,) in result)
    chosen = dataset.sel(policy=policy).isel(
        params=[result[value,] for value in values]
    )
    chosen = chosen.drop_vars(set(chosen.coords) - {*DIMS[1:], COUNT, INSTANCE})
    names = [f"{name} = {text}" for text in value_labels(values)]
    return (
        chosen.rename(params="policy")
        .assign_coords(policy=names)
        .expand_dims("params", axis=1)
        .assign_coords(params=[0])
    )


def shown_value(value: Any) -> str:
    """A value of a parameter or argument, for a figure."""
    return literal(value) if isinstance(value, str) else value_labels([value])[0]


def _in_a_row(dataset: xr.Dataset, columns: Mapping[str, np.ndarray]) -> xr.Dataset:
    """Points of all environments, concatenated, with arguments as parameters."""
    parts = []
    for place in range(dataset.sizes["environment"]):
        part = dataset.isel(environment=place)
        dropped = [name for name in part.coords if str(name).startswith("environment")]
        part = part.drop_vars(dropped)
        real = _real(part)
        own = {
            PARAMETER + name: (DIMS[:2], np.where(real, values[place], np.nan))
            for name, values in columns.items()
        }
        parts.append(part.assign_coords(own))
    options: dict[str, Any] = {"data_vars": "minimal", "coords": "minimal"}
    joined = xr.concat(parts, "params", compat="override", join="exact", **options)
    return joined.assign_coords(params=np.arange(joined.sizes["params"]))


def _real(dataset: xr.Dataset) -> np.ndarray:
    """Whether a policy has a point, bool[policy, params]; policies may have fewer."""
    shape = dataset.sizes["policy"], dataset.sizes["params"]
    has = np.zeros(shape, bool)
    for name in parameters(dataset):
        has |= dataset[PARAMETER + name].transpose(*DIMS[:2]).notnull().values
    has[~has.any(1), 0] = True
    return has


def _equal(value: Any, wanted: Any) -> bool:
    if isinstance(value, str) or isinstance(wanted, str):
        return bool(value == wanted)
    return bool(np.isclose(value, wanted, rtol=1e-9, atol=0))


def _listed(values: Iterable[Any]) -> str:
    """Distinct values in words."""
    column = np.unique(np.asarray(values))
    if column.dtype.kind in "biuf":
        return ", ".join(value_labels(column))
    return ", ".join(map(repr, column.tolist()))
