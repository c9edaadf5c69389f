"""The budgeted comparisons: one is played."""

import numpy as np
import pytest

from jaxbandits import budgeted, simulate
from jaxbandits.plots.labels import padded_number
from jaxbandits.plots.words import symbols
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.budgeted import comparisons, table
from jaxbandits_studies.budgeted.facebook import seeds_by_group
from jaxbandits_studies.budgeted.instances import FACEBOOK_FILE, facebook, synthetic
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.data import FOLDER
from jaxbandits_studies.datasets import Group, fb_br
from jaxbandits_studies.theory import budgeted as theory
from studies.tests.checks import (
    assert_readable,
    check_records,
    entry,
    legend_texts,
    titles,
)
from tests.data import DATA, needs_data
from tests.tables import naming

# Campaigns of three, two and four ads: the third has a game of its own.
ADS = """ad_id,campaign_id,fb_id,age,gender,clicks,spent,total_conversion,approved
1,7,107,30-34,M,10,5.0,2,1
2,7,107,30-34,M,4,4.0,1,0
3,7,107,30-34,M,5,1.0,0,0
4,8,108,30-34,F,2,2.0,1,1
5,8,108,30-34,F,8,2.0,8,1
6,9,109,30-34,F,10,4.0,2,1
7,9,109,30-34,F,5,4.0,1,0
8,9,109,30-34,F,5,2.0,4,1
9,9,109,30-34,F,8,3.0,0,1
"""
BASELINE = "omega*-UCB, rho = 1/4"
PAPER, EVERYONE = ([*cast("budgeted", x)] for x in ("paper", "everyone"))
# Figure 3 and Table 1: instance -> number of arms.
ARMS = {f"{f}-{k}": k for f in ("S-Br", "S-GBr", "S-Bt") for k in (10, 50, 100)}
UP_TO_50 = [title for title, arms in ARMS.items() if arms <= 50]


