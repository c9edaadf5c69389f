"""What studies/censored_forms.py plays and says: forms of cell Thompson sampling."""

import sys
from importlib import import_module
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.censored import Action, cell_thompson
from jaxbandits.protocol import Policy
from jaxbandits.testing import check_policy, trace_run
from jaxbandits_studies.judging.protocols import PROTOCOLS
from tests.tables import naming

sys.path.append(str(Path(__file__).resolve().parents[1] / "studies"))
script = import_module("censored_forms")
cells = import_module("forms.cells")

ENVIRONMENT = PROTOCOLS["censored"].tuning["PosCorr, 5 limits to 1"].environment()
PROBLEM = ENVIRONMENT.problem
K = PROBLEM.num_arms


def traced(problem):
    limits = jnp.asarray(problem.limits)
    known = problem.num_arms, problem.num_limits, problem.cost, problem.max_cost
    return script._Traced(limits, jnp.asarray(problem.penalties()), *known)


@pytest.mark.slow
def test_forms_keep_the_contract():
    for form in script.FORMS:
        with naming(form):
            check_policy(script.FORMS[form](PROBLEM), ENVIRONMENT)


@pytest.mark.slow
def test_the_plain_form_is_the_library_s():
    known = trace_run(cell_thompson(PROBLEM), ENVIRONMENT, 40).actions
    for problem in (PROBLEM, traced(PROBLEM)):
        found = trace_run(cells.cell_thompson(problem), ENVIRONMENT, 40).actions
        np.testing.assert_array_equal(found.arm, known.arm)
        np.testing.assert_array_equal(found.limit, known.limit)


def test_regret_of_one_pair_by_hand(monkeypatch):
    def always(problem):
        del problem
        return Policy(
            "one pair",
            lambda params: jnp.int32(0),
            lambda noise, view, state, params: Action(jnp.int32(2), jnp.int32(1)),
            lambda noise, view, state, action, told, params: state,
            (),
            (0, 0),
        )

    monkeypatch.setitem(script.FORMS, "one pair", always)
    blank = np.zeros((2, 20, K), np.float32)
    found = script.played("one pair", [ENVIRONMENT], [(blank, blank)], 20)
    gap = ENVIRONMENT.oracle().gaps[2, 1]
    expected = np.broadcast_to(gap * np.array([2, 10, 20]), (1, 2, 3))
    np.testing.assert_allclose(found, expected)


def test_trapped_by_hand():
    # Of 1,000 rounds: 10 or more in the second half, and 45 % of all.
    regret = np.array([[1, 5, 16], [1, 5, 14], [1, 30, 50], [1, 11, 21.0]])
    assert script.trapped(regret, 1000) == 2


def test_table_by_hand():
    titles = [*PROTOCOLS["censored"].tuning, "trap"]
    plain = np.full((len(titles), 4, 3), 10.0)
    plain[-1] = 100.0
    half = plain / 2
    half[0] = 40.0
    found = {"cell TS; x": plain.tolist(), "optimistic; x": half.tolist()}
    lines = script.table(found, titles, "x", 1000).splitlines()
    middle = (4 * 0.5 ** (len(PROTOCOLS["censored"].tuning) - 1)) ** (
        1 / len(PROTOCOLS["censored"].tuning)
    )
    parts = [f"{middle:.2f}"] * 4
    expected = ["optimistic", *parts, "4.00", "0", "50 (50; 0)"]
    assert lines[2].startswith("| cell TS | 1.00 | 1.00 |")
    assert lines[3] == f"| {' | '.join(expected)} |"
    assert len(lines) == 4
