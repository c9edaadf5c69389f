"""The cases, a module per part of the public surface: ``cases() -> list[Case]``."""

from importlib import import_module

NAMES = (
    "simulating",
    "mismatched",
    "broken_policies",
    "broken_environments",
    "settings",
    "loaders",
    "factories",
    "kernels",
    "laws",
    "theory",
    "results",
    "plots",
    "sweeping",
    "command_line",
    "switches",
    "asking",
    "stores",
    "foreign",
    "checking",
)


def all_cases():
    """Every case, in one order: workers find a case by its place in it."""
    found = []
    for name in NAMES:
        cases = import_module(f"attack.groups.{name}").cases()
        found += [case._replace(group=name) for case in cases]
    return found
