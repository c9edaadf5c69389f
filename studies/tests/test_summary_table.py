"""The printed table: our number, its error, the paper's number."""

import pytest

from jaxbandits.cli.table import records_table, rounded
from jaxbandits.console.printing import Printer
from jaxbandits.stats import entry


def record(policy, instance="Indep", **metrics):
    return {"environment": instance, "policy": policy, "metrics": metrics}


def cells(table):
    return {column.header: list(column.cells) for column in table.columns}


def test_numbers_stand_in_their_columns():
    table = records_table(
        [
            record("TS", regret=entry(6461.26, 143.4), censored=entry(0.47, 1e-4, 0.5)),
            record("best", regret=entry(0.0, 0.0), censored=entry(0.44043, 0.0)),
        ],
        "Title",
    )
    assert cells(table) == {
        "environment": ["Indep", ""],
        "policy": ["TS", "best"],
        "regret": ["6,460 ± 140", "0.0"],
        "censored share": ["0.4700 ± 0.0001", "0.4404"],
        "paper": ["0.5000", ""],
    }
    assert table.title == "Title (mean ± s.e.)"


def test_exact_numbers_are_not_called_means():
    table = records_table([record("a", value=entry(0.25)), record("b")], "Title")
    assert table.title == "Title"
    assert cells(table)["value"] == ["0.25", ""]


def test_a_missing_number_is_an_empty_cell():
    table = records_table([record("a", regret=entry(None))], "Title")
    assert cells(table)["regret"] == [""]


@pytest.mark.parametrize(
    ("mean", "error", "most", "text"),
    [
        (6461.26, 143.4, None, "6,460 ± 140"),
        (31682.1, 96.0, None, "31,700 ± 100"),
        (1592.8, 6.8, None, "1,593 ± 7"),
        (0.51598, 0.00018, 4, "0.5160 ± 0.0002"),
        (0.51598, 0.00018, None, "0.51598 ± 0.00018"),
        (0.2, 1e-9, 4, "0.2000 ± 0.0001"),
        (5.0, 0.0996, None, "5.00 ± 0.10"),
        (1.0, 995.0, None, "0 ± 1,000"),
    ],
)
def test_a_number_has_no_more_digits_than_its_error(mean, error, most, text):
    assert rounded(mean, error, most) == text


def test_a_narrow_table_leaves_out_columns_and_says_which():
    """Never the first, and those with a published number last."""
    records = [
        record(
            "TS", regret=entry(1.0), optimal=entry(0.5), censored=entry(0.4, 0.1, 0.5)
        )
    ]
    for width, left_out in [
        (80, None),
        (55, "Left out for want of width: optimal share"),
        (20, "Left out for want of width: optimal share, censored share"),
    ]:
        table = records_table(records, "Title", width)
        assert table.caption == left_out
        assert "regret" in cells(table)
    printer = Printer(60)
    with printer.capture() as captured:
        printer.print(records_table(records, "Title", 60))
    assert max(map(len, captured.get().splitlines())) <= 60
