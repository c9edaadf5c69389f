"""Imports point down: the layers of the library, read from its sources."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "jaxbandits"
LAYERS = {
    "protocol": 0,
    "schedule": 0,
    "checks": 0,
    "devices": 0,
    "factory": 0,
    "fit": 0,
    "contract": 0,
    "kernels": 1,
    "engine": 1,
    "results": 1,
    "theory": 1,
    "laws": 2,
    "settings": 3,
    "policies": 4,
    "plots": 5,
    "progress": 5,
    "arguments": 4,
    "play": 5,
    "session": 5,
    "live": 5,
    "simulate": 5,
    "testing": 5,
    "experiments": 6,
    "sweeps": 6,
    "cli": 7,
}
# Neighbours in one layer that must not know one another, and other bans.
FORBIDDEN = {
    "kernels": {"engine", "results", "theory"},
    "engine": {"results", "theory"},
    "results": {"engine", "kernels", "protocol", "checks", "theory"},
    "theory": {"engine", "kernels", "protocol", "results"},
    "policies": {"engine", "results"},
    "settings": {"engine", "results"},
    "plots": {"engine", "kernels", "policies", "settings", "simulate", "laws"},
}
FILES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Full names of what a file imports from the library."""
    return {
        name for name in everything_imported(path) if name.startswith("jaxbandits.")
    }


def everything_imported(path: Path) -> set[str]:
    """Full names of what a file imports."""
    return names_imported(ast.walk(ast.parse(path.read_text())))


def names_imported(nodes) -> set[str]:
    """Full names in the import statements among some nodes."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import of {node.module}"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_file_has_a_layer():
    assert {part_of(path) for path in FILES} == set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    part = part_of(path)
    for name in imported(path):
        other = name.split(".")[1]
        assert LAYERS[other] <= LAYERS[part], f"{part} imports {name}"
        assert other not in FORBIDDEN.get(part, set()), f"{part} imports {name}"


# Policies see their own setting and its folder only. What else a file may import, and
# why.
PAIRS = "a pair of an arm and a wait is an arm of the budgeted setting"
REFERENCE = "uniform play and a fixed pair are the same in both settings"
REDUCTIONS = "a pair of an arm and a limit is an arm of a plain bandit"
EXCEPTIONS = {
    "censored/__init__.py": {"policies.plain": REDUCTIONS},
    "censored/fixed.py": {"policies.plain": REFERENCE},
    "farewell/fixed.py": {"policies.plain": REFERENCE},
    "farewell/__init__.py": {"policies.budgeted": PAIRS, "policies.plain": PAIRS},
    "farewell/pairs.py": {"policies.budgeted": PAIRS, "settings.budgeted": PAIRS},
    "farewell/product_limit_omega.py": {"policies.budgeted": PAIRS},
}
POLICIES = {
    f"{p.parent.name}/{p.name}": p for p in sorted((ROOT / "policies").glob("*/*.py"))
}


@pytest.mark.parametrize("file", POLICIES)
def test_policies_see_their_own_setting_only(file):
    """No more than the exceptions, and no exception without need."""
    parts = [name.split(".") for name in imported(POLICIES[file])]
    seen = {f"{p[1]}.{p[2]}" for p in parts if p[1] in ("policies", "settings")}
    own = {f"{part}.{file.split('/')[0]}" for part in ("policies", "settings")}
    assert seen - own == EXCEPTIONS.get(file, {}).keys()


def test_exceptions_name_files():
    assert EXCEPTIONS.keys() <= POLICIES.keys()


def test_theory_imports_numpy_and_scipy_only():
    """Bounds are for the host: their functions work without JAX."""
    allowed = {"collections", "functools", "numpy", "scipy", "typing", "warnings"}
    for path in (ROOT / "theory").glob("*.py"):
        for name in everything_imported(path):
            first, *rest = name.split(".")
            within = first == "jaxbandits" and rest[0] in ("checks", "theory")
            assert first in allowed or within, f"{path} imports {name}"


def test_results_do_not_import_jax():
    for path in (ROOT / "results").glob("*.py"):
        source = path.read_text()
        assert "import jax\n" not in source and "from jax " not in source


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_experimental_jax_is_imported_when_it_is_used(path):
    """By the kernel for GPUs, which nobody else imports at the top of a file."""
    if path.parent == ROOT / "engine" / "gpu":
        return
    for name in names_imported(ast.parse(path.read_text()).body):
        assert not name.startswith(("jax.experimental", "jaxbandits.engine.gpu"))
