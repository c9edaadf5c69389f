"""Requests: what is asked for falls into blocks, whose keys say what they are."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits.checks.points import Points
from jaxbandits.results import spans
from jaxbandits.results.parts import Part, apart, lacking, read, rows_of, written
from jaxbandits.store.request import request_from
from tests.store.samples import STEPS, SWEEP, request


def runs_of(pieces):
    """How often each run is in some parts or blocks."""
    return Counter(
        (*piece.game, row, seed)
        for piece in pieces
        for row in rows_of(piece.points)
        for seed in spans.listed(piece.seeds).tolist()
    )


def test_a_request_is_what_json_holds_of_it():
    wanted = request(seeds=((3, 9), (0, 2)))
    found = request_from(json.loads(json.dumps(wanted.as_json())))
    assert runs_of(found.parts) == runs_of(wanted.parts)
    assert {b.key for b in found.blocks()} == {b.key for b in wanted.blocks()}
    assert found._replace(parts=[]) == wanted._replace(parts=[])
    # Environments share a table of points.
    assert len(wanted.as_json()["parts"]) == 2


@pytest.mark.parametrize("table", [{"a": [0.5, np.inf]}, {"a": [np.nan, 1]}, {}])
def test_points_are_what_json_holds_of_them(table):
    points = Points({k: np.array(x, float) for k, x in table.items()}, 2)
    assert rows_of(read(json.loads(json.dumps(written(points))))) == rows_of(points)


@given(
    points=st.integers(1, 40),
    seeds=st.integers(1, 300),
    runs=st.integers(1, 200),
    most=st.integers(1, 50),
)
def test_blocks_hold_every_run_once(points, seeds, runs, most):
    steps = tuple(np.arange(1.0, points + 1))
    blocks = request(steps, ((0, seeds),), runs, most).blocks()
    parts = request(steps, ((0, seeds),)).parts
    assert runs_of(blocks) == runs_of(parts)
    assert len({block.key for block in blocks}) == len(blocks)
    for block in blocks:
        assert block.size <= runs and block.points.count <= most


def test_the_first_layer_has_some_seeds_of_everything():
    blocks = request(runs=12).blocks()
    ends = {}
    for place, block in enumerate(blocks):
        for row in rows_of(block.points):
            ends.setdefault((*block.game, row), []).append(place)
    first = max(places[0] for places in ends.values())
    assert len(ends) == 2 * 4
    assert all(places[1] > first for places in ends.values() if len(places) > 1)


CHANGES = {
    "root seed": {"sweep": SWEEP | {"root_seed": 1}},
    "checkpoints": {"sweep": SWEEP | {"checkpoints": [5, 11]}},
    "versions": {"sweep": SWEEP | {"versions": {}}},
    "what is kept": {"keep": "moments"},
    "points": {"steps": (0.6, 1.1, 2.2)},
    "seeds": {"seeds": ((1, 11),)},
    "program": {
        "sweep": SWEEP
        | {
            "policies": {
                name: entry | {"program": {"short": "x", "long": "y"}}
                for name, entry in SWEEP["policies"].items()
            }
        }
    },
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_key_changes_with_all_that_numbers_depend_on(change):
    old, new = request().blocks(), request(**change).blocks()
    walkers = {b.key for b in old if b.game[1] == "walker"}
    assert walkers.isdisjoint(b.key for b in new)


def test_a_key_does_not_depend_on_company():
    alone = request()._replace(parts=request().parts[:1], text="other", at=5.0)
    assert {b.key for b in alone.blocks()} < {b.key for b in request().blocks()}


@given(
    known=st.lists(
        st.tuples(st.sets(st.sampled_from(STEPS), min_size=1), st.integers(0, 8))
    ),
    seeds=st.integers(1, 10),
)
def test_what_is_lacking_is_what_nobody_has_asked_for(known, seeds):
    held = [
        part
        for steps, begin in known
        for part in request(tuple(steps), ((begin, begin + 3),)).parts
    ]
    wanted = request(seeds=((0, seeds),)).parts
    found = lacking(wanted, held)
    assert runs_of(found) == {
        run: 1 for run in runs_of(wanted) if run not in runs_of(held)
    }
    assert not lacking(wanted, [*held, *found])


def test_parts_that_are_apart_have_every_run_once():
    first, second = request().parts[0], request((1.0, 7.0), ((9, 20),)).parts[0]
    third = Part(first.game, second.points, ((10, 12),))
    assert apart([first, second, third]) == [first, third]
    assert max(runs_of(apart([first, second, third])).values()) == 1
