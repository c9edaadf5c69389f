"""The store of a sweep: made, held against the spec, grown."""

import errno
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import jax

from jaxbandits.results import provenance
from jaxbandits.results.leavings import remove_leavings
from jaxbandits.results.mending import (
    damaged_coordinates,
    mend_chunks,
    mend_metadata,
)
from jaxbandits.results.store import (
    check_store,
    create_store,
    grow_store,
    naming,
    sessions,
    set_attributes,
    stored_shapes,
)
from jaxbandits.sweeps.blocks import block_shape, outstanding, rectangle
from jaxbandits.sweeps.identity import compare, describe, fingerprint, union
from jaxbandits.sweeps.plan import Plan, axes, make_plan, metric_shapes, settled
from jaxbandits.sweeps.spec import Spec

READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


def create(spec: Spec, path: Path, block: int | None, devices: list) -> None:
    """Make an empty store for a spec.

    Args:
      spec: the spec.
      path: where to; nothing may be there.
      block: runs of a block, or None to choose.
      devices: the devices that will play.
    """
    platform = devices[0].platform
    plan = settled(make_plan(spec), platform)
    shapes = metric_shapes(plan)
    shape = rectangle(plan, block) if block else block_shape(plan, shapes, platform)
    attributes = _attributes(plan, describe(plan, platform), [], block)
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leavings(path)
        create_store(path, axes(plan), shapes, shape, attributes)


def mend(path: Path) -> None:
    """Put a store's metadata right, so that it can be opened.

    Raises:
      ValueError: naming the file, if it cannot be done.
    """
    with naming(path):
        _tell(path, mend_metadata(path))


def _tell(path: Path, files: list[str], blocks: int = 0) -> None:
    """Warn that files were damaged."""
    if files:
        more = f" and {len(files) - 5} more" if len(files) > 5 else ""
        again = f"; blocks to be played again: {blocks}" if blocks else ""
        warnings.warn(
            f"store: {path} was damaged; mended: {', '.join(files[:5])}{more}{again}",
            stacklevel=2,
        )


def check_block(path: Path, block: int | None) -> None:
    """Raise a ValueError if a store has blocks of another size than `block`."""
    points, seeds = sessions(path).chunks[-2:]
    if block not in (None, points * seeds, check_store(path)["block"]):
        raise ValueError(
            f"block must be left out (--block): {path} has blocks of {points * seeds} "
            f"runs ({points} points x {seeds} seeds), which cannot change, got {block}"
        )


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
    stored = json.loads(check_store(path)["spec"])
    wanted = describe(settled(make_plan(spec), platform, stored), platform)
    found = compare(stored, wanted)
    if found.changed or found.lost:
        lines = [*found.changed, *(f"{line} only in the store" for line in found.lost)]
        raise ValueError(
            f"store: {path} holds another sweep:\n  "
            + "\n  ".join(lines)
            + "\na store goes on with its own sweep only: give another one"
        )
    if (found.added or found.absent) and not extend:
        lines = [f"only in the spec: {line}" for line in found.added]
        lines += [f"only in the store: {line}" for line in found.absent]
        raise ValueError(
            f"store: {path} holds a sweep of another extent:\n  "
            + "\n  ".join(lines)
            + "\nextend (--extend) adds what is new to what is there"
        )
    plan = make_plan(union(spec, wanted, stored))
    return settled(plan, platform, stored), bool(found.added)


def enter(plan: Plan, path: Path, grows: bool, devices: list) -> None:
    """Begin a session on a store: mend it, make room for the plan, say who plays.

    One that cannot be written to (an archive, say) may be complete as it is.
    """
    with naming(path):
        try:
            with tempfile.TemporaryFile(dir=path):
                pass  # Before anything is played.
        except OSError as error:
            if error.errno not in READ_ONLY or grows or not _is_complete(plan, path):
                raise
            warnings.warn(
                f"store: {path} cannot be written to; it is complete, and nothing was "
                "played",
                stacklevel=2,
            )
            return
        remove_leavings(path)
        _tell(path, *mend_chunks(path))
        stored = check_store(path)
        players = json.loads(stored["sessions"])
        kinds = [str(device.device_kind) for device in devices]
        players.append(provenance(devices=kinds, processes=jax.process_count()))
        description = describe(plan, devices[0].platform)
        attributes = _attributes(plan, description, players, stored["block"])
        if grows or damaged_coordinates(path):
            shapes = stored_shapes(path) | metric_shapes(plan)
            grow_store(path, axes(plan), shapes, attributes)
        else:
            set_attributes(path, attributes)


def note_engines(path: Path, facts: dict[str, dict[str, Any]]) -> None:
    """Put on record what this session plays on: by instance, by policy."""
    with naming(path):
        stored = dict(check_store(path))
        players = json.loads(stored["sessions"])
        players[-1]["engines"] = facts
        stored |= {
            "sessions": json.dumps(players),
            "provenance": json.dumps(players[-1]),
        }
        set_attributes(path, stored)


def _is_complete(plan: Plan, path: Path) -> bool:
    """Whether nothing is missing in a store, and nothing damaged."""
    who = sessions(path)
    missing = outstanding(plan, who, who.chunks[-2:], 0, 1)
    return not missing and not mend_chunks(path, only_look=True).files


def _attributes(plan: Plan, description, players, block) -> dict[str, Any]:
    """Attributes of the dataset."""
    first = next(iter(plan.spec.environments.values()))
    return {
        "setting": (first.provenance or {}).get("setting", ""),
        "checkpoint_kind": plan.terms.schedule.kind,
        "fingerprint": fingerprint(description),
        "block": block,
        "spec": json.dumps(description),
        "sessions": json.dumps(players),
        # Where `simulate` has it too.
        "provenance": json.dumps(players[-1] if players else {}),
    }
