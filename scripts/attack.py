"""Wrong calls of everything public, one after another: `python scripts/attack.py`.

A call is a right one of a public function, or line of the command line, in which an
argument is replaced: by a value that it cannot have (of another kind, outside the range
that the docstring states, misspelt) or by an odd one that it may have. Right calls are
those of docs/features.md. There are some 17,000 calls; with ``--quick`` those are left
out that may be right and take long. The answer is

    clear    an error that the library raises on purpose and that names the argument
    right    a result without NaN (or infinity, unless the docstring speaks of it), the
             same at a second call, of values that may be right
    silent   any other result
    unclear  any other error
    hang     no answer in time

What is not clear or right is printed. The exit status is 1 if anything is silent or
hangs, or if less than 97 % of all errors are clear.
"""

import argparse
import contextlib
import inspect
import io
import os
import re
import resource
import shutil
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # this very tree

import jax
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import jaxbandits as jb
from jaxbandits import censored, laws, live, plain, plots
from jaxbandits.checks import shown
from jaxbandits.cli import main as cli
from jaxbandits.console.faults import is_users
from jaxbandits_studies.theory import zooming
from tests import features

CLEAR, RIGHT, SILENT, UNCLEAR, HANG = "clear", "right", "silent", "unclear", "hang"
LEAST_CLEAR = 0.97
MEMORY = 2**30  # bytes that a call may take
NAN, INF = float("nan"), float("inf")

# Not tried: it waits for other hosts, is a part of a round on arrays of JAX's, or is
# looked at where it is played.
UNTRIED = re.compile(
    r"simulation.join|arrays.(constant|stored|when|row|with_row|window|bound|below|occurs)|"
    r"censored.(cells_of|eq_12|exceeded_share|gain_of|product_limit|remark_3)|"
    r"zipped|engine.gpu.*"
)
# Their right calls take more than a tenth of a second.
SLOW = re.compile(
    r"simulat(e|ion.run)|testing|plots.(plot|by)|stats.(dominance|two_level|band)|"
    r"jaxbandits|allocation.(best|make_env|ordered|simulation)|"
    r"censored.(negcorr|poscorr|recorded|overtime)"
)
# Parts of rounds, which cannot stop: they look at kinds, and values are undefined.
TRACED = ("kernels", "arrays", "laws.thresholds", "allocation.solve")

# --- Values --------------------------------------------------------------------------

JUNK = (object(), 1j, b"3", {3})
NO_ARRAYS = (print, "3", "", [None], ["a"], [[1.0], [1.0, 2.0]], {})
NO_TEXTS = (*JUNK, print, 3, 0.5, True, ["a"], {})
NAMES = ("a[0]", "$x_1$", "a\nb", "\0", "\ud800", "-", "../x", "x" * 9999)
SIZES = (0, -1, 1, 2**31, 2**40, 2**70, np.int8(1), np.uint64(2))
REALS = (0.0, -1.0, -0.0, 1.5, INF, -INF, 1e300, -1e300, 1e39, 1e-50, 2**2000)
REALS += (-1e-3, 0.999, 1.0, 1.001)  # beside the ends of ranges
REALS += (np.float32(0.5), np.array(0.5), [], [0.5], [[0.5, 0.5]], np.ones(3))
REALS += (np.zeros((0, 2)), np.array([0.5], object), np.ma.array([0.5]))
# Kinds of arguments, of which the first that fits counts: a pattern of the type of a
# right value and the annotation ("table for float | None"), values that they cannot
# have, and odd ones that they may. Names of what there is are choices.
KINDS = {
    "flag": ("^bool|for bool", (*JUNK, "yes", 2, 0.5, NAN, [], {}), (np.True_,)),
    "path": (
        "PathLike",
        (*JUNK, print, 3, 0.5, [], {}, "", "\0", "http://a/b.csv"),
        (),
    ),
    "text": (r"^str|for str( \| None)?$", NO_TEXTS, ("", "nonsense", *NAMES)),
    "choice": ("(?!)", (*NO_TEXTS, "nonsense", "", *NAMES), ()),
    "whole": (
        r"for int( \| None)?$",
        (*JUNK, print, "3", "", True, 2.5, NAN, INF, [3], [], {}),
        SIZES,
    ),
    "mapping": (
        "^dict for (?!Any)|for dict",
        (*JUNK, print, "x", 0.5, 3, True, {3: 1}),
        (),
    ),
    "array": (
        "for .*(?<!Data)Array(?!Like)",
        (*JUNK, *NO_ARRAYS),
        (NAN, [0.5, NAN], *REALS),
    ),
    "real": ("^table|for float", (*JUNK, *NO_ARRAYS, True, NAN, [0.5, NAN]), REALS),
    "any": ("^NoneType for .*Any", JUNK, ()),
    "function": ("Callable", (*JUNK, "x", 0.5, 3, [], {}, np.ones(2)), ()),
    "object": ("", (*JUNK, print, "x", 0.5, 3, [], np.ones(2), plain.ucb(2)), ()),
}
# Texts that are no choices.
FREE = {"name", "title", "reference_label", "group", "reward", "cost", "text", "font"}
FREE |= {"experiment", "environment", "setting", "policy", "path"}
# What docstrings say of numbers.
RANGES = {
    r">= 0": lambda x: x >= 0,
    r"> 0|^positive": lambda x: x > 0,
    r">= 1": lambda x: x >= 1,
    r"in \[0, 1\]": lambda x: (x >= 0) & (x <= 1),
    r"in \(0, 1\)": lambda x: (x > 0) & (x < 1),
    r"in \(0, 1\]": lambda x: (x > 0) & (x <= 1),
}
# Other names that an error may give an argument.
SYNONYMS = {"dataset": "metric|datasets|data", "arms": "params", "path": "store"}
SYNONYMS |= {"scale": "x_scale|y_scale", "reward": "probability", "limits": "max_limit"}
SYNONYMS |= {"utility": "reward", "highest_bid_of_others": "delay"}
SYNONYMS |= {"params": "rate|shape", "pair": "arm|limit"}
# Values of which the annotation says that they may be right.
TAKEN = ((float | int, "float"), (dict, "Mapping"), (list | set, "Sequence|Iterable"))
TAKEN += ((jb.Policy, "Policy"), (Callable, "Callable"))
# Names and values of arguments that are right: a flag is a number of a setup's, and a
# mean of NaN is NaN, with a warning.
MEANT = {"setup True", "values [0.5, nan]"}
# Records that users make, of which one field is changed.
RECORDS = (jb.Machine, zooming.Zooming, plots.Best)
RECORDS += (laws.Bernoulli, laws.Beta, laws.Exponential, censored.Action)
RECORDS += (censored.Feedback, jb.HalfWidth, jb.Store)

