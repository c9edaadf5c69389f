"""Plans: what policies and instances have in common, and what they must."""

from collections import Counter

import numpy as np
import pytest

from jaxbandits.checks.points import Points
from jaxbandits.results import spans
from jaxbandits.results.dataset import Axes
from jaxbandits.results.parts import rows_of
from jaxbandits.simulation import Entry, HalfWidth
from jaxbandits.simulation.plan import (
    later_parts,
    make_plan,
    metric_shapes,
    outlined,
    parts_of,
)
from tests.simulation import walk


def vocal(length):
    """A walker whose report has so many numbers."""
    report = lambda state, params: {"small": state + np.arange(length)}  # noqa: E731
    return walk.WALKER._replace(report=report)


def plan(points=2, **changes):
    return make_plan(walk.spec(points=points, seeds=3)._replace(**changes))


def test_shapes_that_differ_are_refused_unless_left_out():
    policies = {"one": Entry(vocal(1)), "two": Entry(vocal(2))}
    with pytest.raises(ValueError, match=r"'small' has shape \(2,\) for 'two' on 'sho"):
        metric_shapes(plan(policies=policies))
    assert metric_shapes(plan(policies=policies, metrics=["regret"])) == {"regret": ()}
    only = {"two": Entry(vocal(2))}
    assert metric_shapes(plan(policies=only)) == {"regret": (), "small": (2,)}


def test_unknown_metrics_are_named():
    with pytest.raises(ValueError, match=r"\[.foo.\] unknown; known are"):
        metric_shapes(plan(metrics=["regret", "foo"]))
    with pytest.raises(ValueError, match="^metrics must name at least one"):
        metric_shapes(plan(metrics=[]))
    with pytest.raises(TypeError, match="^text must be a str .of a file., got 3"):
        plan(text=3)


def test_parameters_of_points_and_instances():
    """Defaults that a factory takes from the problem differ between environments."""

    def make(problem):
        return walk.WALKER._replace(params=walk.Params(growth=float(problem)))

    games = {
        name: walk.GAME._replace(problem=growth)
        for name, growth in {"short": 1, "long": 2}.items()
    }
    entries = {
        "all": Entry(make, Points({"step": np.array([3.0, np.nan])}, 2)),
        "one": Entry(make),
    }
    made = plan(environments=games, policies=entries)
    found = Axes(outlined(made), parts_of(made, ((0, 3),))).dataset()
    nan = np.nan
    np.testing.assert_array_equal(
        found["param_growth"], [[[1, 1], [1, nan]], [[2, 2], [2, nan]]]
    )
    np.testing.assert_array_equal(found["param_step"][0], [[3, 1], [1, nan]])


def test_every_instance_must_have_the_end():
    with pytest.raises(ValueError, match="spends nothing"):
        plan(budget=5.0, horizon=None)


def test_environments_of_one_program_are_looked_at_once(monkeypatch):
    """Else thousands of crossed ones would take hours before the first is played."""
    from jaxbandits.simulation import plan as module

    opened, opening = [], module.opening
    monkeypatch.setattr(
        module, "opening", lambda *args: opened.append(args) or opening(*args)
    )
    setups = {f"{x}": walk.GAME._replace(setup=np.float64(x)) for x in range(1, 20)}
    made = plan(environments=setups)
    assert set(module.metric_shapes(made)) == {"regret", "small"}
    assert len(opened) == 1, "both policies walk by the same functions"


@pytest.mark.parametrize("each", [False, True])
def test_shared_instances_are_played_whole_after_the_pilot(each):
    """Up to the last whole instance within `at_most`."""
    until = HalfWidth("regret", 1.0, at_most=43, pilot=8, each=each)
    options = {"environments": {"d": walk.DRAWN}, "runs_per_instance": 4}
    made = plan(points=3, seeds=until, **options)
    needed = np.array([[[3, 9, 10**6], [5, 0, 0]]])
    seeds = Counter()
    for part in later_parts(made, until, needed):
        assert part.seeds[0][0] % 4 == 0 and part.seeds[-1][1] % 4 == 0
        for row in rows_of(part.points):
            seeds[part.game[1], row] += spans.count(part.seeds)
    assert sorted(seeds.values()) == ([4, 32] if each else [32, 32, 32, 32])
