"""What makes a sweep this sweep: a description, its fingerprint, and differences.

Two plans with one description give the same numbers, bit by bit. Seeds, points,
policies and environments may be added to a sweep; everything else has to stay.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits.checks.points import Points, points_from
from jaxbandits.engine.identity import numbers_digest, program_digest
from jaxbandits.results._provenance import versions
from jaxbandits.results.plain import plain
from jaxbandits.sweeps.plan import Plan
from jaxbandits.sweeps.ragged import Key, Ragged
from jaxbandits.sweeps.spec import Spec

# Of other packages the numbers do not depend, up to what the programs show.
JAX = ("jax", "jaxlib")
PACKAGES = ("jaxbandits", *JAX)
MISSING = "nothing"
# How many seeds each point plays, where not all play all of them.
COUNTS = "seeds_of_points"
Description = dict[str, Any]


def describe(plan: Plan, platform: str) -> Description:
    """The description, as JSON can hold it.

    Args:
      plan: the plan, settled.
      platform: of the devices, ``cpu``, ``gpu`` ...
    """
    spec, terms = plan.spec, plan.terms
    chosen = terms.engine == "auto"
    return {
        "versions": versions(PACKAGES),
        "platform": platform,
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
            name: {
                "provenance": plain(environment.provenance or {}),
                "numbers": numbers_digest(environment),
            }
            for name, environment in spec.environments.items()
        },
        "policies": {
            name: {
                "defaults": {i: _defaults(plan, i, name) for i in spec.environments},
                "program": {i: _program(plan, i, name) for i in spec.environments},
                "points": _written(points_from(entry.grid)),
            }
            | ({"engine": _engines(plan, name)} if chosen else {})
            for name, entry in spec.policies.items()
        },
        "seeds": _seeds(plan.seeds),
        **({} if plan.counts is None else {COUNTS: _nested(plan.counts)}),
    }


def _engines(plan: Plan, policy: str) -> dict[str, str]:
    """What ``auto`` is, by environment: it stays so when the sweep is resumed."""
    environments = plan.spec.environments
    return {e: plan.matches[e, policy].choice.engine for e in environments}


def _program(plan: Plan, environment: str, policy: str) -> str:
    match = plan.matches[environment, policy]
    return program_digest(match.policy, match.environment)


def _defaults(plan: Plan, environment: str, policy: str) -> dict[str, float]:
    params = plan.matches[environment, policy].policy.params
    return plain(params._asdict() if params else {})


def _seeds(seeds: np.ndarray) -> int | list[int]:
    """The number of seeds if they are the first ones, else a list."""
    first = np.array_equal(seeds, np.arange(len(seeds)))
    return len(seeds) if first else seeds.tolist()


def with_seeds(
    description: Description,
    seeds: np.ndarray,
    counts: Mapping[Key, np.ndarray] | None = None,
) -> Description:
    """The description of the same sweep on other seeds."""
    rest = {name: x for name, x in description.items() if name != COUNTS}
    more = {} if counts is None else {COUNTS: _nested(counts)}
    return rest | {"seeds": _seeds(seeds)} | more


def _nested(counts: Mapping[Key, np.ndarray]) -> dict[str, dict[str, list[int]]]:
    """Numbers of seeds by environment, by policy, as JSON can hold them."""
    found: dict[str, dict[str, list[int]]] = {}
    for (environment, policy), own in counts.items():
        found.setdefault(environment, {})[policy] = own.tolist()
    return found


def counts_in(description: Description) -> dict[Key, np.ndarray]:
    """How many seeds each point plays, i64[P] by environment and policy."""
    if COUNTS not in description:
        seeds = len(listed(description["seeds"]))
        return {
            (environment, policy): np.full(entry["points"]["count"], seeds)
            for environment in description["environments"]
            for policy, entry in description["policies"].items()
        }
    return {
        (environment, policy): np.array(own, np.int64)
        for environment, by_policy in description[COUNTS].items()
        for policy, own in by_policy.items()
    }


def seeds_in(description: Description) -> np.ndarray | Ragged:
    """The seeds of a description, as `Spec.seeds`, whatever each point has of them."""
    seeds = listed(description["seeds"])
    return Ragged(seeds, 0) if COUNTS in description else seeds


def listed(seeds: int | list[int]) -> np.ndarray:
    """i64[S], the seeds of a description."""
    return np.arange(seeds) if isinstance(seeds, int) else np.array(seeds, np.int64)


def accepting(stored: Description, wanted: Description) -> Description:
    """The description of a plan with the store's versions of JAX, where those of now
    are newer patches of them (0.12.1 for 0.12.0)."""
    old, new = stored["versions"], wanted["versions"]
    taken = {name: old[name] for name in JAX if _is_patch(old[name], new[name])}
    return wanted | {"versions": new | taken}


def _is_patch(old: str, new: str) -> bool:
    one, other = (re.findall(r"\d+", version) for version in (old, new))
    return one[:2] == other[:2] and [*map(int, one)] <= [*map(int, other)]


def check_software(
    store: Any, stored: Description, platform: str, accepts: bool
) -> None:
    """Raise a ValueError if a worker would not play what its coordinator does.

    Args:
      store: for the error.
      stored: description of the store.
      platform: of the worker's devices.
      accepts: see `accepting`.
    """
    x64 = bool(jax.config.jax_enable_x64)
    here = {"versions": versions(PACKAGES), "platform": platform, "x64": x64}
    here = accepting(stored, here) if accepts else here
    if found := _differences({key: stored[key] for key in here}, here):
        raise ValueError(
            f"store: {store} is not one that this worker can play into:\n  "
            + "\n  ".join(found)
        )


def check_program(
    store: Any, stored: Description, plan: Plan, environment: str, policy: str
) -> None:
    """Raise a ValueError if a game is another program than the store's."""
    if (
        _program(plan, environment, policy)
        != (stored["policies"][policy]["program"][environment])
    ):
        raise ValueError(
            f"store: {store} holds {policy} on {environment} by another program than "
            "this worker has; all must have the same code"
        )


