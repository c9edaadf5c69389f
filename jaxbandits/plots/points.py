"""Parameter points by the values of their parameters."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits.plots.labels import value_labels
from jaxbandits.results.lookup import check_policies
from jaxbandits.results.names import FACT, PARAMETER


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


def argument_of(dataset: xr.Dataset, name: str) -> np.ndarray | None:
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
    known = [*dataset["policy"].values.tolist(), *parameters(dataset)]
    known += arguments(dataset)
    for name in labels:
        if name not in known and argument_of(dataset, name) is None:
            raise ValueError(
                f"labels: {name!r} is unknown; known are {', '.join(known)}"
            )


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
    dataset: xr.Dataset, policy: str | None, needed: Mapping[str, str]
) -> str:
    """The selected policy, or the only one, with the needed parameters.

    They are given by the names of the plot's arguments, for errors.
    """
    names, wanted = dataset["policy"].values.tolist(), set(needed.values())
    if policy is None:
        able = [name for name in names if wanted <= coordinates(dataset, name).keys()]
        if len(able) != 1:
            results, both = ", ".join(able) or "none", "both " * (len(needed) > 1)
            them = " and ".join(map(repr, needed.values()))
            raise ValueError(f"policy: name one; {results} has {both}{them}")
        return str(able[0])
    check_policies(dataset, [policy])
    for argument, name in needed.items():
        if name not in coordinates(dataset, policy):
            raise ValueError(f"{argument}: {policy!r} has no parameter {name!r}")
    return policy


def check_at(
    dataset: xr.Dataset, policies: Iterable[str], at: Mapping[str, float]
) -> None:
    """Raise a ValueError if none of the policies has a point with a value of `at`."""
    for name, value in at.items():
        check_parameter(dataset, name, "at")
        columns: list[Any] = [
            coordinates(dataset, policy).get(name, []) for policy in policies
        ]
        known = np.unique(np.concatenate(columns))
        known = known[~np.isnan(known)]
        if not np.isclose(known, value, rtol=1e-9, atol=0).any():
            raise ValueError(
                f"at: {name} has no value {value!r}; "
                f"it has {', '.join(value_labels(known)) or 'none'}"
            )


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
    real = np.ones(dataset.sizes["params"], bool)
    if values:  # Where another policy has more points, all of them are NaN.
        real = ~np.all([np.isnan(each) for each in values.values()], axis=0)
    for name, value in at.items():
        if name in values:
            real &= np.isclose(values[name], value, rtol=1e-9, atol=0)
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
            f"{name} ({', '.join(value_labels(each))})" for name, each in others.items()
        )
        example = {name: float(each[0]) for name, each in others.items()}
        raise ValueError(
            f"at: points of {policy!r} differ also in {differing}; "
            f"select values, as in at={example}"
        )
    return results
