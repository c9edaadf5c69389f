"""What makes a sweep this sweep: a description, and what is asked of a store.

Two plans with one description give the same numbers, bit by bit, of the same points and
seeds.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxbandits.engine.identity import numbers_digest, program_digest
from jaxbandits.results import spans
from jaxbandits.results._provenance import versions
from jaxbandits.results.parts import Game, Part, digest
from jaxbandits.results.plain import plain
from jaxbandits.results.spans import Spans
from jaxbandits.simulation.plan import Plan
from jaxbandits.simulation.until import Verdict

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


def later_parts(plan: Plan, result: Verdict, pilot: int, seeds: Spans) -> list[Part]:
    """The parts after the pilot where points stop by themselves.

    The number of seeds of a point is rounded up to one of a few: the pilot's, and each
    next one a tenth more. So blocks hold many points.

    Args:
      plan: the plan of the pilot.
      result: what the pilot says.
      pilot: number of its seeds.
      seeds: the pilot's and, after them, at least as many as any point needs.
    """
    whole, most = plan.terms.runs_per_instance, int(result.counts.max(initial=pilot))
    ends = [pilot]
    while ends[-1] < most:
        ends.append(-(-math.ceil(ends[-1] * STAGE) // whole) * whole)
    ends[-1] = min(ends[-1], max(result.most, pilot))
    policies, parts = len(plan.spec.policies), []
    for number, part in enumerate(parts_of(plan, seeds)):
        counts = result.counts[divmod(number, policies)][: part.points.count]
        rounded = np.array(ends)[np.searchsorted(ends, counts)]
        stops = [pilot, *np.unique(rounded[rounded > pilot]).tolist()]
        for begin, end in itertools.pairwise(stops):
            points = part.points.at(np.flatnonzero(rounded >= end))
            own = spans.without(spans.first(seeds, end), spans.first(seeds, begin))
            parts.append(part._replace(points=points, seeds=own))
    return parts
