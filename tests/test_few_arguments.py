"""What users call can be held in the head: few arguments."""

import ast
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import jaxbandits

MOST = 12  # arguments


def public_functions():
    """Full name -> function, of what every public module defines or exports."""
    found = {}
    for info in pkgutil.walk_packages(jaxbandits.__path__, "jaxbandits."):
        if any(part.startswith("_") for part in info.name.split(".")):
            continue
        module = import_module(info.name)
        names = getattr(module, "__all__", None) or vars(module)
        for name in names:
            value = getattr(module, name)
            called = inspect.unwrap(value) if callable(value) else None
            if (
                not inspect.isclass(value)
                and inspect.isfunction(called)
                and not name.startswith("_")
                and called.__module__.startswith("jaxbandits")
            ):
                found[f"{info.name}.{name}"] = called
    top = {n: getattr(jaxbandits, n) for n in jaxbandits.__all__}
    return found | {
        f"jaxbandits.{n}": each for n, each in top.items() if inspect.isfunction(each)
    }


def test_no_public_function_has_more_than_twelve_arguments():
    found = public_functions()
    known = {
        "jaxbandits.plots.plot_heat_map",
        "jaxbandits.simulate",
    }
    assert known <= set(found)
    assert len(found) > 500
    many = {
        name: len(inspect.signature(each).parameters)
        for name, each in found.items()
        if len(inspect.signature(each).parameters) > MOST
    }
    assert not many


def test_nor_has_any_other_without_an_underscore():
    """Methods too, and what a decorator hides."""
    many = []
    for path in Path(jaxbandits.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                of = node.args
                count = len(of.posonlyargs) + len(of.args) + len(of.kwonlyargs)
                if count > MOST:
                    many.append(f"{path.name}: {node.name} has {count}")
    assert not many
