"""Checks of user input: what passes, what is refused, and what the error says."""

from fractions import Fraction
from functools import partial
from pathlib import Path

import jax
import numpy as np
import pandas as pd
import pytest
from jaxtyping import Float

from jaxbandits import checks
from jaxbandits.checks import (
    at_least_one,
    between_zero_and_one,
    flag,
    function,
    instance,
    multiplied,
    non_negative,
    number,
    numbers,
    one_of,
    path,
    played,
    positive,
    shown,
    text,
    whole,
)
from jaxbandits.simulation.arguments import seeds_of
from tests.tables import assert_refused, each_row, naming

# What is in a range, and what is just outside; of kinds see tests/test_attack.py.
RANGES = [
    (positive, "positive and finite", [1e-9, 3, np.float32(7)], [0.0, -1.0]),
    (non_negative, ">= 0 and finite", [0, 2.5], [-1e-9]),
    (at_least_one, ">= 1 and finite", [1, np.int8(3)], [0.999]),
    (between_zero_and_one, r"in \(0, 1\)", [1e-9, 1 - 1e-9], [0, 1.0]),
]


@each_row("check, says, inside, outside", RANGES)
def test_numbers_in_a_range_pass_and_others_are_refused_by_name(
    check, says, inside, outside
):
    check(a=inside[0], b=inside, c=np.array([inside]))
    outside = [*outside, np.nan, np.inf, [inside[0], np.nan], [[inside[0]], [-2.0]]]
    says = f"^alpha must be {says}, got"
    assert_refused((partial(check, good=inside, alpha=x), says) for x in outside)


def test_integers_pass_within_their_ends():
    for value in (3, np.int64(3), np.uint8(3)):
        assert whole("n", value, 3, 3) == 3
        assert type(whole("n", value, 3)) is int
    rows = {"n must be at least 4, got 3": (3, 4), "n must be at most 2, g": (3, 1, 2)}
    assert_refused({words: partial(whole, "n", *x) for words, x in rows.items()})
    for value in (3.0, True, np.True_, "3", None, np.array(3), np.timedelta64(3, "s")):
        with naming(value), pytest.raises(TypeError, match="n must be an integer"):
            whole("n", value, 1)


NO_NUMBERS = ["0.5", None, 1j, b"1", {"a": 1}, [1, None], [[1], [1, 2]], print]
NO_NUMBERS += [True, [True, 2.0], (np.True_, 1), np.ma.array([1.0, 2.0], mask=[0, 1])]


def test_types_come_before_ranges():
    for value in NO_NUMBERS:
        with naming(value):
            with pytest.raises(
                TypeError, match="^rate must be a real number.* positive and"
            ):
                positive(rate=value)
            with pytest.raises(TypeError, match="^rate must be a real number"):
                numbers("rate", value)


def test_numbers_become_float64():
    found = numbers("x", [Fraction(1, 2), 2**70])
    assert found.dtype == np.float64
    assert found.tolist() == [0.5, 2.0**70]
    assert number("x", np.float32(0.5)) == 0.5
    with pytest.raises(ValueError, match="x must be a number, got shape"):
        number("x", [1.0])
    with pytest.raises(TypeError, match="x must be a real number"):
        numbers("x", 10**400)


def test_numbers_must_be_of_a_size_that_play_keeps():
    """Parameters with room for products."""
    for check, most, too_large in ((played, 3e38, 1e39), (multiplied, 3e28, 1e29)):
        for value in (0.0, 1.0, -most, np.inf, np.nan, 2e-38):
            check(x=value)
        for value in (too_large, -too_large, 1e-50, [1.0, -1e-50]):
            with naming((check, value)):
                with pytest.raises(ValueError, match="^x must be 0 or of a .* float32"):
                    check(x=value)
                with jax.enable_x64(True):
                    check(x=value)


def test_flags_choices_texts_and_paths_are_checked():
    for check, good, bad, says in [
        (flag, True, 1, "True or False, got 1"),
        (partial(one_of, choices=("a", "b")), "a", "c", "one of"),
        (partial(one_of, choices=(1, 2)), 1, True, "one of"),
        (partial(one_of, choices=("a",)), "a", np.ones(3), "one of"),
        (text, "a", "", "not be empty"),
        (text, "a", 3, "a string"),
        (function, len, 0.5, "a function"),
        (partial(instance, kind=str, source="of here"), "a", 1, r"a str \(of here\)"),
        (path, "a/b.csv", "https://a.b/c.csv", "path of this machine"),
        (path, "a/b.csv", "", "path of this machine"),
        (path, "a/b.csv", "b" * 300, "path of this machine, got 'bbb.*: File name too"),
        (path, "a/b.csv", "a\0", "path of this machine, got .*: embedded null"),
        (path, Path("a"), 3, "a path"),
    ]:
        with naming((check, good, bad, says)):
            assert check("x", good) == (Path(good) if check is path else good)
            with pytest.raises((TypeError, ValueError), match=f"^x must .*{says}"):
                check("x", bad)


