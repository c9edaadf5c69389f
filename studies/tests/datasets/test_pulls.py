"""Records of one's own as environments: what is read, what is played, in money."""

import numpy as np
import pytest

from jaxbandits.budgeted import s_br
from jaxbandits_studies.datasets import from_table, records_of

COLUMNS = {"arm": "ad", "cost": "paid", "reward": "sales"}
# Ratios 2 and 5 in spring, 1, 4/3 and 0 in summer.
ROWS = """season,ad,paid,sales,note
spring,b,2,10,x
spring,a,1.5,0,
spring,b,0,0,x
spring,a,0.5,8,x
spring,a,2,0,x
summer,c,1,1,x
summer,b,4,0,x
summer,b,0.5,6,x
summer,d,3,0,x
"""


def test_groups_by_hand(write):
    groups = from_table(write(ROWS, "mine.csv"), **COLUMNS, group="season")
    assert list(groups) == ["spring", "summer"]
    spring, summer = groups.values()
    assert spring.name == "mine.csv spring"
    found = {r.name: (r.reward.tolist(), r.cost.tolist()) for r in records_of(summer)}
    assert found == {"b": ([0, 6], [4, 0.5]), "c": ([1], [1]), "d": ([0], [3])}
    # In shares of the largest cost, 4, and reward, 10.
    oracle = spring.oracle(spring.game.sample(None, spring.setup))
    np.testing.assert_allclose(oracle.mean_cost, [1 / 3, 1 / 4, np.nan])
    np.testing.assert_allclose(oracle.mean_reward, [8 / 30, 1 / 2, np.nan])
    assert oracle.best == 1
    # One program for both: the functions are the same, and all shapes.
    assert spring.game is summer.game and spring.problem is not None
    assert spring.problem == summer.problem


def test_all_rows_are_one_game_without_groups(write):
    game = from_table(write(ROWS, "mine.csv"), **COLUMNS)
    assert game.name == "mine.csv" and game.problem.num_arms == 4
    assert game.provenance["arms"] == ["a", "b", "c", "d"]
    assert game.provenance["rows"] == [3, 4, 1, 1]


BAD = [
    (("", ""), {"arm": "advert"}, "arm: .* has no column 'advert', but season, ad"),
    (("", ""), {"group": "place"}, "group: .* has no column 'place'"),
    (("0.5,8", "half,8"), {}, "cells of column 'paid' .* first 'half' in row 4"),
    (("0.5,8", "0.5,-8"), {}, "'sales' .* first '-8' in row 4"),
    (("0.5,8", ",8"), {}, "'paid' .* first '' in row 4"),
    (("0.5,8", "0.5,inf"), {}, "'sales' .* first 'inf' in row 4"),
    (("\nspring,b,2", "\n\nspring,b,x"), {}, "first 'x' in row 1"),
    (("c,1,1", ",1,1"), {}, "'ad' .* are empty, first '' in row 6"),
    (("summer,c", " ,c"), {"group": "season"}, "'season' .* empty, first ' '"),
    (("sales,note", "sales"), {}, "path: .* more cells than columns"),
    (("note", "paid"), {}, "path: .* one column of a name, but has two of paid"),
    (("", ""), {"reward": "paid"}, "arm, cost, reward must be columns of their own"),
    (("", ""), {"arm": "paid"}, "must be columns of their own, got arm='paid'"),
    (("", ""), {"group": "ad "}, "arm, cost, reward, group must .* group='ad '"),
    (("2,10", "2,1e39"), {}, "path: the largest sales .* must be in .*1e\\+30"),
    (("c,1,1", "c,0,1"), {"group": "season"}, "ad 'c' of season 'summer' has cost"),
    (("c,1,1", "c,0,1"), {}, "ad 'c' has cost 0"),
    (("c,1,1", "c,1e-21,1"), {}, "ad 'c' has cost 1e-21"),
]


def test_bad_tables_are_refused_by_row_and_column(write):
    for change, options, words in BAD:
        with pytest.raises(ValueError, match=words):
            from_table(write(ROWS.replace(*change)), **COLUMNS | options)
    for text, words in (
        (ROWS.splitlines()[0] + "\n", "has no rows"),
        ("ad,paid,sales\na,1,0\nb,1,0\n", "no row .* sales above 0"),
        ("ad,paid,sales\na,0,1\nb,0,1\n", "no row .* paid above 0"),
    ):
        with pytest.raises(ValueError, match=words):
            from_table(write(text), **COLUMNS)
    with pytest.raises(TypeError, match="cost must be a string"):
        from_table(write(ROWS), arm="ad", cost=3, reward="sales")
    with pytest.raises(ValueError, match="not of from_table"):
        records_of(s_br(3))


def test_columns_that_look_like_a_second_of_a_name_are_read(write):
    game = from_table(write(ROWS.replace("note", "paid.1")), **COLUMNS)
    assert game.provenance["rows"] == [3, 4, 1, 1]
