"""Full runs (100 seeds, 100,000 rounds) against independent numbers and the paper's.

The constants called "independent" come from an independent float64 simulation, 40
repetitions: mean regret with its standard error (None where none is known) and censored
share. Ours may differ by 3 standard errors of the difference. With some 50 comparisons
of that kind, up to 13 % of the root seeds would fail one in a correct library; the root
seed is fixed, so that runs on one machine agree.
"""

import numpy as np
import pytest

from jaxbandits.experiments import REGISTRY
from jaxbandits.experiments.censored import (
    PRINTED,
    RADII,
    RCUCB,
    TABLE_NOTES,
    UPDATES,
)
from jaxbandits.experiments.censored_tables import INSTANCES, TABLE_5_1
from jaxbandits.results import interval, mean, sem

pytestmark = pytest.mark.slow

REPETITIONS = 40
# (regret, its standard error, censored share)
INDEPENDENT = {
    "censored-fig4": {
        ("Indep", PRINTED): (10332, 107, 0.4353),
        ("Indep", RCUCB): (2199, 21, 0.4463),
        ("Indep", "TS"): (6461, 143, 0.4700),
        ("Indep", "UCB"): (24932, 74, 0.5746),
        ("PosCorr", PRINTED): (31650, 15, 0.0576),
        ("PosCorr", RCUCB): (1589, 9, 0.5159),
        ("PosCorr", "TS"): (8850, 205, 0.5427),
        ("PosCorr", "UCB"): (26033, 53, None),
        ("NegCorr", PRINTED): (15056, 149, 0.6759),
        ("NegCorr", RCUCB): (103, 2, 0.7646),
        ("NegCorr", "TS"): (3558, 97, 0.7943),
        ("NegCorr", "UCB"): (15605, 71, None),
    },
    "censored-ts-updates": {
        ("Indep", "TS, independent"): (6461, 143, 0.4700),
        ("Indep", "TS, shared"): (5313, 146, 0.4581),
        ("Indep", "TS, copied"): (14478, 851, 0.5769),
        ("Indep", "TS, strict"): (12646, 149, 0.5268),
        ("NegCorr", "TS, independent"): (3558, 97, 0.7943),
        ("NegCorr", "TS, shared"): (2537, 47, 0.7762),
        ("NegCorr", "TS, copied"): (10413, 513, 0.8948),
        ("PosCorr", "TS, independent"): (8850, 205, 0.5427),
    },
    "censored-radii": {
        ("Indep", PRINTED): (10332, 107, 0.4353),
        ("Indep", RCUCB): (2199, 21, 0.4463),
        ("Indep", "both radii halved"): (2481, None, None),
        ("Indep", "gain radius only, halved"): (767, None, None),
        ("PosCorr", PRINTED): (31650, 15, 0.0576),
        ("PosCorr", RCUCB): (1589, 9, 0.5159),
        ("PosCorr", "both radii halved"): (16429, None, None),
        ("PosCorr", "gain radius only, halved"): (479, None, None),
        ("NegCorr", PRINTED): (15056, 149, 0.6759),
        ("NegCorr", RCUCB): (103, 2, 0.7646),
        ("NegCorr", "both radii halved"): (3105, None, None),
        ("NegCorr", "gain radius only, halved"): (77, None, None),
    },
}
# Not reproduced: 3.9 standard errors away. A second independent float64 simulation,
# which samples every pair once at the start as E.1 says, agrees with ours.
DOUBTFUL = ("censored-ts-updates", "NegCorr", "TS, copied")
doubted = pytest.mark.xfail(reason="two independent simulations disagree", strict=True)
# Its 48 repetitions: means and their standard errors.
SECOND = {"regret": (12916, 325), "censored": (0.9318, 0.0049)}


def cases(with_share):
    """Experiment, instance and policy of every number of `INDEPENDENT`."""
    found = [
        (name, *case)
        for name, table in INDEPENDENT.items()
        for case, (_, _, share) in table.items()
        if share is not None or not with_share
    ]
    return [pytest.param(*c, marks=doubted if c == DOUBTFUL else ()) for c in found]


@pytest.fixture(scope="session")
def full():
    """``full(name)``: the outcome of an experiment at full size, run once."""
    outcomes = {}

    def run(name):
        if name not in outcomes:
            experiment = REGISTRY[name]
            outcomes[name] = experiment.run(experiment.full._replace(progress=False))
        return outcomes[name]

    return run


def at_horizon(array, policy):
    return array.sel(policy=policy).isel(params=0, checkpoint=-1).item()


def ours(dataset, metric, policy):
    """Mean and standard error over seeds."""
    return tuple(at_horizon(f(dataset, metric), policy) for f in (mean, sem))


