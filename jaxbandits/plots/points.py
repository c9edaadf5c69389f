"""Parameter points by the values of their parameters.

A sweep over `variants` has a coordinate ``environment_num_arms`` of its environments. A
figure over ``num_arms`` needs no more than points that have it for a parameter: those
of all environments in a row.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.plots.labels import value_labels
from jaxbandits.plots.words import literal
from jaxbandits.results.dataset import DIMS
from jaxbandits.results.lookup import check_dataset, check_policies
from jaxbandits.results.names import COUNT, FACT, INSTANCE, PARAMETER
from jaxbandits.stats.lookup import one_environment


def parameters(dataset: xr.Dataset) -> list[str]:
    """Names of the parameters that some policy has."""
    return [
        str(name).removeprefix(PARAMETER)
        for name in dataset.coords
        if str(name).startswith(PARAMETER)
    ]


def arguments(dataset: xr.Dataset) -> dict[str, np.ndarray]:
    """The arguments in which environments differ: name -> ``[E]``, f64 or text.

    An argument has the name of its coordinate, ``environment_num_arms``, or the short
    name ``num_arms`` if no parameter has it. Without a dimension ``environment`` there
    are none.
    """
    results = {
        str(name).removeprefix(FACT): values.values
        for name, values in dataset.coords.items()
        if str(name).startswith(FACT) and values.dims == ("environment",)
    }
    taken = parameters(dataset)
    return {FACT + name if name in taken else name: x for name, x in results.items()}


def argument_of(dataset: xr.Dataset, name: str | None) -> np.ndarray | None:
    """The argument of a name, long or short, or None."""
    known = arguments(dataset)
    if not isinstance(name, str) or name in parameters(dataset):
        return None
    return known.get(name, known.get(name.removeprefix(FACT)))


def check_parameter(dataset: xr.Dataset, name: str, argument: str) -> None:
    """Raise a ValueError naming `argument` if nothing has a parameter of the name.

    Neither a policy, nor as an argument one of several environments.
    """
    known, further = parameters(dataset), arguments(dataset)
    if name not in known and argument_of(dataset, name) is None:
        of_environments = f"; of environments {', '.join(further)}" if further else ""
        raise ValueError(
            f"{argument}: the parameter {name!r} is unknown; "
            f"known are {', '.join(known) or 'none'}{of_environments}"
        )


def check_labels(dataset: xr.Dataset, labels: Iterable[str]) -> None:
    """Raise a ValueError if a label is of no policy, parameter or argument."""
    check_dataset(dataset)
    known = [*dataset["policy"].values.tolist(), *parameters(dataset)]
    for name in labels:
        if name not in known and argument_of(dataset, name) is None:
            listed = ", ".join([*known, *arguments(dataset)])
            raise ValueError(f"labels: {name!r} is unknown; known are {listed}")


def coordinates(dataset: xr.Dataset, policy: str) -> dict[str, np.ndarray]:
    """Parameter -> float64[P], the values at every point of a policy.

    Only parameters of the policy are included; values are NaN at points it lacks.
    """
    values = {
        name: dataset[PARAMETER + name].sel(policy=policy).values
        for name in parameters(dataset)
    }
    return {name: each for name, each in values.items() if not np.isnan(each).all()}


def the_policy(
    dataset: xr.Dataset,
    policy: str | None,
    needed: Mapping[str, str],
    argument: str = "policy",
) -> str:
    """The selected policy, or the only one, with the needed parameters.

    They are given by the names of the plot's arguments, for errors, as `argument` is.
    """
    names, wanted = dataset["policy"].values.tolist(), set(needed.values())
    if policy is None:
        able = [name for name in names if wanted <= coordinates(dataset, name).keys()]
        if len(able) != 1:
            results, both = ", ".join(able) or "none", "both " * (len(needed) > 1)
            them = " and ".join(map(repr, needed.values()))
            raise ValueError(f"{argument}: name one; {results} has {both}{them}")
        return str(able[0])
    check_policies(dataset, [policy])
    for axis, name in needed.items():
        if name not in coordinates(dataset, policy):
            raise ValueError(f"{axis}: {policy!r} has no parameter {name!r}")
    return policy


def check_at(
    dataset: xr.Dataset, policies: Iterable[str], at: Mapping[str, float]
) -> None:
    """Raise a ValueError if none of the policies has a point with a value of `at`."""
    for name, value in at.items():
        check_parameter(dataset, name, "at")
        known = np.unique(dataset[PARAMETER + name].sel(policy=list(policies)))
        known = known[~np.isnan(known)]
        if not _same(known, value).any():
            raise ValueError(
                f"at: {name} has no value {value!r}; it has {_listed(known) or 'none'}"
            )


def points_at(
    dataset: xr.Dataset, policy: str, names: tuple[str, ...], at: Mapping[str, float]
) -> dict[tuple[float, ...], int]:
    """The `cells` of a policy, at least one."""
    check_at(dataset, [policy], at)
    if result := cells(dataset, policy, names, at):
        return result
    raise ValueError(f"at: no point of {policy!r} has all of {dict(at)}")


def cells(
    dataset: xr.Dataset,
    policy: str,
    names: tuple[str, ...],
    at: Mapping[str, float],
) -> dict[tuple[float, ...], int]:
    """The points of a policy: values of some of its parameters -> number of the point.

    At the values of `at`, of which those that the policy has not are passed over.
    Points that differ in other parameters are a ValueError, which names these.
    """
    values = coordinates(dataset, policy)
    (real,) = _real(dataset.sel(policy=[policy]))
    for name, value in at.items():
        if name in values:
            real &= _same(values[name], value)
    points = np.flatnonzero(real)
    results: dict[tuple[float, ...], int] = {}
    varying = set()
    for point in points:
        # A point that repeats another one in everything plays the same runs.
        first = results.setdefault(
            tuple(float(values[name][point]) for name in names), int(point)
        )
        varying |= {name for name, each in values.items() if each[first] != each[point]}
    if varying:
        others = {name: np.unique(values[name][points]) for name in values}
        others = {name: each for name, each in others.items() if name in varying}
        differing = ", ".join(
            f"{name} ({_listed(each)})" for name, each in others.items()
        )
        example = {name: float(each[0]) for name, each in others.items()}
        raise ValueError(
            f"at: points of {policy!r} differ also in {differing}; "
            f"select values, as in at={example}"
        )
    return results


def along(
    dataset: xr.Dataset, axes: Mapping[str, str | None], at: Mapping[str, Any] | None
) -> tuple[xr.Dataset, dict[str, Any]]:
    """A dataset of one environment, whose parameters have all axes among them.

    If an axis shows an argument, the points of all environments with that argument are
    concatenated. Otherwise the dataset has the points of the one environment.

    Args:
      dataset: dataset of one or several environments.
      axes: plot's argument -> the parameter or argument of environments on this axis,
        or None for an unused axis.
      at: parameter or argument -> value that selects points and environments, or None.

    Returns:
      The dataset, and the part of `at` about parameters.
    """
    check_dataset(dataset)
    at = {} if at is None else at
    checks.mapping("at", at)
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
        same = _same(column, value)
        if not same.any():
            raise ValueError(
                f"at: {name} has no value {value!r}; it has {_listed(column)}"
            )
        dataset = dataset.isel(environment=np.flatnonzero(same))
    for axis, name in axes.items():
        column = argument_of(dataset, name)
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
        for name in axes.values()
        if name and (column := argument_of(dataset, name)) is not None
    }
    rows = {*zip(*columns.values(), strict=True)} or {()}
    if arguments(dataset) and len(rows) < dataset.sizes["environment"]:
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
        columns = {}
    if not columns:
        return one_environment(dataset), rest  # which says what to do with several
    return _in_a_row(dataset, columns), rest


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
    dataset, points = along(dataset, {"name": name}, at)
    policy = the_policy(dataset, policy, {"name": name})
    result = points_at(dataset, policy, (name,), points)
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


def _same(column: np.ndarray, wanted: Any) -> np.ndarray:
    """Which values are equal to one, numbers up to rounding; bool, as `column`."""
    if column.dtype.kind in "biuf" and not isinstance(wanted, str):
        return np.asarray(np.isclose(column, wanted, rtol=1e-9, atol=0))
    return np.array([value == wanted for value in column.tolist()], bool)


def _listed(values: Iterable[Any]) -> str:
    """Distinct values in words."""
    column = np.unique(np.asarray(values))
    if column.dtype.kind in "biuf":
        return ", ".join(value_labels(column))
    return ", ".join(map(repr, column.tolist()))
