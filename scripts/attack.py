"""Wrong calls of everything public, one after another: `python scripts/attack.py`.

A call is a right one of a public function, or line of the command line, in which an
argument is replaced: by a value that it cannot have (of another kind, outside the range
that the docstring states, misspelt) or by an odd one that it may have. Right calls are
those of docs/features.md. There are some 20,000 calls; with ``--quick`` those are left
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
import ast
import atexit
import contextlib
import inspect
import io
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
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
from tests.games import GAMES, game_of
from tests.plots.sweeps import sweep
from tests.test_features import BLOCKS, FILE, PAGE, PYTHON, public

CLEAR, RIGHT, SILENT, UNCLEAR, HANG = "clear", "right", "silent", "unclear", "hang"
LEAST_CLEAR = 0.97
MEMORY = 2**30  # bytes that a call may take
NAN, INF = float("nan"), float("inf")

# --- Right calls ---------------------------------------------------------------------

# Not tried: it waits for other hosts, is a part of a round on arrays of JAX's, or is
# looked at where it is played.
UNTRIED = re.compile(
    r"simulation.join|arrays.(constant|stored|when|row|with_row|window|bound|below|occurs)|"
    r"censored.(cells_of|eq_12|exceeded_share|gain_of|product_limit|remark_3)|"
    r"censored.censor|zipped|engine.gpu.*"
)
# Their right calls take more than a tenth of a second.
SLOW = re.compile(
    r"simulat(e|ion.run)|testing|plots.(plot|by)|stats.(dominance|two_level|band)|"
    r"jaxbandits|allocation.(best|make_env|ordered|simulation)|"
    r"censored.(negcorr|poscorr|recorded|overtime)"
)
# Parts of rounds, which cannot stop: they look at kinds, and values are undefined.
TRACED = ("kernels", "arrays", "laws.thresholds", "allocation.solve")
# Calls of what the page calls only by the command line, by what a loop gives, or after
# much else. What is asserted is not executed.
MORE = """
pathlib.Path("facebook.csv").write_text(
    "campaign_id,age,gender,clicks,spent,total_conversion\\n"
    "1,30,M,5,2.0,1\\n1,30,M,9,3.0,2\\n"
)
groups = datasets.load_facebook("facebook.csv")
datasets.fb_br(groups)
datasets.fb_bt(groups)
pathlib.Path("criteo.csv").write_text(
    "uid,campaign,exposures_before_click,clicked\\nu,c,1,1\\nv,c,2,0\\nw,c,3,1\\n"
)
clicks = datasets.load_criteo("criteo.csv")
datasets.criteo(clicks, 1)
datasets.fit_criteo(clicks, 1)
from tests.store.samples import fill
fill("own.zarr")
results.open_store("own.zarr")
data = play(limited, limited)
plots.by_value(data, "gain_radius", policy="RCUCB", at={"penalty_radius": 1.0})
plots.plot_sensitivity(data, x="gain_radius", policies=["RCUCB"], by="penalty_radius")
stats.summary_records(data, "mine")
assert stats.dominance(data, "regret", correction="holm")
assert testing.check_law(thresholds.lomax, (np.array([1.2, 3.0]), 1.7), draws=2000)
stats.two_level(data.assign_coords(instance=("seed", np.arange(30) // 3)), "regret")
pair = jnp.ones(2)
kernels.allocation.exponential_water_filling(pair, pair, 3.0)
kernels.implicit_root(lambda x: x**2 - pair, pair)
kernels.with_slope_of(pair, pair)
curves = thresholds.curves(thresholds.maxwell, pair, pair)
assert kernels.allocation.sigmoid_filling(curves, 3.0)
problem = allocation.make_problem(thresholds.maxwell, 2, 4.0, lowest=0.1, highest=2.0)
assert allocation.best_allocations(problem, np.ones(2), np.ones(2), np.ones(2))
"""


@cache
def home() -> Path:
    """A folder with the files that right calls read."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    for name, text in FILE.findall(PAGE):
        (folder / name).write_text(text)
    return folder


@cache
def written() -> dict[Any, list[tuple[int, str, int, str]]]:
    """The calls of `MORE` and on the page, by function; what needs least is first.

    Each is how much stands before it, its block and line there, and its arguments.
    """
    found = defaultdict(list)
    for block in [MORE, *PYTHON]:
        for number, line in enumerate(ast.parse(block).body):
            needed = 0 if block is MORE else len(block.splitlines()[: line.lineno])
            for node in ast.walk(line):
                words = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
                with contextlib.suppress(NameError, AttributeError):
                    if re.fullmatch(r"[\w.]+", words):
                        arguments = ast.unparse(node).removeprefix(words)
                        call = needed, block, number, arguments
                        found[eval(words, _space())].append(call)
    return {function: sorted(each) for function, each in found.items()}


@cache
def _space() -> dict[str, Any]:
    """The names of the page."""
    exec(BLOCKS["preamble"][1], space := {"__name__": "features"})
    return space


@cache
def _names(block: str, number: int) -> dict[str, Any]:
    """The names before a line of a block; what is played for them is made up."""
    if number == 0:
        played = ["play", "play_all", "simulate"]
        made_up = dict.fromkeys(played, lambda *_, **__: _played())
        return _space() | made_up | {"jb": SimpleNamespace(**vars(jb) | made_up)}
    names = dict(_names(block, number - 1))
    line = ast.parse(block).body[number - 1]
    with contextlib.suppress(Exception):
        if not isinstance(line, ast.Assert):
            exec(ast.unparse(line), names)
    return names


def right(name: str, function: Any) -> dict[str, Any]:
    """The arguments of a right call: of the first that can be made.

    Raises:
      LookupError: if there is none.
    """
    bind, calls = inspect.signature(function).bind, written().get(function, ())
    for later in (0, 1):  # a call in a loop needs the names that the loop makes
        for _, block, number, arguments in calls:
            with contextlib.suppress(Exception), contextlib.chdir(home()):
                names = _names(block, number + later) | {"BIND": bind}
                return dict(eval(f"BIND{arguments}", names).arguments)
    problems = (game_of(setting).problem for setting in GAMES)
    for only in (3, *problems):  # as factories of policies take
        with contextlib.suppress(Exception):
            function(only)
            return dict(bind(only).arguments)
    raise LookupError(f"docs/features.md has no right call of {name}")


@cache
def _played() -> xr.Dataset:
    """Of two policies at points of two parameters."""
    points = [
        {"gain_radius": gain, "penalty_radius": penalty}
        for gain in (0.5, 1.0)
        for penalty in (1.0, 2.0)
    ]
    data = sweep({"RCUCB": points, "uniform": points}, num_seeds=30)
    shares = data["regret"] / data["regret"].max()
    return data.assign(censored=shares, optimal=1 - shares)


# --- Wrong values --------------------------------------------------------------------


JUNK = (object(), 1j, b"3", {3})
NO_ARRAYS = (print, "3", "", [None], ["a"], [[1.0], [1.0, 2.0]], {})
NAMES = ("a[0]", "$x_1$", "a\nb", "\0", "\ud800", "-", "../x", "x" * 9999)
SIZES = (0, -1, 1, 2**31, 2**40, 2**70, np.int8(1), np.uint64(2))
REALS = (0.0, -1.0, -0.0, 1.5, INF, -INF, 1e300, -1e300, 1e39, 1e-50, 2**2000)
REALS += (np.float32(0.5), np.array(0.5), [], [0.5], [[0.5, 0.5]], np.ones(3))
REALS += (np.zeros((0, 2)), np.array([0.5], object), np.ma.array([0.5]))
# By kind: values that an argument cannot have, and odd ones that it may.
WRONG = {
    "any": (JUNK, ()),
    "flag": ((*JUNK, "yes", 2, 0.5, NAN, [], {}), (np.True_,)),
    "whole": ((*JUNK, print, "3", "", True, 2.5, NAN, INF, [3], [], {}), SIZES),
    "real": ((*JUNK, *NO_ARRAYS, True, NAN, [0.5, NAN]), REALS),
    "array": ((*JUNK, *NO_ARRAYS), (NAN, [0.5, NAN], *REALS)),
    "text": ((*JUNK, print, 3, 0.5, True, ["a"], {}), ("", "nonsense", *NAMES)),
    "choice": ((*JUNK, print, 3, 0.5, True, ["a"], {}, "nonsense", "", *NAMES), ()),
    "path": ((*JUNK, print, 3, 0.5, [], {}, "", "\0", "http://a/b.csv"), ()),
    "function": ((*JUNK, "x", 0.5, 3, [], {}, np.ones(2)), ()),
    "mapping": ((*JUNK, print, "x", 0.5, 3, True, {3: 1}), ()),
    "object": ((*JUNK, print, "x", 0.5, 3, [], np.ones(2), plain.ucb(2)), ()),
}


def kind_of(right, annotation) -> str:
    """Which values are wrong in the place of a right one."""
    words = annotation if isinstance(annotation, str) else str(annotation)
    if isinstance(right, bool) or annotation is bool or words == "bool | None":
        return "flag"
    if "PathLike" in words:
        return "path"
    if isinstance(right, str) or annotation is str or words == "str | None":
        return "text"
    if annotation is int or words in ("int | None", "typing.Optional[int]"):
        return "whole"
    if isinstance(right, dict) and annotation is not Any:
        return "mapping"
    if "Array" in words and "DataArray" not in words and "ArrayLike" not in words:
        return "array"
    if isinstance(right, int | float) or words == "float | None" or _is_table(right):
        return "real"
    if right is None and "Any" in words:
        return "any"
    return "function" if "Callable" in words else "object"


def _is_table(value) -> bool:
    with contextlib.suppress(ValueError, TypeError):
        return (
            not hasattr(value, "_fields")
            and np.size(value) > 0
            and np.asarray(value).dtype.kind in "iuf"
        )
    return False


RANGES = {
    r">= 0": (0, INF, True, False),
    r"> 0|^positive": (0, INF, False, False),
    r">= 1": (1, INF, True, False),
    r"in \[0, 1\]": (0, 1, True, True),
    r"in \(0, 1\)": (0, 1, False, False),
    r"in \(0, 1\]": (0, 1, False, True),
}
# Texts without a default that are names of what there is.
CHOSEN = {"metric", "along", "x", "y", "by", "baseline"}
WRITTEN = {"name", "title", "reference_label", "group", "reward", "cost"}
WRITTEN |= {"experiment", "environment", "setting"}
# What an error may call an argument instead.
TOLD = {"dataset": "metric|datasets|data", "arms": "params", "path": "store"}
TOLD |= {"scale": "x_scale|y_scale", "reward": "probability", "limits": "max_limit"}
TOLD |= {"utility": "reward", "highest_bid_of_others": "delay"}
TOLD |= {"params": "rate|shape", "pair": "arm|limit"}
# Values of which the annotation says that they may be right.
TAKEN = ((float | int, "float"), (dict, "Mapping"), (list | set, "Sequence|Iterable"))
TAKEN += ((jb.Policy, "Policy"),)
# Names and values of arguments that are right: a flag is a number of a setup's, and a
# mean of NaN is NaN, with a warning.
MEANT = {"setup True", "values [0.5, nan]"}
# Records that users make, of which one field is changed.
RECORDS = (jb.Machine, zooming.Zooming, plots.Best)
RECORDS += (laws.Bernoulli, laws.Beta, laws.Exponential, censored.Action)
RECORDS += (censored.Feedback, jb.HalfWidth, jb.Store)


class Target(NamedTuple):
    """What is called, by names of arguments; each change is alone in a call."""

    name: str
    call: Any
    right: dict[str, Any]
    changes: list[tuple[str, Any, bool]]  # argument, value, whether it cannot be right
    doc: str


def ranges(doc: str) -> dict[str, tuple[float, float, bool, bool]]:
    """What a docstring says of numbers: name -> least, most, whether each is one."""
    found = {}
    for names, text in re.findall(r"^  ([\w*, ]+): (.*(?:\n    .*)*)", doc, re.M):
        head = re.split(r"[;.] |, (?!\d)", text)[0]
        said = [(m.start(), at) for at in RANGES if (m := re.search(at, head))]
        if said:
            found |= dict.fromkeys(re.findall(r"\w+", names), RANGES[min(said)[1]])
    return found


def _outside(value, span) -> bool:
    least, most, with_least, with_most = span
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(value, float)
        low = array < least if with_least else array <= least
        high = array > most if with_most else array >= most
        return bool(np.any(low | high | np.isnan(array)))
    return False


def _changes(right, name, annotation, default, span) -> Iterator[tuple[Any, bool]]:
    """Values in the place of a right one, and whether no result can be right."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    words = f"{annotation}".replace("protocol.Recommend", "Callable")
    kind = kind_of(right, annotation)
    if kind == "text" and (
        name in CHOSEN or (isinstance(default, str) and name not in WRITTEN)
    ):
        kind = "choice"
    never, maybe = WRONG[kind]
    if default is not None and "None" not in words and annotation is not Any:
        never = (None, *never)
    for value in never:
        ours = kind in ("object", "any") and "Any" in words
        known = (
            any(isinstance(value, each) and re.search(w, words) for each, w in TAKEN)
            or f"{name} {value}" in MEANT
        )
        yield value, not (ours or known or (callable(value) and "Callable" in words))
    for value in maybe:
        yield value, span is not None and _outside(value, span)
    if span and type(right) in (int, float):
        step = 1 if type(right) is int else 1e-3
        ends = np.array(span[:2]) + step * np.array(span[2:]) * (-1, 1)
        yield from ((type(right)(end), True) for end in ends if np.isfinite(end))
    if _is_table(right) and not isinstance(right, bool):  # NumPy shows what is hidden
        yield np.ma.array(right, mask=True), True
    if isinstance(right, RECORDS):
        for field, its in type(right).__annotations__.items():
            default = right._field_defaults.get(field, 0)
            if field != "bound":  # made of the probability
                some = _changes(getattr(right, field), field, its, default, None)
                yield from ((right._replace(**{field: x}), never) for x, never in some)


@cache
def targets() -> tuple[Target, ...]:
    """All that is public: functions, and lines of the command line."""
    names = {id(value): name for name, value in reversed([*public()])}
    found = dict(public())
    found = {x[11:]: found[x] for x in names.values() if inspect.isfunction(found[x])}
    calls = [_target(*each) for each in found.items() if not UNTRIED.fullmatch(each[0])]
    return tuple(each for each in (*calls, *_lines()) if each.changes)


def _target(name, function) -> Target:
    signature, given = inspect.signature(function), right(name, function)
    doc = inspect.getdoc(function) or ""
    spans = {} if name.startswith(TRACED) else ranges(doc)
    free = any(x.kind == x.VAR_KEYWORD for x in signature.parameters.values())
    changes = [] if free else [("horzion", 3, True)]
    for key, each in signature.parameters.items():
        several = each.kind == each.VAR_POSITIONAL
        if each.kind != each.VAR_KEYWORD:
            its = given.get(key, each.default)
            its = its[0] if several else its
            for value, never in _changes(
                its, key, each.annotation, each.default, spans.get(key)
            ):
                changes.append((key, (value,) if several else value, never))

    def call(**arguments):
        more = {x: arguments.pop(x) for x in [*arguments] if x == "horzion"}
        bound = inspect.BoundArguments(signature, arguments)
        return function(*bound.args, **bound.kwargs, **more)

    return Target(name, call, given, changes, doc)


# --- The command line ----------------------------------------------------------------

LINES = (
    "list budgeted|recommend budgeted|reproduce nothing|paper nothing|"
    "compare none.csv --arm=arm --reward=reward --cost=cost --budget=9|"
    "sweep radii.toml --store=own|sweep status none|sweep verify none|"
    "sweep merge none --into=into|completion bash"
)
OF_HOSTS = {"coordinator", "processes", "process"}  # they wait for other hosts
NO_NUMBER = ("", "x", "nan", "1e999", "0x10", "1,5", "\N{GAME DIE}")


def _lines() -> Iterator[Target]:
    _, commands = cli.parsers()
    lines = {}
    for line in LINES.split("|"):
        command = max(filter(line.startswith, commands), key=len)
        lines[command] = line.removeprefix(command).split()
    for command, parser in commands.items():
        given, changes = {}, [("--horzion", "3", True)]
        for action in parser._actions:
            if action.nargs == 0 or action.dest in OF_HOSTS:
                continue
            option = (action.option_strings or [action.metavar])[-1]
            for word in lines[command]:
                key, _, value = word.rpartition("=")
                if key == option or not (key or action.option_strings):
                    given[option] = value
            changes += [(option, text, True) for text in NO_NUMBER if action.type]
            changes += [(option, "1.5", True)] * (action.type is int)
            changes += [(option, text, False) for text in ("0", "-1", "", "x", *NAMES)]
        yield Target(
            f"jaxbandits {command}", partial(_run, command), given, changes, ""
        )


def _run(command, **options):
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
        raise RefusedError(printed.getvalue())
    return status


class RefusedError(ValueError):
    """Exit status 2, with what was printed."""


# --- Calls, and what their answers are worth -----------------------------------------


class Call(NamedTuple):
    """A call with an argument changed."""

    target: Target
    key: str
    value: Any
    never: bool  # whether no result can be right

    def __repr__(self):
        return f"{self.target.name}({self.key}={_words(self.value)})"


def _words(value) -> str:
    return shown(value).encode("ascii", "backslashreplace").decode()


def calls(quick: bool = False) -> Iterator[Call]:
    """All calls; of what takes long, quick ones are those that cannot be right."""
    for target in targets():
        slow = (quick and SLOW.match(target.name)) or target.name.startswith(TRACED)
        for change in target.changes:
            if change[2] or not slow:
                yield Call(target, *change)


class Verdict(NamedTuple):
    """The kind of an answer, and its words."""

    kind: str
    words: str


class Late(BaseException):
    """No answer in time."""


def judge(call: Call, limit_s: float = 100.0) -> Verdict:
    """Call, in a folder of its own."""
    arguments = call.target.right | ({call.key: call.value} if call.key else {})
    try:
        with _alone(arguments.values()), _limits(limit_s):
            result = call.target.call(**arguments)
            again = None if call.never else call.target.call(**arguments)
            return _returned(call, result, again)
    except Late:
        return Verdict(HANG, f"no answer in {limit_s:g} s")
    except Exception as error:  # noqa: BLE001 - that is the question
        return _raised(call, error)


@contextlib.contextmanager
def _alone(values) -> Iterator[None]:
    """In a folder with the files that are named, empty otherwise."""
    texts = [value for value in values if isinstance(value, str)]
    here = home() / "calls" / "here"  # so that ../x is in the folder, too
    here.mkdir(parents=True, exist_ok=True)
    for each in home().iterdir() if texts else ():
        if each.name in texts:
            (shutil.copytree if each.is_dir() else shutil.copy)(each, here / each.name)
    try:
        with warnings.catch_warnings(), contextlib.chdir(here):
            warnings.simplefilter("ignore")
            yield
    finally:
        plt.close("all")
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


def _raised(call, error) -> Verdict:
    text = " ".join(str(error).split())
    names = [call.key, *TOLD.get(call.key, "").split("|")]
    names += call.value._fields if isinstance(call.value, RECORDS) else ()
    names = "|".join(re.escape(name) for name in names if name)
    named = re.search(rf"(?<![^\W_])({names})(?![^\W_])", text, re.I)
    ours = is_users(error) or isinstance(error, RefusedError)
    ours |= "keyword argument" in text
    ours |= isinstance(error, AssertionError) and call.target.name.startswith("testing")
    kind = CLEAR if ours and (named or not call.never) else UNCLEAR
    return Verdict(kind, f"{type(error).__name__}: {text}"[:300])


def _returned(call, result, again) -> Verdict:
    if call.never:
        return Verdict(SILENT, f"taken: {_words(result)}")
    found, other = _numbers(result), _numbers(again)
    same = partial(np.array_equal, equal_nan=True)
    if not all(map(same, found, other)):
        return Verdict(SILENT, "another result at a second call")
    if call.target.name.startswith(TRACED):
        return Verdict(RIGHT, "")
    if any(np.isnan(x).any() for x in found) and "NaN" not in call.target.doc:
        return Verdict(SILENT, f"NaN: {_words(result)}")
    played = (jb.Environment, jb.Policy, live.Session, censored.Runs)
    free = isinstance(result, played) or _huge(call.value) or "inf" in call.target.doc
    if any(np.isinf(x).any() for x in found) and not free:
        return Verdict(SILENT, f"infinite: {_words(result)}")
    return Verdict(RIGHT, "")


def _huge(value) -> bool:
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return bool(np.any(np.abs(np.asarray(value, float)) > 1e30))
    return True


def _numbers(result) -> list[np.ndarray]:
    """The real numbers in a result."""
    if isinstance(result, xr.Dataset):  # but not what it took
        result = [each.values for name, each in result.items() if "second" not in name]
    if isinstance(result, xr.DataArray):
        result = result.values
    leaves = [np.asarray(x) for x in jax.tree.leaves(result) if not callable(x)]
    return [x.astype(float) for x in leaves if x.dtype.kind in "iufb"]


def attack(quick: bool = False) -> tuple[Counter, dict[str, Verdict]]:
    """Judge all calls.

    Returns:
      How many answers are of each kind, and those that are not clear or right by call.
    """
    counts, bad = Counter(), {}
    for call in calls(quick):
        verdict = judge(call)
        counts[verdict.kind] += 1
        if verdict.kind not in (CLEAR, RIGHT):
            bad[repr(call)] = verdict
    return counts, bad


def main(arguments=None) -> int:
    """Attack, and report; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="nothing that takes long")
    counts, bad = attack(parser.parse_args(arguments).quick)
    for call, verdict in sorted(bad.items(), key=lambda each: each[1]):
        print(f"{verdict.kind}\t{call}\t{verdict.words}")
    share = counts[CLEAR] / max(counts[CLEAR] + counts[UNCLEAR], 1)
    print(
        f"{counts.total()} calls of {len(targets())}: {dict(counts)}, clear {share:.2%}"
    )
    return int(counts[SILENT] + counts[HANG] > 0 or share < LEAST_CLEAR)


if __name__ == "__main__":
    sys.exit(main())
