"""The printed table: our number, its error, the paper's number."""

from jaxbandits.cli.table import records_table


def record(policy, instance="Indep", **metrics):
    return {"environment": instance, "policy": policy, "metrics": metrics}


def entry(mean, sem=None, published=None):
    return {"mean": mean, "sem": sem, "published": published}


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
        "regret": ["6,461.3 ± 143.4", "0.0"],
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
