"""The EdNet table: answers in their places, the schema, the synthetic stand-in."""

import gzip
import tracemalloc

import numpy as np
import pytest

from jaxbandits_studies.datasets.ednet_users import load_ednet
from jaxbandits_studies.datasets.synthetic import ednet_like_parameters
from tests.data import DATA, needs_data

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


TIME, ANSWER = "response_time_ms that is not a finite number", "is_correct that is not"
BAD = [
    ("1500.0", "-1", "negative response_time_ms"),
    ("1500.0", "inf", TIME + ": 'inf'"),
    ("1500.0", "nan", TIME),
    ("1500.0", "", TIME),
    ("1500.0", "fast", TIME + ": 'fast'"),
    ("u1,q10,0,0", "u1,q10,0,2", ANSWER + " 0 or 1"),
    ("u1,q10,0,0", "u1,q10,0,0.5", ANSWER + " 0 or 1"),
    ("u1,q10,0,0", "u1,q10,0,True", ANSWER + " a finite number: 'True'"),
    ("u1,q10,0,0", "u1,q10,0", ANSWER + " a finite number"),
    ("u1,q10", ",q10", "row without pseudo_user_id"),
    ("u1,q10", "u1,", "row without question_id"),
    ("u1,q10,0,0\n", "", "but has 0 for user u1 and question q10"),
    ("u1,q10", "u1,q9", "but has 2 for user u1 and question q9"),
    ("u1,q10", "u3,q10", "but has 0 for user u3 and question q9"),
    ("u1,q10,0,0", "u1,q10,0,0,5", "not a CSV table"),
]


def test_bad_tables_are_refused_by_row_and_column(write):
    for old, new, words in BAD:
        assert TABLE.count(old) == 1
        with pytest.raises(ValueError, match=f"path: .*table.csv .*{words}"):
            load_ednet(write(TABLE.replace(old, new)))
    for column in HEADER.split(","):
        with pytest.raises(ValueError, match=f"path: .* no column {column}"):
            load_ednet(write(TABLE.replace(column, "other")))
    with pytest.raises(ValueError, match="path: .* unknown column other"):
        load_ednet(write(HEADER + ",other\nu2,q9,1500.0,1,1\n"))
    with pytest.raises(ValueError, match="path: .* more cells than columns"):
        load_ednet(write(HEADER + "\nx,u2,q9,1500.0,1\n"))


def test_files_without_a_table_are_refused(tmp_path, write):
    for text in (HEADER + "\n", ""):
        with pytest.raises(ValueError, match="path: .* empty"):
            load_ednet(write(text))
    file = tmp_path / "nothing.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"path: .*nothing\.csv is not a CSV table"):
        load_ednet(file)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        load_ednet(tmp_path / "nowhere.csv")


def test_synthetic_questions():
    for argument in ("num_questions", "seed"):
        with pytest.raises(ValueError, match=argument):
            ednet_like_parameters(**{argument: -1})
        with pytest.raises(TypeError, match=argument):
            ednet_like_parameters(**{argument: 2.0})
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


def test_a_table_with_few_of_all_pairs_is_refused_in_little_memory(tmp_path):
    """Two thousand rows, of as many users and questions: four million pairs."""
    rows = [f"u{i},q{i},1,1" for i in range(2_000)]
    path = tmp_path / "sparse.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="has 0 for user u0 and question q1"):
            load_ednet(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8e6
