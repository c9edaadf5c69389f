"""Checks of user input: errors that name the argument and the allowed range.

Types come before ranges: a TypeError says what kind of value an argument takes, a
ValueError which of them. Numbers are looked at in float64, on the host; what is to be
played must also survive rounding to the precision of play (`played`).
"""

import difflib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from jaxbandits.console.faults import is_users

if TYPE_CHECKING:  # results and pictures are read without JAX
    from numpy.typing import ArrayLike

    # What `numbers` makes an array of: an array, a number, or lists of them.
    Numbers = ArrayLike | Sequence[Any]
else:
    Numbers = Any

LONGEST = 80  # characters of a value in an error
MOST_ERRORS = 30  # that one exception lists
MOST_ROUNDS = 2**31 - 2  # rounds are counted in int32
MARGIN = 1e10  # up to which a parameter may be multiplied
MOST = 10**6  # arms, limits, waits, ... of a game: more is a slip, and no memory has it

_played_in: int | None = None  # the process that has played


class Range(NamedTuple):
    """Finite numbers of some kind, and their name in errors.

    Called with values by their names, it requires of each, a number or an array of
    them, to be finite and in the range.

    Attributes:
      name: what a value must be.
      holds: ``f64[...] -> bool[...]``, of finite numbers.
      infinite: whether infinities that `holds` are allowed, too.
    """

    name: str
    holds: Callable[[np.ndarray], Any]
    infinite: bool = False

    def __call__(self, **values: Any) -> None:
        """Require every value to be in the range.

        Raises:
          TypeError, ValueError: naming the argument and the range.
        """
        for name, value in values.items():
            try:
                array = numbers(name, value)
            except TypeError as error:
                raise TypeError(f"{error}; it must be {self.name}") from None
            allowed = self.infinite | np.isfinite(array)
            if not np.all(allowed & self.holds(array)):
                raise ValueError(f"{name} must be {self.name}, got {shown(value)}")


finite = Range("finite", np.isfinite)
positive = Range("positive and finite", lambda x: x > 0)
non_negative = Range(">= 0 and finite", lambda x: x >= 0)
at_least_one = Range(">= 1 and finite", lambda x: x >= 1)
above_one = Range("above 1 and finite", lambda x: x > 1)
between_zero_and_one = Range("in (0, 1)", lambda x: (x > 0) & (x < 1))
in_unit_interval = Range("in [0, 1]", lambda x: (x >= 0) & (x <= 1))
no_nan = Range("numbers, none of them NaN", lambda x: ~np.isnan(x), True)
at_least_zero = Range(">= 0, or inf", lambda x: x >= 0, True)


# Types of the fields of a policy's `Params`: a number, and the range that it has.
Positive = Annotated[float, positive]
NonNegative = Annotated[float, non_negative]
AtLeastOne = Annotated[float, at_least_one]
AboveOne = Annotated[float, above_one]
BetweenZeroAndOne = Annotated[float, between_zero_and_one]


def in_ranges(record: tuple[Any, ...]) -> None:
    """Require every field of a NamedTuple to have the range of its type.

    Raises:
      ValueError: naming the field.
    """
    try:
        kinds = get_type_hints(type(record), include_extras=True)
    except NameError:  # a name that only type checkers know
        kinds = getattr(type(record), "__annotations__", {})
    for field, kind in kinds.items():
        for require in getattr(kind, "__metadata__", ()):
            require(**{field: getattr(record, field)})


def increasing(**values: Any) -> None:
    """Require every value to be a list of finite numbers > 0, each above the last."""
    positive(**values)
    for name, value in values.items():
        if not np.all(np.diff(numbers(name, value, 1)) > 0):
            raise ValueError(f"{name} must increase, got {shown(value)}")


def played(**values: Any) -> None:
    """Require finite values to stay so in the precision of play, and others than 0 too.

    That is float32 unless JAX has 64 bits enabled. 1e39 would be played as infinity and
    1e-50 as 0, whatever a check in float64 finds.

    Raises:
      ValueError: naming the argument and the range.
    """
    _check_sizes(values, float(np.finfo(precision()).max))