def assert_close(found, error, expected, expected_error, rounding):
    """Within three standard errors of the difference, and the constant's rounding."""
    allowed = 3 * np.hypot(error, expected_error) + rounding
    assert abs(found - expected) <= allowed, (
        f"{found:.6g} +- {error:.2g} against {expected:.6g} +- {expected_error:.2g}"
    )


def independent_error(dataset, metric, policy):
    """What our spread over seeds makes of 40 repetitions."""
    return (
        ours(dataset, metric, policy)[1] * (dataset.sizes["seed"] / REPETITIONS) ** 0.5
    )


@pytest.mark.parametrize(("name", "instance", "policy"), cases(with_share=False))
def test_regret(full, name, instance, policy):
    expected, expected_error, _ = INDEPENDENT[name][instance, policy]
    dataset = full(name).datasets[instance]
    assert dataset["checkpoint"].values[-1] == 100_000
    assert dataset.sizes["seed"] == 100
    found, error = ours(dataset, "regret", policy)
    if expected_error is None:
        expected_error = independent_error(dataset, "regret", policy)
    assert_close(found, error, expected, expected_error, 0.5)


@pytest.mark.parametrize(("name", "instance", "policy"), cases(with_share=True))
def test_censored_share(full, name, instance, policy):
    expected = INDEPENDENT[name][instance, policy][2]
    dataset = full(name).datasets[instance]
    found, error = ours(dataset, "censored", policy)
    expected_error = independent_error(dataset, "censored", policy)
    assert_close(found, error, expected, expected_error, 5e-5)


@pytest.mark.parametrize("metric", SECOND)
def test_the_doubtful_number_against_the_second_simulation(full, metric):
    name, instance, policy = DOUBTFUL
    found, error = ours(full(name).datasets[instance], metric, policy)
    assert_close(found, error, *SECOND[metric], 0)


def test_the_share_of_rcucb_is_the_published_one_with_the_gain_radius_alone(full):
    dataset = full("censored-fig4").datasets["Indep"]
    published = TABLE_5_1["Indep"][0]
    assert round(ours(dataset, "censored", RCUCB)[0], 3) == round(published, 3) == 0.446
    assert abs(ours(dataset, "censored", PRINTED)[0] - published) > 0.005


@pytest.mark.parametrize("instance", INSTANCES)
def test_ranking(full, instance):
    regret = interval(full("censored-fig4").datasets[instance], "regret")
    for better, worse in ((RCUCB, "TS"), ("TS", "UCB")):
        assert at_horizon(regret.upper, better) < at_horizon(regret.lower, worse)


def test_with_the_printed_radius_rcucb_loses_to_ucb_on_poscorr(full):
    regret = interval(full("censored-fig4").datasets["PosCorr"], "regret")
    assert at_horizon(regret.lower, PRINTED) > at_horizon(regret.upper, "UCB")


def test_the_published_column_ts_is_what_ucb_gives(full):
    """Why the tables' notes say that two columns are exchanged."""
    dataset = full("censored-fig4").datasets["Indep"]
    _, published, _, _ = TABLE_5_1["Indep"]
    assert abs(ours(dataset, "censored", "UCB")[0] - published) < 0.001
    assert abs(ours(dataset, "censored", "TS")[0] - published) > 0.05
    assert "exchanged" in TABLE_NOTES[0]


@pytest.mark.parametrize("instance", ["Indep", "NegCorr"])
def test_order_of_the_updates(full, instance):
    """The looser the reading, the less it loses; copying is biased and worst."""
    dataset = full("censored-ts-updates").datasets[instance]
    regret = {policy: ours(dataset, "regret", policy)[0] for policy in UPDATES}
    order = ["TS, shared", "TS, independent", "TS, copied"]
    assert sorted(order, key=regret.get) == order
    spread = {policy: ours(dataset, "censored", policy)[1] for policy in UPDATES}
    assert max(spread, key=spread.get) == "TS, copied"


@pytest.mark.parametrize("instance", INSTANCES)
def test_the_halved_gain_radius_is_best(full, instance):
    regret = interval(full("censored-radii").datasets[instance], "regret")
    best = at_horizon(regret.upper, "gain radius only, halved")
    others = [p for p in RADII if p != "gain radius only, halved"]
    assert all(best < at_horizon(regret.lower, p) for p in others)


@pytest.mark.parametrize("instance", INSTANCES)
def test_the_survival_estimate_changes_regret_by_a_factor_of_three_at_most(
    full, instance
):
    dataset = full("censored-radii").datasets[instance]
    default = ours(dataset, "regret", RCUCB)[0]
    kaplan_meier = ours(dataset, "regret", "gain radius only, Kaplan-Meier")[0]
    assert 1 / 3 < kaplan_meier / default < 3
