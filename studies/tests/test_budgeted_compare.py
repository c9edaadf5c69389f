"""The comparison on one's own records, by function and by command."""

import csv
import json
import re
from functools import partial

import numpy as np
import pytest
import xarray as xr

from jaxbandits.budgeted import s_br
from jaxbandits.cli import main as cli
from jaxbandits.results import load
from jaxbandits_studies.budgeted import compare as budgeted_compare
from jaxbandits_studies.budgeted.compare import LOST, compare
from jaxbandits_studies.common.ranking import Rank, advice, first_few, ranks
from jaxbandits_studies.datasets import Records, from_table, records_of
from jaxbandits_studies.judging.advice import ADVICE
from studies.tests.checks import assert_readable, check_records, dealt_game
from tests.results.samples import dataset
from tests.tables import naming

# Arm b brings 3 a unit of money, a 1/2; in the other group a brings 1 and c 2. They
# have equal numbers of arms and rows: one program plays both.
ROWS = [("g", "a", 2, 1), ("g", "b", 1, 2), ("g", "b", 1, 4), ("g", "b", 1, 3)]
ROWS += [("h", "a", 2, 2), ("h", "c", 1, 0), ("h", "c", 1, 4), ("h", "c", 1, 2)]

COMMAND = "compare --arm ad --cost paid --reward sales --group group".split()
COMMAND += ["--budget", "200", "--seeds", "8"]


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


def test_an_arm_without_a_reward_has_no_interval_of_no_width():
    """In 20 samples of 50 rows one has no reward though every 17th row has one."""
    none = Records("d", np.zeros(50), np.ones(50))
    (line,) = budgeted_compare._arms_in_words("g", [none])
    assert line == (
        "g: d: 0.000 per unit of money, from 50 rows without a reward, though one in "
        "17 may have one (95 %)"
    )
    assert np.isclose((1 - 1 / 17) ** 50, 0.05, atol=0.003)
    good, dear = (
        Records(x, np.array([n]), np.array([n])) for x, n in (("a", 2), ("b", 8))
    )
    lines = budgeted_compare._arms_in_words("g", [dear, good._replace(cost=np.ones(1))])
    assert [line.split(": ")[1] for line in lines] == ["a", "b"]  # the best ratio first


