"""What bounds refuse: what their docstrings exclude, and arguments that do not fit."""

import inspect
import re
from functools import partial
from typing import Annotated, Any, get_args, get_origin

import numpy as np
import pytest

from jaxbandits import checks
from jaxbandits_studies import theory
from jaxbandits_studies.theory import domains
from jaxbandits_studies.theory.domains import (
    AboveOne,
    AtLeastOne,
    Count,
    Finite,
    Form,
    Inside,
    NonNegative,
    Numbers,
    Positive,
    Share,
    Table,
    Vector,
)
from tests.tables import assert_refused

a, b, c, f = theory.allocation, theory.budgeted, theory.censored, theory.farewell
g, z = theory.graves_lai, theory.zooming
MODULES = {name: getattr(theory, name) for name in theory.__all__}
FUNCTIONS = {
    f"{name}.{key}": each
    for name, module in MODULES.items()
    for key, each in vars(module).items()
    if inspect.isfunction(each) and hasattr(each, "__wrapped__")
}
# A domain's check -> what a docstring says of it. `Cost` has two.
SAID = {
    checks.finite: r"",
    checks.non_negative: r">= 0|in \[0,|>= N",
    checks.positive: r"> 0|in \(0|> m|in \[m",
    checks.at_least_one: r">= 1|>= K|in \[1",
    checks.above_one: r"> 1",
    checks.between_zero_and_one: r"in \(0, 1|in \(0, q|< p|> q",
    checks.in_unit_interval: r"in \[0, 1|in \(0, 1\]",
    b.whole_numbers: r"whole numbers",
}


def test_docstrings_say_the_ranges_that_are_checked():
    assert len(FUNCTIONS) > 70
    assert sum(ranges_said(name) for name in FUNCTIONS) > 100


def ranges_said(name):
    """How many ranges are said, each of them rightly."""
    function, compared = FUNCTIONS[name], 0
    text = inspect.getdoc(function)
    said = {
        key: words
        for keys, words in re.findall(r"^  ([\w, ]+): (.*(?:\n    .*)*)", text, re.M)
        for key in re.findall(r"\w+", keys)
    }
    for each in inspect.signature(function.__wrapped__).parameters.values():
        annotation = each.annotation
        if type(None) in get_args(annotation):
            annotation = get_args(annotation)[0]
        if get_origin(annotation) is not Annotated or each.name not in said:
            continue
        words = said[each.name]
        if re.search(r"\bas (for|in|of)\b|likewise|the same for", words):
            continue  # what another function says
        for check in filter(callable, get_args(annotation)[1:]):
            assert re.search(SAID[check], words), (name, each.name, words)
            compared += 1
    return compared


def asked(kind: Any) -> Any:
    """A function of one argument of a kind."""

    def function(x):
        return x

    function.__annotations__ = {"x": kind}
    function.__signature__ = inspect.Signature(
        [inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY, annotation=kind)]
    )
    return domains.domains(function)


def test_what_is_outside_of_a_domain_is_refused():
    for kind, good, wrong in [
        (Finite[Numbers], [-1, 2.5], [np.inf, [0.0, np.nan], "x", None, True]),
        (NonNegative[Numbers], [0, 7], [-1, [0, -1e-9], np.inf]),
        (Positive[float], [1e-9, 3], [0, -1, np.inf, [1.0], True]),
        (AtLeastOne[Numbers], [1, 7], [0.5, [1, 0]]),
        (AboveOne[float], [1.5], [1, np.inf]),
        (Inside[float], [0.5], [0, 1]),
        (Share[Vector], [[0, 1]], [[0.5, 1.1], 0.5, [[0.5]]]),
        (Positive[Table], [[[1, 2]]], [[1, 2], [[0, 1]]]),
        (Count, [1, np.int8(3)], [0, 2.0, True, np.timedelta64(1, "ns")]),
        (Positive[float] | None, [None, 1], [0, "x"]),
        (Form, ["printed", "proof"], ["other", 1]),
        (bool, [True], [1, "x"]),
    ]:
        for value in good:
            asked(kind)(value)
        assert_refused([(partial(asked(kind), value), "^x must") for value in wrong])


P, RATE = np.array([0.9, 0.6]), np.array([0.05, 0.2])
RANGE = {"budget": 40.0, "m": 1.0, "M": 80.0}
SETUP = z.Zooming(2, lambda x: x)
NEAR = z.near_optimality(1 - np.abs(np.linspace(0, 1, 64)[None] - 0.4), 1.0)
GAPS, WAITS = [[0.0, 0.5]], [1, 2]


