"""Checks of user input: what passes, what is refused, and what the error says."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from tests.tables import assert_refused, naming

BAD_NUMBERS = [np.nan, np.inf, -np.inf, -1.0, [1.0, np.nan], [[2.0], [-2.0]]]


def test_numbers_and_arrays_pass():
    for check in (positive, non_negative, at_least_one):
        check(a=1, b=2.5, c=[1.0, 3.0], d=np.float32(7), e=np.ones((2, 2)))
    between_zero_and_one(a=0.5, b=[1e-9, 1 - 1e-9], c=np.float32(0.05))
    for value in (0.0, 1.0, -3e38, np.inf, np.nan, 2e-38):
        played(x=value)


def test_bad_numbers_are_refused_by_name():
    words = r"^alpha must be .* finite, got"
    for value in BAD_NUMBERS:
        for check in (positive, non_negative, at_least_one):
            with naming((value, check)), pytest.raises(ValueError, match=words):
                check(good=1.0, alpha=value)


def test_the_edges_of_ranges_pass():
    non_negative(x=0)
    at_least_one(x=1)
    for check, value in ((positive, 0.0), (at_least_one, 0.999)):
        with pytest.raises(ValueError, match="x must be"):
            check(x=value)


def test_what_is_outside_of_the_open_unit_interval_is_refused():
    words = r"^delta must be in \(0, 1\), got"
    for value in (0.0, 1.0, 0, 1, -0.5, 1.5, np.nan, [0.5, 1.0]):
        with naming(value), pytest.raises(ValueError, match=words):
            between_zero_and_one(good=0.5, delta=value)


def test_integers_pass_within_their_ends():
    for value in (3, np.int64(3), np.uint8(3)):
        assert whole("n", value, 3, 3) == 3
        assert type(whole("n", value, 3)) is int
    with pytest.raises(ValueError, match="n must be at least 4, got 3"):
        whole("n", 3, 4)
    with pytest.raises(ValueError, match="n must be at most 3, got 4"):
        whole("n", 4, 1, 3)


def test_what_is_no_integer():
    for value in (3.0, True, np.True_, "3", None, np.array(3), [3]):
        with naming(value), pytest.raises(TypeError, match="n must be an integer"):
            whole("n", value, 1)


NO_NUMBERS = ["0.5", None, True, 1j, b"1", {"a": 1}, [1, None], [[1], [1, 2]], print]


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


def test_what_float32_cannot_tell():
    for value in [1e39, -1e39, 1e-50, [1.0, -1e-50]]:
        with naming(value):
            with pytest.raises(
                ValueError, match=r"^x must be 0 or of a size in .* float32"
            ):
                played(x=value)
            with jax.enable_x64(True):
                played(x=value)


def test_parameters_have_room_for_products():
    for value in (0.0, 1.0, -3e28, np.inf, np.nan, 2e-38):
        multiplied(x=value)
    for value in (1e29, -1e37, 1e-50):
        with pytest.raises(
            ValueError, match=r"^x must be 0 or .*3.4e\+28\], .*float32"
        ):
            multiplied(x=value)
    with jax.enable_x64(True):
        multiplied(x=1e37)


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


def test_what_only_looks_like_numbers():
    for value in [
        np.ma.array([1.0, 2.0], mask=[0, 1]),
        np.ma.masked,
        [True, 2.0],
        (np.True_, 1),
    ]:
        with naming(value):
            with pytest.raises(TypeError, match="^x must be a real number or an array"):
                checks.numbers("x", value)
            with pytest.raises(TypeError, match="^x must be an integer"):
                checks.whole("x", np.timedelta64(3, "s"), 0)


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


class Game(NamedTuple):
    """A type of one's own."""

    size: int


@checks.kinds
def looked_at(
    count: int = 1,
    share: float = 0.5,
    flag: bool = False,
    word: str = "a",
    numbers: Float[np.ndarray, " K"] = (1.0,),
    table_of: Float[np.ndarray, "N K"] | None = None,
    make: Callable[[int], int] | None = None,
    game: Game | None = None,
    pair: tuple[int, int] = (0, 1),
    names: Sequence[str] = (),
    table: Mapping[str, float] = {},
    anything: Any = None,
):
    return count


@pytest.mark.parametrize(
    ("argument", "right", "wrong"),
    [
        ("count", (1, np.int8(2)), (True, 1.0, "1", None, np.array([1]))),
        ("share", (1, 0.5, np.float32(1)), (True, np.True_, "1", None, [0.5], 1j)),
        ("flag", (True, np.True_), (0, None, "yes")),
        ("word", ("",), (None, b"a", 1)),
        ("numbers", ([1, 2], np.ones(3)), (["a"], [[1], [1, 2]], None, 1j)),
        ("make", (None, print), (3, "print")),
        ("game", (None, Game(1)), ((1,), "game")),
        ("pair", ((1, 2), [1, 2]), ((1,), "ab", (1, 0.5), np.array(1))),
        ("names", (["a"], ()), ("a", [1], 3)),
        ("table", ({},), ([], None)),
        ("anything", (None, 3, "a", object()), ()),
    ],
)
def test_arguments_of_another_kind_than_annotated_are_refused(argument, right, wrong):
    for value in right:
        assert looked_at(**{argument: value})
    for value in wrong:
        with pytest.raises(TypeError, match=f"^{argument} must be"):
            looked_at(**{argument: value})


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
