"""What every experiment promises of its outcome."""

import json
import math

RECORD = {
    "experiment",
    "instance",
    "policy",
    "params",
    "seeds",
    "horizon",
    "metrics",
}
ENTRY = {"mean", "sem", "published"}


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
    labels = [(r["instance"], r["policy"]) for r in records]
    assert len(set(labels)) == len(labels)


def entry(outcome, instance, policy, metric):
    """A metric of the record of an instance and a policy."""
    (record,) = (
        r for r in outcome.records if (r["instance"], r["policy"]) == (instance, policy)
    )
    return record["metrics"][metric]


def legend_texts(fig):
    """What the figure's only legend says."""
    (legend,) = fig.legends
    return [text.get_text() for text in legend.get_texts()]
