"""A spec made ready: every policy built and checked, every axis known; what it asks.

The description of a plan makes a sweep this sweep: two plans with one description give
the same numbers, bit by bit, of the same points and seeds.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import checks
from jaxbandits.checks.fit import check_fit
from jaxbandits.checks.points import Points, equal_points, points_from, same_points
from jaxbandits.contract.accounts import recorded_of
from jaxbandits.contract.params import defaults_of, filled, points_of
from jaxbandits.contract.round import check_round
from jaxbandits.engine.choice import ENGINES, Choice, choose, say
from jaxbandits.engine.identity import numbers_digest, program_digest
from jaxbandits.engine.run import in_units_of_spend, opening
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.protocol import Entry, Environment, Policy
from jaxbandits.results import spans
from jaxbandits.results._provenance import versions
from jaxbandits.results.names import check_variable
from jaxbandits.results.parts import Game, Part, digest
from jaxbandits.results.plain import plain
from jaxbandits.results.spans import Spans
from jaxbandits.simulation.arguments import (
    environments_of,
    keep_of,
    policies_of,
    schedule_of,
    seeds_of,
)
from jaxbandits.simulation.machine import HERE
from jaxbandits.simulation.spec import HalfWidth, Spec, Verdict, check_half_width


class Match(NamedTuple):
    """A policy on an environment.

    Attributes:
      policy: the policy, built for the environment.
      environment: the environment.
      points: parameter points, NaN where one leaves a parameter at its default.
      defaults: of all parameters, see `arguments.defaults_of`.
      choice: the engine that plays it; None until `with_engines`.
    """

    policy: Policy
    environment: Environment
    points: Points
    defaults: Mapping[str, float] = {}
    choice: Choice = None  # type: ignore[assignment]

    def full(self, points: Points) -> Points:
        """Points with all parameters."""
        return filled(points, self.defaults)


class Plan(NamedTuple):
    """What is to be played.

    Attributes:
      spec: where it comes from.
      matches: by (environment, policy), in the order of the axes.
      terms: common to all runs.
      seeds: u32[S], of the pilot if a half-width says how many there are.
      until: the half-width, or None.
    """

    spec: Spec
    matches: Mapping[Game, Match]
    terms: Terms
    seeds: np.ndarray
    until: HalfWidth | None = None


def make_plan(spec: Spec) -> Plan:
    """Build and check everything; nothing is compiled.

    Raises:
      ValueError, TypeError: naming the part of the spec that is wrong, or all of them.
    """
    plan, errors = draft(spec), checks.Errors()
    for (_, name), match in plan.matches.items():
        with errors.part():
            check_round(name, match.policy, match.environment)
    errors.check()
    if plan.terms.runs_per_instance > 1:
        _check_drawn(plan)
    return plan


def _check_drawn(plan: Plan) -> None:
    """Refuse runs of one instance after the other where all have the same one."""
    environments = plan.spec.environments
    for environment in environments.values():
        key = jax.eval_shape(lambda: jax.random.key(0))
        program = jax.make_jaxpr(environment.game.sample)(key, environment.setup).jaxpr
        used = [x for eqn in program.eqns for x in eqn.invars] + program.outvars
        if any(x is program.invars[0] for x in used):
            return
    raise ValueError(
        f"runs_per_instance must be 1, as all seeds of {', '.join(environments)} have "
        f"the same instance, got {plan.terms.runs_per_instance}"
    )


def draft(spec: Spec) -> Plan:
    """A plan whose policies and environments have not been traced yet.

    Raises:
      ValueError, TypeError: naming all parts of the spec that are wrong.
    """
    policies = policies_of(spec.policies)
    spec = spec._replace(
        policies=policies, environments=environments_of(spec.environments)
    )
    given: Any = spec.seeds
    until = given if isinstance(given, HalfWidth) else None
    engine = HERE.engine if spec.engine is None else spec.engine
    runs, environments = spec.runs_per_instance, spec.environments.values()
    errors, values = checks.Errors(), list[Any]()
    of_all: tuple[Callable[[], Any], ...] = (
        lambda: _schedule(spec),
        lambda: checks.whole("root_seed", spec.root_seed, 0, 2**64 - 1),
        lambda: checks.whole("runs_per_instance", runs, 1, 2**31 - 1),
        lambda: checks.one_of("engine", engine, ENGINES),
        lambda: [keep_of(spec.keep, each) for each in environments][0],
        lambda: (
            seeds_of(check_half_width(until).pilot, "pilot")
            if until
            else seeds_of(given)
        ),
        lambda: _check_metrics(spec.metrics, spec.text),
    )
    for read in of_all:
        values.append(None)
        with errors.part():
            values[-1] = read()
    *of_terms, seeds, _ = values
    matches: dict[Game, Match] = {}
    first: dict[tuple[str, str], str] = {}
    points: dict[str, Points] = {}
    for where, name in itertools.product(spec.environments, policies):
        with errors.part():
            matches[where, name] = _match(spec, where, name, of_terms[0], first, points)
    errors.check()
    return Plan(spec, matches, Terms(*of_terms), seeds, until)


def with_engines(
    plan: Plan, platform: str, stored: Mapping[str, Any] | None = None
) -> Plan:
    """The plan with an engine for every match.

    Args:
      plan: the plan.
      platform: of the devices.
      stored: the description of a store, whose engines stay what they are.
    """
    policies = stored["policies"] if stored else {}
    matches = {}
    for (environment, name), match in plan.matches.items():
        kept = policies.get(name, {}).get("engine", {}).get(environment)
        choice = choose(plan.terms.engine, match.policy, match.environment, platform)
        if kept not in (None, choice.engine):
            choice = Choice(kept, "the store was made with it")
        matches[environment, name] = match._replace(choice=choice)
    return plan._replace(matches=matches)


def say_engines(plan: Plan, progress: bool | None) -> None:
    """Say what ``auto`` is, unless nothing is to be shown."""
    if plan.terms.engine != "auto" or progress is False:
        return
    for environment in plan.spec.environments:
        own = {k[1]: m.choice for k, m in plan.matches.items() if k[0] == environment}
        say(environment, own)


def _schedule(spec: Spec) -> Schedule:
    """One for all environments."""
    arguments = spec.horizon, spec.budget, spec.checkpoints
    environments = spec.environments.values()
    schedule = [schedule_of(environment, *arguments) for environment in environments][0]
    amounts = np.asarray(schedule.checkpoints, np.float64)
    if not (np.isfinite(amounts).all() and np.all(np.diff(amounts) > 0)):
        raise ValueError(
            "checkpoints must be finite and strictly increasing, got "
            f"{spec.checkpoints}"
        )
    if schedule.by_budget:
        # One for each program: it takes a trace.
        for environment in {_program(each): each for each in environments}.values():
            in_units_of_spend(amounts, environment)
    return schedule


def _program(environment: Environment) -> tuple[Any, ...]:
    """What environments have in common whose results have the same form."""
    leaves, structure = jax.tree.flatten(environment.setup)
    shapes = tuple((np.shape(x), np.result_type(x)) for x in leaves)
    return environment.game, environment.judge, structure, shapes


def _check_metrics(metrics: Any, text: Any) -> None:
    """Require names of metrics, or None, and the text of a file, or None."""
    checks.instance("text", text, (str, NoneType), "of the file of a spec, or None")
    if isinstance(metrics, str) or not isinstance(metrics, Iterable | None):
        raise TypeError(f"metrics must be a list of names, got {checks.shown(metrics)}")
    for metric in metrics or ():
        checks.text("metrics: a name", metric)
    if metrics is not None and not list(metrics):
        raise ValueError("metrics must name at least one, or be left out for all")


def _match(
    spec: Spec,
    where: str,
    name: str,
    schedule: Schedule | None,
    first: dict[tuple[str, str], str],
    points: dict[str, Points],
) -> Match:
    """A policy on an environment, not yet traced.

    Errors say which, where there are several or the spec is from a file; what is wrong
    on all environments is said of the `first`, by policy and text.
    """
    argument = f"policies[{name!r}]" if spec.text is None else f"policies.{name}"
    several = len(spec.policies) > 1 or spec.text is not None
    errors, placed = checks.Errors(), checks.Errors()
    with errors.part():
        environment = spec.environments[where]
        policy, given = _made(name, spec.policies[name], environment, argument)
        if not same_points(points.setdefault(name, given), given):
            raise ValueError(
                f"policies[{name!r}] must have the same points on all environments"
            )
        return _matched(name, policy, environment, points[name], schedule, argument)
    for error in errors.all:
        text = str(error)
        if len(spec.environments) > 1:
            on = first.setdefault((name, text), where)
            text = f"policy {name!r} on environment {on!r}: {text}"
        elif several and not text.startswith("polic"):
            text = f"policy {name!r}: {text}"
        with placed.part():
            raise error if text == str(error) else ValueError(text) from error
    placed.check()
    raise AssertionError


def _made(
    name: str, entry: Entry, environment: Environment, argument: str
) -> tuple[Policy, Points]:
    """The policy of an entry, made for an environment, and its points."""
    policy, grid = entry
    if not isinstance(policy, Policy):
        try:
            policy = policy(environment.problem)
        except Exception as error:  # whatever a user's function raises
            own = isinstance(error, TypeError | ValueError)
            words = str(error) if own else f"{type(error).__name__}: {error}"
            raise ValueError(f"policies[{name!r}] cannot be made: {words}") from error
        if isinstance(policy, Entry):
            if grid is not None:
                raise ValueError(f"policies[{name!r}] makes points, and is given some")
            policy, grid = policy
    if not isinstance(policy, Policy):
        raise TypeError(f"policies[{name!r}] must be a Policy or make one")
    return policy, points_from(grid, argument)


def _matched(
    name: str,
    policy: Policy,
    environment: Environment,
    given: Points,
    schedule: Schedule | None,
    argument: str,
) -> Match:
    points = points_of(name, policy, given, schedule, argument)
    check_fit(name, policy, environment)
    # Points are played in JAX's precision, and must still differ there.
    dtype = jnp.zeros(()).dtype
    if (pair := equal_points(points, dtype)) is not None:
        one, other = map(points.row, pair)
        raise ValueError(
            f"{argument} has points that are equal in {dtype}: {one} and {other}"
        )
    defaults = {} if schedule is None else defaults_of(policy, schedule)
    return Match(policy, environment, given, defaults)


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
    known: dict[str, tuple[int, ...]] = {}
    by_program: dict[Any, dict[str, tuple[int, ...]]] = {}
    for (environment, name), match in plan.matches.items():
        first = match.full(match.points.at([0]))
        params = type(match.policy.params)(**first.row(0)) if first.columns else ()
        program = match.policy.functions, type(params), _program(match.environment)
        if program not in by_program:
            start = opening(match.policy, match.environment, params, plan.terms.keep)
            recorded = recorded_of(match.environment, start)
            by_program[program] = {k: np.shape(x)[2:] for k, x in recorded.items()}
            known |= by_program[program]
        for metric, shape in by_program[program].items():
            if wanted is not None and metric not in wanted:
                continue
            check_variable("metrics", metric)
            if shapes.setdefault(metric, shape) != shape:
                raise ValueError(
                    f"metrics: {metric!r} has shape {shape} for {name!r} on "
                    f"{environment!r} and {shapes[metric]} before; leave it out "
                    "(metrics = [...]) or sweep them apart"
                )
    if unknown := [name for name in wanted or () if name not in known]:
        raise ValueError(f"metrics: {unknown} unknown; known are {[*known]}")
    return shapes


Json = dict[str, Any]
# Of other packages the numbers do not depend, up to what the programs show.
PACKAGES = ("jaxbandits", "jax", "jaxlib")
STAGE = 1.1  # numbers of seeds at which points stop by themselves, from one to the next


def describe(plan: Plan, platform: str, games: Sequence[Game] = ()) -> Json:
    """The description, as JSON can hold it: all but points and seeds.

    Args:
      plan: the plan, settled.
      platform: of the devices, ``cpu``, ``gpu`` ...
      games: which of its games; all by default.
    """
    games = games or [*plan.matches]
    result = outlined(plan, games)
    result |= {"versions": versions(PACKAGES), "platform": platform}
    for name, entry in result["environments"].items():
        entry["numbers"] = numbers_digest(plan.spec.environments[name])
    for environment, name in games:
        match, entry = plan.matches[environment, name], result["policies"][name]
        program = program_digest(match.policy, match.environment)
        entry.setdefault("program", {})[environment] = program
        if plan.terms.engine == "auto":  # What it is stays so when a sweep is resumed.
            entry.setdefault("engine", {})[environment] = match.choice.engine
    return result


def outlined(plan: Plan, games: Sequence[Game] = ()) -> Json:
    """The description but versions, platform and programs, which takes no trace."""
    spec, terms = plan.spec, plan.terms
    games = games or [*plan.matches]
    policies: Json = {}
    for where, name in games:
        defaults = plain(plan.matches[where, name].defaults)
        policies.setdefault(name, {"defaults": {}})["defaults"][where] = defaults
    return {
        "engine": terms.engine,
        "x64": bool(jax.config.jax_enable_x64),
        "root_seed": terms.root_seed,
        "runs_per_instance": terms.runs_per_instance,
        "checkpoint_kind": terms.schedule.kind,
        "checkpoints": plain(terms.schedule.checkpoints),
        "last_round": terms.schedule.last_round,
        "metrics": None if spec.metrics is None else sorted(spec.metrics),
        **({"keep": sorted(terms.keep)} if terms.keep else {}),
        "environments": {
            name: {"provenance": plain(spec.environments[name].provenance or {})}
            for name in dict.fromkeys(where for where, _ in games)
        },
        "policies": policies,
    }


def fingerprint(sweep: Json, parts: list[Part]) -> str:
    """Digest of a sweep with its points and seeds."""
    return digest([sweep, sorted(map(str, parts))])


def parts_of(plan: Plan, seeds: Spans) -> list[Part]:
    """All points of a plan, each on some seeds."""
    return [Part(game, match.points, seeds) for game, match in plan.matches.items()]


def later_parts(plan: Plan, result: Verdict, each: bool) -> list[Part]:
    """The parts after the pilot.

    Where points stop by themselves the number of seeds of a point is rounded up to one
    of a few: the pilot's, and each next one a tenth more. So blocks hold many points.

    Args:
      plan: the plan of the pilot.
      result: what the pilot says.
      each: whether points stop by themselves.
    """
    whole, pilot = plan.terms.runs_per_instance, len(plan.seeds)
    # Those of the pilot first, then the first that are not among them.
    seeds = spans.spans_of(plan.seeds)
    rest = spans.without(((0, result.most + pilot + 1),), seeds)
    seeds += spans.first(rest, max(result.most - pilot, 0))
    ends = [pilot] if each else [max(result.seeds, pilot)]
    while ends[-1] < result.counts.max(initial=pilot) and each:
        ends.append(-(-math.ceil(ends[-1] * STAGE) // whole) * whole)
    ends[-1] = min(ends[-1], max(result.most, pilot))
    policies, parts = len(plan.spec.policies), []
    for number, part in enumerate(parts_of(plan, seeds)):
        counts = result.counts[divmod(number, policies)][: part.points.count]
        place = np.searchsorted(ends, counts) if each else np.zeros_like(counts)
        rounded = np.array(ends)[place]
        stops = [pilot, *np.unique(rounded[rounded > pilot]).tolist()]
        for begin, end in itertools.pairwise(stops):
            points = part.points.at(np.flatnonzero(rounded >= end))
            own = spans.without(spans.first(seeds, end), spans.first(seeds, begin))
            parts.append(part._replace(points=points, seeds=own))
    return parts