def cast(name: str, value: Any) -> None:
    """Require numbers or truth values that play does not change when it casts them.

    Signed integers are played in int32; other numbers in 32 bits, and in 64 where JAX
    has them enabled.

    Args:
      name: of the argument.
      value: a number or an array of them, infinities among them.

    Raises:
      TypeError: if it holds none.
      ValueError: if it holds NaN, or a number beyond what can be played.
    """
    if getattr(value, "dtype", type(value)) in (bool, np.dtype(bool)):
        return
    reals, dtype = numbers(name, value), np.asarray(value).dtype
    kind, wide = dtype.kind, precision() == np.float64
    if kind == "O" or dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be numbers of 64 bits or less, got {shown(value)}"
        )
    if np.any(np.isnan(reals)):
        raise ValueError(f"{name} holds NaN, and must hold numbers")
    if kind in "iu":
        limits = np.iinfo(np.int32 if kind == "i" else np.uint64 if wide else np.uint32)
        if np.any((reals < limits.min) | (reals > limits.max)):
            raise ValueError(
                f"{name} must be in [{limits.min}, {limits.max}], where {limits.dtype} "
                f"plays it, got {shown(value)}"
            )
    else:
        played(**{name: value})


def check_setup(name: str, tree: Any, optional: bool = False) -> None:
    """`cast` for every leaf of a pytree, named by its path.

    Args:
      name: of the argument.
      tree: of numbers and arrays.
      optional: whether None may stand in it, for what a game has not.
    """
    import jax

    nothing = None if optional else lambda each: each is None
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree, is_leaf=nothing):
        cast(f"{name}{jax.tree_util.keystr(path)}", leaf)


def unrounded(name: str, value: Any) -> None:
    """Require that integers are played as they are; other numbers may be rounded.

    Raises:
      ValueError: naming the argument and the integer.
    """
    given = np.asarray(value)
    if given.dtype.kind not in "iu":
        return
    dtype = precision()
    wrong = given.astype(dtype).astype(np.float64) != given.astype(np.float64)
    if np.any(wrong):
        most = 2 ** (np.finfo(dtype).nmant + 1)
        raise ValueError(
            f"{name} must be an integer that {dtype} holds, as all up to {most:,}, or "
            f"a float, which is rounded, got {given[wrong].tolist()[0]}"
        )


def multiplied(**values: Any) -> None:
    """As `played`, of parameters, which are multiplied by numbers of rounds and more.

    1e37 would so become infinity in float32.
    """
    _check_sizes(values, float(np.finfo(precision()).max) / MARGIN)


def _check_sizes(values: dict[str, Any], most: float) -> None:
    """Require what is finite to be 0, or of a size above 0 and up to `most`."""
    limits = np.finfo(precision())
    for name, value in values.items():
        size = np.abs(numbers(name, value))
        counts = np.isfinite(size) & (size > 0)
        if np.any(counts & ((size > most) | (size < limits.tiny))):
            raise ValueError(
                f"{name} must be 0 or of a size in [{limits.tiny:.2g}, {most:.2g}], "
                f"where {limits.dtype} plays it, got {shown(value)}"
            )


def precision() -> np.dtype:
    """The dtype in which real numbers are played."""
    # Without JAX (results and plots do not import it) nothing is played.
    jax = sys.modules.get("jax")
    wide = jax is not None and jax.config.jax_enable_x64
    return np.dtype(np.float64 if wide else np.float32)


def numbers(name: str, value: Any, ndim: int | None = None) -> np.ndarray:
    """A real number or array of them (no bools, no text) as float64.

    Args:
      name: of the argument.
      value: what was given; NaN and infinities pass.
      ndim: how many axes it must have, if that matters.

    Raises:
      TypeError, ValueError: naming the argument.
    """
    try:
        array = array_of(name, value)
        # NumPy would take True beside a number for one.
        if _has_part(value, bool | np.bool_):
            raise TypeError
        if array.dtype.kind == "O":
            real = all(_is_real(x) for x in array.flat)
        else:
            real = array.dtype.kind in "iuf"
        if not real:
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        # NumPy's own words name no argument; ragged lists and 10**400 come here too.
        raise TypeError(
            f"{name} must be a real number or an array of them, got {shown(value)}"
        ) from None
    if ndim is not None and array.ndim != ndim:
        wanted = ("a number", "a list of numbers", "a table of numbers")[ndim]
        raise ValueError(f"{name} must be {wanted}, got shape {list(array.shape)}")
    return array


def array_of(name: str, value: Any) -> np.ndarray:
    """An array of what was given, with rows as long as each other and nothing masked.

    Raises:
      TypeError: naming the argument.
    """
    try:
        masked = _has_part(value, np.ma.MaskedArray)
        array = None if masked else np.asarray(value)
    except (TypeError, ValueError):  # in words that name no argument
        array = None
    if array is None:
        raise TypeError(
            f"{name} must be an array with rows of one length, of which nothing is "
            f"masked, got {shown(value)}"
        )
    return array


