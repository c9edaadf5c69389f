"""Does the suite notice a fault? Faults are planted one by one, and the tests are run.

    python scripts/mutants.py draw [--count 300] [--seed 0]    writes tests/mutants.csv
    python scripts/mutants.py cover                            which tests call what
    python scripts/mutants.py run [--shard I/N] [--again]      plays the mutants

A mutant is one changed expression: another operator, sign, index, constant or
comparison, two arguments exchanged, a branch that is never taken. It is named by its
function and the text of its statement, and not by its file, so that the list survives
when code is moved.

`cover` runs the short tests once and writes to `.pytest_cache/callers.json` which
functions each of them calls, and its seconds. `run` plants a mutant in a copy of the
working tree and runs tests that call its function, `--seconds` of them at most: those
first that are quick, call little else, and whose names resemble the module's. It writes
the name of the first that fails into the column `killed_by` of tests/mutants.csv, or
`survived`, or `not called`.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

TOP = Path(__file__).parents[1]
LIST = TOP / "tests" / "mutants.csv"
CALLERS = TOP / ".pytest_cache" / "callers.json"
TIMEOUT = 900  # seconds that the tests of a mutant may take

SWAPS = {
    ast.Add: ast.Sub,
    ast.Mult: ast.Div,
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
    ast.And: ast.Or,
}
SWAPS |= {after: before for before, after in SWAPS.items()}
SWAPS |= dict.fromkeys((ast.FloorDiv, ast.Mod, ast.Pow), ast.Mult)
CALLS = {
    "minimum": "maximum",
    "min": "max",
    "argmin": "argmax",
    "all": "any",
    "floor": "ceil",
    "expm1": "exp",
    "log1p": "log",
}
CALLS |= {after: before for before, after in CALLS.items()}


class Place(NamedTuple):
    """An expression of a module that a mutant changes."""

    path: Path
    function: str
    statement: str
    expression: str
    occurrence: int  # of the expression in such statements of the function, from 0
    mutant: str
    node: ast.expr


def places(path: Path) -> Iterator[Place]:
    """All places of a module at which a mutant can be planted."""
    tree = ast.parse(path.read_text())
    tests = {node.test for node in ast.walk(tree) if isinstance(node, ast.If)}
    seen: Counter[tuple[str, str, str]] = Counter()
    for *where, node in _expressions(tree, "<module>", ""):
        function, statement, expression = *where, ast.unparse(node)
        occurrence = seen[function, statement, expression]
        seen[function, statement, expression] += 1
        for mutant in [*_mutants(node), *(["False"] if node in tests else [])]:
            yield Place(path, function, statement, expression, occurrence, mutant, node)


def _expressions(
    node: ast.AST, function: str, statement: str
) -> Iterator[tuple[str, str, ast.expr]]:
    """Expressions below a node, with their functions' qualified names and statements.

    Annotations, decorators, docstrings and what is raised are passed over.
    """
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        outer = "" if function == "<module>" else f"{function}."
        function = f"{outer}{node.name}"
    if isinstance(node, ast.stmt):
        statement = _head(node)
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        inner = function
        if name == "body" and isinstance(node, ast.FunctionDef):
            inner = f"{function}.<locals>"
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise):
                continue
            if isinstance(child, ast.expr):
                yield function, statement, child
            nested = isinstance(child, ast.FunctionDef | ast.ClassDef)
            yield from _expressions(child, inner if nested else function, statement)


def _head(node: ast.stmt) -> str:
    """The text of a statement without the statements inside it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return f"{type(node).__name__} {node.name}"
    compound = hasattr(node, "body") or isinstance(node, ast.Match)
    text = ast.unparse(node)
    return text.partition("\n")[0] if compound else text