ALL_SETTINGS = ("budgeted-fig3", "budgeted-fig6")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with a small file of campaign data, named to the library."""
    (tmp_path / FACEBOOK_FILE).write_text(ADS)
    monkeypatch.setenv(FOLDER, str(tmp_path))


def check_cast(outcome, instances, cast):
    assert list(outcome.datasets) == instances
    assert [(r["environment"], r["policy"]) for r in outcome.records] == [
        (i, p) for i in instances for p in cast
    ]


def check_figure(outcome, instances, shown, bands):
    shown = list(map(symbols, shown))
    axes = outcome.figure.axes
    assert titles(axes) == instances
    for ax in axes:
        assert [line.get_label() for line in ax.lines] == shown
        assert len(ax.collections) == (len(shown) if bands else 0)
        assert list(ax.lines[0].get_xdata()) == pytest.approx([0.1, 1])
        assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"
    assert axes[-1].get_xlabel() == "share of the budget spent"
    assert legend_texts(outcome.figure) == shown
    note = outcome.figure.legends[0].get_title().get_text()
    assert note == "mean of 3 seeds" + (", 95 % interval" if bands else "")


def check_notes(outcome, name):
    heavy_tails, *notes = outcome.notes
    assert "medians" in heavy_tails
    # Whoever asked for all settings is told which are missing, and why.
    assert len(notes) == (name in ALL_SETTINGS)
    assert all(FOLDER in note and FACEBOOK_FILE in note for note in notes)


def test_a_comparison_has_its_cast_and_figure(rehearsal, no_data):
    """One family of Figure 3 stands for all."""
    name = "budgeted-fig3b"
    outcome, calls = rehearsal(name)
    instances, policies = ["S-GBr-10", "S-GBr-50", "S-GBr-100"], EVERYONE
    check_cast(outcome, instances, policies)
    check_figure(outcome, instances, PAPER, bands=False)
    for title, (_, environment, arguments) in zip(instances, calls, strict=True):
        assert environment.name == title
        assert environment.problem.num_arms == ARMS[title]
        assert arguments["budget"] == 70 and arguments["checkpoints"] == "log"
    for record in outcome.records:
        found = record["metrics"]
        regret = 1 + policies.index(record["policy"])
        assert found["regret"]["mean"] == found["regret_median"]["mean"] == regret
        assert found["regret_q90"]["mean"] == found["optimal"]["mean"] == regret
        if record["policy"] == BASELINE:
            assert "regret_minus_baseline" not in found
        else:
            difference = found["regret_minus_baseline"]["mean"]
            assert difference == regret - 1 - policies.index(BASELINE)
    check_notes(outcome, name)


@pytest.mark.parametrize("name", ["budgeted-fig6", "budgeted-recommendation"])
def test_a_hurry_leaves_out_the_large_instances(rehearsal, no_data, name):
    outcome, calls = rehearsal(name, quick=True)
    shown = PAPER if name == "budgeted-fig6" else [*cast("budgeted", "finalists")]
    check_cast(outcome, ["S-Br-10", "S-GBr-10", "S-Bt-10"], shown)
    check_figure(outcome, ["S-Br-10", "S-GBr-10", "S-Bt-10"], shown, bands=True)
    check_notes(outcome, name)
    assert REGISTRY[name].quick.quick


@pytest.mark.slow
def test_all_settings_with_data(rehearsal, data, monkeypatch):
    """Of the instances without data one stands for all."""
    one = synthetic(("S-Br",), (10,))
    monkeypatch.setattr(comparisons.instances, "synthetic", lambda sizes: one)
    name = "budgeted-fig6"
    outcome, calls = rehearsal(name)
    check_cast(outcome, [*one, "FB-Br", "FB-Bt"], PAPER)
    assert titles(outcome.figure.axes) == list(outcome.datasets)
    # Three seeds of every group, in games of groups of about the same size.
    *_, small, large = (environment for _, environment, _ in calls)
    assert [small.name, large.name] == ["FB-Bt", "FB-Bt 9/30-34/F"]
    assert [game.problem.num_arms for game in (small, large)] == [3, 4]
    groups = ["8/30-34/F", "7/30-34/M", "9/30-34/F"]
    dataset = outcome.datasets["FB-Bt"]
    assert dataset["campaign"].values.tolist() == [g for g in groups for _ in range(3)]
    seeds = dataset["seed"].values
    assert seeds[:6].tolist() == np.concatenate(seeds_by_group(small, 2, 3)).tolist()
    # The next game goes on where the seeds of the first end.
    assert seeds[6:].tolist() == [seeds[:6].max() + i for i in (1, 2, 3)]
    assert len(outcome.notes) == 1  # The heavy tails.


@pytest.mark.slow
def test_seeds_of_a_group_draw_it():
    """As `simulate` has it, whatever the other seeds draw."""
    groups = [
        Group(str(i), "30-34", "F", np.full(2, 0.5), np.full(2, 0.5)) for i in range(3)
    ]
    game = fb_br(groups)
    seeds = seeds_by_group(game, 3, 4, first=5)
    assert min(map(min, seeds)) >= 5
    data = simulate(
        budgeted.uniform(game.problem),
        game,
        budget=1,
        seeds=np.concatenate(seeds),
        checkpoints=[1],
    )
    assert data["group"].values.ravel().tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_figure_3f_needs_its_data(no_data):
    with pytest.raises(ValueError, match=FOLDER):
        REGISTRY["budgeted-fig3f"].run(Options(1, 1))


@needs_data
def test_figure_3f_shows_the_papers_33_ads(monkeypatch):
    """The paper's example has 33 ads; costs lie towards 1, rewards at both ends."""
    monkeypatch.setenv(FOLDER, str(DATA))
    outcome = REGISTRY["budgeted-fig3f"].run(Options(1, 1))
    check_records(outcome, "budgeted-fig3f")
    ((title, dataset),) = outcome.datasets.items()
    assert title == "936/35-39/F" and dataset.sizes["arm"] == 33
    # A density, but for what lies beyond the unit square.
    assert 0.5 < float(dataset["density"].mean()) < 1
    assert entry(outcome, title, "(ads)", "costs_above_half")["mean"] > 0.8
    assert_readable(outcome.figure)


def test_figure_3d_needs_its_data(rehearsal, no_data):
    with pytest.raises(ValueError, match=f"{FOLDER} .* {FACEBOOK_FILE}"):
        rehearsal("budgeted-fig3d")
    assert facebook() == {}


def test_a_folder_without_the_file_is_named(rehearsal, tmp_path, monkeypatch):
    for name in ["budgeted-fig3", "budgeted-fig3d"]:
        with naming(name):
            monkeypatch.setenv(FOLDER, str(tmp_path))
            with pytest.raises(ValueError, match=f"^{FOLDER}: there is no {tmp_path}"):
                rehearsal(name)