def _has_part(value: Any, kinds: Any) -> bool:
    """Whether a value, or a part of a list, is of some kinds."""
    if isinstance(value, list | tuple):
        return any(_has_part(each, kinds) for each in value)
    return isinstance(value, kinds)


def number(name: str, value: Any) -> float:
    """One real number (NaN and infinities pass) as a float."""
    return float(numbers(name, value, 0))


def shaped(shape: str, /, **arrays: Any) -> None:
    """Require every array to have a shape, traced or not.

    Args:
      shape: lengths of the axes, apart by spaces: "K M", "4", "" for one number. A
        letter stands for any length from 1.
      **arrays: by the arguments' names.

    Raises:
      ValueError: naming the argument and the shape.
    """
    lengths = shape.split()
    for name, array in arrays.items():
        own = np.shape(array)
        if len(own) != len(lengths) or any(
            length != int(wanted) if wanted.isdigit() else length < 1
            for wanted, length in zip(lengths, own, strict=True)
        ):
            some = ", none of them 0" if 0 in own else ""
            raise ValueError(
                f"{name} must have shape [{', '.join(lengths)}]{some}, got {list(own)}"
            )


def together(**arrays: Any) -> None:
    """Require arrays, traced or not, whose shapes broadcast together.

    Raises:
      ValueError: naming all of them and their shapes.
    """
    shapes = [np.shape(array) for array in arrays.values()]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:  # in words that name no argument
        raise ValueError(
            f"{', '.join(arrays)} must have shapes that broadcast together, got "
            f"{', '.join(str(list(shape)) for shape in shapes)}"
        ) from None


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Require an integer in [least, most] (a bool is not one); return it."""
    # A time is an integer to NumPy.
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(
        value, int | np.integer
    ):
        allowed = f">= {least}" if most is None else f"in [{least}, {most}]"
        raise TypeError(f"{name} must be an integer {allowed}, got {shown(value)}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """Require True or False; return it."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def is_iterable(value: Any) -> bool:
    """Whether a value has parts, which an array without axes has not."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0


def one_of(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Require one of a few values; return it."""
    choices = tuple(choices)
    # `in` would compare an array element by element.
    if not any(type(value) is type(c) and value == c for c in choices):
        near = hint(value, map(str, choices)) if isinstance(value, str) else ""
        few = len(choices) <= MOST_ERRORS
        listed = choices if few else f"{len(choices)} names"
        raise ValueError(f"{name} must be one of {listed}, got {shown(value)}{near}")
    return value


def hint(given: Any, known: Iterable[str]) -> str:
    """A question after an unknown name, if one that is known is near to it."""
    names = list(known)
    # Of "setting/name" people remember the name.
    lasts = {name.rpartition("/")[2]: name for name in reversed(names)}
    near = difflib.get_close_matches(str(given), names, 1)
    near += [lasts[last] for last in difflib.get_close_matches(str(given), lasts, 1)]
    return f" (did you mean {near[0]!r}?)" if near else ""


def text(name: str, value: Any) -> str:
    """Require a string that is not empty; return it."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {shown(value)}")
    if not value:
        raise ValueError(f"{name} must not be empty")
    return value


def label(name: str, value: Any) -> str:
    """Require a text that can be seen, and written to files as it is; return it."""
    given = text(name, value)
    if not given.strip():
        raise ValueError(f"{name} must have more than spaces, got {shown(given)}")
    # Half a character (a surrogate) has no UTF-8, and C ends a text at NUL.
    if "\0" in given or given.encode(errors="replace").decode() != given:
        raise ValueError(
            f"{name} must not have NUL or half a character in it, got {shown(given)}"
        )
    return given


def function(name: str, value: Any) -> Callable[..., Any]:
    """Require something that can be called; return it."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {shown(value)}")
    called: Callable[..., Any] = value
    return called


def instance(name: str, value: Any, kind: type | tuple[type, ...], source: str) -> Any:
    """Require a value of a type of ours; return it.

    Args:
      name: of the argument.
      value: what was given.
      kind: the type or types.
      source: where one gets such a value, for the error.
    """
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(k.__name__ for k in kinds)
        raise TypeError(f"{name} must be a {wanted} ({source}), got {shown(value)}")
    return value


