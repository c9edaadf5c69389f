"""Tables of what a setting has: its policies and environments, from the registries."""

import inspect

from jaxbandits.registry import environments, policies

ROOMS = {
    "censored": ("censored", "continuum", "combinatorial", "dueling"),
    "allocation": ("allocation", "ordered"),
}


def tables(setting: str) -> str:
    """Markdown tables of a setting's environments and policies, by name."""
    rooms = ROOMS.get(setting, (setting,))
    return "\n".join(
        [
            "## Environments",
            "",
            *_table(environments(), rooms),
            "",
            "## Policies",
            "",
            *_table(policies(), rooms),
            "",
        ]
    )


def _table(registry, rooms) -> list[str]:
    rows = ["| name | made by | what |", "|---|---|---|"]
    for name, maker in registry.items():
        if name.split("/")[0] in rooms:
            first = inspect.getdoc(maker.factory).splitlines()[0]
            rows.append(f"| `{name}` | `{_call(maker)}` | {first} |")
    return rows


def _call(maker) -> str:
    fixed = [f"{key}={_shown(value)}" for key, value in maker.arguments.items()]
    missing = [f"{key}=…" for key in maker.needs]
    return f"{maker.factory.__name__}({', '.join(fixed + missing)})"


def _shown(value) -> str:
    return value.__name__ if callable(value) else repr(value)
