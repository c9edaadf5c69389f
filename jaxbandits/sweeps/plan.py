"""A spec made ready: every policy built and checked, every axis known."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.arguments import (
    engine_of,
    environment_of,
    is_policy,
    keep_of,
    points_of,
    root_seed_of,
    runs_per_instance_of,
    schedule_of,
    seeds_of,
)
from jaxbandits.contract import check_round
from jaxbandits.engine.choice import Choice, choose
from jaxbandits.engine.run import in_units_of_spend, opening
from jaxbandits.fit import check_fit
from jaxbandits.play import booked
from jaxbandits.protocol import Environment, Policy
from jaxbandits.results.names import check_variable
from jaxbandits.results.store import RUN_DIMS
from jaxbandits.schedule import Schedule, Terms
from jaxbandits.sweeps.grid import Point
from jaxbandits.sweeps.spec import Entry, Spec


class Match(NamedTuple):
    """A policy on an environment.

    Attributes:
      policy: the policy, built for the environment.
      environment: the environment.
      points: parameter points, all leaves of each.
      choice: the engine that plays it; None until `settled`.
    """

    policy: Policy
    environment: Environment
    points: list[Point]
    choice: Choice | None = None


class Plan(NamedTuple):
    """What is to be played.

    Attributes:
      spec: where it comes from.
      matches: by (environment, policy), in the order of the axes.
      terms: common to all runs.
      seeds: u32[S].
    """

    spec: Spec
    matches: Mapping[tuple[str, str], Match]
    terms: Terms
    seeds: np.ndarray


def make_plan(spec: Spec) -> Plan:
    """Build and check everything; nothing is compiled.

    Raises:
      ValueError, TypeError: naming the part of the spec that is wrong.
    """
    for part in ("policies", "environments"):
        if not isinstance(getattr(spec, part), Mapping):
            raise TypeError(
                f"{part} must be a mapping from names, got "
                f"{checks.shown(getattr(spec, part))}"
            )
    if not spec.policies or not spec.environments:
        raise ValueError(
            "policies and environments must not be empty: a sweep has at least one of "
            "each"
        )
    _check_kinds("policies", spec.policies, Entry)
    _check_kinds("environments", spec.environments, Environment)
    for environment in spec.environments.values():
        environment_of(environment)
    if isinstance(spec.metrics, str) or not isinstance(spec.metrics, Iterable | None):
        raise TypeError(
            f"metrics must be a list of names, got {checks.shown(spec.metrics)}"
        )
    for metric in spec.metrics or ():
        checks.text("metrics: a name", metric)
    if spec.metrics is not None and not list(spec.metrics):
        raise ValueError("metrics must name at least one, or be left out for all")
    terms = Terms(
        _schedule(spec),
        root_seed_of(spec.root_seed),
        runs_per_instance_of(spec.runs_per_instance),
        engine_of(spec.engine),
        [keep_of(spec.keep, each) for each in spec.environments.values()][0],
    )
    matches = {
        (where, name): _match(where, environment, name, entry, terms.schedule)
        for where, environment in spec.environments.items()
        for name, entry in spec.policies.items()
    }
    return Plan(spec, matches, terms, seeds_of(spec.seeds))


def settled(plan: Plan, platform: str, stored: Mapping | None = None) -> Plan:
    """The plan with an engine for every match.

    Args:
      plan: the plan.
      platform: of the devices.
      stored: the description of a store, whose engines stay what they are.
    """
    policies = stored["policies"] if stored else {}
    matches = {}
    for (instance, name), match in plan.matches.items():
        kept = policies.get(name, {}).get("engine", {}).get(instance)
        choice = choose(plan.terms.engine, match.policy, match.environment, platform)
        if kept not in (None, choice.engine):
            choice = Choice(kept, "the store was made with it")
        matches[instance, name] = match._replace(choice=choice)
    return plan._replace(matches=matches)


def _check_kinds(part: str, values: Mapping, kind: type) -> None:
    for name, value in values.items():
        if not isinstance(name, str):
            raise TypeError(f"{part} must have strings for names, got {name!r}")
        checks.label(f"{part}: a name", name)
        if not isinstance(value, kind):
            raise TypeError(f"{part}[{name!r}] must be of type {kind.__name__}")


def _schedule(spec: Spec) -> Schedule:
    """One for all environments."""
    arguments = spec.horizon, spec.budget, spec.checkpoints, spec.max_rounds
    environments = spec.environments.values()
    schedule = [schedule_of(environment, *arguments) for environment in environments][0]
    amounts = np.asarray(schedule.checkpoints, np.float64)
    if not (np.isfinite(amounts).all() and np.all(np.diff(amounts) > 0)):
        raise ValueError(
            "checkpoints must be finite and strictly increasing, got "
            f"{spec.checkpoints}"
        )
    if schedule.by_budget:
        for environment in environments:
            in_units_of_spend(amounts, environment)
    return schedule


def _match(where, environment, name, entry, schedule) -> Match:
    policy = entry.policy
    if not is_policy(policy):
        try:
            policy = policy(environment.problem)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"policy {name!r} cannot be made for environment {where!r}: {error}"
            ) from error
    if not is_policy(policy):
        raise TypeError(f"policies[{name!r}] must be a Policy or make one")
    try:
        points = [
            point
            for override in entry.points
            for point in points_of(name, policy, override, schedule)
        ]
        check_fit(name, policy, environment)
        check_round(name, policy, environment)
    except ValueError as error:
        raise ValueError(
            f"policy {name!r} on environment {where!r}: {error}"
        ) from error
    _check_different(name, points)
    return Match(policy, environment, points)


def _check_different(name: str, points: list[Point]) -> None:
    """Points are played in JAX's precision, and must still differ there."""
    dtype = jnp.zeros(()).dtype
    seen = {}
    for point in points:
        with np.errstate(over="ignore"):
            played = tuple(np.array(list(point.values()), np.float64).astype(dtype))
        if played in seen:
            raise ValueError(
                f"policies[{name!r}] has points that are equal in {dtype}: "
                f"{seen[played]} and {point}"
            )
        seen[played] = point


