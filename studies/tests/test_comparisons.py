"""The censored comparisons: two are played, of all others the cast is checked."""

import numpy as np
import pytest

from jaxbandits import censored, simulate
from jaxbandits.stats import final
from jaxbandits_studies import REGISTRY
from jaxbandits_studies.censored import recommendation
from jaxbandits_studies.censored.comparisons import CLAIRVOYANT, add_deviations
from jaxbandits_studies.censored.recommendation import CELLS, GAMES
from jaxbandits_studies.censored.tables import INSTANCES
from studies.tests.checks import check_records, entry, legend_texts
from tests.tables import naming

PAPER = ["RCUCB, gain radius only", "RCUCB, eq. (12)", "TS", "UCB"]
RADII = [
    "RCUCB, eq. (12)",
    "both radii halved",
    "RCUCB, gain radius only",
    "gain radius only, halved",
    "gain radius only, Kaplan-Meier",
]
UPDATES = ["TS, independent", "TS, shared", "TS, copied", "TS, strict"]
SURVIVAL = [
    "eq. (12)",
    "gain radius only",
    "Kaplan-Meier",
    "Kaplan-Meier, gain radius only",
    "UCB",
]
THREE = list(INSTANCES)
ADVISED = [
    CELLS,
    "RCUCB, Kaplan-Meier, half a gain radius",
    "RCUCB, eq. (12)",
    "TS",
    "UCB",
]
EVERYWHERE = list(GAMES)
# Experiment -> instances, policies.
CAST = {
    "censored-fig4": (THREE, PAPER),
    "censored-fig6": (THREE, PAPER),
    "censored-fig7": (THREE, PAPER),
    "censored-fig8": (["n = 20", "n = 50", "n = 80"], PAPER),
    "censored-fig9": (["low censoring, n = 5"], PAPER),
    "censored-radii": (THREE, RADII),
    "censored-ts-updates": (THREE, UPDATES),
    "censored-trap": (["trap"], SURVIVAL),
    "censored-recommendation": (EVERYWHERE, ADVISED),
}
# Some of the numbers in the paper's tables, typed in a second time: experiment ->
# (instance, policy, censored share).
PUBLISHED = {
    "censored-fig4": (
        ("Indep", "RCUCB, gain radius only", 0.4462),
        ("Indep", "RCUCB, eq. (12)", 0.4462),
        ("Indep", "TS", 0.5749),
        ("Indep", "UCB", 0.5455),
        ("Indep", CLAIRVOYANT, 0.4404),
        ("PosCorr", "TS", 0.7516),
        ("PosCorr", CLAIRVOYANT, 0.6116),
        ("NegCorr", "UCB", 0.8894),
        ("NegCorr", CLAIRVOYANT, 0.7631),
    ),
    "censored-fig6": (
        ("Indep", "TS", 0.4158),
        ("PosCorr", "RCUCB, gain radius only", 0.5876),
        ("NegCorr", CLAIRVOYANT, 0.7189),
    ),
    "censored-fig7": (
        ("Indep", "UCB", 0.5870),
        ("PosCorr", CLAIRVOYANT, 0.5851),
        ("NegCorr", "RCUCB, gain radius only", 0.7477),
    ),
    "censored-radii": (
        ("Indep", "RCUCB, gain radius only", 0.4462),
        ("NegCorr", "RCUCB, eq. (12)", 0.7700),
        ("Indep", "gain radius only, Kaplan-Meier", None),
    ),
    "censored-trap": (("trap", "UCB", None),),
}


def test_the_cast_is_complete():
    elsewhere = {"censored-fig1", "censored-fig2", "censored-grids"}  # test_pictures
    elsewhere |= {"censored-prior", "censored-spread"}  # judging/test_choices
    for name in (
        "simple-regret",
        "fig5",
        "solver",
        "coverage",
        "bounds",
        "least",
        "fine",
        "combinatorial",
        "duels",
    ):  # each in a file of its own
        elsewhere.add(f"censored-{name}")
    ours = {name for name in REGISTRY if name.startswith("censored-")}
    assert set(CAST) == ours - elsewhere


# Two have tests of their own: their games take long to make.
REHEARSED = sorted(set(CAST) - {"censored-fig8", "censored-recommendation"})


@pytest.mark.parametrize("name", REHEARSED)
def test_a_comparison_has_its_cast_and_published_shares(rehearsal, name):
    outcome, calls = rehearsal(name)
    instances, policies = CAST[name]
    check_records(outcome, name)
    assert list(outcome.datasets) == instances
    assert [(r["environment"], r["policy"]) for r in outcome.records] == [
        (i, p) for i in instances for p in (*policies, CLAIRVOYANT)
    ]
    assert {(r["seeds"], r["horizon"]) for r in outcome.records} == {(3, 70)}
    for instance in instances:
        found = [entry(outcome, instance, p, "regret")["mean"] for p in policies]
        assert found == [i + 1 for i in range(len(policies))]
    for instance, policy, share in PUBLISHED.get(name, ()):
        assert entry(outcome, instance, policy, "censored")["published"] == share
        assert entry(outcome, instance, policy, "regret")["published"] is None
    assert [list(cast) for cast, _, _ in calls] == len(instances) * [policies]
    check_figure(outcome, instances, policies)
    if name in SIZES:
        problems = [environment.problem for _, environment, _ in calls]
        sizes = {(p.num_arms, p.num_limits) for p in problems}
        assert sizes == {SIZES[name]}