def test_the_command_writes_what_it_advises(path, tmp_path, cast, capsys):
    assert cli.main([*COMMAND, str(path), "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "g: play b-greedy, which leaves" in out
    assert "h: c: 2.000 per unit of money, ± 2.263 from 3 rows" in out
    assert re.search(r"(?s)left on the table.*32\.5\] +30 +31\.5 +575\.4", out)
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
    """Formulas that are none, markup, lines, and file names that lead elsewhere.

    In the rows of the other command, so that it is the same program. One of them is
    worth a warning, which stands in the notes.
    """
    names = {"g": "Ba$$in socks", "h": "[/b] ../../up\n$5 off $10"}
    names |= {"a": "[sale] shoes", "b": "Total", "c": ":smile:\x1b[31m"}
    file, out = tmp_path / "mine.csv", tmp_path / "out"
    with file.open("w", newline="") as into:
        rows = csv.writer(into)
        rows.writerow(["group", "ad", "paid", "sales"])
        rows.writerows([names.get(cell, cell) for cell in row] for row in ROWS)
    with pytest.warns(UserWarning, match="'Total' was taken for the name of an arm"):
        assert cli.main([*COMMAND, str(file), "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "Mind: 'Total' was taken for" in shown
    for group in ("Ba$$in socks", "[/b] ../../up\\n$5 off $10"):
        assert f"{group}: money left on the table" in shown
    for ad in ("[sale] shoes", "Total", ":smile:\\x1b[31m"):
        assert f": {ad}: " in shown
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
    found = list(dict.fromkeys(r["environment"] for r in records))
    assert found == [names["g"], names["h"]]
    played = load(out / "compare-b-up-5-off-10.nc")["environment"].item()
    assert played == f"mine.csv {names['h']}"


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
    assert second.brings == pytest.approx(200 * 4 / 3, rel=0.1)
    assert second.regret_interval[0] < second.regret < second.regret_interval[1]
    assert second.behind == pytest.approx(second.regret - first.regret)
    assert first.behind == 0 and not second.tied
    runs = dataset["regret"].sel(policy="uniform").isel(checkpoint=-1, params=0)
    assert second.median == pytest.approx(np.median(runs))
    assert_readable(outcome.figure)


def test_the_advised_policies_are_played():
    made = {each.factory for each in budgeted_compare.CAST.values()}
    names = {getattr(f, "func", f).__name__ for f in made}
    calls = [choice.call for choice in ADVICE["budgeted"].choices]
    named = {call.partition("(")[0].removeprefix("budgeted.") for call in calls}
    assert len(named) == 4 and named <= names
    assert ADVICE["budgeted"].policy in budgeted_compare.CAST


def test_neither_names_nor_the_order_of_rows_have_an_effect(tmp_path, monkeypatch):
    """The best of 31 ads is the first, or the last."""
    random = np.random.default_rng(0)
    rows = [
        (
            ad,
            random.integers(2, 5) / 4,
            int(random.random() < (0.9 if ad == 7 else 0.2)),
        )
        for ad in range(31)
        for _ in range(ad % 3 + 2)
    ]
    found = []
    for best in ("a00", "z99"):
        names = [best if ad == 7 else f"m{random.integers(10**9)}" for ad in range(31)]
        random.shuffle(rows)
        file = tmp_path / "mine.csv"
        lines = [f"{names[ad]},{paid},{sales}" for ad, paid, sales in rows]
        file.write_text("\n".join(["ad,paid,sales", *lines]))
        game = from_table(file, arm="ad", cost="paid", reward="sales")
        ranked = "jaxbandits_studies.common.ranking.ranked"
        play = partial(compare, game, budget=15, seeds=16)
        found.append(dealt_game(monkeypatch, ranked, play))
    first, second = found
    assert first.game is second.game and first.problem == second.problem
    arms = ([(*x.reward, *x.cost) for x in records_of(game)] for game in found)
    assert next(arms) == next(arms)


def test_options_that_do_not_fit_together_are_refused(path, capsys):
    for change, named in [
        ({"--cost": None}, "--cost: needed for a log of pulls"),
        (
            {"--reward": None, "--budget": None},
            "--reward, --budget: needed for a log of pulls",
        ),
        ({"--limits": "1,2"}, "--limits: for a log of runs"),
        ({"--rounds": "5", "--status": "x"}, "--status, --rounds: for a log of runs"),
        ({"--arm": "ad --arm group"}, "--arm must name one column"),
        ({"--runtime": "paid"}, "--cost, --budget: for a log of pulls, which has no"),
        ({"--budget": "-5"}, "--budget must be positive"),
        ({"--seeds": "0"}, "--seeds must be"),
        ({"--decimal": "x"}, "decimal must be"),
        ({"--sep": ";"}, "arm: .* has no column 'ad', but group,ad,paid,sales"),
    ]:
        with naming((change, named)):
            options = {
                "--arm": "ad",
                "--cost": "paid",
                "--reward": "sales",
                "--budget": "10",
            }
            words = [f"{k} {v}" for k, v in (options | change).items() if v is not None]
            assert cli.main(["compare", str(path), *" ".join(words).split()]) == 2
            assert re.search(named, capsys.readouterr().err)


def test_the_legend_is_lower_than_the_plot():
    """Of the whole cast, on curves that nobody has played."""
    one = dataset().isel(policy=[0])
    cast = [
        (one * (1 + place)).assign_attrs(one.attrs).assign_coords(policy=[name])
        for place, name in enumerate(budgeted_compare.CAST)
    ]
    figure = budgeted_compare.draw({"x": xr.concat(cast, "policy")})
    assert_readable(figure)
    (legend,), (ax,) = figure.legends, figure.axes
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == len(set(texts)) == len(cast)
    assert legend.get_window_extent().height < ax.get_window_extent().height / 2
    assert legend.get_window_extent().width < figure.bbox.width


def test_advice_names_who_is_not_told_apart_and_few_of_many_arms():
    assert first_few([str(i) for i in range(25)], "x")[19:] == ["19", "x: and 5 more"]
    one = Rank("A", 10.0, (9.0, 11.0), 10, 12, 0.0, (0.0, 0.0), 90)
    tied = one._replace(policy="B", behind=1.0, behind_interval=(-0.5, 2.5))
    behind = one._replace(policy="C", behind=1.0, behind_interval=(0.5, 1.5))
    also = tied._replace(policy="D, joint")
    assert advice("x", [one, tied, also, behind], LOST) == (
        "x: play A, which leaves 10 [9, 11] on the table; not separable from it: B; "
        "D, joint."
    )
    assert advice("x", [one, behind], LOST).endswith("[9, 11] on the table.")


def test_bad_input_comes_before_play(path, capsys):
    game = from_table(path, arm="ad", cost="paid", reward="sales")
    with pytest.raises(ValueError, match="seeds must be at least 2"):
        compare(game, budget=10, seeds=1)
    with pytest.raises(ValueError, match="budget must be positive"):
        compare(game, budget=0)
    with pytest.raises(ValueError, match="at least what the cheapest pull of .* costs"):
        compare(game, budget=0.001)
    with pytest.raises(ValueError, match="not of from_table"):
        compare(s_br(3), budget=10)
    single = path.with_name("one.csv")
    single.write_text("ad,paid,sales\nred,1,2\nred,2,1\n")
    game = from_table(single, arm="ad", cost="paid", reward="sales")
    with pytest.raises(ValueError, match="^environments must have two .* one.csv: 're"):
        compare(game, budget=10)
    words = ["compare", str(path), "--arm", "x", "--cost", "paid", "--reward", "sales"]
    assert cli.main([*words, "--budget", "10"]) == 2
    assert "arm: " in capsys.readouterr().err
