"""Numbers are given where a policy is made, and a grid belongs to its policy."""

import numpy as np

import jaxbandits as jb
from jaxbandits.censored import rcucb, thompson
from jaxbandits.plain import ucb
from tests.games import coins, game_for
from tests.registered import POLICIES
from tests.simulation.walk import GAME as WALK
from tests.simulation.walk import WALKER
from tests.tables import assert_refused

GAME = coins([0.3, 0.7], 3)
OPTIONS = {"horizon": 20, "seeds": 4, "machine": jb.Machine(progress=False)}


def test_a_factory_takes_parameters_by_name():
    made = rcucb(GAME.problem, survival="kaplan_meier", penalty_radius=0.0)
    plain = rcucb(GAME.problem, survival="kaplan_meier")
    assert made == plain.with_params(penalty_radius=0.0) != plain
    assert made.params == plain.params._replace(penalty_radius=0.0)
    assert made.functions is not None and made.act is plain.act
    assert ucb(3, alpha=2.0).params.alpha == 2.0


def test_no_parameter_has_the_name_of_an_option():
    """Or a number would be taken for the one where the other was meant."""
    for name, maker in POLICIES.items():
        policy = maker(game_for(name).problem)
        leaves = set(policy.params._fields) if policy.params else set()
        assert not leaves & set(maker.arguments), name


BAD = {
    r"rcucb: there is no argument 'gain_radus'; beside problem it has the "
    r"options .*survival.* and the parameters alpha = .*, gain_radius = 1.0.* "
    r"\(did you mean 'gain_radius'\?\)": lambda: rcucb(GAME.problem, gain_radus=1.0),
    "alpha must be .*-1": lambda: rcucb(GAME.problem, alpha=-1.0),
    "alpha must be .*'1'": lambda: rcucb(GAME.problem, alpha="1"),
    "alpha must be .*NaN": lambda: rcucb(GAME.problem, alpha=np.nan),
    "ucb: there is no argument 'beta'": lambda: ucb(3, beta=1.0),
    r"TS: with_params got \['alpha'\], which are no parameters of it": lambda: thompson(
        GAME.problem
    ).with_params(alpha=1.0),
    "did you mean 'alpha'": lambda: rcucb(GAME.problem).over(alhpa=[1.0]),
    "at least one": lambda: rcucb(GAME.problem).over(alpha=[]),
    r"^RCUCB: over: \['alpha'\] are in the design and by name": lambda: rcucb(
        GAME.problem
    ).over(jb.zipped({"alpha": [1.0]}), alpha=[2.0]),
}


def test_mistakes_are_named_before_anything_is_compiled():
    assert_refused(BAD)


def test_policies_bring_their_points():
    design = jb.zipped({"step": [1.0, 2.0]})
    other = WALKER._replace(name="other")
    entries = [WALKER.over(design, growth=[0.5, 1.0]), other]
    data = jb.simulate(entries, WALK, **OPTIONS)
    assert data["policy"].values.tolist() == ["walker", "other"]
    found = data.sel(policy="walker")
    np.testing.assert_array_equal(found["param_step"], [1, 1, 2, 2])
    np.testing.assert_array_equal(found["param_growth"], [0.5, 1, 0.5, 1])
    alone = jb.simulate(WALKER.with_params(step=2.0, growth=0.5), WALK, **OPTIONS)
    np.testing.assert_array_equal(
        found["regret"].isel(params=2), alone["regret"].isel(policy=0, params=0)
    )
    by_function = {"mine": lambda problem: WALKER.over(step=[1, 2, 3, 4])}
    several = jb.simulate(by_function, {"one": WALK, "two": WALK}, **OPTIONS)
    assert several["regret"].sizes["params"] == 4 and "environment" in several.dims
