"""What every experiment promises of its outcome."""

import json
import math
import re
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxbandits_studies.common.writing import SUMMARY
from jaxbandits_studies.judging.protocols import PROTOCOLS
from tests.plots.crowding import complaints, legend_texts

RESULTS = Path(__file__).parents[1] / "results"
RECORD = {
    "experiment",
    "environment",
    "policy",
    "params",
    "seeds",
    "horizon",
    "metrics",
}
ENTRY = {"mean", "sem", "published"}


def titles(axes):
    """Of panels, without their letters: ``(a) PosCorr`` is PosCorr."""
    return [re.sub(r"^\(\w\) ?", "", ax.get_title()) for ax in axes]


def check_records(outcome, name):
    """Exactly the promised keys, plain finite numbers, no record twice."""
    records = outcome.records
    assert records
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    for record in records:
        assert set(record) == RECORD
        assert record["experiment"] == name
        assert record["metrics"]
        for entry in record["metrics"].values():
            assert set(entry) == ENTRY
            assert math.isfinite(entry["mean"])
    labels = [(r["environment"], r["policy"], str(r["params"])) for r in records]
    assert len(set(labels)) == len(labels)


def entry(outcome, instance, policy, metric):
    """A metric of the record of an instance and a policy."""
    (record,) = (
        r
        for r in outcome.records
        if (r["environment"], r["policy"]) == (instance, policy)
    )
    return record["metrics"][metric]


def assert_readable(fig):
    """Nothing overlaps, and no axis's name is longer than it."""
    assert complaints(fig) == []
    for ax in fig.axes:
        frame = ax.get_window_extent()
        for axis, side in ((ax.xaxis, "width"), (ax.yaxis, "height")):
            name = axis.label.get_window_extent()
            assert getattr(name, side) <= 1.02 * getattr(frame, side), (
                f"{axis.label.get_text()!r} is longer than its axis"
            )


def by_case(records):
    """Case -> policy -> the means of its metrics."""
    found = {}
    for each in records:
        means = {name: entry["mean"] for name, entry in each["metrics"].items()}
        found.setdefault(each["environment"], {})[each["policy"]] = means
    return found


def check_page(name, page, row, quick, tolerance):
    """A page of least regrets has what the full run found; a quick run finds the same.

    The cells of a case's row are made by `row` from the means by policy.
    """
    kept = json.loads((RESULTS / name / SUMMARY).read_text())
    text = (RESULTS / "theory" / page).read_text()
    cases = by_case(kept["records"])
    assert [*cases] == [*PROTOCOLS[name.removesuffix("-least")].judging]
    for title, policies in cases.items():
        cells = " ".join(f"| {x}".rstrip() for x in (title, *row(policies)))
        assert f"\n{cells} |\n" in text
    for title, policies in by_case(quick.records).items():
        for policy, means in policies.items():
            assert means == pytest.approx(cases[title][policy], rel=tolerance)


def check_figure(fig, legend):
    """It has such a legend, and can be read."""
    assert legend_texts(fig) == legend
    assert_readable(fig)


def dealt_game(monkeypatch, ranked, compare):
    """The game that a comparison would play, whose arms are shuffled for every seed.

    The full name of what plays in it is `ranked`.
    """

    class WouldPlay(Exception):  # noqa: N818
        pass

    def stop(games, *others):
        raise WouldPlay(*games.values())

    with monkeypatch.context() as patch, pytest.raises(WouldPlay) as found:
        patch.setattr(ranked, stop)
        compare()
    (game,) = found.value.args
    keys, setup = jax.random.split(jax.random.key(0), 8), game.setup
    orders = jax.jit(jax.vmap(game.game.sample, (0, None)))(keys, setup).order
    assert len(np.unique(orders, axis=0)) == len(keys)
    return game


@contextmanager
def memory_below(most):
    """What runs inside takes fewer bytes than so many at any time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
