"""What the registry has: the page of all policies, and tables of a setting."""

from contextlib import redirect_stdout
from io import StringIO

from jaxbandits.cli.listing import facts_of, problem_of
from jaxbandits.cli.main import main as command_line
from jaxbandits.registry import SETTINGS, environments, policies, setting_of

INTRODUCTION = """---
search:
  boost: 8
---

# Policies

Every policy of the registry, by setting: the name that plots show, the name in the
registry, and what `jaxbandits list NAME` prints: the function that makes it, its
source, its parameters. A parameter can be given where it is made (`rcucb(problem,
alpha=2.0)`) and varied by `over`; the program is not compiled again.
"""


def page() -> str:
    """The page's Markdown."""
    lines = [INTRODUCTION]
    for setting in SETTINGS:
        lines += [f"## {setting.capitalize()}", ""]
        makers = {n: m for n, m in policies().items() if setting_of(n) == setting}
        # Those of the setting's own game first.
        for name in sorted(makers, key=lambda n: (not n.startswith(setting), n)):
            lines += _entry(name, makers[name])
    return "\n".join(lines)


def tables(setting: str) -> str:
    """Tables of a setting's environments and policies, by name."""
    lines = []
    for kind, makers in (("environments", environments()), ("policies", policies())):
        lines += [f"## {kind.capitalize()}", "", "| name | made by | what |"]
        lines.append("|---|---|---|")
        for name, maker in makers.items():
            if setting_of(name) == setting:
                facts = facts_of(name, kind, maker)
                first = facts["documentation"].splitlines()[0]
                lines.append(f"| `{name}` | `{facts['entry']}` | {first} |")
        lines.append("")
    return "\n".join(lines)


def _entry(name: str, maker) -> list[str]:
    title = f"### {maker(problem_of(name)).name} (`{name}`)"
    with redirect_stdout(StringIO()) as printed:
        command_line(["list", name])
    return [title, "", f"```text\n{printed.getvalue()}```", ""]