def test_arguments_that_do_not_fit_together_are_refused():
    constants = a.lipschitz_constants(1.0, 80.0, 40.0)
    one = partial(a.sqrt_constant, budget=40.0, constants=constants)
    rows = {
        "rate must be in": lambda: a.sqrt_bound(10, P, RATE / 40, **RANGE),
        "probability must have a positive": lambda: a.log_bound(
            10, 0 * P, RATE, **RANGE
        ),
        r"rate must have shape \[K\] with K = 2": lambda: a.best_allocation(
            P, [1.0], 2.0
        ),
        "m must be below": lambda: a.lipschitz_constants(80.0, 80.0, 1.0),
        "p_min must be at most": lambda: a.log_bound(10, P, RATE, **RANGE, p_min=0.7),
        r"success must have shape \[K\] with K = 2": lambda: one(P, P[:1], P),
        r"probability must have shape \[K\], none": lambda: one([], [], []),
        "horizon must be at least num": lambda: a.lower_bound(9, 10),
        r"mean_cost must have shape \[K\] with K = 1": lambda: b.gaps(
            [0.5], [0.5, 0.5]
        ),
        "eta_reward must be a number or": lambda: b.sufficient_pulls(
            10, 1.0, [0.5, 0.4], [0.5, 0.5], [1.0, 1.0, 1.0]
        ),
        "budgets must be at least half": lambda: b.regret_bound(0.2, 1, [0.5], [0.5]),
        "tau must be at most": lambda: b.regret_bound(1e12, 1, [0.5], [0.5]),
        "gaps must have shape": lambda: c.trivial_bound(9, np.zeros((0, 3))),
        "penalties must have shape": lambda: c.rcucb_pull_bound(GAPS, [1.0], 9, 2),
        "pulls_reaching must be <=": lambda: c.confidence_length(5, 4, 9, 1.0, 1.0),
        r"delta must be in \(0, 0.5\)": lambda: c.rcucb_pull_lower(
            GAPS, WAITS, 1e6, 2, epsilon=0.5, delta=0.5
        ),
        "delta must fulfil": lambda: c.rcucb_pull_lower(
            [[0, 0.5, 1.0]], [1, 2, 3], 9, 2, epsilon=0.5, delta=0.48
        ),
        "penalty must be >= 0": lambda: z.zooming_levels(
            9, SETUP._replace(penalty=lambda x: -x - 1)
        ),
        "splits must be": lambda: z.zooming_levels(9, SETUP._replace(splits=1)),
        "alpha must be above 1": lambda: z.zooming_loss_bound(
            1e9, SETUP._replace(alpha=1.0), NEAR
        ),
        "epsilons must have two": lambda: z.near_optimality(
            np.zeros((1, 3)), 1.0, epsilons=[9.0, 10.0]
        ),
        "waits must have shape": lambda: f.pulls_bound(9, GAPS, [1, 2, 3]),
        r"mean_time must have shape \[K, M\] with K = 1, M = 2": lambda: f.regret_bound(
            9, GAPS, [[1.0]], WAITS
        ),
        r"gaps must have shape \[1, D\]": lambda: f.wait_rate(
            9, GAPS * 2, np.ones((2, 2))
        ),
        "gaps must have a positive entry": lambda: f.dqzl_rate(9, [[0.0, 0.0]], 0.5),
        "mean_cost must be at most": lambda: f.radius(3, 0.1, 5, 6.0),
        r"delta must be in \(0, 1\]": lambda: f.radius(3, 1.5, 5, 2.0),
        "time must be": lambda: f.constant_reward(3, [0.5, 0.4], [0.1, 0.1]),
        r"reward must have shape \[M\] with M = 1": lambda: f.constant_reward(
            3, [1.0], [0.5, 0.5]
        ),
        r"values must have shape \[K, M\]": lambda: g.lower_bound(
            [[0.5]], [[0.1, 0.2]], [0]
        ),
        "below must not fall": lambda: g.lower_bound([[0.5, 0.4]], GAPS, [0, 1]),
        "chances must not sum": lambda: g.of_symbols(
            [[0.5, 0.6]], [0, 1], GAPS, [0, 1]
        ),
        "seen must be positions": lambda: g.of_symbols([[0.5, 0.1]], [0, 2], GAPS, [0]),
        r"penalties must have shape \[M\], none of them 0": lambda: g.of_symbols(
            [[0.5]], [0], [[0.1]], []
        ),
        "reward must be at most": lambda: theory.lai_robbins.joint(
            [[1.5]], [[0.5]], [[1.0]], [1.0]
        ),
        "cost must be at least lowest": lambda: theory.lai_robbins.joint(
            [[0.5]], [[0.1]], [[1.0]], [1.0], lowest_cost=0.2
        ),
        "chances must sum to 1": lambda: theory.lai_robbins.joint(
            [[0.5]], [[0.5]], [[0.9]], [1.0]
        ),
        r"gain must have shape \[M\]": lambda: theory.cells.values([0.5], [0, 0], [0]),
        "other_gain must be in": lambda: theory.cells.deviation(
            [0.5], [1], [0], [0.5], [2]
        ),
        "size must be at most 2": lambda: theory.cells.bayes_regret_bound(
            10, 2, [0.1], size=3
        ),
        "largest_cost must be 0": lambda: theory.cells.bayes_regret_bound(
            10, 2, [0.1], largest_cost=1.0
        ),
        "value must be in": lambda: theory.cells.chance_of_trial(1.0, 0.1),
        "best_minus_other must be": lambda: theory.lost_runs.exponent(1.0, 0.4, 0.5),
        "rival_minus_shown must": lambda: theory.shrinking.rounds_left_alone(
            1, 1.0, 0.5, 0.4
        ),
        "variance must be in": lambda: theory.gains.two_values(0.5, 0.3),
        "more must be in": lambda: theory.gains.least_chance_above(
            1, 0.5, 0.1, 0.6, 0.5
        ),
        r"other_hazard must have shape \[M\]": lambda: theory.hazards.deviation(
            [0.5], [0.5], [0.5, 0.5], [0.1]
        ),
        "entropy must be at most": lambda: theory.sampled_rates.bayes_regret_bound(
            10, [1.0], [2]
        ),
        "apart must be in": lambda: theory.sparring.chance_of_best(1.5, 12.0),
        r"chances must have shape \[K\] with K = 2": lambda: theory.waiting.for_gains(
            1, [0, 1], [1.0], 0.1
        ),
        "within must be below": lambda: theory.waiting.for_gains(
            1, [0, 1], [0.9, 0.1], 0.1
        ),
    }
    assert_refused({f"^{words}": call for words, call in rows.items()})


def test_most_of_a_search_is_named():
    with pytest.raises(ValueError, match="rho, other must not take more than"):
        theory.lost_runs.pulls_until_given_up(10.0, 1e9, 0.5)
