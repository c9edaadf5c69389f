"""What makes two sweeps the same, and what is said about differences."""

import hashlib
import json
from types import MappingProxyType

import jax
import numpy as np

from jaxbandits.checks.points import points_from
from jaxbandits.results import spans
from jaxbandits.results.parts import fingerprint, lacking
from jaxbandits.simulation import Entry
from jaxbandits.simulation.plan import describe, make_plan, parts_of
from jaxbandits.store.request import additions
from jaxbandits.store.request import changes as changes_of
from tests.simulation import walk
from tests.tables import each_row

SPEC = walk.spec(points=2, seeds=4, horizon=8)
WALKER, IDLER = SPEC.policies.values()
SHORT, LONG = SPEC.environments.values()


def described(spec=SPEC, **changes):
    return describe(make_plan(spec._replace(**changes)), "cpu")


def compared(spec, **changes):
    """What changed from a spec to another one, as a store says it."""
    stored = json.loads(json.dumps(described(spec)))
    return changes_of(stored, described(spec, **changes))


def asked(spec=SPEC, **changes):
    """What is asked for."""
    plan = make_plan(spec._replace(**changes))
    return parts_of(plan, spans.spans_of(plan.seeds))


def printed(**changes):
    return fingerprint(described(**changes), asked(**changes))


def added(spec, **changes):
    return additions(lacking(asked(spec, **changes), asked(spec)))


def test_a_description():
    found = described()
    assert json.loads(json.dumps(found)) == found
    assert set(found["versions"]) == {"jaxbandits", "jax", "jaxlib"}
    assert (found["platform"], found["x64"]) == ("cpu", False)
    assert (found["root_seed"], found["runs_per_instance"]) == (0, 1)
    assert (found["checkpoint_kind"], found["checkpoints"]) == ("round", [4, 8])
    assert (found["last_round"], found["metrics"]) == (8, None)
    assert found["environments"]["long"] == {
        "provenance": {"setting": "walk"},
        # Type, shape and bytes of 3.0.
        "numbers": hashlib.sha256(b"<f8()" + np.float64(3).tobytes()).hexdigest()[:16],
    }
    walker = found["policies"]["walker"]
    assert walker["defaults"]["short"] == {"step": 1.0, "growth": 1.0}
    assert walker["program"] == found["policies"]["idler"]["program"]


def other(**changes):
    return {"policies": SPEC.policies | {"idler": Entry(walk.WALKER, **changes)}}


def walkers(rows):
    return points_from(WALKER.grid).at(rows)


def coded(**changes):
    entry = Entry(walk.WALKER._replace(**changes))
    return {"policies": SPEC.policies | {"idler": entry}}


CHANGES = {
    "code": coded(act=lambda *args: 2 * walk.act(*args)),
    "report": coded(report=lambda state, params: {"small": -state}),
    "default": coded(params=walk.Params(growth=2.0)),
    "point": other(grid={"growth": 2.0}),
    "setup": {"environments": SPEC.environments | {"long": SHORT}},
    "provenance": {
        "environments": SPEC.environments | {"long": LONG._replace(provenance={})}
    },
    "sampling": {"environments": {"short": walk.DRAWN, "long": LONG}},
    "root seed": {"root_seed": 1},
    "checkpoints": {"checkpoints": [5]},
    "horizon": {"horizon": 9},
    "runs_per_instance": {
        "environments": {"short": walk.DRAWN, "long": LONG},
        "runs_per_instance": 2,
    },
    "metrics": {"metrics": ["regret"]},
    "number of seeds": {"seeds": 5},
    "seeds": {"seeds": [0, 1, 2, 4]},
    "policy's name": {"policies": {"a": WALKER, "idler": IDLER}},
    "instance's name": {"environments": {"a": SHORT, "long": LONG}},
}


def test_what_numbers_depend_on_is_in_the_identity(subtests):
    for change in CHANGES.values():
        with subtests.test(row=change):
            assert printed(**change) != printed()
    drawn = [printed(**CHANGES[x]) for x in ("sampling", "runs_per_instance")]
    assert drawn[0] != drawn[1]


def test_precision_matters():
    with jax.enable_x64(True):
        found = described()
    assert (found["x64"], described()["x64"]) == (True, False)
    program = [d["policies"]["idler"]["program"]["long"] for d in (found, described())]
    assert program[0] != program[1]