def axes(plan: Plan) -> xr.Dataset:
    """The coordinates of the results, no variables.

    A policy with fewer points than another has NaN parameters at the rest.
    """
    environments, policies = list(plan.spec.environments), list(plan.spec.policies)
    num_points = max(len(match.points) for match in plan.matches.values())
    leaves = dict.fromkeys(
        leaf for match in plan.matches.values() for leaf in match.points[0]
    )
    values = {
        leaf: np.full((len(environments), len(policies), num_points), np.nan)
        for leaf in leaves
    }
    for (environment, policy), match in plan.matches.items():
        row = environments.index(environment), policies.index(policy)
        for number, point in enumerate(match.points):
            for leaf, value in point.items():
                values[leaf][(*row, number)] = value
    seeds = plan.seeds.astype(np.int64)
    coords = {
        "environment": environments,
        "policy": policies,
        "params": np.arange(num_points),
        "seed": seeds,
        "checkpoint": plan.terms.schedule.checkpoints,
        **{f"param_{leaf}": (RUN_DIMS[:3], x) for leaf, x in values.items()},
    }
    if plan.terms.runs_per_instance > 1:
        coords["instance"] = ("seed", seeds // plan.terms.runs_per_instance)
    return xr.Dataset(coords=coords)


def metric_shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Names of what is kept, and the shape of a value beyond the axes.

    Raises:
      ValueError: on an unknown metric, or one whose name is taken or whose shape
        differs between games.
    """
    wanted = None
    if plan.spec.metrics is not None:
        wanted = [*plan.spec.metrics, *plan.terms.keep]
    shapes: dict[str, tuple[int, ...]] = {}
    known = {}
    for (environment, name), match in plan.matches.items():
        params = type(match.policy.params)(**match.points[0]) if match.points[0] else ()
        found = booked(
            match.environment,
            opening(match.policy, match.environment, params, plan.terms.keep),
        )
        known |= found
        for metric, values in found.items():
            if wanted is not None and metric not in wanted:
                continue
            check_variable("metrics", metric)
            shape = np.shape(values)[2:]
            if shapes.setdefault(metric, shape) != shape:
                raise ValueError(
                    f"metrics: {metric!r} has shape {shape} for {name!r} on "
                    f"{environment!r} and {shapes[metric]} before; leave it out "
                    "(metrics = [...]) or sweep them apart"
                )
    if unknown := [name for name in wanted or () if name not in known]:
        raise ValueError(f"metrics: {unknown} unknown; known are {[*known]}")
    return shapes
