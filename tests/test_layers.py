"""Imports point down: the layers of the library, read from its sources."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "jaxbandits"
LAYERS = {
    "protocol": 0,
    "checks": 0,
    "kernels": 1,
    "engine": 1,
    "results": 1,
    "laws": 2,
    "settings": 3,
    "policies": 4,
    "plots": 5,
    "progress": 5,
    "simulate": 5,
    "testing": 5,
    "experiments": 6,
    "cli": 7,
}
# Neighbours in one layer that must not know one another, and other bans.
FORBIDDEN = {
    "kernels": {"engine", "results"},
    "engine": {"results"},
    "results": {"engine", "kernels", "protocol", "checks"},
    "policies": {"engine", "results"},
    "settings": {"engine", "results"},
    "plots": {"engine", "kernels", "policies", "settings", "simulate", "laws"},
}
FILES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Full names of what a file imports from the library."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("jaxbandits.")}


def test_every_file_has_a_layer():
    assert {part_of(path) for path in FILES} == set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    part = part_of(path)
    for name in imported(path):
        other = name.split(".")[1]
        assert LAYERS[other] <= LAYERS[part], f"{part} imports {name}"
        assert other not in FORBIDDEN.get(part, set()), f"{part} imports {name}"


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "policies").glob("*/*.py")),
    ids=lambda p: f"{p.parent.name}/{p.name}",
)
def test_policies_see_their_own_setting_only(path):
    folder = path.parent.name
    for name in imported(path):
        parts = name.split(".")
        if parts[1] == "settings":
            assert parts[2] == folder, f"{path} imports {name}"
        if parts[1] == "policies" and path.name != "__init__.py":
            assert parts[2] == folder, f"{path} imports {name}"


def test_results_do_not_import_jax():
    for path in (ROOT / "results").glob("*.py"):
        source = path.read_text()
        assert "import jax\n" not in source and "from jax " not in source