WHAT_DOES_NOT_MATTER = [
    {"policies": dict(reversed(SPEC.policies.items()))},
    {"policies": MappingProxyType(SPEC.policies)},
    {"environments": MappingProxyType(SPEC.environments)},
    {"policies": SPEC.policies | {"idler": Entry(lambda problem: walk.WALKER)}},
    {"policies": SPEC.policies | {"idler": Entry(walk.WALKER, {})}},
    {
        "policies": {"walker": WALKER._replace(grid=points_from(WALKER.grid))}
        | {"idler": IDLER}
    },
    {"seeds": range(4)},
    {"seeds": np.arange(4)},
    {"checkpoints": np.array([4])},
    {"checkpoints": (4, 8)},
    {"root_seed": np.int64(0)},
]


@each_row("change", WHAT_DOES_NOT_MATTER)
def test_what_numbers_do_not_depend_on_is_not_in_the_identity(change):
    assert printed(**change) == printed()


def test_the_order_of_what_is_kept_does_not_matter():
    kept = [
        described(metrics=names) for names in (["regret", "small"], ("small", "regret"))
    ]
    assert kept[0] == kept[1]


WHAT_CHANGED = [
    ({"root_seed": 9}, ["root_seed: 0 in the store, 9 now"]),
    (
        {"horizon": 9},
        [
            "checkpoints: [4, 8] in the store, [4, 9] now",
            "last_round: 8 in the store, 9 now",
        ],
    ),
    ({"metrics": ["regret"]}, ['metrics: null in the store, ["regret"] now']),
    (
        CHANGES["default"],
        [
            "policies.idler.defaults.short.growth: 1.0 in the store, 2.0 now",
            "policies.idler.defaults.long.growth: 1.0 in the store, 2.0 now",
        ],
    ),
    (
        CHANGES["provenance"],
        ["environments.long.provenance.setting: walk in the store, nothing now"],
    ),
]


@each_row("change, lines", WHAT_CHANGED)
def test_what_changed(change, lines):
    assert compared(SPEC, **change) == lines


def test_changed_code_is_told_from_added_policies():
    entry = Entry(walk.WALKER._replace(act=lambda *args: 2 * walk.act(*args)))
    policies = SPEC.policies | {"idler": entry, "new": entry}
    assert [x.split(":")[0] for x in compared(SPEC, policies=policies)] == [
        "policies.idler.program.short",
        "policies.idler.program.long",
    ]
    assert added(SPEC, policies=policies) == [
        f"new in {name}: 1 points, seeds 0-3" for name in ("short", "long")
    ]


def test_what_is_added_is_said():
    small = SPEC._replace(
        policies={"walker": WALKER._replace(grid=walkers(slice(1)))},
        environments={"long": LONG},
        seeds=[7],
    )
    wanted = SPEC._replace(seeds=[8, 7, 9])
    assert added(small, **wanted._asdict()) == [
        "walker in short: 2 points, seeds 8, 7, 9",
        "idler in short: 1 points, seeds 8, 7, 9",
        "walker in long: 1 points, seeds 8, 7, 9",
        "walker in long: 1 points, seeds 8, 9",
        "idler in long: 1 points, seeds 8, 7, 9",
    ]
    many = parts_of(make_plan(SPEC), ((0, 4),)) * 5
    assert additions(many)[10:] == ["and 10 more policies in environments"]
    # What a spec has less than a store is no difference.
    assert compared(SPEC, **small._asdict()) == [] == added(SPEC, seeds=[2])


def test_names_of_instances_hide_no_differences():
    """An instance may be called as a key of a provenance is."""
    spec = SPEC._replace(
        environments={"a": SHORT._replace(provenance={"a": 1, "b": 1}), "b": SHORT}
    )
    changed = {"a": SHORT._replace(provenance={"a": 1, "b": 1, "c": 2})}
    found = compared(spec, environments=spec.environments | changed)
    assert found == ["environments.a.provenance.c: nothing in the store, 2 now"]


def test_a_long_list_is_shortened():
    found = compared(SPEC._replace(horizon=100, checkpoints="linear"), horizon=200)
    assert found == [
        "checkpoints: 100 of them, from 1 to 100 in the store, "
        "100 of them, from 2 to 200 now",
        "last_round: 100 in the store, 200 now",
    ]
