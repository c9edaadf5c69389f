"""The farewell experiments: claims, figures, bounds; two policies are played."""

import numpy as np
import pytest
from scipy import stats

from jaxbandits import farewell, simulate
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.common import casts
from jaxbandits_studies.farewell.comparisons import crossover_notes
from jaxbandits_studies.statements import of_experiment
from jaxbandits_studies.theory import farewell as theory
from studies.tests.checks import entry, titles
from tests.results.samples import dataset
from tests.tables import naming

FIGURE_1 = ["Figure 1a (i)", "Figure 1b", "Figure 1c"]
FIGURE_2 = ["Figure 2a", "Figure 2b", "Figure 2c"]


def test_bars_of_the_delays_stand_above_the_curves(rehearsal):
    outcome, calls = rehearsal("farewell-fig2")
    axes = outcome.figure.axes
    above, below = axes[:3], axes[3:]
    assert titles(above) == FIGURE_2
    assert titles(below) == ["", "", ""]
    assert [ax.get_ylabel() for ax in above] == ["probability", "", ""]
    for top, bottom, (_, environment, _) in zip(above, below, calls, strict=True):
        assert top.get_position().y0 > bottom.get_position().y1
        delay = np.asarray(environment.provenance["delay"])
        arms, longest = delay.shape
        heights = [bar.get_height() for bar in top.patches]
        np.testing.assert_allclose(heights, delay.ravel())
        # Side by side, none over another.
        edges = sorted((bar.get_x(), bar.get_width()) for bar in top.patches)
        lefts, widths = np.array(edges).T
        assert (np.diff(lefts) >= widths[:-1] - 1e-9).all()
        nearest = np.round(lefts + widths / 2).astype(int)
        assert nearest.tolist() == np.repeat(range(1, longest + 1), arms).tolist()
        texts = top.get_legend_handles_labels()[1]
        assert texts == [f"arm {i}" for i in range(1, arms + 1)]
    (note,) = outcome.notes
    assert "reconstructed" in note


def test_claims_of_a_rehearsal(rehearsal):
    """In a rehearsal Wait-UCB has the smallest regret everywhere, without spread: 1,
    and UCB-Simplex 2, which is not more than twice as much."""
    much_below = ["undecided", "holds", "holds"]

    def judged(name):
        outcome = rehearsal(name)[0]
        assert outcome.claims == ()  # That is for full runs.
        return [each.claim(each.find(outcome)) for each in of_experiment(name)]

    claims = judged("farewell-fig1")
    found = [claim.found for claim in claims]
    assert found == 2 * much_below + 3 * ["fails"] + ["undecided"]
    assert {claim.verdict for claim in claims} == {"not comparable"}
    assert claims[0].id == "D2.1"
    assert claims[0].sentence.endswith(
        "UCB-Simplex with kappa = D (section 7.1): not comparable, here undecided "
        "(Wait-UCB 1, UCB-Simplex 2), studies/results/errata.md, D1."
    )
    for name, figures in (("farewell-fig2", 1), ("farewell-readings", 2)):
        claims = judged(name)
        assert [claim.found for claim in claims] == figures * much_below
        assert all(" much better than" in claim.text for claim in claims)
    assert len(judged("farewell-side")) == 4
    outcome = rehearsal("farewell-applications")[0]
    assert outcome.notes == outcome.claims == ()
    notes = rehearsal("farewell-crossover")[0].notes
    assert [n.split(":")[0] for n in notes] == [*FIGURE_1, *FIGURE_2]
    assert all(n.endswith(": smallest mean regret: Wait-UCB from 7.") for n in notes)


def test_crossovers_name_the_leaders():
    ucb, uniform = np.array([[4, 5, 5, 9], [0, 5, 7, 1]]), 3 * np.ones((2, 4))
    uniform[:, 2:] = [[6, 2], [9, 2]]
    data = dataset(
        num_seeds=2,
        metrics={"ucb": {"regret": ucb[None]}, "uniform": {"regret": uniform[None]}},
        checkpoints=[10, 100, 1_000, 10_000],
    )
    assert crossover_notes({"here": data, "there": data.isel(checkpoint=[0])}) == (
        "here: smallest mean regret: ucb from 10, uniform from 100, ucb from 1,000, "
        "uniform from 10,000.",
        "there: smallest mean regret: ucb from 10.",
    )


PLAYED = Options(seeds=10, horizon=2_000, progress=False)


@pytest.mark.filterwarnings("ignore:.* are NaN")
def test_one_seed_is_called_one_seed(rehearsal):
    for name in ("farewell-fig1", "farewell-side"):
        outcome, _ = rehearsal(name, seeds=1)
        title = outcome.figure.legends[0].get_title().get_text()
        assert title == "one seed"


@pytest.fixture(scope="module")
def bounds():
    return REGISTRY["farewell-bounds"].run(PLAYED)