def _mutants(node: ast.expr) -> Iterator[str]:
    """The texts that may stand in place of an expression."""
    unparse = ast.unparse
    match node:
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            yield unparse(ast.BinOp(left, SWAPS[type(op)](), right))
        case ast.Compare(left, [op], right) if type(op) in SWAPS:
            yield unparse(ast.Compare(left, [SWAPS[type(op)]()], right))
        case ast.BoolOp(op, values):
            yield unparse(ast.BoolOp(SWAPS[type(op)](), values))
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield unparse(operand)
        case ast.Constant(bool(value)):
            yield repr(not value)
        case ast.Constant(int(value)):
            yield repr(value + 1)
        case ast.Constant(float(value)):
            yield repr(value * 1.5 or 1.0)
        case ast.IfExp(_, body, orelse):
            yield unparse(body)
            yield unparse(orelse)
        case ast.Call(ast.Attribute(_, "where"), [test, left, right], []):
            yield unparse(ast.Call(node.func, [test, right, left], []))
        case ast.Call(ast.Attribute(of, name), arguments, keywords) if name in CALLS:
            function = ast.Attribute(of, CALLS[name])
            yield unparse(ast.Call(function, arguments, keywords))
        case ast.Call(ast.Name(name), arguments, keywords) if name in CALLS:
            yield unparse(ast.Call(ast.Name(CALLS[name]), arguments, keywords))


def modules() -> list[Path]:
    """All modules of the library, and of the studies where there are some."""
    folders = [TOP / "jaxbandits", TOP / "studies" / "jaxbandits_studies"]
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def draw(count: int, seed: int) -> None:
    """Write a list of mutants, each of another function, to `LIST`."""

    def rank(place: Place) -> str:
        text = f"{seed} {place.function} {place.expression} {place.mutant}"
        return hashlib.sha256(text.encode()).hexdigest()

    chosen: dict[tuple[Path, str], Place] = {}
    for path in modules():
        for place in places(path):
            key = path, place.function
            if key not in chosen or rank(place) < rank(chosen[key]):
                chosen[key] = place
    kept = sorted(chosen.values(), key=rank)[:count]
    table = pd.DataFrame(kept, columns=Place._fields)
    _write(table.drop(columns=["path", "node"]).assign(killed_by=""))


def _write(table: pd.DataFrame) -> None:
    part = LIST.with_suffix(f".{os.getpid()}")
    table.to_csv(part, index=False)
    part.replace(LIST)


def _read() -> pd.DataFrame:
    return pd.read_csv(LIST, dtype=str, keep_default_na=False)


def find(row: list[str]) -> Place | None:
    """The place of a row of the list in today's tree; None where it is gone."""
    for path in modules():
        if row[0] == "<module>" or row[0].split(".")[-1] in path.read_text():
            for place in places(path):
                if [str(part) for part in place[1:6]] == row[:5]:
                    return place
    return None


def planted(place: Place) -> str:
    """The text of the module with the mutant in it."""
    text, node = place.path.read_bytes(), place.node
    lines = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    start = lines[node.lineno - 1] + node.col_offset
    end = lines[node.end_lineno - 1] + node.end_col_offset
    return (text[:start] + f"({place.mutant})".encode() + text[end:]).decode()


# This module as a plugin of pytest's: the functions of the library that each test
# calls. What a test finds compiled or cached by another is not called again: `survived`
# is pessimistic.
called: set[str] = set()


def pytest_configure() -> None:
    """Note what is called, each function once."""
    seen = sys.monitoring

    def start(code, offset):
        if "jaxbandits" in code.co_filename:
            called.add(code.co_qualname)
        return seen.DISABLE

    seen.use_tool_id(seen.COVERAGE_ID, "callers")
    seen.register_callback(seen.COVERAGE_ID, seen.events.PY_START, start)
    seen.set_events(seen.COVERAGE_ID, seen.events.PY_START)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Write the `Test` of each test into a file of this process."""
    called.clear()
    sys.monitoring.restart_events()
    begun = time.monotonic()
    done = yield
    row = item.nodeid, time.monotonic() - begun, sorted(called)
    with open(f"{os.environ['CALLERS']}/{os.getpid()}", "a") as file:
        print(json.dumps(row), file=file)
    return done


class Test(NamedTuple):
    """A test, how long it takes, and the functions of the library that it calls."""

    name: str
    seconds: float
    calls: list[str]


def cover() -> None:
    """Run the short tests and write the `Test` of each to `CALLERS`."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [TOP / "scripts" / "test.sh", "-p", "scripts.mutants"],
            cwd=TOP,
            env=os.environ | {"CALLERS": folder, "PYTHONPATH": str(TOP)},
            check=False,
        )
        lines = "".join(report.read_text() for report in Path(folder).iterdir())
    CALLERS.parent.mkdir(exist_ok=True)
    CALLERS.write_text(f"[{','.join(lines.splitlines())}]")


