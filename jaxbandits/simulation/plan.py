"""Plans: specs whose policies are built and checked, and their descriptions.

Two plans with equal descriptions give the same numbers, bit by bit, for the same points
and seeds.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
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
from jaxbandits.results.parts import Game, Part
from jaxbandits.results.plain import plain
from jaxbandits.results.spans import Spans
from jaxbandits.simulation.arguments import (
    environments_of,
    keep_of,
    names_of,
    policies_of,
    schedule_of,
    seeds_of,
)
from jaxbandits.simulation.machine import HERE
from jaxbandits.simulation.spec import HalfWidth, Spec, pilot_of


class Match(NamedTuple):
    """A policy in an environment."""

    policy: Policy  # built for the environment
    environment: Environment
    points: Points  # NaN where a point leaves a parameter at its default
    defaults: Mapping[str, float] = {}  # of all parameters
    choice: Choice = None  # type: ignore[assignment]  # the engine: see `with_engines`

    def full(self, points: Points) -> Points:
        """Points with values of all parameters."""
        return filled(points, self.defaults)


class Plan(NamedTuple):
    """A spec that can be played."""

    spec: Spec  # with policies and environments by name
    matches: Mapping[Game, Match]  # in the order of the axes
    terms: Terms  # of all runs
    seeds: np.ndarray  # u32[S], those of the pilot if there is a half-width
    until: HalfWidth | None = None
    variables: dict[str, tuple[int, ...]] | None = None  # see `metric_shapes`


def make_plan(spec: Spec) -> Plan:
    """Build and check everything; compile nothing.

    Raises:
      ValueError, TypeError: naming all parts of the spec that are wrong.
    """
    plan, errors = draft(spec), checks.Errors()
    for (_, name), match in plan.matches.items():
        with errors.part():
            check_round(name, match.policy, match.environment)
    errors.check()
    if (schedule := plan.terms.schedule).by_budget:
        amounts = np.asarray(schedule.checkpoints, np.float64)
        # Environments of one program need one trace.
        environments = plan.spec.environments.values()
        for environment in {_program(each): each for each in environments}.values():
            in_units_of_spend(amounts, environment)
    if plan.terms.runs_per_instance > 1:
        _check_drawn(plan)
    return plan


def _check_drawn(plan: Plan) -> None:
    """Refuse `runs_per_instance` where all runs have the same instance."""
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
    """A plan whose policies and environments are not traced yet.

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
    environments = spec.environments.values()
    errors, values = checks.Errors(), list[Any]()

    def runs() -> int:
        return checks.whole("runs_per_instance", spec.runs_per_instance, 1, 2**31 - 1)

    of_all: tuple[Callable[[], Any], ...] = (
        lambda: _schedule(spec),
        lambda: checks.whole("root_seed", spec.root_seed, 0, 2**64 - 1),
        runs,
        lambda: checks.one_of("engine", engine, ENGINES),
        lambda: [keep_of(spec.keep, each) for each in environments][0],
        lambda: pilot_of(until, runs()) if until else seeds_of(given),
        lambda: spec.metrics is None or names_of("metrics", spec.metrics),
        lambda: (
            spec.text is None or checks.instance("text", spec.text, str, "of a file")
        ),
    )
    for read in of_all:
        values.append(None)
        with errors.part():
            values[-1] = read()
    *of_terms, seeds, _, _ = values
    matches: dict[Game, Match] = {}
    first: dict[tuple[str, str], str] = {}
    points: dict[str, Points] = {}
    for where, name in itertools.product(spec.environments, policies):
        own = checks.Errors()
        with own.part():
            matches[where, name] = _match(spec, where, name, of_terms[0], points)
        for error in own.all:
            on = first.setdefault((name, str(error)), where)
            text = _placed(spec, on, name, str(error))
            with errors.part():
                raise error if text == str(error) else ValueError(text) from error
    errors.check()
    return Plan(spec, matches, Terms(*of_terms), seeds, until)