# Arms and limits.
SIZES = {"censored-fig4": (10, 10), "censored-fig7": (10, 20)}


def check_figure(outcome, instances, policies):
    axes = outcome.figure.axes
    assert [ax.get_title() for ax in axes] == instances
    for ax in axes:
        assert [line.get_label() for line in ax.lines] == policies
    assert legend_texts(outcome.figure) == policies


def test_the_radii_are_what_their_names_say(rehearsal):
    _, calls = rehearsal("censored-radii")
    policies, _, arguments = calls[0]
    assert arguments["horizon"] == 70 and "budget" not in arguments
    found = {
        label: policy.params._asdict() | arguments["grid"].get(label, {})
        for label, policy in policies.items()
    }
    assert {k: (v["gain_radius"], v["penalty_radius"]) for k, v in found.items()} == {
        "RCUCB, eq. (12)": (1.0, 1.0),
        "both radii halved": (0.5, 0.5),
        "RCUCB, gain radius only": (1.0, 0.0),
        "gain radius only, halved": (0.5, 0.0),
        "gain radius only, Kaplan-Meier": (1.0, 0.0),
    }
    assert {v["alpha"] for v in found.values()} == {1.0}
    *eq_9, kaplan_meier = policies.values()
    assert len({policy.update for policy in eq_9}) == 1
    assert kaplan_meier.update is not eq_9[0].update


def test_the_updates_are_four_policies(rehearsal):
    _, calls = rehearsal("censored-ts-updates")
    assert len({policy.update for policy in calls[0][0].values()}) == 4


def test_numbers_of_arms_without_their_games(rehearsal, monkeypatch):
    """Which take long to make."""
    game, made = censored.low_censoring(5), []
    monkeypatch.setattr(censored, "many_arms", lambda n: made.append(n) or game)
    outcome, _ = rehearsal("censored-fig8", horizon=71)
    assert made == [20, 50, 80]
    assert list(outcome.datasets) == CAST["censored-fig8"][0]


def test_the_papers_deviations_stand_beside_ours(rehearsal):
    for name, instance, policy, published in [
        ("censored-fig6", "Indep", "TS", 0.0052),
        ("censored-fig6", "PosCorr", "RCUCB, eq. (12)", 0.0029),
        ("censored-fig7", "Indep", "UCB", 0.0736),
        ("censored-fig7", "NegCorr", "TS", 0.0432),
    ]:
        with naming((name, instance, policy, published)):
            outcome, _ = rehearsal(name)
            deviation = entry(outcome, instance, policy, "censored_deviation")
            # All seeds of a rehearsal are alike.
            assert deviation == {"mean": 0, "sem": 0, "published": published}


@pytest.mark.slow
def test_the_deviation_is_that_of_the_shares(tiny):
    dataset = tiny("censored-trap").datasets["trap"]
    records = [{"policy": "UCB", "metrics": {}}]
    add_deviations(records, dataset, (None, None, 0.1))
    first, second = final(dataset, "censored").sel(policy="UCB").values.ravel()
    assert first != second
    assert records[0]["metrics"]["censored_deviation"] == {
        "mean": pytest.approx(abs(first - second) / np.sqrt(2)),
        "sem": pytest.approx(abs(first - second) / 2),
        "published": 0.1,
    }


def test_the_worst_run_of_every_policy_is_told(rehearsal, monkeypatch):
    monkeypatch.setattr(recommendation, "GAMES", {"trap": GAMES["trap"]})
    outcome, _ = rehearsal("censored-recommendation", horizon=71)
    check_records(outcome, "censored-recommendation")
    check_figure(outcome, ["trap"], ADVISED)
    for i, policy in enumerate(ADVISED, start=1):
        for metric in ("regret_worst", "regret_median", "regret_q90"):
            assert entry(outcome, "trap", policy, metric)["mean"] == i


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EVERYWHERE if "trap" in name])
def test_no_run_of_the_advised_policy_is_trapped(name):
    """At most 10 medians, or 2 % of the rounds with the pair that would trap it.

    The worst runs of all games are among the records of the full run.
    """
    game, rounds = GAMES[name](), 100_000
    policy = censored.cell_thompson(game.problem)
    data = simulate(policy, game, horizon=rounds, seeds=64, checkpoints=[rounds])
    regret = data["regret"].values.ravel()
    trapping = game.oracle().gaps.max()
    assert regret.max() <= max(10 * np.median(regret), 0.02 * rounds * trapping)
