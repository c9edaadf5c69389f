"""The store of a sweep: made, held against the spec, grown."""

import errno
import json
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jaxbandits import checks
from jaxbandits.results.home import Home, place_of
from jaxbandits.results.leavings import remove_leavings
from jaxbandits.results.mending import (
    damaged_coordinates,
    mend_chunks,
    mend_metadata,
    named,
)
from jaxbandits.results.store import (
    check_store,
    create_store,
    grow_store,
    keeps_moments,
    naming,
    sessions,
    stored_shapes,
    unseal,
)
from jaxbandits.sweeps.blocks import (
    block_of_moments,
    block_shape,
    outstanding,
    rectangle,
)
from jaxbandits.sweeps.identity import (
    accepting,
    compare,
    describe,
    fingerprint,
    union,
)
from jaxbandits.sweeps.plan import (
    Plan,
    attributes,
    axes,
    make_plan,
    metric_shapes,
    settled,
)
from jaxbandits.sweeps.spec import Spec

KEPT = ("runs", "moments")
READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


class Store(NamedTuple):
    """A Zarr store for a sweep, new or of the same sweep, and what may happen to it.

    Attributes:
      path: the folder, a URL (``s3://bucket/x.zarr``, with ``jaxbandits[remote]``), or
        a `zarr.abc.store.Store`.
      extend: whether seeds, points, policies and environments may be new to the store.
      block: runs (seeds times points) that are written at a time, for a new store; by
        default by their size and duration.
      verify: so many blocks of the store, drawn at random, are played once more and
        compared, bit by bit.
      metrics: names of what to keep; by default everything, or what a `Spec` says.
      keep: ``"runs"``, the default of a new store, or ``"moments"``: of every metric
        that is a number, by point and checkpoint, the number of runs, four moments,
        extremes and a sketch of the quantiles, in place of the runs.
      accept_version: whether to go on with a newer patch of JAX than the store was
        made with (0.12.1 for 0.12.0); the session says so.
    """

    path: Any
    extend: bool = False
    block: int | None = None
    verify: int = 0
    metrics: Iterable[str] | None = None
    keep: str | None = None
    accept_version: bool = False


def store_of(store: Any) -> Store:
    """A store that can be used, from one or a path; its path is a `Path`.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    if not isinstance(store, Store):
        store = Store(store)
    checks.flag("store: extend", store.extend)
    checks.flag("store: accept_version", store.accept_version)
    checks.whole("store: verify", store.verify, 0)
    if store.block is not None:
        checks.whole("store: block", store.block, 1)
    if store.keep is not None:
        checks.one_of("store: keep", store.keep, KEPT)
    return store._replace(path=place_of(store.path))


def create(
    spec: Spec,
    path: Path | Home,
    block: int | None,
    platform: str,
    moments: bool = False,
) -> None:
    """Make an empty store for a spec.

    Args:
      spec: the spec.
      path: where to; nothing may be there.
      block: runs of a block, or None to choose.
      platform: of the devices that will play.
      moments: whether to keep moments in place of runs.

    Raises:
      ValueError: if runs share drawn instances, of which moments know nothing.
    """
    plan = settled(make_plan(spec), platform)
    if moments and plan.terms.runs_per_instance > 1:
        raise ValueError(
            "store: keep must be 'runs' with runs_per_instance > 1: moments of runs do "
            "not tell those of the instances that they share"
        )
    shapes = metric_shapes(plan)
    shape = rectangle(plan, block) if block else block_shape(plan, shapes, platform)
    if moments:
        shape = block_of_moments(plan, shapes, shape)
    said = _attributes(plan, describe(plan, platform), [], block)
    with naming(path):
        if isinstance(path, Path):
            path.parent.mkdir(parents=True, exist_ok=True)
        remove_leavings(path)
        create_store(path, axes(plan), shapes, shape, said, moments)


def mend(path: Path | Home) -> None:
    """Put a store's metadata right, so that it can be opened.

    Raises:
      ValueError: naming the file, if it cannot be done.
    """
    with naming(path):
        _tell(path, mend_metadata(path))


def _tell(path: Path | Home, files: list[str], blocks: int = 0) -> None:
    """Warn that files were damaged."""
    if files:
        again = f"; blocks to be played again: {blocks}" if blocks else ""
        warnings.warn(
            f"store: {path} was damaged; mended: {named(files)}{again}",
            stacklevel=2,
        )


def check_same(store: Store) -> None:
    """Raise a ValueError if a store is not as is asked: other blocks, or other keep."""
    path, block = store.path, store.block
    points, seeds = sessions(path).chunks[-2:]
    if block not in (None, points * seeds, check_store(path)["block"]):
        raise ValueError(
            f"block must be left out (--block): {path} has blocks of {points * seeds} "
            f"runs ({points} points x {seeds} seeds), which cannot change, got {block}"
        )
    kept = KEPT[keeps_moments(path)]
    if store.keep not in (None, kept):
        raise ValueError(
            f"store: keep must be left out or {kept!r}, which {path} keeps, got "
            f"{store.keep!r}"
        )


def fit(
    spec: Spec, path: Path | Home, extend: bool, platform: str, accepts: bool = False
) -> tuple[Plan, bool]:
    """The plan of a spec in a store, and whether the store has to grow for it.

    Args:
      spec: the spec.
      path: the store.
      extend: whether they may differ in their extent; the plan is of the union.
      platform: of the devices that will play.
      accepts: whether a newer patch of JAX is accepted.

    Raises:
      ValueError: if the store holds another sweep, saying what differs.
    """
    stored = json.loads(check_store(path)["spec"])
    wanted = describe(settled(make_plan(spec), platform, stored), platform)
    wanted = accepting(stored, wanted) if accepts else wanted
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


def enter(plan: Plan, path: Path | Home, grows: bool) -> bool:
    """Mend a store, and make room for the plan.

    Returns:
      Whether it can be written to. One that cannot (an archive, say) is complete.
    """
    with naming(path):
        try:
            if isinstance(path, Path):
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
            return False
        remove_leavings(path)
        mended = mend_chunks(path)
        _tell(path, *mended)
        if mended.blocks:
            unseal(path)  # It is not complete any more.
        if grows or damaged_coordinates(path):
            stored = check_store(path)
            old = json.loads(stored["spec"])
            description = describe(plan, old["platform"]) | {
                "versions": old["versions"]
            }
            said = _attributes(
                plan, description, json.loads(stored["sessions"]), stored["block"]
            )
            shapes = stored_shapes(path) | metric_shapes(plan)
            grow_store(path, axes(plan), shapes, said)
    return True


def _is_complete(plan: Plan, path: Path | Home) -> bool:
    """Whether nothing is missing in a store, and nothing damaged."""
    if mend_chunks(path, only_look=True).files:
        return False
    played = sessions(path)
    return not outstanding(plan, played, played.chunks[-2:])


def _attributes(
    plan: Plan,
    description: Mapping[str, Any],
    players: Sequence[Mapping[str, Any]],
    block: int,
) -> dict[str, Any]:
    """Attributes of the dataset."""
    return attributes(plan, players[-1] if players else {}) | {
        "fingerprint": fingerprint(description),
        "block": block,
        "spec": json.dumps(description),
        "sessions": json.dumps(players),
        "text": plan.spec.text or "",
    }
