"""Functions and methods say the types of what they take and return.

mypy asks it of all functions or of none. Those inside a policy, an environment or a law
are left out here: the protocol, or the field that holds them, says what they take.
"""

import ast
from pathlib import Path

import jaxbandits

PACKAGE = Path(jaxbandits.__file__).parent
ROOMS = (
    "allocation",
    "arrays",
    "budgeted",
    "censored",
    "checks/factory.py",
    "farewell",
    "kernels",
    "laws",
    "live/ask_and_tell.py",
    "plain",
    "plots",
    "registry.py",
    "results",
    "stats",
    "simulation",
)
INNER = {
    "arguments.py",
    "contract.py",
    "play.py",
    "reads.py",
}  # which users do not call


def unannotated(tree):
    """Functions of a module, and methods, with an argument or a result of no type."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not whole(node):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
            yield from (
                f"{node.name}.{each.name}" for each in methods if not whole(each, 1)
            )


def whole(function, own=0):
    """Whether a signature is annotated, but for as many arguments at its head."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args][own:] + given.kwonlyargs
    arguments += [each for each in (given.vararg, given.kwarg) if each is not None]
    types = [each.annotation for each in arguments]
    return None not in [*types, function.returns]


def test_signatures_are_annotated(subtests):
    for room in ROOMS:
        with subtests.test(room=room):
            place = PACKAGE / room
            files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
            files = [file for file in files if file.name not in INNER]
            found = [
                f"{file.relative_to(PACKAGE)}: {name}"
                for file in files
                for name in unannotated(ast.parse(file.read_text()))
            ]
            assert files and not found


WHAT_IS_NOT_ANNOTATED_IS_FOUND = [
    ("def f(x: int) -> int: ...", []),
    ("def f(x) -> int: ...", ["f"]),
    ("def f(x: int): ...", ["f"]),
    ("def f(*x) -> int: ...", ["f"]),
    ("def f(*, x: int, y) -> int: ...", ["f"]),
    ("def f() -> int:\n    def g(x): ...", []),
    ("class A:\n    def f(self) -> int: ...", []),
    ("class A:\n    def f(self, x) -> int: ...", ["A.f"]),
    ("class A:\n    @property\n    def f(self): ...", ["A.f"]),
]


def test_what_is_not_annotated_is_found(subtests):
    for text, found in WHAT_IS_NOT_ANNOTATED_IS_FOUND:
        with subtests.test(text=text, found=found):
            assert list(unannotated(ast.parse(text))) == found
