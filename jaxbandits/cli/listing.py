"""The command ``list``: policies, environments and experiments, by name.

Each entry is a line that begins with its name and is cut at the width of the terminal;
``list NAME`` prints all facts about one entry.
"""

import inspect
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from jaxbandits import checks

KINDS = ("policies", "environments", "experiments")


def list_(
    words: Sequence[str], experiments: Sequence[Mapping[str, Any]], *, as_json: bool
) -> int:
    """Print entries, or all facts about one entry; return the exit status.

    Args:
      words: kinds and settings that are shown, by default all; or the name of an entry.
      experiments: facts about the experiments of installed packages.
      as_json: whether to print JSON.

    Raises:
      ValueError: if a word is no kind, no setting and no name.
    """
    from jaxbandits.registry import SETTINGS, environments, policies, setting_of

    results: dict[str, dict[str, Any]] = {
        "experiments": {each["name"]: each for each in experiments},
        "policies": policies(),
        "environments": environments(),
    }
    names = {name: kind for kind, entries in results.items() for name in entries}
    for word in words:
        if word not in (known := (*KINDS, *SETTINGS, *names)):
            ending = next((name for name in names if name.endswith(f"/{word}")), word)
            raise ValueError(
                f"WORD: there is no kind, setting or entry {word!r}"
                f"{checks.hint(ending, known)}; kinds are {', '.join(KINDS)}; settings "
                f"are {', '.join(SETTINGS)}; `jaxbandits list` shows all entries"
            )
    if named := [word for word in words if word in names]:
        if len(words) > 1:
            raise ValueError(f"WORD: the name {named[0]!r} must stand alone")
        return _show(named[0], names[named[0]], results[names[named[0]]], as_json)
    settings = [word for word in words if word in SETTINGS] or SETTINGS
    kinds = [word for word in words if word in KINDS] or KINDS
    results = {
        kind: {
            name: entry
            for name, entry in entries.items()
            if (entry["setting"] if kind == "experiments" else setting_of(name))
            in settings
        }
        for kind, entries in results.items()
        if kind in kinds
    }
    if as_json:
        listed = {
            kind: [*(entries.values() if kind == "experiments" else entries)]
            for kind, entries in results.items()
        }
        print(json.dumps(listed))
        return 0
    for kind, entries in results.items():
        _print_lines(kind, entries)
    return 0


def _print_lines(kind: str, entries: Mapping[str, Any]) -> None:
    from jaxbandits.console.printing import Printer, width_of

    if not entries:
        return
    printer, widest = Printer(), max(map(width_of, entries))
    if kind == "experiments":
        head = "Experiments, with minutes of one core (quick form, full) and title"
    else:
        head = f"{kind.capitalize()}, with the functions that make them"
    printer.print(head, soft_wrap=True)
    for name, entry in entries.items():
        text = _experiment_line(entry) if kind == "experiments" else _call(entry)
        free = max(printer.width - widest - 4, 8)
        cut = text if width_of(text) <= free else text[: free - 1] + "…"
        printer.print(f"  {name:<{widest}}  {cut}", soft_wrap=True)
    printer.print()


def _experiment_line(entry: Mapping[str, Any]) -> str:
    quick, full = (minutes_text(entry["minutes"][x]) for x in ("quick", "full"))
    return f"{quick or '-':>5} {full or '-':>5}  {entry['title']}"


def minutes_text(minutes: float | None) -> str:
    """Minutes in words; an empty text if none were measured."""
    if minutes is None:
        return ""
    if minutes < 0.1:
        return "< 0.1"
    return f"{minutes:.1f}" if minutes < 10 else f"{minutes:,.0f}"


def _call(maker) -> str:
    """The call that makes an entry, with ``?`` for arguments that a user must give."""
    first = next(iter(inspect.signature(inspect.unwrap(maker.factory)).parameters), "")
    given = [first] if first == "problem" and first not in maker.needs else []
    given += [f"{name}={_value(value)}" for name, value in maker.arguments.items()]
    given += [f"{name}=?" for name in maker.needs]
    return f"{_path(maker.factory)}({', '.join(given)})"


def _value(value: Any) -> str:
    return value.__name__ if callable(value) else checks.shown(value).split(" (")[0]


def _path(function) -> str:
    """The name by which a user imports a function: ``censored.rcucb``."""
    module = function.__module__
    package = ".".join(module.split(".")[:2])
    if getattr(sys.modules[package], function.__name__, None) is function:
        module = package.removeprefix("jaxbandits.")
    return f"{module}.{function.__name__}"


def _show(name: str, kind: str, entries: Mapping[str, Any], as_json: bool) -> int:
    """Print all facts about one entry."""
    from jaxbandits.console.printing import Printer

    entry = entries[name]
    if kind == "experiments":
        facts = dict(entry)
    else:
        facts = {"name": name} | facts_of(name, kind, entry)
    if as_json:
        print(json.dumps(facts))
        return 0
    line = Printer().sentence
    for key, value in facts.items():
        if key == "parameters":
            line("parameters:")
            width = max(map(len, value), default=0)
            for leaf, about in value.items():
                line(
                    f"  {leaf:<{width}}  default {about['default']:.4g}; "
                    f"{about['range']}"
                )
            if not value:
                line("  none")
        elif "\n" in str(value):
            line(f"{key}:")
            for text in value.split("\n"):
                line(f"  {text}" if text else "")
        else:
            line(f"{key}: {value}")
    return 0


def facts_of(name: str, kind: str, maker) -> dict[str, Any]:
    """Facts about an entry of the registry, from its code and documentation."""
    from jaxbandits.registry import setting_of

    made = inspect.unwrap(maker.factory)
    takes = ", ".join(
        each.name
        if each.default is each.empty
        else f"{each.name}={_value(each.default)}"
        for each in inspect.signature(made).parameters.values()
    )
    facts: dict[str, Any] = {
        "setting": setting_of(name),
        "entry": _call(maker),
        "function": f"{_path(maker.factory)}({takes})",
        "documentation": inspect.getdoc(made),
    }
    if kind == "policies":
        page = inspect.getdoc(inspect.getmodule(made)) or ""
        facts["source"] = "\n\n".join(page.split("\n\n")[:2])
        facts["parameters"] = parameters_of(maker(problem_of(name)))
    return facts


def parameters_of(policy) -> dict[str, dict[str, Any]]:
    """Default and range of each parameter; the range is that of the policy's check."""
    ranges = {}
    for leaf, default in policy.params._asdict().items() if policy.params else ():
        ranges[leaf] = {"default": float(default), "range": "any number"}
        try:
            policy.check_params(policy.params._replace(**{leaf: math.nan}))
        except ValueError as error:
            allowed = str(error).removeprefix(f"{leaf} ").partition(", got ")[0]
            ranges[leaf]["range"] = allowed
    return ranges


def problem_of(name: str) -> Any:
    """The problem of a small game for a policy, on which its defaults depend."""
    from jaxbandits.registry import make

    game = name.split("/")[0]
    if game == "combinatorial":
        return make(
            "combinatorial/combinatorial", environment=make("censored/indep"), size=2
        ).problem
    if game == "dueling":
        return make("dueling/duels", environment=make("censored/indep")).problem
    if game == "ordered":
        splits = make("allocation/simulation", 3, 8.0)
        return make("ordered/ordered", splits, [2, 8]).problem
    examples = {
        "censored": "censored/indep",
        "continuum": "continuum/indep",
        "budgeted": "budgeted/s-br",
        "farewell": "farewell/figure-1a",
        "allocation": "allocation/simulation",
    }
    return make(examples[game]).problem
