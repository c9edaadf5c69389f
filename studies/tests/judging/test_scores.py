"""Scores of runs by hand, and what becomes of a goal."""

import math
from pathlib import Path

import numpy as np
import pytest

from jaxbandits_studies.judging.board import dumped, joined, loaded, refreshed, shipped
from jaxbandits_studies.judging.figure import dot_plot
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.page import page, verdicts
from jaxbandits_studies.judging.protocol import FINAL_SEED, JUDGING_SEED, Margin
from jaxbandits_studies.judging.scores import missed, standings
from studies.tests.judging.boards import ENTRANTS, PROTOCOL, RUNS, board, cell
from tests.tables import naming

PAGES = Path(__file__).parents[2] / "results" / "leaderboards"


def test_scores_by_hand():
    found = cell()
    assert found.best == "fast" and found.best_high == 50
    score = found.scores["new"]
    runs, best = np.array(RUNS["new"]), np.array(RUNS["fast"])
    assert score.mean == score.median == 35 and score.worst == 50
    assert score.error == pytest.approx(runs.std(ddof=1) / 2)
    assert score.high == pytest.approx(40 + 0.85 * 10)
    assert score.minus == pytest.approx(-5)
    assert score.minus_error == pytest.approx((runs - best).std(ddof=1) / 2)
    assert found.ratio("new") == pytest.approx(35 / 40)
    assert found.high_ratio("new") == pytest.approx(48.5 / 50)
    # Nobody is measured by what is flawed, however good; it is measured.
    assert found.ratio("lost") == pytest.approx(1 / 40)
    assert found.scores["fast"].minus == found.scores["fast"].minus_error == 0


def test_regrets_below_a_reward_are_equal():
    found = cell(values={"slow": [0.0, 0.0], "fast": [0.2, 0.4], "new": [0.9, 3.0]})
    assert found.best == "slow"
    assert found.ratio("fast") == 1 and found.ratio("new") == pytest.approx(1.95)


def test_a_single_seed_has_no_spread():
    found = cell(values={name: runs[:1] for name, runs in RUNS.items()})
    assert all(math.isfinite(x) for score in found.scores.values() for x in score)
    assert found.scores["new"].error == 0


def test_standings_and_what_is_missed():
    found = {s.name: s for s in standings(board().cells, 1.5)}
    new = found["new"]
    assert (new.cells, new.held) == (3, 2) and new.share == pytest.approx(2 / 3)
    assert new.median == pytest.approx(1.5) and new.worst == pytest.approx(15)
    assert new.worst_high == pytest.approx(12)
    short = missed(board().cells, "new", PROTOCOL.goal)
    assert [(c.case, c.horizon) for c in short] == [("short", 20)]
    # "fast" is the best in the mean and 2.4 times off in the quantile.
    assert found["fast"].held == 0 and found["fast"].worst == 1
    assert [s.name for s in standings(board().cells, 1.5)][0] == "lost"


def test_the_file_gives_back_the_board():
    made = board()
    again = loaded(dumped(made))
    assert again._replace(cells=(), microseconds={}) == made._replace(
        cells=(), microseconds={}
    )
    assert again.microseconds == {"new": 0.12, "slow": 1.0}
    for first, second in zip(made.cells, again.cells, strict=True):
        assert first[:4] == second[:4] and set(first.scores) == set(second.scores)
        for name, score in second.scores.items():
            assert score == pytest.approx(first.scores[name], rel=1e-5)
    with pytest.raises(ValueError, match="make it again"):
        loaded(dumped(made).replace('"median"', '"middle"'))


def test_boards_are_joined_cell_by_cell():
    """A cell that both have is the later board's; the order is that of the cases."""
    old, cases = board(), ["short", "coins"]
    again = cell("coins", values=RUNS | {"new": [7.0] * 4})
    new = old._replace(cells=(cell("coins", 80), again), played={"created": "later"})
    whole = joined(old, new, cases)
    assert [(c.case, c.horizon) for c in whole.cells] == [
        ("short", 20),
        ("coins", 20),
        ("coins", 40),
        ("coins", 80),
    ]
    assert whole.cells[1] is again and whole.cells[2] is old.cells[1]
    assert whole.played == {"created": "later"}
    assert [c.case for c in joined(old, new, ["short"]).cells] == ["short"]
    # Other seeds are another judgement.
    for other in ({"seeds": 5}, {"root_seed": 8}):
        assert joined(old._replace(**other), new, cases) is new


def test_entrants_that_are_played_again_by_themselves():
    """Beside the best rival, to which the differences are."""
    again = {"fast": RUNS["fast"], "new": [7.0] * 4}
    found = refreshed(cell(), cell(values=again), ENTRANTS)
    assert [*found.scores] == [*ENTRANTS]
    assert found.scores["new"].mean == 7 and found.scores["new"].minus == -33
    assert found.scores["slow"] == cell().scores["slow"]
    assert (found.best, found.best_high) == ("fast", 50)
    # Who is no longer listed has no score.
    some = {name: ENTRANTS[name] for name in ("fast", "new")}
    assert [*refreshed(cell(), cell(values=again), some).scores] == [*some]
    # Another rival's quantile may be the smallest now.
    better = {"fast": [40.0] * 4, "new": [7.0] * 4}
    assert refreshed(cell(), cell(values=better), ENTRANTS).best_high == 40
    # Two that play alike: the file has six digits of one.
    twin = cell(values=RUNS | {"slow": RUNS["fast"]})
    digits = twin.scores["slow"]._replace(mean=40 - 2e-4)
    twin = twin._replace(best="fast", scores=twin.scores | {"slow": digits})
    assert refreshed(twin, cell(values=again), ENTRANTS).best == "fast"