def test_the_bounds_lie_above_the_regret(bounds):
    assert list(bounds.datasets) == FIGURE_1
    assert [r["policy"] for r in bounds.records] == 3 * ["Wait-UCB"]
    for ax, (title, data) in zip(
        bounds.figure.axes, bounds.datasets.items(), strict=True
    ):
        environment = casts.environments("farewell", "Figure 1")[title]
        oracle = environment.oracle()
        waits = np.arange(1, 11)
        curves = {line.get_label(): line for line in ax.lines}
        assert list(curves) == [
            "Wait-UCB",
            "Theorem 2",
            "trivial bound",
            "(WAIT), order",
            "(DQZL), order",
            "(FJ), order",
        ]
        times = data["checkpoint"].values
        later = times > 10
        expected = {
            "Theorem 2": theory.regret_bound(
                times[later], oracle.gaps, oracle.mean_time, waits
            ),
            "trivial bound": theory.trivial_bound(times[later], oracle.gaps, waits),
        }
        # Both bound the expectation: single runs may be above what any policy loses.
        mean = data["regret"].mean("seed").values[0, 0][later]
        for label, values in expected.items():
            np.testing.assert_array_equal(curves[label].get_xdata(), times[later])
            np.testing.assert_allclose(curves[label].get_ydata(), values)
            assert (values > mean).all()
        for label, line in curves.items():
            shown = np.asarray(line.get_ydata())
            metric = "regret" if label == "Wait-UCB" else label
            last = entry(bounds, title, "Wait-UCB", metric)["mean"]
            assert last == pytest.approx(shown[-1])
            low, high = ax.get_ylim()
            assert low <= shown[shown > 0].min() and shown.max() <= high


@pytest.fixture(scope="module")
def coverage():
    experiment = REGISTRY["farewell-coverage"]
    return experiment.run(experiment.full)


def test_lemma_1_never_fails_more_often_than_it_says(coverage):
    """Not even by chance: its radius is several times too wide."""
    data = coverage.datasets["coverage"]
    assert dict(data.sizes) == {"law": 3, "count": 4, "delta": 4}
    assert (data["failures"] <= data["delta"]).all()
    assert (data["slack"] > 1).all()
    for law in data["law"].values.tolist():
        for delta in (0.01, 0.03, 0.1, 0.3):
            at = {"law": law, "delta": delta}
            policy = f"Lemma 1, delta = {delta}"
            found = entry(coverage, law, policy, "failures")
            assert found["published"] == delta
            assert found["mean"] == data["failures"].sel(at).max()
            found = entry(coverage, law, policy, "least_slack")
            assert found["mean"] == data["slack"].sel(at).min()


def test_slack_against_exact_quantiles(coverage):
    """X / Y with ten observations each, by both binomial laws."""
    n, delta = 10, 0.1
    laws = {"B = 2, p = 1/2": (0.5, 2), "B = 10, p = 1/10": (0.1, 10)}
    k = np.arange(n + 1)
    for law, (share, largest) in laws.items():
        mean = 1 + share * (largest - 1)
        ratios = (k / n)[:, None] / (1 + (largest - 1) * k / n)
        weights = stats.binom.pmf(k, n, 0.5)[:, None] * stats.binom.pmf(k, n, share)
        off = np.abs(ratios - 0.5 / mean).ravel()
        order = np.argsort(off)
        covered = np.cumsum(weights.ravel()[order])
        # The quantile of 20,000 draws lies between those of 0.9 -+ 0.01.
        near = [off[order][np.searchsorted(covered, q)] for q in (0.89, 0.91)]
        least, most = theory.radius(n, delta, largest, mean) / near[::-1]
        found = coverage.datasets["coverage"]["slack"].sel(law=law, count=n, delta=0.1)
        assert least - 1e-9 <= found.item() <= most + 1e-9


def test_counts_end_with_the_horizon():
    outcome = REGISTRY["farewell-coverage"].run(Options(200, 100))
    assert outcome.datasets["coverage"]["count"].values.tolist() == [1, 10, 100]
    assert {(r["seeds"], r["horizon"]) for r in outcome.records} == {(200, 100)}


@pytest.mark.slow
def test_as_many_runs_are_lost_as_the_errata_say():
    """errata.md, D7, with half of the seeds: 29 and 0 of 1,024."""
    for rho, least, most in [(0.25, 4, 40), (1.0, 0, 0)]:
        with naming((rho, least, most)):
            game, budget = casts.environments("farewell", "Figure 2")["Figure 2c"], 1e5
            policy = farewell.omega_star_ucb(game.problem)
            policy = policy._replace(params=policy.params._replace(rho=rho))
            data = simulate(
                policy, game, budget=budget, seeds=512, checkpoints=[budget]
            )
            gaps = game.oracle().gaps
            lost = np.sum(data["regret"].values > gaps[gaps > 0].min() * budget / 2)
            assert least <= lost <= most