def test_the_sensitivity_is_played_at_nine_rhos(rehearsal):
    outcome, calls = rehearsal("budgeted-fig4")
    rho = [1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2]
    assert list(outcome.datasets) == list(ARMS)
    assert [(r["policy"], r["params"]["rho"]) for r in outcome.records] == len(ARMS) * [
        (policy, r) for policy in ("omega-UCB", "omega*-UCB") for r in rho
    ]
    for found, environment, arguments in calls:
        assert arguments["budget"] == 70
        for label, params in arguments["grid"].items():
            np.testing.assert_array_equal(params["rho"], rho)
            maker = budgeted.omega_ucb if label == "omega-UCB" else None
            maker = maker or budgeted.omega_star_ucb
            assert found[label] is maker(environment.problem)
    for title, dataset in outcome.datasets.items():
        assert dict(dataset.sizes) == {
            "policy": 2,
            "params": 9,
            "seed": 3,
            "checkpoint": 1,
        }, title
    assert titles(outcome.figure.axes) == list(ARMS)
    for ax in outcome.figure.axes:
        assert ax.get_xscale() == ax.get_yscale() == "log"
        for place, line in enumerate(ax.lines):
            np.testing.assert_array_equal(line.get_xdata(), rho)
            np.testing.assert_array_equal(line.get_ydata(), 1 + place // 2)
    assert legend_texts(outcome.figure) == [
        f"{policy}, {what}"
        for policy in ("omega-UCB", "omega*-UCB")
        for what in ("mean", "median")
    ]
    quick, _ = rehearsal("budgeted-fig4", quick=True)
    assert list(quick.datasets) == ["S-Br-10", "S-GBr-10", "S-Bt-10"]


@pytest.fixture
def table_of(monkeypatch):
    """``table_of(environments)``: Table 1 with these in place of all."""

    def run(synthetic, facebook):
        monkeypatch.setattr(table, "synthetic", lambda **_: synthetic)
        monkeypatch.setattr(table, "facebook", lambda: facebook)
        return REGISTRY["budgeted-table1"].run(Options(1, 1))

    return run


def test_table_1_against_drawn_instances(table_of, rng):
    """Facts of S-Br-10 and of as many instances drawn here; errors of the difference.

    A standard error is in the records; five comparisons at four errors.
    """
    outcome = table_of(synthetic(("S-Br",), (10,)), {})
    check_records(outcome, "budgeted-table1")
    assert FOLDER in outcome.notes[0]
    reward, cost = rng.uniform(size=(2, 100_000, 10))
    cost = 0.01 + 0.99 * cost
    ratios = np.sort(reward / cost, axis=1)
    best = np.take_along_axis(cost, np.argmax(reward / cost, 1)[:, None], 1)[:, 0]
    cheapest = cost.min(axis=1)
    expected = {
        "best_ratio": ratios[:, -1],
        "cheapest_cost": cheapest,
        "cost_of_best_over_cheapest": best / cheapest,
        "relative_gap": (ratios[:, -1] - ratios[:, -2]) / ratios[:, -1],
    }
    (record,) = outcome.records
    assert record["metrics"]["arms"] == {"mean": 10, "sem": 0, "published": None}
    assert set(record["metrics"]) == {"arms", *expected}
    for name, values in expected.items():
        found = record["metrics"][name]
        assert abs(found["mean"] - values.mean()) < 4 * found["sem"]
        facts = outcome.datasets["S-Br-10"][name].values
        assert found["mean"] == pytest.approx(facts.mean())
        assert found["sem"] == pytest.approx(facts.std(ddof=1) / 1_000**0.5)
    (ax,) = outcome.figure.axes
    (table,) = ax.tables
    shown = [cell.get_text().get_text() for cell in table.get_celld().values()]
    gaps = outcome.datasets["S-Br-10"]["relative_gap"].quantile([0.1, 0.5, 0.9])
    assert ", ".join(map(padded_number, gaps.values.tolist())) in shown
    assert padded_number(record["metrics"]["best_ratio"]["mean"]) in shown
    assert "S-Br-10" in shown and "10" in shown


@needs_data
def test_table_1_of_the_campaign_data(table_of, monkeypatch):
    """19 groups of 2 to 93 ads, and each is drawn."""
    monkeypatch.setenv(FOLDER, str(DATA))
    environments = facebook()
    assert list(environments) == ["FB-Br", "FB-Bt"]
    for environment in environments.values():
        assert environment.problem.num_arms == 93
        sizes = environment.setup["sizes"]
        assert len(sizes) == 19 and sizes.sum() == 545
        assert (sizes.min(), sizes.max()) == (2, 93)
    outcome = table_of({"FB-Br": environments["FB-Br"]}, {})
    assert outcome.notes == ()
    arms = outcome.datasets["FB-Br"]["arms"].values
    assert set(arms) == set(sizes.tolist())
    error = sizes.std() / np.sqrt(arms.size)
    assert abs(arms.mean() - sizes.mean()) < 4 * error
    (record,) = outcome.records
    assert record["metrics"]["best_ratio"]["mean"] > 1


def test_theorem_5_stands_beside_the_regret(rehearsal):
    """A panel per rho; the arms' means are those of the text."""
    outcome, calls = rehearsal("budgeted-bounds")
    means = [0.8, 0.4, 0.3], [0.4, 0.4, 0.6]
    for rho, (_, _, arguments) in zip((0.25, 1.0, 2.0), calls, strict=True):
        assert arguments["grid"] == {"omega-UCB": {"rho": rho}}
        for label, bound in (
            ("Theorem 5", theory.regret_bound(70.0, rho, *means)),
            ("trivial bound", theory.trivial_bound(70.0, *means)),
        ):
            last = entry(outcome, f"rho = {rho:g}", "omega-UCB", label)["mean"]
            assert last == pytest.approx(bound)