def test_names_that_no_file_could_keep_or_nobody_could_see():
    assert checks.label("x", "名 é") == "名 é"
    for name in ("a\0", "\ud800"):
        words = "^x must not have NUL or half a character"
        with pytest.raises(ValueError, match=words):
            checks.label("x", name)
    for name in (" ", "\n", "\u2003\t"):
        with pytest.raises(ValueError, match="^x must have more than spaces, got '"):
            checks.label("x", name)


def test_home_is_spelt_out(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert path("store", "~/runs.zarr") == tmp_path / "runs.zarr"
    assert path("store", "~runs.zarr") == Path("~runs.zarr")
    assert path("store", "./~") == Path("~")


def test_a_forked_process(monkeypatch):
    monkeypatch.setattr("jaxbandits.checks.values._played_in", None)
    for _ in range(2):
        checks.unforked()
    monkeypatch.setattr("jaxbandits.checks.values.os.getpid", lambda: -1)
    with pytest.raises(RuntimeError, match="forked .*get_context"):
        checks.unforked()


def test_values_are_shown_short():
    assert shown(2.5) == "2.5"
    assert shown("a") == "'a' (str)"
    assert len(shown(list(range(1000)))) <= 80
    assert "\n" not in shown(np.ones((4, 4)))

    class Rude:
        def __repr__(self):
            raise KeyError

    assert shown(Rude()) == "a value (Rude)"


def test_what_is_no_list_of_seeds():
    for seeds in [
        pd.DataFrame([[5, 6], [7, 8]]),  # iterates over the names of its columns
        np.ma.array([1, 2], mask=[0, 1]),
        b"ab",
        bytearray(b"ab"),
        memoryview(b"ab"),
        np.array(3),
    ]:
        with naming(seeds):
            with pytest.raises(TypeError, match="^seeds must be an integer or a list"):
                seeds_of(seeds)
            assert seeds_of(pd.Series([4, 2])).tolist() == [4, 2]


@checks.kinds
def looked_at(
    share: float = 0.5,
    numbers: Float[np.ndarray, " K"] = (1.0,),
    table_of: Float[np.ndarray, "N K"] | None = None,
    pair: tuple[int, int] = (0, 1),
):
    return 1


# What stands for a kind; what does not is refused in tests/test_attack.py.
RIGHT = [
    {"share": 1, "numbers": [1, 2], "pair": [1, 2]},
    {"share": np.float32(1), "numbers": np.ones(3), "pair": (np.int8(2), 1)},
]


@each_row("arguments", RIGHT)
def test_arguments_of_kinds_that_stand_for_the_annotated_ones_pass(arguments):
    assert looked_at(**arguments)
    for pair in ((1,), "ab", (1, 0.5), np.array(1)):
        with naming(pair), pytest.raises(TypeError, match="^pair must be"):
            looked_at(**arguments | {"pair": pair})


def test_arrays_have_the_axes_of_their_annotations():
    table = np.ones((2, 3))
    assert looked_at(numbers=[1, 2, 3], table_of=table)
    rows = [
        ({"numbers": 3}, r"^numbers must have shape \[K\], got \[\]"),
        ({"numbers": [[1], [2]]}, r"^numbers must have shape \[K\], got \[2, 1\]"),
        ({"numbers": [1, 2], "table_of": table}, r"^table_of must .* \[N, 2\], got"),
    ]
    assert_refused([(partial(looked_at, **given), words) for given, words in rows])


def test_traced_arguments_are_numbers():
    assert jax.jit(lambda x: looked_at(numbers=x, share=x[0]))(np.ones(3)) == 1


def test_a_setup_holds_numbers_and_none_only_where_it_may():
    with pytest.raises(TypeError, match=r"^setup\[0\] must be a real number.*None"):
        checks.check_setup("setup", [None])
    checks.check_setup("setup", [None, 1.0], optional=True)
