"""Imports point down, and other rules that are read from the library's sources."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1] / "jaxbandits"
LAYERS = {
    "protocol": 0,
    "checks": 0,
    "console": 0,
    "arrays": 1,
    "kernels": 2,
    "engine": 2,
    "results": 2,
    "store": 2,
    "contract": 3,
    "stats": 3,
    "laws": 3,
    "plain": 4,
    "censored": 5,
    "allocation": 5,
    "budgeted": 5,
    "farewell": 6,
    "registry": 7,
    "simulation": 7,
    "plots": 7,
    "live": 8,
    "testing": 8,
    "cli": 9,
    "main": 10,
}
SETTINGS = ("censored", "allocation", "budgeted", "farewell")
# Neighbours in one layer that must not know one another, and other bans.
FORBIDDEN = {
    "arrays": {"protocol"},
    "kernels": {"engine", "results"},
    "engine": {"results", "kernels"},
    "results": {"engine", "kernels", "arrays", "protocol"},
    "stats": {"engine", "kernels", "arrays", "protocol"},
    "store": {"engine", "kernels", "arrays", "protocol"},
    "laws": {"engine", "results", "stats"},
    "plots": {"engine", "kernels", "arrays", "laws", "plain", *SETTINGS},
    "plain": {"engine", "results", "stats"},
    "censored": {"allocation", "budgeted", "engine", "results", "stats"},
    "allocation": {"censored", "budgeted", "engine", "results", "stats", "plain"},
    "budgeted": {"censored", "allocation", "engine", "results", "stats"},
    "farewell": {"censored", "allocation", "engine", "results", "stats"},
}
FILES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


class Source(NamedTuple):
    """Full names of what a file imports, and at its top; what it defines and prints."""

    imports: set[str]
    at_top: set[str]
    names: set[str]
    functions: list[ast.FunctionDef]
    printed: list[str]


@cache
def source(path: Path) -> Source:
    tree = ast.parse(path.read_text())
    nodes = [*ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    names = {path.stem, *identifiers(nodes)}
    printed = [
        ", ".join(map(ast.unparse, node.args))
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    return Source(imported(nodes), imported(tree.body), names, functions, printed)


def imported(nodes) -> set[str]:
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def identifiers(nodes):
    """Names that a module defines: functions, classes, arguments, variables, fields."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py").strip("_")


def of_the_library(path: Path) -> set[str]:
    """Full names of what a file imports from it."""
    names = source(path).imports - {"jaxbandits.__version__"}  # no module
    return {name for name in names if name.startswith("jaxbandits.")}


def test_the_library_imports_nothing_of_the_studies():
    for path in ROOT.rglob("*.py*"):
        if path.suffix in (".py", ".pyi"):
            for name in source(path).imports:
                assert not name.startswith("jaxbandits_studies"), path


def test_every_file_has_a_layer():
    assert {part_of(path) for path in FILES} == set(LAYERS)


def test_imports_point_down():
    for path in FILES:
        part = part_of(path)
        assert not any(name.startswith(".") for name in source(path).imports), path
        for name in of_the_library(path):
            other = name.split(".")[1].strip("_")
            assert LAYERS[other] <= LAYERS[part], f"{path} imports {name}"
            assert other not in FORBIDDEN.get(part, set()), f"{path} imports {name}"


def test_settings_see_no_policies():
    """What a problem and its game are does not depend on who plays it."""
    for setting in SETTINGS:
        for path in (ROOT / setting).glob("*.py"):
            for name in of_the_library(path):
                assert ".policies" not in name, f"{path} imports {name}"


def test_no_module_is_shadowed():
    """A module that defines what its package exports under its name has an underscore,
    or `import package.name as module` would give a function."""
    for path in sorted(ROOT.rglob("__init__.py")):
        package = ".".join(path.parent.relative_to(ROOT.parent).parts)
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.ImportFrom) or node.module == package:
                continue
            for name in (alias.asname or alias.name for alias in node.names):
                hidden = (path.parent / f"{name}.py").exists()
                assert not hidden, f"{package}.{name} is hidden by {node.module}.{name}"


def test_barriers_are_in_arrays():
    """What XLA makes of a round is no business of a policy: it says `arrays.stored`."""
    for path in FILES:
        if part_of(path) not in ("arrays", "engine"):
            assert "optimization_barrier" not in path.read_text(), path


def test_results_do_not_import_jax():
    for room in ("results", "stats"):
        for path in (ROOT / room).glob("*.py"):
            source = path.read_text()
            assert "import jax\n" not in source and "from jax " not in source, path


def test_experimental_jax_is_imported_when_it_is_used():
    """By the kernel for GPUs, which nobody else imports at the top of a file."""
    late = ("jax.experimental", "jaxbandits.engine.gpu")
    for path in FILES:
        if path.parent != ROOT / "engine" / "gpu":
            for name in source(path).at_top:
                assert not name.startswith(late), f"{path} imports {name}"


# Words that meant several things, or none to a stranger.
UNCLEAR = re.compile(
    r"(^|_)(found|said|whose|nobody|crew|meet|leave|leavings|mending|books|booked|"
    r"settled|told|untold|lent|home)(_|$)",
    re.I,
)


def test_identifiers_are_ordinary_words():
    for path in FILES:
        unclear = sorted(filter(UNCLEAR.search, source(path).names))
        assert not unclear, f"{path}: {unclear}"


MOST = 12  # arguments: what users call can be held in the head


def test_no_function_without_an_underscore_has_more_than_twelve_arguments():
    """Methods too, and what a decorator hides."""
    for path in FILES:
        for each in source(path).functions:
            given = each.args
            count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
            assert each.name.startswith("_") or count <= MOST, f"{path}: {each.name}"


def test_one_module_prints_and_the_others_no_more_than_json():
    """They make no consoles and tables of rich either."""
    for path in set(FILES) - {ROOT / "console" / "printing.py"}:
        rich = [name for name in source(path).imports if name.startswith("rich")]
        assert not any(re.search(r"\.(Console|Table|print)$", name) for name in rich)
        for text in source(path).printed:
            assert text.startswith(("json.dumps(", "shtab.complete(")), path
