"""Tables for papers: what is bold, what is marked, and that LaTeX takes it."""

import re

import numpy as np
import pytest
from scipy.stats import ttest_ind

from jaxbandits.stats import entry, make_record, record_table
from tests.tables import each_row


def record(policy, mean, sem, where="PosCorr", seeds=100, **more):
    metrics = {"regret": entry(mean, sem)} | more
    return make_record("x", where, policy, metrics, seeds=seeds, horizon=10)


TRIO = [
    record("RCUCB", 100.0, 1.0),
    record("TS", 101.0, 1.5),
    record("UCB_1", 26_109.46, 31.9),
    record("clairvoyant", 0.0, 0.0),
]


OTHER = {"experiment": "y"}


def cells(text, row):
    return [cell.strip() for cell in text.splitlines()[row].strip("|").split("|")]


def test_a_table_in_markdown():
    text = record_table(TRIO)
    assert cells(text, 0) == ["environment", "policy", "regret"]
    assert cells(text, 2) == ["PosCorr", "RCUCB", "**100.0 ± 1.0**"]
    assert cells(text, 3) == ["", "TS", "101.0 ± 1.5 †"]
    assert cells(text, 4) == ["", r"UCB\_1", "26,109 ± 32"]
    assert cells(text, 5) == ["", "clairvoyant", "0"]
    note = text.splitlines()[-1]
    assert note.startswith("Bold: the lowest. Dagger: not surely worse, Welch's")


def test_rows_of_a_policy_say_in_which_parameters_they_differ():
    points = [{"gain_radius": 0.3, "size": 2}, {"gain_radius": 1.0, "size": 2}]
    rows = [record("RCUCB", 9.0, 1.0) | {"params": point} for point in points]
    alone = record("RCUCB", 9.0, 1.0, "Indep") | {"params": points[0]}
    text = record_table([*rows, TRIO[1] | {"params": {"size": 2}}, alone])
    names = [cells(text, line)[1] for line in range(2, 6)]
    first, second = (rf"RCUCB (gain\_radius = {x})" for x in (0.3, 1.0))
    assert names == [first, second, "TS", "RCUCB"]
    text = record_table(
        [*rows, rows[0] | {"params": {}}], "latex", labels={"RCUCB": "R"}
    )
    assert r" & R (gain\_radius = 1.0, size = 2) & $" in text
    with pytest.raises(TypeError, match=r"records\[0\]: params must be"):
        record_table([rows[0] | {"params": "x"}])


def test_a_table_in_latex():
    second = [
        record("100 % & more", 3.0, 1.0, where="#2"),
        record("TS", -0.5, 0.25, "b"),
    ]
    text = record_table([*TRIO, *second], "latex")
    lines = text.splitlines()
    assert lines[:3] == [
        r"\begin{tabular}{llr}",
        r"\toprule",
        r"environment & policy & regret \\",
    ]
    assert r"PosCorr & RCUCB & $\mathbf{100.0 \pm 1.0}$ \\" in lines
    assert r" & TS & $101.0 \pm 1.5^{\dagger}$ \\" in lines
    assert r" & UCB\_1 & $26{,}109 \pm 32$ \\" in lines
    assert r"\#2 & 100 \% \& more & $3.0 \pm 1.0$ \\" in lines
    assert r"b & TS & $-0.50 \pm 0.25$ \\" in lines
    assert lines.count(r"\midrule") == 3
    assert lines[-2] == r"\end{tabular}" and lines[-1].startswith("% Bold")


@each_row(
    "mean, sem, said, latex",
    [
        (123_456_789.0, None, "123,456,789", "123{,}456{,}789"),
        (1.5e9, None, "1.500e9", r"1.500 \cdot 10^{9}"),
        (8.921e95, None, "8.921e95", r"8.921 \cdot 10^{95}"),
        (-2.4e12, 3e10, "(−2.400 ± 0.030)e12", r"(-2.400 \pm 0.030) \cdot 10^{12}"),
    ],
)
def test_long_numbers_are_written_with_separators_or_powers(mean, sem, said, latex):
    rows = [record("A", mean, sem, bound=entry(mean, sem))]
    assert cells(record_table(rows, metrics=["bound"]), 2)[-1] == said
    assert rf" & ${latex}$ \\" in record_table(rows, "latex", metrics=["bound"])


def test_who_is_not_surely_worse_is_what_scipy_says():
    """Welch's test, one-sided, with Bonferroni's correction over three rivals."""
    rng = np.random.default_rng(4)
    scales, seeds = np.array([1.0, 3.0, 0.5, 2.0]), 40
    for shift in np.linspace(0, 2, 9):
        means = shift * np.arange(4)
        runs = means[:, None] + scales[:, None] * rng.normal(size=(4, seeds))
        records = [
            record(str(i), row.mean(), row.std(ddof=1) / seeds**0.5, seeds=seeds)
            for i, row in enumerate(runs)
        ]
        text = record_table(records, level=0.9)
        best = int(runs.mean(1).argmin())
        for i, row in enumerate(runs):
            cell = cells(text, 2 + i)[2]
            if i == best:
                assert cell.startswith("**")
                continue
            found = ttest_ind(row, runs[best], equal_var=False, alternative="greater")
            assert cell.endswith("†") == (found.pvalue > 0.1 / 3)