_signature = cache(inspect.signature)
Range = Callable[[np.ndarray], np.ndarray]


class Change(NamedTuple):
    """An argument that is changed, and whether no result can be right then."""

    key: str
    value: Any
    never: bool


class Target(NamedTuple):
    """What is called: the arguments of a right call, and changes, one in each call."""

    name: str
    function: Callable
    right: dict[str, Any]
    changes: list[Change]


def ranges(doc: str) -> dict[str, Range]:
    """Which numbers are right, as a docstring says, by name of the argument."""
    stated = {}
    for names, text in re.findall(r"^  ([\w*, ]+): (.*(?:\n    .*)*)", doc, re.M):
        head = re.split(r"[;.] |, (?!\d)", text)[0]
        first = [(m.start(), at) for at in RANGES if (m := re.search(at, head))]
        if first:
            stated |= dict.fromkeys(re.findall(r"\w+", names), RANGES[min(first)[1]])
    return stated


def _real(value: Any) -> np.ndarray | None:
    """Its numbers; None if there are none."""
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return np.asarray(value, float)
    return None


def _outside(value: Any, inside: Range | None) -> bool:
    if inside is None or (numbers := _real(value)) is None:
        return False
    return not np.all(inside(numbers) & np.isfinite(numbers))


def _is_table(value: Any) -> bool:
    """Whether it is a number, or some."""
    with contextlib.suppress(ValueError, TypeError):
        numbers = not hasattr(value, "_fields") and np.size(value) > 0
        return numbers and np.asarray(value).dtype.kind in "iuf"
    return False


