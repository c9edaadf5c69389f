"""What a file names: policies, environments and their parts, by the registries.

``make`` is an entry of a registry (``censored/thompson-shared``), whose fixed arguments
those of the file extend or override, or a factory by its own name (``thompson``). An
argument that is an object is a table too: its ``make``, and the arguments beside it.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from jaxbandits import checks
from jaxbandits.checks.factory import parameters_of
from jaxbandits.protocol import Environment
from jaxbandits.registry import Maker, environments, policies, setting_of
from jaxbandits.simulation.parts import parts


def environment(where: str, setting: str, entry: Mapping[str, Any]) -> Environment:
    """The environment of an entry of a file.

    Args:
      where: the entry's place, for errors.
      setting: of the file.
      entry: ``make`` and possibly ``arguments``.

    Raises:
      ValueError: naming the part of the entry that is wrong.
    """
    make = entry["make"]
    maker = _chosen(where, _known(environments(), setting), make)
    part = partial(_part, parts()[setting])
    where = f"{where}.arguments"
    made = _called(where, maker, _arguments(where, entry.get("arguments", {}), part))
    if not isinstance(made, Environment):
        raise ValueError(
            f"{where}: {make!r} must make one environment, and makes several with these"
        )
    return made


def policy(where: str, setting: str, entry: Mapping[str, Any]) -> Maker:
    """What makes the policy of an entry of a file, called with a problem.

    Arguments as for `environment`. A table among the entry's arguments stands for such
    a maker, too (`on_grid` takes one).

    Raises:
      ValueError: naming the part of the entry that is wrong.
    """
    known = _known(policies(), setting)
    maker = _chosen(where, known, entry["make"])
    where, made = f"{where}.arguments", partial(_factory, known)
    arguments = _arguments(where, entry.get("arguments", {}), made)
    return _with_problem(where, maker, arguments)


def _known(registry: Mapping[str, Maker], setting: str) -> dict[str, Maker]:
    """What `make` may say: a setting's factories by their own names, and entries."""
    entries = {n: m for n, m in registry.items() if setting_of(n) == setting}
    return {m.factory.__name__: Maker(m.factory) for m in entries.values()} | entries


def _chosen(where: str, known: Mapping[str, Any], name: Any) -> Any:
    if isinstance(name, str) and name in known:
        return known[name]
    # Who writes an entry's name is shown these.
    of_a_kind = [x for x in known if ("/" in x) == ("/" in str(name))]
    raise ValueError(
        f"{where}.make: {name!r} is unknown{checks.hint(name, known)}; known are "
        + ", ".join(sorted(of_a_kind))
    )


def _arguments(where: str, table: Mapping[str, Any], made: Callable[..., Any]) -> dict:
    """The values of a table as arguments."""
    return {name: _read(f"{where}.{name}", x, made) for name, x in table.items()}


def _read(where: str, value: Any, made: Callable[..., Any]) -> Any:
    """A value of a file as an argument.

    Lists become tuples, by which factories can be cached; a table with ``make`` becomes
    ``made(where, make, arguments)``.
    """
    if isinstance(value, list):
        return tuple(_read(f"{where}.{i}", x, made) for i, x in enumerate(value))
    if not isinstance(value, dict):
        return value
    own = _arguments(where, value, made)
    return made(where, own.pop("make"), own) if "make" in own else own


def _part(parts: Mapping[str, Any], where: str, name: str, arguments: dict) -> Any:
    part = _chosen(where, parts, name)
    if isinstance(part, Maker):
        return _called(where, part, arguments)
    if arguments:
        raise ValueError(f"{where}: {name!r} has no arguments, got {[*arguments]}")
    return part


def _factory(
    known: Mapping[str, Maker], where: str, name: str, arguments: dict
) -> Maker:
    return _with_problem(where, _chosen(where, known, name), arguments)


def _with_problem(where: str, maker: Maker, arguments: dict) -> Maker:
    arguments = {**maker.arguments, **arguments}
    _bound(where, maker.factory, "problem", **arguments)
    return Maker(maker.factory, arguments)


def _bound(where: str, make: Callable, /, *args: Any, **kwargs: Any) -> None:
    signature, errors = inspect.signature(make), checks.Errors()
    known = [x for x in signature.parameters if x != "problem"]
    if any(x.kind is x.VAR_KEYWORD for x in signature.parameters.values()):
        unknown = []
    else:
        unknown = [x for x in kwargs if x not in signature.parameters]
    hints = [checks.hint(name, known) for name in unknown]
    wrong = [
        f"{name!r} is a parameter, and is given in cross, zip or sample"
        if name in parameters_of(signature)
        else f"got an unexpected keyword argument {name!r}{hint}"
        for name, hint in zip(unknown, hints, strict=True)
    ]
    try:
        signature.bind(*args, **{k: x for k, x in kwargs.items() if k not in unknown})
    except TypeError as error:
        # What is missing may be what was misspelt.
        if not any(str(error).split()[-1] in hint for hint in hints):
            wrong.append(str(error))
    for words in wrong:
        with errors.part():
            raise ValueError(
                f"{where}: {words}; known are {', '.join(known) or 'none'}"
            )
    errors.check()


def _called(where: str, maker: Maker, arguments: dict) -> Any:
    _bound(where, maker.factory, **{**maker.arguments, **arguments})
    try:
        return maker(**arguments)
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(f"{where}: {error}") from error
    except Exception as error:  # A mistake that the maker does not foresee.
        raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