def fingerprint(description: Description) -> str:
    """Digest of a description."""
    text = json.dumps(description, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class _Comparison(NamedTuple):
    """A spec held against a store, in words.

    Attributes:
      changed: what differs and cannot.
      added: what the spec has and the store lacks, on axes that may grow.
      absent: what the store has and the spec lacks, on those axes.
      lost: policies and environments among the absent.
    """

    changed: list[str]
    added: list[str]
    absent: list[str]
    lost: list[str]


def compare(stored: Description, wanted: Description) -> _Comparison:
    """Compare the description of a store with that of a plan."""
    return _Comparison(
        _differences(_fixed(stored, wanted), _fixed(wanted, stored)),
        _more(wanted, stored) + _more_of_points(wanted, stored),
        _more(stored, wanted),
        _names(stored, wanted),
    )


def union(spec: Spec, wanted: Description, stored: Description) -> Spec:
    """A spec with what is in a store first, in the store's order, then what is new.

    Args:
      spec: the spec.
      wanted: its description.
      stored: the store's.
    """
    policies = _stored_first(spec.policies, stored["policies"])
    for name, entry in policies.items():
        new = wanted["policies"][name]["points"]
        old = stored["policies"].get(name, {"points": new})["points"]
        points = _read(old)
        if new != old:
            points = _joined(points, _read(new).at(_unknown(_read(new), points)))
        policies[name] = entry._replace(grid=points)
    environments = _stored_first(spec.environments, stored["environments"])
    seeds = _all_seeds(stored, wanted)
    if COUNTS in stored or COUNTS in wanted:
        points = {name: entry.grid for name, entry in policies.items()}
        held = [_held(each, seeds) for each in (stored, wanted)]
        least = {
            (environment, name): _least(held, (environment, name), rows)
            for environment in environments
            for name, rows in points.items()
        }
        seeds = Ragged(seeds, least)
    return spec._replace(policies=policies, environments=environments, seeds=seeds)


def _all_seeds(stored: Description, wanted: Description) -> np.ndarray:
    """Those of a store, then those that are new."""
    old = listed(stored["seeds"])
    return np.append(old, _new_seeds(listed(wanted["seeds"]), old))


_Held = dict[Key, dict[frozenset, int]]


def _held(description: Description, seeds: np.ndarray) -> _Held:
    """How many seeds of an axis points have, by environment and policy, by point."""
    if COUNTS not in description:
        # All of its own, and what comes before them.
        own = np.isin(seeds, listed(description["seeds"]))
        seeds = seeds[: np.flatnonzero(own)[-1] + 1]
        description = with_seeds(description, seeds)
    return {
        key: dict(zip(_rows(_read(_points(description, key))), own, strict=True))
        for key, own in counts_in(description).items()
    }


def _points(description: Description, key: Key) -> Mapping[str, Any]:
    return description["policies"][key[1]]["points"]


def _least(held: list[_Held], key: Key, points: Points) -> np.ndarray:
    """How many seeds points shall have: the most of what a store has and what is
    wanted. Of a point that only the store has, on an environment that only the spec
    has, nobody says: it gets as many as the others at least."""
    known = [each.get(key, {}) for each in held]
    others = min(known[-1].values())
    return np.array(
        [
            max([own[row] for own in known if row in own], default=others)
            for row in _rows(points)
        ],
        np.int64,
    )


def _more_of_points(wanted: Description, stored: Description) -> list[str]:
    """Whether points shall have more seeds than they have. (Fewer are no difference:
    what is wanted is how many at least.)"""
    if COUNTS not in stored and COUNTS not in wanted:
        return []
    seeds = _all_seeds(stored, wanted)
    old, new = _held(stored, seeds), _held(wanted, seeds)
    more = sum(
        count > old[key][row]
        for key in old.keys() & new.keys()
        for row, count in new[key].items()
        if row in old[key]
    )
    return [f"seeds: more of {more} points"] if more else []


def _stored_first(mapping: Mapping[str, Any], order: Mapping[str, Any]) -> dict:
    names = [name for name in order if name in mapping]
    return {n: mapping[n] for n in [*names, *(n for n in mapping if n not in order)]}


def _fixed(description: Description, other: Description) -> Description:
    """What may not change: all but the axes, of policies and environments in both."""
    axes = ("seeds", COUNTS)
    fixed = {key: value for key, value in description.items() if key not in axes}
    fixed["environments"] = _shared(description["environments"], other["environments"])
    fixed["policies"] = {
        name: {
            key: _shared(by_environment, other["environments"])
            for key, by_environment in entry.items()
            if key != "points"
        }
        for name, entry in _shared(description["policies"], other["policies"]).items()
    }
    return fixed


def _shared(values: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in others}


def _more(large: Description, small: Description) -> list[str]:
    """What a description has more of on its axes."""
    more = _names(large, small)
    for name, entry in large["policies"].items():
        known = small["policies"].get(name, entry)["points"]
        if known != entry["points"]:
            points = _read(entry["points"])
            rows = _unknown(points, _read(known))
            new = [plain(points.row(row)) for row in rows]
            more += [f"policies.{name}: points {_shortened(new)}"] if new else []
    new = _new_seeds(listed(large["seeds"]), listed(small["seeds"])).size
    return more + ([f"seeds: {new}"] if new else [])


def _new_seeds(seeds: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Those that are not among others, sorted. (Without a set: there are millions.)"""
    return np.sort(np.setdiff1d(seeds, others, assume_unique=True))


def _names(large: Description, small: Description) -> list[str]:
    return [
        f"{part}: {', '.join(names)}"
        for part in ("environments", "policies")
        if (names := [name for name in large[part] if name not in small[part]])
    ]


def _written(points: Points) -> dict[str, Any]:
    """Points as JSON can hold them: None where a point leaves a leaf at its default."""
    columns = {
        leaf: [None if math.isnan(x) else plain(x) for x in column.tolist()]
        for leaf, column in points.columns.items()
    }
    return {"count": points.count, "columns": columns}


def _read(written: Mapping[str, Any]) -> Points:
    """Points from JSON. (It has no infinities, but text in their place.)"""
    columns = {
        leaf: np.array([math.nan if x is None else float(x) for x in column])
        for leaf, column in written["columns"].items()
    }
    return Points(columns, written["count"])


def _joined(first: Points, second: Points) -> Points:
    """The points of both."""

    def column(points, leaf):
        return points.columns.get(leaf, np.full(points.count, math.nan))

    leaves = dict.fromkeys([*first.columns, *second.columns])
    return Points(
        {x: np.append(column(first, x), column(second, x)) for x in leaves},
        first.count + second.count,
    )


def _unknown(points: Points, others: Points) -> list[int]:
    """Numbers of the points that are not among others."""
    known = set(_rows(others))
    return [i for i, row in enumerate(_rows(points)) if row not in known]


def _rows(points: Points) -> list[frozenset]:
    """Points as they can be compared."""
    return [frozenset(points.row(i).items()) for i in range(points.count)]


def _differences(stored: Any, wanted: Any, at: str = "") -> list[str]:
    if isinstance(stored, Mapping) and isinstance(wanted, Mapping):
        return [
            line
            for key in dict.fromkeys([*stored, *wanted])
            for line in _differences(
                stored.get(key, MISSING),
                wanted.get(key, MISSING),
                f"{at}.{key}" if at else key,
            )
        ]
    if stored == wanted:
        return []
    return [f"{at}: {_shortened(stored)} in the store, {_shortened(wanted)} now"]


def _shortened(value: Any, length: int = 60) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) > length and isinstance(value, list):
        return f"{len(value)} of them, from {value[0]} to {value[-1]}"
    return text if len(text) <= length else f"{text[: length - 4]} ..."
