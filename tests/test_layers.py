"""Imports point down: the layers of the library, read from its sources."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1] / "jaxbandits"
LAYERS = {
    "protocol": 0,
    "schedule": 0,
    "checks": 0,
    "faults": 0,
    "atomic": 0,
    "texts": 0,
    "printing": 0,
    "devices": 0,
    "factory": 0,
    "maker": 0,
    "jaxprs": 0,
    "points": 0,
    "progress": 0,
    "reads": 1,
    "fit": 0,
    "arrays": 1,
    "kernels": 2,
    "engine": 2,
    "results": 2,
    "store": 2,
    "theory": 2,
    "stats": 3,
    "laws": 3,
    "settings": 4,
    "policies": 5,
    "arguments": 5,
    "contract": 5,
    "designs": 5,
    "machine": 6,
    "plots": 6,
    "play": 6,
    "session": 6,
    "live": 6,
    "simulate": 6,
    "testing": 6,
    "experiments": 7,
    "sweeps": 6,
    "cli_sweeps": 8,
    "cli_compare": 8,
    "cli_reproduce": 8,
    "cli": 8,
    "main": 9,
}
# Neighbours in one layer that must not know one another, and other bans.
FORBIDDEN = {
    "arrays": {"protocol", "schedule", "devices", "factory", "fit", "contract"},
    "kernels": {"engine", "results", "theory"},
    "engine": {"results", "kernels", "theory"},
    "results": {"engine", "kernels", "arrays", "protocol", "theory"},
    "store": {"engine", "kernels", "arrays", "protocol", "theory"},
    "stats": {"engine", "kernels", "arrays", "protocol", "theory"},
    "theory": {"engine", "kernels", "arrays", "protocol", "results"},
    "laws": {"engine", "results", "stats"},
    "policies": {"engine", "results", "stats"},
    "settings": {"engine", "results", "stats"},
    "plots": {
        "engine",
        "kernels",
        "arrays",
        "policies",
        "settings",
        "simulate",
        "laws",
    },
}
FORBIDDEN["plots"] |= {"settings", "policies", "simulate"}
FILES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py").strip("_")


def imported(path: Path) -> set[str]:
    """Full names of what a file imports from the library."""
    return {
        name
        for name in everything_imported(path) - {"jaxbandits.__version__"}  # no module
        if name.startswith("jaxbandits.")
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


def test_imports_point_down():
    for path in FILES:
        part = part_of(path)
        for name in imported(path):
            other = name.split(".")[1].strip("_")
            assert LAYERS[other] <= LAYERS[part], f"{path} imports {name}"
            assert other not in FORBIDDEN.get(part, set()), f"{path} imports {name}"


# Policies see their own setting and its folder only. What else a file may import, and
# why.
PAIRS = "a pair of an arm and a wait is an arm of the budgeted setting"
REFERENCE = "uniform play and a fixed pair are the same in both settings"
REDUCTIONS = "a pair of an arm and a limit is an arm of a plain bandit"
GAINS = "mean gains have one posterior in all settings"
EXCEPTIONS = {
    "censored/__init__.py": {"policies.plain": REDUCTIONS},
    "censored/_cell_thompson.py": {"policies.gains": GAINS},
    "censored/_combinatorial.py": {"policies.plain": REDUCTIONS},
    "censored/fixed.py": {"policies.plain": REFERENCE},
    "budgeted/_price_thompson.py": {"policies.gains": GAINS},
    "budgeted/_ratio_thompson.py": {"policies.gains": GAINS},
    "farewell/_hazard_thompson.py": {"policies.gains": GAINS},
    "farewell/fixed.py": {"policies.plain": REFERENCE},
    "farewell/__init__.py": {"policies.budgeted": PAIRS, "policies.plain": PAIRS},
    "farewell/pairs.py": {"policies.budgeted": PAIRS, "settings.budgeted": PAIRS},
    "farewell/_product_limit_omega.py": {"policies.budgeted": PAIRS},
}
POLICIES = {
    f"{p.parent.name}/{p.name}": p for p in sorted((ROOT / "policies").glob("*/*.py"))
}


def test_policies_see_their_own_setting_only():
    """No more than the exceptions, and no exception without need."""
    assert EXCEPTIONS.keys() <= POLICIES.keys()
    for file, path in POLICIES.items():
        parts = [name.split(".") for name in imported(path)]
        seen = {f"{p[1]}.{p[2]}" for p in parts if p[1] in ("policies", "settings")}
        own = {f"{part}.{file.split('/')[0]}" for part in ("policies", "settings")}
        assert seen - own == EXCEPTIONS.get(file, {}).keys(), file


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


def test_theory_imports_numpy_and_scipy_only():
    """Bounds are for the host: their functions work without JAX."""
    allowed = {"collections", "functools", "inspect", "itertools", "typing", "warnings"}
    allowed |= {"numpy", "scipy"}
    for path in (ROOT / "theory").rglob("*.py"):
        for name in everything_imported(path):
            first, *rest = name.split(".")
            within = first == "jaxbandits" and rest[0] in ("checks", "theory")
            assert first in allowed or within, f"{path} imports {name}"


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
            for name in names_imported(ast.parse(path.read_text()).body):
                assert not name.startswith(late), f"{path} imports {name}"