def _placed(spec: Spec, where: str, name: str, text: str) -> str:
    """An error's text with the policy and the environment, where there are several."""
    if len(spec.environments) > 1:
        return f"policy {name!r} on environment {where!r}: {text}"
    several = len(spec.policies) > 1 or spec.text is not None
    return f"policy {name!r}: {text}" if several and text[:5] != "polic" else text


def with_engines(
    plan: Plan, platform: str, stored: Mapping[str, Any] | None = None
) -> Plan:
    """The plan with an engine for every match; a store, described, keeps its own."""
    policies = stored["policies"] if stored else {}
    matches = {}
    for (environment, name), match in plan.matches.items():
        kept = policies.get(name, {}).get("engine", {}).get(environment)
        choice = choose(plan.terms.engine, platform)
        if kept not in (None, choice.engine):
            choice = Choice(kept, "the store was made with it")
        matches[environment, name] = match._replace(choice=choice)
    return plan._replace(matches=matches)


def say_engines(plan: Plan, progress: bool | None) -> None:
    """Print the engines that ``auto`` has chosen, unless `progress` is False."""
    if plan.terms.engine != "auto" or progress is False:
        return
    for environment in plan.spec.environments:
        own = {k[1]: m.choice for k, m in plan.matches.items() if k[0] == environment}
        say(environment, own)


def _schedule(spec: Spec) -> Schedule:
    """The schedule of all environments."""
    arguments = spec.horizon, spec.budget, spec.checkpoints
    environments = spec.environments.values()
    schedule = [schedule_of(environment, *arguments) for environment in environments][0]
    amounts = np.asarray(schedule.checkpoints, np.float64)
    if not (np.isfinite(amounts).all() and np.all(np.diff(amounts) > 0)):
        raise ValueError(
            "checkpoints must be finite and strictly increasing, got "
            f"{spec.checkpoints}"
        )
    return schedule


def _program(environment: Environment) -> tuple[Any, ...]:
    """A key that is equal for environments whose results have the same form."""
    leaves, structure = jax.tree.flatten(environment.setup)
    shapes = tuple((np.shape(x), np.result_type(x)) for x in leaves)
    return environment.game, environment.judge, structure, shapes


def _match(
    spec: Spec,
    where: str,
    name: str,
    schedule: Schedule | None,
    points: dict[str, Points],
) -> Match:
    """A policy in an environment; `points` collects those of each policy."""
    argument = f"policies[{name!r}]" if spec.text is None else f"policies.{name}"
    environment = spec.environments[where]
    policy, given = _made(name, spec.policies[name], environment, argument)
    if not same_points(points.setdefault(name, given), given):
        raise ValueError(
            f"policies[{name!r}] must have the same points on all environments"
        )
    given = points[name]
    full = points_of(name, policy, given, schedule, argument)
    check_fit(name, policy, environment)
    # Points are played in JAX's precision, and must still differ there.
    dtype = jnp.zeros(()).dtype
    if (pair := equal_points(full, dtype)) is not None:
        one, other = map(full.row, pair)
        raise ValueError(
            f"{argument} has points that are equal in {dtype}: {one} and {other}"
        )
    defaults = {} if schedule is None else defaults_of(policy, schedule)
    return Match(policy, environment, given, defaults)


def _made(
    name: str, entry: Entry, environment: Environment, argument: str
) -> tuple[Policy, Points]:
    """The policy of an entry, built for an environment, and its points."""
    policy, grid = entry
    if not isinstance(policy, Policy):
        try:
            policy = policy(environment.problem)
        except Exception as error:  # A user's function may raise anything.
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


