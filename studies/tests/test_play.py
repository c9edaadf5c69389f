"""What a comparison asks of `play`, and what it adds to its records."""

import json

import numpy as np
import pytest

from jaxbandits import budgeted, censored
from jaxbandits.budgeted import s_br
from jaxbandits.checks.points import Points
from jaxbandits.stats import summary_records
from jaxbandits_studies import Options
from jaxbandits_studies.common import comparison
from jaxbandits_studies.common.comparison import Contestant, add_spread, run_contestants
from jaxbandits_studies.common.playing import end_of
from tests.results.samples import dataset

OPTIONS = Options(seeds=5, horizon=700, progress=False)
CAST = {
    "plain": Contestant(budgeted.omega_ucb),
    "number": Contestant(budgeted.omega_ucb, {"rho": 2.0}),
    "points": Contestant(budgeted.omega_ucb, {"rho": np.array([0.5, 1.0])}),
    "by the options": Contestant(
        budgeted.epsilon_first, {"budget": lambda options: 3 * options.horizon}
    ),
}


@pytest.fixture
def asked(monkeypatch):
    """``asked(**arguments)``: the arguments that `play` gets."""

    def ask(**arguments):
        calls = []

        def play(policies, environment, options, **others):
            assert options is OPTIONS
            calls.append(others | {"policies": policies, "environment": environment})
            return "dataset"

        monkeypatch.setattr(comparison, "play", play)
        assert run_contestants(s_br(4), CAST, OPTIONS, **arguments) == "dataset"
        return calls.pop()

    return ask


def test_rounds_or_budget(asked):
    found = asked(checkpoints="log")
    assert found["budget"] == OPTIONS.horizon and "horizon" not in found
    assert found["checkpoints"] == "log" and found["seeds"] is None
    assert found["environment"].name == "S-Br-4"
    assert end_of(censored.trap(), 7) == {"horizon": 7}


def test_policies_are_built_from_what_the_learner_knows(asked):
    found = asked()["policies"]
    assert list(found) == list(CAST)
    problem = s_br(4).problem
    assert found["plain"].policy is budgeted.omega_ucb(problem)
    assert found["by the options"].policy is budgeted.epsilon_first(problem)


def test_params_are_numbers_arrays_or_functions_of_the_options(asked):
    params = {name: entry.grid for name, entry in asked()["policies"].items()}
    assert params["plain"] == Points({})
    assert params["number"].row(0) == {"rho": 2.0}
    assert params["points"].columns["rho"].tolist() == [0.5, 1.0]
    assert params["by the options"].row(0) == {"budget": 3 * OPTIONS.horizon}


def spread(first, second, baseline="uniform"):
    """Records of two policies' final regrets, with what `add_spread` adds to them."""
    values = {
        name: {"regret": np.stack([0 * final, final], -1)[None]}
        for name, final in {"ucb": first, "uniform": second}.items()
    }
    ones = np.ones((1, len(first), 2), int)
    made = dataset(
        num_seeds=len(first),
        metrics=values,
        rounds={"ucb": ones, "uniform": ones},
        checkpoints=[1, 2],
    )
    records = summary_records(made, "x")
    add_spread(records, made, "regret", baseline)
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    return {record["policy"]: record["metrics"] for record in records}


@pytest.fixture
def runs(rng):
    """Heavy-tailed regrets of two policies over the same 900 seeds."""
    shared, own = rng.normal(size=(2, 900))
    return np.exp(shared), 2 * np.exp(shared + 0.5 * own)


def test_quantiles_and_paired_difference(runs):
    first, second = runs
    found = spread(first, second)
    for name, values in zip(("ucb", "uniform"), runs, strict=True):
        entries = found[name]
        assert entries["regret"]["mean"] == pytest.approx(values.mean())
        assert entries["regret_median"]["mean"] == pytest.approx(np.median(values))
        ninth = entries["regret_q90"]
        assert ninth["mean"] == pytest.approx(np.quantile(values, 0.9))
        assert ninth["sem"] is ninth["published"] is None
    paired = found["ucb"]["regret_minus_baseline"]
    differences = first - second
    assert paired["mean"] == pytest.approx(differences.mean())
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    assert paired["sem"] == pytest.approx(error)
    assert "regret_minus_baseline" not in found["uniform"]


def test_the_error_of_the_median_by_hand():
    """Of 0, ..., 100: half the distance of the quantiles 0.5 -+ 0.5 / sqrt(101)."""
    values = np.arange(101.0)
    found = spread(values, values[::-1])["ucb"]["regret_median"]
    assert found["mean"] == 50
    assert found["sem"] == pytest.approx(100 * 0.5 / np.sqrt(101))


@pytest.mark.filterwarnings("ignore:.* are NaN")
def test_one_seed_has_a_median_and_no_error():
    for name, entries in spread(np.array([4.0]), np.array([9.0])).items():
        final = {"ucb": 4.0, "uniform": 9.0}[name]
        alone = {"mean": final, "sem": None, "published": None}
        assert entries["regret_median"] == entries["regret_q90"] == alone
        assert "regret_minus_baseline" not in entries
