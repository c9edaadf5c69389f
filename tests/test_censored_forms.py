"""What studies/censored_forms.py plays and says: forms of cell Thompson sampling."""

import sys
from importlib import import_module
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.censored import Action
from jaxbandits.protocol import Policy
from jaxbandits.testing import check_policy
from jaxbandits_studies.judging.protocols import PROTOCOLS
from tests.tables import naming

sys.path.append(str(Path(__file__).resolve().parents[1] / "studies"))
script = import_module("censored_forms")

ENVIRONMENT = PROTOCOLS["censored"].tuning["PosCorr, 5 limits to 1"].environment()


@pytest.mark.slow
def test_forms_keep_the_contract():
    for form in script.FORMS:
        with naming(form):
            check_policy(script.FORMS[form](ENVIRONMENT.problem), ENVIRONMENT)


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
    found = script.played("one pair", [ENVIRONMENT], rounds=20, seeds=2)
    gap = ENVIRONMENT.oracle().gaps[2, 1]
    expected = np.broadcast_to(gap * np.array([2, 10, 20]), (1, 2, 3))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


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
    lines = script.table(found, titles, "x", 1000)
    middle = (4 * 0.5 ** (len(PROTOCOLS["censored"].tuning) - 1)) ** (
        1 / len(PROTOCOLS["censored"].tuning)
    )
    parts = [f"{middle:.2f}"] * 4
    expected = ["optimistic", *parts, "4.00", "0", "50 (50; 0)"]
    assert lines[2][:3] == ["cell TS", "1.00", "1.00"]
    assert lines[3] == expected
    assert len(lines) == 4
