"""The comparison on one's own records, by function and by command."""

import csv
import json

import numpy as np
import pytest
import xarray as xr

from jaxbandits import cli
from jaxbandits.experiments.budgeted import compare as budgeted_compare
from jaxbandits.experiments.budgeted.compare import Rank, advice, compare, ranks
from jaxbandits.results import load
from jaxbandits.settings.budgeted import from_table, s_br
from tests.experiments.checks import assert_readable, check_records
from tests.results.samples import dataset

# Arm b brings 3 a unit of money, a 1/2; in the other group a brings 1 and c 2. They
# have equal numbers of arms and rows: one program plays both.
ROWS = [("g", "a", 2, 1), ("g", "b", 1, 2), ("g", "b", 1, 4), ("g", "b", 1, 3)]
ROWS += [("h", "a", 2, 2), ("h", "c", 1, 0), ("h", "c", 1, 4), ("h", "c", 1, 2)]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mine.csv"
    lines = [",".join(map(str, row)) for row in ROWS]
    file.write_text("\n".join(["group,ad,paid,sales", *lines]) + "\n")
    return file


@pytest.fixture
def cast(monkeypatch):
    """Two policies only: all take half a minute to compile."""
    two = {k: budgeted_compare.CAST[k] for k in ("uniform", "b-greedy")}
    monkeypatch.setattr(budgeted_compare, "CAST", two)


def test_command(path, tmp_path, cast, capsys):
    columns = ["--arm", "ad", "--cost", "paid", "--reward", "sales", "--group", "group"]
    end = ["--budget", "200", "--seeds", "8", "--out", str(tmp_path / "out")]
    assert cli.main(["compare", str(path), *columns, *end]) == 0
    out = capsys.readouterr().out
    assert "g: play b-greedy, which leaves" in out
    assert "h: c: 2.000 per unit of money, ± 2.263 from 3 rows" in out
    assert "money left on the table" in out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["experiment"], summary["source"]) == ("compare", str(path))
    assert summary["options"] == {
        "seeds": 8,
        "horizon": 200.0,
        "quick": False,
        "root_seed": 0,
    }
    records = summary["records"]
    assert [(r["environment"], r["policy"]) for r in records] == [
        (group, policy) for group in "gh" for policy in ("b-greedy", "uniform")
    ]
    assert (tmp_path / "out" / "compare.png").is_file()


def test_names_of_any_kind_are_printed_drawn_and_written(tmp_path, cast, capsys):
    """Formulas that are none, markup, lines, and file names that lead elsewhere."""
    groups = ["Ba$$in socks", "[/b] ../../up\n$5 off $10"]
    ads = ["[sale] shoes", "[new] shoes", ":smile:\x1b[31m"]
    file, out = tmp_path / "mine.csv", tmp_path / "out"
    with file.open("w", newline="") as into:
        rows = csv.writer(into)
        rows.writerow(["group", "ad", "paid", "sales"])
        for group in groups:
            for place, ad in enumerate(ads):
                rows.writerows([group, ad, 1 + place, sales] for sales in range(4))
    columns = ["--arm", "ad", "--cost", "paid", "--reward", "sales", "--group", "group"]
    end = ["--budget", "60", "--seeds", "4", "--out", str(out)]
    assert cli.main(["compare", str(file), *columns, *end]) == 0
    shown = capsys.readouterr().out
    for group in ("Ba$$in socks", "[/b] ../../up\\n$5 off $10"):
        assert f"{group}: money left on the table" in shown
        for ad in ("[sale] shoes", "[new] shoes", ":smile:\\x1b[31m"):
            assert f"{group}: {ad}: " in shown
    assert "\x1b" not in shown
    assert sorted(path.name for path in out.iterdir()) == [
        "compare-b-up-5-off-10.nc",
        "compare-ba-in-socks.nc",
        "compare.png",
        "summary.json",
        "table.md",
        "table.tex",
    ]
    records = json.loads((out / "summary.json").read_text())["records"]
    assert list(dict.fromkeys(r["environment"] for r in records)) == groups
    played = load(out / "compare-b-up-5-off-10.nc")["environment"].item()
    assert played == f"mine.csv {groups[1]}"


def test_ranking_is_in_money(path, cast):
    game = from_table(path, arm="ad", cost="paid", reward="sales", group="group")["g"]
    outcome = compare(game, budget=200, seeds=8, progress=False)
    check_records(outcome, "compare")
    (dataset,) = outcome.datasets.values()
    first, second = ranks(dataset)
    assert (first.policy, second.policy) == ("b-greedy", "uniform")
    # Half of the pulls cost 2 dollars and bring 1 where the best would bring 6: of 3
    # dollars in two pulls 5 are lost, and 4 brought.
    assert second.regret == pytest.approx(200 * 5 / 3, rel=0.1)
    assert second.reward == pytest.approx(200 * 4 / 3, rel=0.1)
    assert second.regret_interval[0] < second.regret < second.regret_interval[1]
    assert second.behind == pytest.approx(second.regret - first.regret)
    assert first.behind == 0 and not second.tied
    runs = dataset["regret"].sel(policy="uniform").isel(checkpoint=-1, params=0)
    assert second.median == pytest.approx(np.median(runs))
    assert_readable(outcome.figure)


def test_the_legend_is_lower_than_the_plot():
    """Of the whole cast, on curves that nobody has played."""
    one = dataset().isel(policy=[0])
    cast = [one.assign_coords(policy=[name]) for name in budgeted_compare.CAST]
    figure = budgeted_compare.draw({"x": xr.concat(cast, "policy")})
    assert_readable(figure)
    (legend,), (ax,) = figure.legends, figure.axes
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == len(set(texts)) == len(cast)
    assert legend.get_window_extent().height < ax.get_window_extent().height / 2
    assert legend.get_window_extent().width < figure.bbox.width


def test_advice_names_who_is_not_told_apart():
    one = Rank("A", 10.0, (9.0, 11.0), 10, 12, 0.0, (0.0, 0.0), 90)
    tied = one._replace(policy="B", behind=1.0, behind_interval=(-0.5, 2.5))
    behind = one._replace(policy="C", behind=1.0, behind_interval=(0.5, 1.5))
    assert advice("x", [one, tied, behind]) == (
        "x: play A, which leaves 10 [9, 11] on the table; not told from it: B."
    )
    assert advice("x", [one, behind]).endswith("[9, 11] on the table.")


def test_bad_input_comes_before_play(path, capsys):
    game = from_table(path, arm="ad", cost="paid", reward="sales")
    with pytest.raises(ValueError, match="seeds must be at least 2"):
        compare(game, budget=10, seeds=1)
    with pytest.raises(ValueError, match="budget must be positive"):
        compare(game, budget=0)
    with pytest.raises(ValueError, match="not of from_table"):
        compare(s_br(3), budget=10)
    words = ["compare", str(path), "--arm", "x", "--cost", "paid", "--reward", "sales"]
    assert cli.main([*words, "--budget", "10"]) == 2
    assert "arm: " in capsys.readouterr().err


@pytest.mark.slow
def test_the_whole_cast_plays(path):
    game = from_table(path, arm="ad", cost="paid", reward="sales")
    outcome = compare(game, budget=500, seeds=16, progress=False)
    (dataset,) = outcome.datasets.values()
    ranking = ranks(dataset)
    assert {rank.policy for rank in ranking} == set(budgeted_compare.CAST)
    regrets = [rank.regret for rank in ranking]
    assert regrets == sorted(regrets) and ranking[-1].policy == "uniform"