def metric_shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Shapes of values beyond the axes, by the names of what is kept.

    Raises:
      ValueError: naming a metric that is unknown or has other shapes in other games.
    """
    wanted = None
    if plan.spec.metrics is not None:
        wanted = [*plan.spec.metrics, *plan.terms.keep]
    shapes: dict[str, tuple[int, ...]] = {}
    by_program: dict[Any, dict[str, tuple[int, ...]]] = {}
    for (environment, name), match in plan.matches.items():
        first = match.full(match.points.at([0]))
        params = type(match.policy.params)(**first.row(0)) if first.columns else ()
        program = match.policy.functions, type(params), _program(match.environment)
        if program not in by_program:
            start = opening(match.policy, match.environment, params, plan.terms.keep)
            recorded = recorded_of(match.environment, start)
            by_program[program] = {k: np.shape(x)[2:] for k, x in recorded.items()}
        for metric, shape in by_program[program].items():
            if wanted is not None and metric not in wanted:
                continue
            if shapes.setdefault(metric, shape) != shape:
                raise ValueError(
                    f"metrics: {metric!r} has shape {shape} for {name!r} on "
                    f"{environment!r} and {shapes[metric]} before; leave it out "
                    "(metrics = [...]) or sweep them apart"
                )
    known = [*dict.fromkeys(itertools.chain(*by_program.values()))]
    if unknown := [name for name in wanted or () if name not in known]:
        raise ValueError(f"metrics: {unknown} unknown; known are {known}")
    if not shapes:
        raise ValueError("metrics must name at least one, or be left out for all")
    return shapes


Json = dict[str, Any]
# Numbers depend on other packages only through the programs.
PACKAGES = ("jaxbandits", "jax", "jaxlib")
STAGE = 1.1  # ratio of two numbers of seeds at which points may stop


def describe(plan: Plan, platform: str, games: Sequence[Game] = ()) -> Json:
    """All that the numbers of games depend on, beside points and seeds, for JSON.

    The plan must have engines. All its games are described by default.
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
        if plan.terms.engine == "auto":  # A store keeps the choice.
            entry.setdefault("engine", {})[environment] = match.choice.engine
    return result


def outlined(plan: Plan, games: Sequence[Game] = ()) -> Json:
    """The description without versions, platform and programs: it takes no trace."""
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
        "checkpoint_kind": "spent" if terms.schedule.by_budget else "round",
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


def parts_of(plan: Plan, seeds: Spans) -> list[Part]:
    """All points of a plan, each on the same seeds."""
    return [Part(game, match.points, seeds) for game, match in plan.matches.items()]


def later_parts(plan: Plan, until: HalfWidth, needed: np.ndarray) -> list[Part]:
    """The parts after the pilot.

    The numbers of seeds `needed` are those of `spec.seeds_needed`. Points that stop by
    themselves get one of few larger numbers, each a tenth more than the one before: so
    blocks hold many points.
    """
    whole, pilot = plan.terms.runs_per_instance, len(plan.seeds)
    most = max(until.at_most // whole * whole, pilot)
    last = max(min(int(needed.max()), most), pilot)
    counts = np.minimum(needed, last) if until.each else np.full_like(needed, last)
    ends = [pilot]
    while ends[-1] < last:
        end = -(-math.ceil(ends[-1] * STAGE) // whole) * whole
        ends.append(min(end, most) if until.each else last)
    # The seeds of the pilot, then the smallest other ones.
    seeds = spans.spans_of(plan.seeds)
    rest = spans.without(((0, ends[-1] + pilot),), seeds)
    seeds += spans.first(rest, ends[-1] - pilot)
    parts = []
    for part, own in zip(
        parts_of(plan, seeds), counts.reshape(-1, counts.shape[-1]), strict=True
    ):
        rounded = np.array(ends)[np.searchsorted(ends, own[: part.points.count])]
        stops = [pilot, *np.unique(rounded[rounded > pilot]).tolist()]
        for begin, end in itertools.pairwise(stops):
            points = part.points.at(np.flatnonzero(rounded >= end))
            later = spans.without(spans.first(seeds, end), spans.first(seeds, begin))
            parts.append(part._replace(points=points, seeds=later))
    return parts
