"""What every experiment promises of its outcome."""

import json
import math
import re
from itertools import pairwise

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


def legend_texts(fig):
    """What the figure's only legend says."""
    (legend,) = fig.legends
    return [text.get_text() for text in legend.get_texts()]


def assert_readable(fig):
    """No two tick labels of an axis touch, and no axis's name is longer than it."""
    fig.draw_without_rendering()
    for ax in fig.axes:
        frame = ax.get_window_extent()
        for axis, side in ((ax.xaxis, "width"), (ax.yaxis, "height")):
            boxes = [text.get_window_extent() for text in visible(axis)]
            for first, second in pairwise(boxes):
                assert not first.overlaps(second), f"{ax.get_title()}: {axis.axis_name}"
            name = axis.label.get_window_extent()
            assert getattr(name, side) <= 1.02 * getattr(frame, side), (
                f"{axis.label.get_text()!r} is longer than its axis"
            )


def visible(axis):
    """Tick labels of an axis that are drawn, in order."""
    low, high = sorted(axis.get_view_interval())
    ticks = sorted(axis.get_majorticklocs())
    labels = axis.get_ticklabels()
    at = dict(zip(axis.get_majorticklocs(), labels, strict=True))
    return [at[t] for t in ticks if low <= t <= high and at[t].get_text()]
