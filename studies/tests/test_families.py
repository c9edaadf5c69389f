"""Every threshold family: who plays it, and what is shown beside the tuned RA-UCB."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from jaxbandits.allocation.solving import is_concave
from jaxbandits.laws.thresholds import FAMILIES
from jaxbandits_studies.allocation import families
from jaxbandits_studies.allocation.families import EIGHT, ONE, PRINTED, ROOT_SEED, TUNED
from jaxbandits_studies.common.casts import environments
from jaxbandits_studies.common.drawing import draw_intervals
from jaxbandits_studies.judging.protocol import TUNING_SEED
from studies.tests.checks import entry, legend_texts

GAMES = environments("allocation", "families")


def test_no_family_is_left_out():
    played = [game.problem for game in GAMES.values()]
    assert {problem.family.name for problem in played} == set(FAMILIES)
    for title, problem in zip(GAMES, played, strict=True):
        assert title.startswith(problem.family.name.removesuffix("(1, rate)"))
        assert ("sigmoid" in title) == (not is_concave(problem))


def test_radii_are_chosen_on_other_seeds(rehearsal):
    outcome, calls = rehearsal("allocation-families")
    assert outcome.root_seed == ROOT_SEED and list(outcome.datasets) == list(GAMES)
    seeds = [end["root_seed"] for _, _, end in calls]
    assert seeds == [TUNING_SEED, ROOT_SEED] * len(GAMES)
    for (tuning, game, _), (shown, same, _) in zip(
        calls[::2], calls[1::2], strict=True
    ):
        assert game.name == same.name and list(tuning) == [TUNED]
        assert tuning[TUNED] is shown[TUNED]
        concave = is_concave(game.problem) and not game.problem.family.integer
        assert (EIGHT in shown) == concave and {TUNED, PRINTED, ONE} <= set(shown)
    # In a rehearsal policy number i has i + 1 in every run, at every scale.
    for title in GAMES:
        ratio = entry(outcome, title, ONE, "ratio")
        assert ratio["mean"] == 3 and ratio["sem"] == pytest.approx(0, abs=1e-12)
        assert entry(outcome, title, PRINTED, "ratio_of_medians")["mean"] == 2
    (ax,) = outcome.figure.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == list(GAMES)
    assert legend_texts(outcome.figure) == [EIGHT, ONE, PRINTED, "ratio of medians"]
    assert f"{ONE}: 3.00 to 3.00 times" in outcome.notes[2]


def test_what_is_said_of_heavy_tails_by_hand():
    """Two scales, of which the second is the tuned one, beside another policy."""
    regret = [[[1.0, 2.0, 9.0], [2.0, 4.0, 12.0]], [[3.0, 3.0, 6.0], [np.nan] * 3]]
    dims = ("policy", "params", "seed", "checkpoint")
    dataset = xr.DataArray(
        np.expand_dims(regret, -1), {"policy": [TUNED, ONE]}, dims, "regret"
    ).to_dataset()
    records = [
        {"policy": name, "params": {"scale": scale}, "metrics": {}}
        for name, scale in [(TUNED, 0.5), (TUNED, 1.0), (ONE, 1.0)]
    ]
    _, second, other = families._with_ratios(records, dataset, 1)
    assert [each["policy"] for each in records] == ["RA-UCB, scale 0.5", TUNED, ONE]
    medians = [each["metrics"]["regret_median"]["mean"] for each in records]
    assert medians == [2, 4, 3]
    assert second["metrics"]["regret_worst"]["mean"] == 12
    assert other["metrics"]["ratio"]["mean"] == pytest.approx(2 / 3)
    assert other["metrics"]["ratio_of_medians"]["mean"] == 0.75


def test_an_interval_reaches_from_its_lower_to_its_upper_end():
    _, ax = plt.subplots()
    draw_intervals(ax, 0, "a policy", [3], *np.array([[2.0], [1.0], [5.0]]))
    (bars,) = ax.containers
    assert bars[2][0].get_segments()[0].tolist() == [[1, 3], [5, 3]]
