"""Numbers and names as people read them."""

from jaxbandits.plots.labels import (
    checkpoint_label,
    metric_at,
    metric_label,
    padded_number,
    parameter_label,
    percentage,
    short_number,
    value_labels,
)
from jaxbandits.stats import as_share
from tests.results.samples import dataset
from tests.tables import each_row


@each_row(
    "value, text",
    [
        (0, "0"),
        (0.05, "0.05"),
        (0.1 + 0.2, "0.3"),
        (999, "999"),
        (1000, "1k"),
        (12_500, "12.5k"),
        (100_000, "100k"),
        (-2_500_000, "\u22122.5M"),
        (999_999.9, "1M"),
        (1e9, "1G"),
        (-1e13, "\u221210T"),
    ],
)
def test_numbers_are_written_shortly(value, text):
    assert short_number(value) == text
    assert short_number(12_345, 2) == "12k"


@each_row(
    "values, texts",
    [
        ([0.1, 0.2, 0.1 + 0.2], "0.1 0.2 0.3"),
        ([0, 1e-5, 0.0268269], "0 1e-5 0.0268"),
        ([1e-12, 1500], "1e-12 1.5k"),
        ([1, 1.0001, 12], "1 1.0001 12"),  # Enough digits to differ.
        ([2, 2], "2 2"),
        ([], ""),
    ],
)
def test_values_are_told_apart_by_their_labels(values, texts):
    assert value_labels(values) == texts.split()


def test_padded_numbers_have_three_digits():
    values = [0.21, 0.2094, 105, 3499.6, 0, -6.3, 0.00012, 99.96]
    expected = "0.210 0.209 105 3.50k 0 \u22126.30 0.000120 100"
    assert list(map(padded_number, values)) == expected.split()


def test_percentages_have_a_digit_or_more():
    shares = (0.46, 0.2091, 1, 0.000_24, 0)
    expected = ["46.0 %", "20.9 %", "100.0 %", "0.024 %", "0 %"]
    assert list(map(percentage, shares)) == expected


def test_metrics_and_parameters_are_named_by_words():
    assert metric_label("unspent_budget") == "unspent budget"
    assert parameter_label("gain_radius") == "gain radius"
    assert metric_at(dataset(), "regret") == "cumulative regret at round 10k"
    assert metric_at(dataset(), "gain", 0) == "gain at round 10"
    spent = dataset(checkpoint_kind="spent", checkpoints=[0.5, 1, 2, 4])
    assert metric_at(spent, "gain") == "gain at spent budget 4"
    rounds = checkpoint_label(dataset())
    assert checkpoint_label(dataset().assign_attrs(setting="farewell")) == rounds
    assert checkpoint_label(spent.assign_attrs(setting="farewell")) != rounds


def test_shares_are_of_what_the_checkpoints_were():
    spent = dataset(checkpoint_kind="spent", checkpoints=[0.5, 1, 2, 4])
    for data, whole, label in (
        (dataset(), "horizon", "share of the horizon"),
        (spent, "budget", "share of the budget spent"),
    ):
        shares = as_share(as_share(data))
        assert metric_at(shares, "gain") == f"gain at 100 % of the {whole}"
        assert checkpoint_label(shares) == label
    assert metric_at(as_share(spent), "gain", 0) == "gain at 12.5 % of the budget"