def test_few_seeds_call_nothing_worse():
    few = [record("a", 1.0, 0.01, seeds=19), record("b", 9.0, 0.01, seeds=19)]
    assert "9.000 ± 0.010 †" in record_table(few)
    many = [record("a", 1.0, 0.01, seeds=20), record("b", 9.0, 0.01, seeds=20)]
    assert "†" not in record_table(many).split("\n\n")[0]


def test_directions_environments_and_what_is_not_marked():
    gains = {"gain": entry(5.0, 0.1), "epochs": entry(7.0, 1.0)}
    other = {"gain": entry(9.0, 0.1), "epochs": entry(8.0, 1.0, 6.5)}
    records = [
        record("a", 2.0, 0.1, **gains),
        record("b", 4.0, 0.1, **other),
        record("a", 4.0, 0.1, where="Indep", **other),
        record("alone", 4.0, 0.1, where="one"),
    ]
    text = record_table(records)
    heads = ["environment", "policy", "regret", "gain", "epochs", "printed"]
    assert cells(text, 0) == heads
    assert cells(text, 2)[2:] == ["**2.00 ± 0.10**", "5.00 ± 0.10", "7.0 ± 1.0", ""]
    assert cells(text, 3)[2:] == [
        "4.00 ± 0.10",
        "**9.00 ± 0.10**",
        "8.0 ± 1.0",
        "6.500",
    ]
    assert "**" not in text.splitlines()[4] and "**" not in text.splitlines()[5]
    assert cells(text, 5)[3:] == ["", "", ""]
    turned = record_table(records, metrics=["regret"], best={"regret": "highest"})
    assert cells(turned, 3)[2] == "**4.00 ± 0.10**"
    plain = record_table(records, metrics=["epochs"])
    assert "Bold" not in plain
    named = record_table(records, "latex", labels={"a": r"$\omega^*$-UCB"})
    assert r"$\omega^*$-UCB & " in named


def test_names_are_source_that_shows_them_as_they_stand():
    """Also at the start of a row, which `\\\\` before it would take for its option."""
    names = ["[new] $5_{a}", "*~^&%#\\ <b>|", "a\nb"]
    records = [record("p", 1.0, 0.1, where=name) for name in names]
    latex = record_table(records, "latex")
    starts = [line.split(" & ")[0] for line in latex.splitlines() if " & p & " in line]
    assert starts == [
        r"{[}new{]} \$5\_\{a\}",
        r"{*}\textasciitilde{}\textasciicircum{}\&\%\#\textbackslash{} "
        r"\textless{}b\textgreater{}\textbar{}",
        r"a\textbackslash{}nb",
    ]
    markdown = record_table(records).splitlines()
    for line, name in zip(markdown[2:5], names, strict=True):
        cell = line.split(" | ")[0].removeprefix("| ")
        shown = name.replace("\n", "\\n")
        assert re.sub(r"\\([\W_])", r"\1", cell) == shown
        assert not re.search(r"(?<!\\)(\\\\)*[|*_\[\]<$&~]", cell)


GOOD = make_record("e", "x", "p", {"regret": 1.0}, seeds=2, horizon=10)


def wrong(**change):
    return [GOOD | {"metrics": {"regret": entry(1.0, 0.1) | change}}]


@each_row(
    "records, named",
    [
        (GOOD, "records must be a list"),
        ("summary.json", "records must be a list of records, got 'summary.json'"),
        ([3], r"records\[0\]: a record must be a mapping, got 3"),
        ([GOOD, {}], r"records\[1\]: a record must have environment, .* no environm"),
        ([GOOD | {"metrics": 3}], r"records\[0\]: metrics must be a mapping"),
        ([GOOD | {"seeds": "x"}], r"records\[0\]: seeds must be an integer >= 1"),
        (wrong(mean="x"), r"records\[0\]: metrics\['regret'\]: mean must be a real nu"),
        (wrong(sem=-0.1), r"records\[0\]: metrics\['regret'\]: sem must be >= 0"),
        (wrong(published="x"), r"records\[0\]: .* published must be a real number"),
    ],
)
def test_what_is_no_record_is_refused(records, named):
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        record_table(records)


def test_only_what_was_played_alike_is_compared():
    """Least is who was stopped first."""
    pair = [record("a", 10.0, 0.1), record("b", 20.0, 0.1)]
    alone = [record("a", 5.0, 0.1) | each for each in ({"horizon": 5}, OTHER)]
    text = record_table([*pair, *alone])
    assert cells(text, 2)[2] == "**10.00 ± 0.10**"
    assert [cells(text, row)[2] for row in (4, 5)] == 2 * ["5.00 ± 0.10"]
    # In one table each of them has its best.
    text = record_table([*pair, *(each | OTHER for each in pair)])
    assert [cells(text, row)[2][:2] for row in range(2, 6)] == ["**", "20", "**", "20"]