def test_another_best_rival_needs_all_of_them():
    for again in [
        {"slow": [50.0] * 4, "new": [7.0] * 4},  # to whom is the difference?
        {"fast": [60.0] * 4, "new": [7.0] * 4},  # "slow" is better now
        {"slow": [9.0] * 4, "fast": [10.0] * 4},
    ]:
        with naming(again):
            assert refreshed(cell(), cell(values=again), ENTRANTS) is None


def test_the_page_names_the_cells_that_are_missing():
    """Only horizons that a case has, and that another case was played at."""
    made = board()
    assert "Not played at" not in page(made, PROTOCOL, "jaxbandits x", "x.png")
    made = made._replace(cells=made.cells[1:])
    text = page(made, PROTOCOL, "jaxbandits x", "x.png")
    assert "Not played: absent. Not played at 20: coins. Last played on" in text


def test_a_goal_that_is_met():
    made = board()
    made = made._replace(cells=made.cells[:1])
    (text,) = verdicts(made, PROTOCOL)
    assert "It holds in 1 of 1 (100%): met." in text
    assert not [*verdicts(made, PROTOCOL._replace(goal=None))]


def test_a_margin_by_hand():
    """Means of 35, 60 and 600 beside 50; in the first cell alone it is kept."""
    kept = Margin(("new",), "slow")
    protocol = PROTOCOL._replace(goal=None, margins=(kept,))
    (text,) = verdicts(board(), protocol)
    assert "and a horizon. Smaller in 1 of 3, 1.20 times in the" in text
    assert "median: **not met**. The largest ratio is 12: 600 against 50" in text
    assert text.endswith(" (short, 20).")
    first = board()._replace(cells=board().cells[:1])
    (text,) = verdicts(first, protocol)
    assert "Smaller in 1 of 1, 0.70 times in the median: met." in text
    halved = kept._replace(median=0.6), kept._replace(rival="fast")
    text, other = verdicts(first, protocol._replace(margins=halved))
    assert "and a horizon, and at most 0.60 times as much in the median." in text
    assert "**not met**" in text and "that of fast in" in other
    assert "## Goal" in page(first, protocol, "jaxbandits x", "x.png")
    absent = protocol._replace(margins=(kept._replace(candidates=("absent",)),))
    assert not [*verdicts(first, absent)]


def test_the_figure_has_the_median_case_and_a_range_of_every_entrant_and_horizon():
    fig = dot_plot(board(), PROTOCOL)
    (ax,) = fig.axes
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels == ["lost", "slow", "new", "fast"]
    made = board().cells
    horizons = sorted({cell.horizon for cell in made})
    drawn = [line for line in ax.lines if np.round(line.get_ydata()).tolist() == [2, 2]]
    ranges = [line.get_xdata() for line in drawn if line.get_linewidth() == 1.6]
    ranges = [ends for ends in ranges if len(ends) == 2]
    for horizon, ends in zip(horizons, ranges, strict=True):
        ratios = [cell.ratio("new") for cell in made if cell.horizon == horizon]
        np.testing.assert_allclose(ends, np.quantile(ratios, [0.1, 0.9]))
    dots = [line for line in ax.lines if len(line.get_xdata()) == 1]
    assert len(dots) == len(horizons) * len(labels)
    (legend,) = fig.legends
    meanings = [text.get_text() for text in legend.get_texts()]
    assert meanings == [f"budget {t:,}" for t in horizons]
    fig.draw_without_rendering()
    assert legend.get_window_extent().y1 <= ax.get_tightbbox().y0  # It covers nothing.


def test_no_range_goes_beyond_the_left_edge_of_the_figure():
    low = cell(values=RUNS | {"lost": [1.0] * 4})
    assert low.ratio("lost") < 0.4
    (ax,) = dot_plot(board()._replace(cells=(low,)), PROTOCOL).axes
    assert ax.get_xlim()[0] < low.ratio("lost")


def test_what_is_shipped_is_of_the_protocol():
    for setting in [setting for setting in PROTOCOLS if shipped(setting)]:
        with naming(setting):
            protocol, made = PROTOCOLS[setting], shipped(setting)
            assert made.setting == setting and made.root_seed in (
                JUDGING_SEED,
                FINAL_SEED,
            )
            assert len({cell.case for cell in made.cells}) >= 12
            for found in made.cells:
                case = protocol.judging[found.case]
                assert found.horizon in (case.horizons or protocol.horizons)
                assert set(found.scores) <= set(protocol.entrants)
                assert protocol.entrants[found.best].rival


def test_a_page_of_the_docs_is_what_its_board_makes():
    for setting in [setting for setting in PROTOCOLS if shipped(setting)]:
        with naming(setting):
            kept = (PAGES / f"{setting}.md").read_text(encoding="utf-8")
            command = kept.splitlines()[2].strip()
            figure = f"{setting}.webp"
            assert kept == page(shipped(setting), PROTOCOLS[setting], command, figure)
