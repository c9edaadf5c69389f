"""The store of a sweep: made, held against the spec, grown."""

import json
import tempfile
from pathlib import Path
from typing import Any

import jax

from jaxbandits.results import provenance
from jaxbandits.results.store import (
    check_store,
    create_store,
    grow_store,
    naming,
    remove_leavings,
    set_attributes,
    stored_shapes,
)
from jaxbandits.sweeps.blocks import block_shape, rectangle
from jaxbandits.sweeps.identity import compare, describe, fingerprint, union
from jaxbandits.sweeps.plan import Plan, axes, make_plan, metric_shapes
from jaxbandits.sweeps.spec import Spec


def create(spec: Spec, path: Path, block: int | None, devices: list) -> None:
    """Make an empty store for a spec.

    Args:
      spec: the spec.
      path: where to; nothing may be there.
      block: runs of a block, or None to choose.
      devices: the devices that will play.
    """
    plan = make_plan(spec)
    platform = devices[0].platform
    shapes = metric_shapes(plan)
    shape = rectangle(plan, block) if block else block_shape(plan, shapes, platform)
    attributes = _attributes(plan, describe(plan, platform), [])
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leavings(path)
        create_store(path, axes(plan), shapes, shape, attributes)


def fit(spec: Spec, path: Path, extend: bool, devices: list) -> tuple[Plan, bool]:
    """The plan of a spec in a store, and whether the store has to grow for it.

    Args:
      spec: the spec.
      path: the store.
      extend: whether they may differ in their extent; the plan is of the union.
      devices: the devices that will play.

    Raises:
      ValueError: if the store holds another sweep, saying what differs.
    """
    platform = devices[0].platform
    wanted = describe(make_plan(spec), platform)
    stored = json.loads(check_store(path)["spec"])
    found = compare(stored, wanted)
    if found.changed or found.lost:
        lines = [*found.changed, *(f"{line} only in the store" for line in found.lost)]
        raise ValueError(f"store: {path} holds another sweep:\n  " + "\n  ".join(lines))
    if (found.added or found.absent) and not extend:
        lines = [f"only in the spec: {line}" for line in found.added]
        lines += [f"only in the store: {line}" for line in found.absent]
        raise ValueError(
            f"store: {path} holds a sweep of another extent:\n  "
            + "\n  ".join(lines)
            + "\nextend (--extend) adds what is new to what is there"
        )
    return make_plan(union(spec, wanted, stored)), bool(found.added)


def enter(plan: Plan, path: Path, grows: bool, devices: list) -> None:
    """Begin a session on a store: make room for the plan, and say who plays."""
    with naming(path):
        with tempfile.TemporaryFile(dir=path):
            pass  # Before anything is played.
        remove_leavings(path)
        sessions = json.loads(check_store(path)["sessions"])
        kinds = [str(device.device_kind) for device in devices]
        sessions.append(provenance(devices=kinds, processes=jax.process_count()))
        description = describe(plan, devices[0].platform)
        attributes = _attributes(plan, description, sessions)
        if grows:
            shapes = stored_shapes(path) | metric_shapes(plan)
            grow_store(path, axes(plan), shapes, attributes)
        else:
            set_attributes(path, attributes)


def _attributes(plan: Plan, description, sessions: list) -> dict[str, Any]:
    """Attributes of the dataset."""
    instances = plan.spec.instances
    first = next(iter(instances.values()))
    return {
        "environment": ", ".join(instances),
        "setting": (first.provenance or {}).get("setting", ""),
        "checkpoint_kind": plan.rules.end.kind,
        "fingerprint": fingerprint(description),
        "spec": json.dumps(description),
        "sessions": json.dumps(sessions),
        # Where `simulate` has it too.
        "provenance": json.dumps(sessions[-1] if sessions else {}),
    }
