"""What studies import."""

from tests.test_layers import ROOT as LIBRARY
from tests.test_layers import source

THEORY = LIBRARY.parent / "studies" / "jaxbandits_studies" / "theory"
STANDARD = {"collections", "functools", "inspect", "itertools", "typing", "warnings"}


def test_theory_imports_numpy_scipy_and_checks_only():
    """Bounds are for the host: their functions work without JAX."""
    allowed = STANDARD | {"numpy", "scipy"}
    within = ("jaxbandits.checks", "jaxbandits_studies.theory")
    for path in THEORY.rglob("*.py"):
        for name in source(path).imports:
            known = name.split(".")[0] in allowed or name.startswith(within)
            assert known, f"{path} imports {name}"