def _changes(
    key: str, right: Any, annotation: Any, default: Any, inside: Range | None
) -> Iterator[Change]:
    """Values in the place of a right one."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    words = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    words = words.replace("typing.", "").replace("protocol.Recommend", "Callable")
    subject = f"{'table' if _is_table(right) else type(right).__name__} for {words}"
    kind = next(kind for kind, row in KINDS.items() if re.search(row[0], subject))
    if kind == "text" and key not in FREE:
        kind = "choice"
    _, never, maybe = KINDS[kind]
    if default is not None and "None" not in words and words != "Any":
        never = (None, *never)
    for value in never:
        taken = kind in ("object", "any") and "Any" in words
        taken |= any(isinstance(value, x) and re.search(of, words) for x, of in TAKEN)
        yield Change(key, value, not taken and f"{key} {value}" not in MEANT)
    for value in maybe:
        yield Change(key, value, _outside(value, inside))
    if subject.startswith("table"):  # NumPy shows what is hidden
        yield Change(key, np.ma.array(right, mask=True), True)
    if isinstance(right, RECORDS):
        for field, its in type(right).__annotations__.items():
            default = right._field_defaults.get(field, 0)
            if field != "bound":  # made of the probability
                for each in _changes(field, getattr(right, field), its, default, None):
                    value = right._replace(**{field: each.value})
                    yield Change(key, value, each.never)


@cache
def targets() -> tuple[Target, ...]:
    """All that is public: functions, and lines of the command line."""
    names = {id(value): name for name, value in reversed([*features.public()])}
    public = {name[11:]: value for name, value in features.public()}
    tried = [name[11:] for name in names.values() if not UNTRIED.fullmatch(name[11:])]
    calls = [_target(x, public[x]) for x in tried if inspect.isfunction(public[x])]
    return tuple(each for each in (*calls, *_lines()) if each.changes)


def _target(name: str, function: Callable) -> Target:
    options = _signature(function).parameters.values()
    right = features.right_arguments(function)
    spans = {} if name.startswith(TRACED) else ranges(inspect.getdoc(function) or "")
    changes = [Change("horzion", 3, True)]
    for each in options:
        key, its = each.name, right.get(each.name, each.default)
        if each.kind == each.VAR_KEYWORD:
            changes.remove(("horzion", 3, True))
        elif each.kind == each.VAR_POSITIONAL:
            some = _changes(key, its[0], each.annotation, each.default, spans.get(key))
            changes += [change._replace(value=(change.value,)) for change in some]
        else:
            changes += _changes(key, its, each.annotation, each.default, spans.get(key))
    return Target(name, function, right, changes)


# --- The command line ----------------------------------------------------------------

LINES = {
    "list": {"WORD": "budgeted"},
    "recommend": {"SETTING": "budgeted"},
    "reproduce": {"NAME": "nothing"},
    "paper": {"NAME": "nothing"},
    "compare": {"CSV": "none.csv", "--arm": "arm", "--reward": "reward"}
    | {"--cost": "cost", "--budget": "9"},
    "sweep": {"SPEC": "radii.toml", "--store": "own"},
    "sweep status": {"STORE": "none"},
    "sweep verify": {"STORE": "none"},
    "sweep merge": {"STORE": "none", "--into": "into"},
    "completion": {"SHELL": "bash"},
}
OF_HOSTS = {"coordinator", "processes", "process"}  # they wait for other hosts
NO_NUMBER = ("", "x", "nan", "1e999", "0x10", "1,5", "\N{GAME DIE}")


def _lines() -> Iterator[Target]:
    for command, parser in cli.parsers()[1].items():
        changes = [Change("--horzion", "3", True)]
        for action in parser._actions:
            if action.nargs == 0 or action.dest in OF_HOSTS:
                continue
            option = (action.option_strings or [action.metavar])[-1]
            never = (*NO_NUMBER, "1.5") if action.type is int else NO_NUMBER
            changes += [Change(option, text, True) for text in never if action.type]
            maybe = ("0", "-1", "", "x", *NAMES)
            changes += [Change(option, text, False) for text in maybe]
        run = partial(_run, command)
        yield Target(f"jaxbandits {command}", run, LINES[command], changes)


def _run(command: str, **options: str) -> int:
    line = command.split()
    for name, value in options.items():
        line.append(f"{name}={value}" if name.startswith("--") else value)
    out, printed = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(out):
        try:
            status = cli.main(line)
        except SystemExit as end:
            status = end.code
    if status == 2:
        raise argparse.ArgumentError(None, printed.getvalue())
    return status


# --- Calls, and what their answers are worth -----------------------------------------


class Late(BaseException):
    """No answer in time."""


def judge(target: Target, change: Change, limit_s: float = 100.0) -> tuple[str, str]:
    """Call; the kind of the answer, and its words. A change without a name is none."""
    arguments = target.right | ({change.key: change.value} if change.key else {})
    try:
        with _limits(limit_s):
            result = _called(target.function, arguments)
            again = None if change.never else _called(target.function, arguments)
            return _returned(target, change, result, again)
    except Late:
        return HANG, f"no answer in {limit_s:g} s"
    except Exception as error:  # noqa: BLE001 - that is the question
        return _raised(target, change, error)
    finally:
        plt.close("all")


def _called(function: Callable, arguments: dict[str, Any]) -> Any:
    """The result for arguments that are all given by name."""
    signature = _signature(function)
    known = {x: arguments[x] for x in arguments if x in signature.parameters}
    more = {x: arguments[x] for x in arguments if x not in known}
    bound = inspect.BoundArguments(signature, known)
    return function(*bound.args, **bound.kwargs, **more)


@contextlib.contextmanager
def folder(target: Target) -> Iterator[None]:
    """Work, without warnings, in a folder with the files that a right call names."""
    files = features.folder()
    here = files / "calls" / "here"  # so that ../x is in a folder of calls, too
    here.mkdir(parents=True, exist_ok=True)
    texts = {each for each in target.right.values() if isinstance(each, str)}
    for name in {each.name for each in files.iterdir()} & texts:
        copy = shutil.copytree if (files / name).is_dir() else shutil.copy
        copy(files / name, here / name)
    try:
        with warnings.catch_warnings(), contextlib.chdir(here):
            warnings.simplefilter("ignore")
            yield
    finally:
        if os.listdir(here) or len(os.listdir(here.parent)) > 1:
            shutil.rmtree(here.parent)


@contextlib.contextmanager
def _limits(seconds: float) -> Iterator[None]:
    """So many seconds by the clock; MEMORY more than now."""

    def late(*_):
        raise Late

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    more = pages * resource.getpagesize() + MEMORY
    handler = signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (more, before[1]))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, handler)


def _raised(target: Target, change: Change, error: Exception) -> tuple[str, str]:
    text = " ".join(str(error).split())
    names = [change.key, *SYNONYMS.get(change.key, "").split("|")]
    names += change.value._fields if isinstance(change.value, RECORDS) else ()
    names = "|".join(re.escape(name) for name in names if name)
    named = re.search(rf"(?<![^\W_])({names})(?![^\W_])", text, re.I)
    ours = is_users(error) or isinstance(error, argparse.ArgumentError)
    ours |= "keyword argument" in text
    ours |= isinstance(error, AssertionError) and target.name.startswith("testing")
    kind = CLEAR if ours and (named or not change.never) else UNCLEAR
    return kind, f"{type(error).__name__}: {text}"[:300]


def _returned(target: Target, change: Change, result, again) -> tuple[str, str]:
    if change.never:
        return SILENT, f"taken: {_words(result)}"
    numbers = _numbers(result)
    same = partial(np.array_equal, equal_nan=True)
    if not all(map(same, numbers, _numbers(again))):
        return SILENT, "another result at a second call"
    if target.name.startswith(TRACED):
        return RIGHT, ""
    doc = inspect.getdoc(target.function) or ""
    if any(np.isnan(x).any() for x in numbers) and "NaN" not in doc:
        return SILENT, f"NaN: {_words(result)}"
    played = (jb.Environment, jb.Policy, live.Session, censored.Runs, censored.Feedback)
    given = _real(change.value)
    huge = given is None or np.any(np.abs(given) > 1e30)
    free = isinstance(result, played) or huge or "inf" in doc
    if any(np.isinf(x).any() for x in numbers) and not free:
        return SILENT, f"infinite: {_words(result)}"
    return RIGHT, ""


def _words(value: Any) -> str:
    return shown(value).encode("ascii", "backslashreplace").decode()


def _numbers(result: Any) -> list[np.ndarray]:
    """The real numbers in a result."""
    if isinstance(result, xr.Dataset):  # but not what it took
        result = [each.values for name, each in result.items() if "second" not in name]
    if isinstance(result, xr.DataArray):
        result = result.values
    leaves = [np.asarray(x) for x in jax.tree.leaves(result) if not callable(x)]
    return [x.astype(float) for x in leaves if x.dtype.kind in "iufb"]


def attack(quick: bool = False) -> tuple[Counter, dict[str, tuple[str, str]]]:
    """Judge all calls; of what takes long, quick ones are those that cannot be right.

    Returns:
      How many answers are of each kind, and those that are not clear or right by call.
    """
    counts, bad = Counter(), {}
    for target in targets():
        slow = (quick and SLOW.match(target.name)) or target.name.startswith(TRACED)
        with folder(target):
            for change in target.changes:
                if slow and not change.never:
                    continue
                answer = judge(target, change)
                counts[answer[0]] += 1
                if answer[0] not in (CLEAR, RIGHT):
                    call = f"{target.name}({change.key}={_words(change.value)})"
                    bad[call] = answer
    return counts, bad


def main(arguments=None) -> int:
    """Attack, and report; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="nothing that takes long")
    counts, bad = attack(parser.parse_args(arguments).quick)
    for call, (kind, words) in sorted(bad.items(), key=lambda each: each[1]):
        print(f"{kind}\t{call}\t{words}")
    share = counts[CLEAR] / max(counts[CLEAR] + counts[UNCLEAR], 1)
    print(
        f"{counts.total()} calls of {len(targets())}: {dict(counts)}, clear {share:.2%}"
    )
    return int(counts[SILENT] + counts[HANG] > 0 or share < LEAST_CLEAR)


if __name__ == "__main__":
    sys.exit(main())