def mapping(name: str, value: Any) -> None:
    """Require a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping, got {shown(value)}")


def facts(name: str, value: Any) -> None:
    """Require a dictionary, whose names are texts, or None."""
    if value is not None:
        for fact in instance(name, value, dict, "of further facts"):
            text(f"{name}: a name", fact)


def installed(what: str, module: str, extra: str) -> None:
    """Require a package that few need; it is not imported.

    Args:
      what: needs it, for the error.
      module: of the package.
      extra: of jaxbandits that has it.

    Raises:
      ValueError: saying how it is installed.
    """
    if importlib.util.find_spec(module) is None:
        raise ValueError(f"{what} needs {module}: pip install 'jaxbandits[{extra}]'")


@contextmanager
def named(name: str) -> Iterator[None]:
    """Errors of an argument's own check, with the argument before them."""
    try:
        yield
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error


class SeveralError(ValueError):
    """Several errors, a line each.

    Attributes:
      errors: what each is.
    """

    def __init__(self, errors: list[Exception]):
        lines = [f"{error}" for error in errors[:MOST_ERRORS]]
        if more := len(errors) - len(lines):
            lines.append(f"and {more:,} more")
        super().__init__("\n  ".join([f"{len(errors):,} errors:", *lines]))
        self.errors = errors


class Errors:
    """Errors in independent parts of an input, so that all are raised at once.

    Attributes:
      all: those that parts have raised, in their order, equal ones once.
    """

    def __init__(self) -> None:
        self.all: list[Exception] = []
        self._texts: set[str] = set()

    @contextmanager
    def part(self) -> Iterator[None]:
        """Keep an error of the user's for later."""
        try:
            yield
        except (ValueError, TypeError) as error:
            if not is_users(error):
                raise
            for each in error.errors if isinstance(error, SeveralError) else [error]:
                if str(each) not in self._texts:
                    self._texts.add(str(each))
                    self.all.append(each)

    def check(self) -> None:
        """Raise the one error that there is, or `SeveralError`."""
        if len(self.all) == 1:
            raise self.all[0]
        if self.all:
            raise SeveralError(self.all)


def unforked() -> None:
    """Refuse to play in a process that was forked from one that has played.

    JAX's threads are not in the fork, which would wait for them for ever.

    Raises:
      RuntimeError: saying what to do instead.
    """
    global _played_in
    if _played_in not in (None, os.getpid()):
        raise RuntimeError(
            "this process was forked from one that has played, where JAX hangs: start "
            "workers by multiprocessing.get_context('spawn')"
        )
    _played_in = os.getpid()


def path(name: str, value: Any) -> Path:
    """Require the path of a local file or folder; return it, with `~` spelt out.

    Raises:
      TypeError: if it is none.
      ValueError: if it is empty or a URL, which nothing here reads or writes, or cannot
        be looked up: a name is too long, a link leads to itself.
    """
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be a path, got {shown(value)}")
    if not str(value) or "://" in str(value):
        raise ValueError(f"{name} must be a path of this machine, got {shown(value)}")
    # As a shell reads it; a name that only begins so, as of a backup, is a name.
    of_user = os.fspath(value) == "~" or os.fspath(value).startswith("~/")
    result = Path(value).expanduser() if of_user else Path(value)
    try:
        result.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # It may be about to be written.
    except (OSError, ValueError) as error:
        words = f"got {shown(value)}: {getattr(error, 'strerror', error)}"
        raise ValueError(f"{name} must be a path of this machine, {words}") from error
    return result


def shown(value: Any) -> str:
    """A value as errors show it: short, on one line, with its type if that is news."""
    if is_traced(value):
        return "a traced array, which has no value inside jax.jit, jax.vmap or jax.grad"
    try:
        words = " ".join((f"{value}" if _is_real(value) else repr(value)).split())
    except Exception:  # noqa: BLE001 - a value's own repr must not hide the error
        words = "a value"
    if len(words) > LONGEST:
        words = words[: LONGEST - 3] + "..."
    known = _is_real(value) or value is None or isinstance(value, np.ndarray | list)
    return words if known else f"{words} ({type(value).__name__})"


def is_traced(value: Any) -> bool:
    """Whether a value, or a part of a list, is known only where a program runs."""
    if isinstance(value, list | tuple):
        return any(map(is_traced, value))
    return "Tracer" in type(value).__name__


def require(holds: Any, message: str) -> None:
    """Raise an AssertionError unless something holds, under ``python -O`` as well."""
    if not holds:
        raise AssertionError(message)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