def _pytest(top: Path, arguments, environment) -> subprocess.CompletedProcess:
    """The finished process."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *arguments],
        cwd=top,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )


def run(index: int, shards: int, again: bool, seconds: float) -> None:
    """Play the mutants of a shard, and write what killed each."""
    tests = [
        Test(name, took, [*map(_named, calls)])
        for name, took, calls in json.loads(CALLERS.read_text())
    ]
    tree = Path(tempfile.mkdtemp()) / "tree"
    ignored = shutil.ignore_patterns(".venv*", ".pytest_cache", "__pycache__")
    shutil.copytree(TOP, tree, ignore=ignored)
    programs = os.environ.get("JAX_COMPILATION_CACHE_DIR", str(tree / "programs"))
    path = f"{tree}:{tree / 'studies'}"
    environment = {"PYTHONPATH": path, "JAX_COMPILATION_CACHE_DIR": programs}
    copied = _pytest(tree, ["--collect-only"], environment)
    if copied.returncode:
        raise SystemExit(
            f"tests cannot be collected without a mutant, either: {copied}"
        )
    for number, row in enumerate(_read().values.tolist()):
        if number % shards != index or (row[5] and not again):
            continue
        place = find(row)
        killed = "gone"
        if place is not None:
            chosen = _chosen(place, tests, seconds)
            killed = _killed(place, chosen, tree, environment)
        table = _read()  # another shard may have written since
        table.loc[number, "killed_by"] = killed
        _write(table)
        print(f"{number:3d} {row[0]}: {row[2]} -> {row[4]}: {killed}", flush=True)
    shutil.rmtree(tree.parent)


def _named(function: str) -> str:
    """A qualified name without `<locals>`, which that of a place may lack."""
    return function.replace("<locals>.", "")


def _chosen(place: Place, tests: list[Test], seconds: float) -> list[str]:
    """The names of the tests that are played against a mutant.

    What no test calls by itself is called when modules are loaded, or by what is
    compiled already: then these are tests of other functions of the module.
    """
    module = {_named(each.function) for each in places(place.path)} - {"<module>"}
    words = set(re.findall("[a-z]{3,}", str(place.path.relative_to(TOP))))

    def unlike(test: Test) -> float:
        shared = words.intersection(re.findall("[a-z]{3,}", test.name))
        return test.seconds * len(test.calls) / 8 ** len(shared - {"tests", "test"})

    for wanted in ({_named(place.function)} & module, module):
        calling = [test for test in tests if wanted.intersection(test.calls)]
        if calling:
            break
    chosen, spent = [], 0.0
    for test in sorted(calling, key=unlike):
        spent += test.seconds
        if chosen and spent > seconds:
            break
        chosen.append(test.name)
    return chosen


def _killed(place: Place, tests: list[str], tree: Path, environment) -> str:
    """The first of some tests that fails with a mutant, or "survived"."""
    if not tests:
        return "not called"
    target = tree / place.path.relative_to(TOP)
    before = target.read_text()
    target.write_text(planted(place))
    try:
        done = _pytest(tree, tests, environment)
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        target.write_text(before)
    if not done.returncode:
        return "survived"
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return named.group(1) if named else f"exit status {done.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--count", type=int, default=300)
    drawing.add_argument("--seed", type=int, default=0)
    commands.add_parser("cover")
    playing = commands.add_parser("run")
    playing.add_argument("--shard", default="0/1", metavar="I/N")
    playing.add_argument("--again", action="store_true")
    playing.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    if options.command == "draw":
        draw(options.count, options.seed)
    elif options.command == "cover":
        cover()
    else:
        shard = map(int, options.shard.split("/"))
        run(*shard, options.again, options.seconds)


if __name__ == "__main__":
    main()
