"""The censored comparisons: what the paper prints beside them; two are played."""

from jaxbandits import censored
from jaxbandits_studies.censored import comparisons
from jaxbandits_studies.censored.comparisons import CLAIRVOYANT
from jaxbandits_studies.common.casts import cast
from studies.tests.checks import entry
from tests.tables import naming

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


def test_what_is_printed_stands_beside_ours(rehearsal):
    for name, rows in PUBLISHED.items():
        outcome, calls = rehearsal(name)
        for instance, policy, share in rows:
            with naming((name, instance, policy)):
                found = entry(outcome, instance, policy, "censored")
                assert found["published"] == share
                assert entry(outcome, instance, policy, "regret")["published"] is None
        if name in SIZES:
            problems = [environment.problem for _, environment, _ in calls]
            assert {(p.num_arms, p.num_limits) for p in problems} == {SIZES[name]}


# Arms and limits.
SIZES = {"censored-fig4": (10, 10), "censored-fig7": (10, 20)}


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
    monkeypatch.setattr(
        censored, "many_arms", lambda num_arms: made.append(num_arms) or game
    )
    outcome, _ = rehearsal("censored-fig8", horizon=71)
    assert made == [20, 50, 80]
    assert list(outcome.datasets) == ["n = 20", "n = 50", "n = 80"]


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


def test_the_worst_run_of_every_policy_is_told(rehearsal, monkeypatch):
    monkeypatch.setattr(comparisons, "QUICK", ("trap",))
    outcome, _ = rehearsal("censored-recommendation", horizon=71, quick=True)
    for i, policy in enumerate(cast("censored", "advised"), start=1):
        for metric in ("regret_worst", "regret_median", "regret_q90"):
            assert entry(outcome, "trap", policy, metric)["mean"] == i
