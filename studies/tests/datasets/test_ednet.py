"""The EdNet table: answers in their places, the schema, the synthetic stand-in."""

import gzip

import numpy as np
import pytest

from jaxbandits_studies.datasets.ednet_users import load_ednet
from jaxbandits_studies.datasets.synthetic import (
    criteo_like_parameters,
    ednet_like_parameters,
)
from studies.tests.checks import memory_below
from tests.data import DATA, needs_data
from tests.tables import naming

HEADER = "pseudo_user_id,question_id,response_time_ms,is_correct"
# Neither users nor questions are sorted or in blocks; an id is spelled NA.
TABLE = f"""{HEADER}
u2,q9,1500.0,1
u1,q10,0,0
u2,NA,250.5,0
u1,NA,64000,1
u1,q9,3000.0,0
u2,q10,17632.0,1
"""


def test_small_table_by_hand(write):
    data = load_ednet(write(TABLE))
    assert data.users == ("u2", "u1")
    assert data.questions == ("q9", "q10", "NA")
    np.testing.assert_array_equal(
        data.seconds, [[1.5, 17.632, 0.2505], [3.0, 0.0, 64.0]]
    )
    np.testing.assert_array_equal(data.correct, [[1, 1, 0], [0, 0, 1]])
    assert data.seconds.dtype == np.float64 and data.correct.dtype == bool
    np.testing.assert_allclose(data.total_seconds, [19.3825, 67.0], rtol=1e-15)


def test_columns_in_another_order_and_compressed(tmp_path, write):
    lines = TABLE.splitlines()
    text = "\n".join(",".join(reversed(line.split(","))) for line in lines)
    file = tmp_path / "reversed.csv.gz"
    file.write_bytes(gzip.compress(text.encode()))
    first, second = load_ednet(write(TABLE)), load_ednet(file)
    assert first[:2] == second[:2]
    np.testing.assert_array_equal(first.seconds, second.seconds)
    np.testing.assert_array_equal(first.correct, second.correct)


@needs_data
def test_the_papers_table():
    data = load_ednet(DATA / "ednet_pseudo_users.csv.gz")
    assert data.seconds.shape == data.correct.shape == (5000, 20)
    assert data.questions[:2] == ("q4135", "q5328")
    assert data.users[0] == "pseudo_u1" and data.users[-1] == "pseudo_u5000"
    assert (data.seconds[0, 0], data.correct[0, 0]) == (17.632, False)
    assert data.total_seconds.mean() == pytest.approx(694.86, abs=0.005)
    assert data.correct.mean() == pytest.approx(0.47372, abs=1e-12)


BAD = {
    "'response_time_ms' .* no numbers >= 0, first '-1' in row 1": ("1500.0", "-1"),
    "'is_correct' .* in .0, 1., first '2' in row 2": ("u1,q10,0,0", "u1,q10,0,2"),
    "is_correct that is not 0 or 1": ("u1,q10,0,0", "u1,q10,0,0.5"),
    "column 'pseudo_user_id' .* empty": ("u1,q10", ",q10"),
    "column 'question_id' .* empty": ("u1,q10", "u1,"),
    "but has 0 for user u1 and question q10": ("u1,q10,0,0\n", ""),
    "but has 2 for user u1 and question q9": ("u1,q10", "u1,q9"),
    "more cells than columns": ("u1,q10,0,0", "u1,q10,0,0,5"),
    "no column 'is_correct'": ("is_correct", "other"),
}


def test_bad_tables_are_refused_by_row_and_column(write):
    for words, (old, new) in BAD.items():
        assert TABLE.count(old) == 1
        with naming(words), pytest.raises(ValueError, match=f"path: .*{words}"):
            load_ednet(write(TABLE.replace(old, new)))


def test_wrong_parameters_of_synthetic_data():
    for make, size in (
        (criteo_like_parameters, "num_campaigns"),
        (ednet_like_parameters, "num_questions"),
    ):
        for argument in (size, "seed"):
            for error, value in ((ValueError, -1), (TypeError, 2.0)):
                with naming((make, argument)), pytest.raises(error, match=argument):
                    make(**{argument: value})


def test_synthetic_questions():
    quiz = ednet_like_parameters()
    again, other = ednet_like_parameters(), ednet_like_parameters(seed=1)
    ranges = {"probability": (0.2, 0.9), "shape": (1.3, 2.5), "scale": (15, 60)}
    for name, (low, high) in ranges.items():
        values = getattr(quiz, name)
        assert values.shape == (20,) and values.dtype == np.float64
        assert np.all((values >= low) & (values <= high))
        assert np.ptp(values) > 0.5 * (high - low)
        np.testing.assert_array_equal(values, getattr(again, name))
        assert not np.any(values == getattr(other, name))
    assert quiz.budget == 700
    assert ednet_like_parameters(3).scale.shape == (3,)
    assert ednet_like_parameters(3).budget == 105


def test_a_table_with_few_of_all_pairs_is_refused_in_little_memory(write):
    """Two thousand rows, of as many users and questions: four million pairs."""
    rows = [f"u{i},q{i},1,1" for i in range(2_000)]
    path = write("\n".join([HEADER, *rows]) + "\n")
    with memory_below(8e6), pytest.raises(ValueError, match="has 0 for user u0 and"):
        load_ednet(path)
