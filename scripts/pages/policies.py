"""What the registry has: the page of all policies, and tables of a setting."""

import re

from jaxbandits.cli.listing import facts_of, problem_of
from jaxbandits.registry import SETTINGS, environments, policies, setting_of

_STAR = re.compile(r"(?<!\w)\*\w+\*(?!\w)|\*")  # an emphasised word, or a star
INTRODUCTION = """---
search:
  boost: 8
---

# Policies

Every policy of the registry, by setting: the name that plots show, the name in the
registry, the function that makes it, its source, and its parameters. A parameter can be
given where the policy is made (`rcucb(problem, alpha=2.0)`) and varied by `over`; the
program is not compiled again. `jaxbandits list NAME` prints the same.
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
    policy = maker(problem_of(name))
    facts = facts_of(name, "policies", maker)
    title, source = _parts(facts["source"])
    lines = [f"### {_escaped(policy.name)} (`{name}`)", "", f"    {facts['entry']}", ""]
    first = _first(facts["documentation"])
    if first != _escaped(title):
        lines += [first, ""]
    lines += [f"*{_escaped(title)}* {_escaped(source)}", ""]
    if rows := facts["parameters"]:
        lines += ["| parameter | default | range |", "|---|---|---|"]
        for leaf, about in rows.items():
            allowed = about["range"].removeprefix("must be ").replace("|", "\\|")
            lines.append(f"| `{leaf}` | {about['default']:.4g} | {allowed} |")
        lines.append("")
    return lines


def _parts(source: str) -> tuple[str, str]:
    """The title of a policy's module, and the paragraph on its source."""
    title, _, rest = source.partition("\n\n")
    return " ".join(title.split()), " ".join(rest.split())


def _first(documentation: str) -> str:
    """The first paragraph of a docstring."""
    return _escaped(" ".join(documentation.split("\n\n")[0].split()))


def _escaped(text: str) -> str:
    """Markdown that shows a text with its asterisks, and double backticks as code.

    A single word between two of them is emphasised, as in the docstring.
    """
    parts = text.replace("``", "`").split("`")
    shown = [
        _STAR.sub(lambda m: m[0] if m[0][1:] else r"\*", part) if i % 2 == 0 else part
        for i, part in enumerate(parts)
    ]
    return "`".join(shown)
