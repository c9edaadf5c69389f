"""What the registry has: the page of all policies, and tables of a setting."""

from jaxbandits.cli.listing import facts_of, problem_of
from jaxbandits.registry import SETTINGS, environments, policies, setting_of

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
    lines = [f"### {policy.name} (`{name}`)", "", f"    {facts['entry']}", ""]
    first, _ = _parts(facts["documentation"])
    if first != title:
        lines += [first, ""]
    lines += [f"_{title}_ {source}", ""]
    if rows := facts["parameters"]:
        lines += ["| parameter | default | range |", "|---|---|---|"]
        for leaf, about in rows.items():
            allowed = about["range"].removeprefix("must be ").replace("|", "\\|")
            lines.append(f"| `{leaf}` | {about['default']:.4g} | {allowed} |")
        lines.append("")
    return lines


def _parts(text: str) -> tuple[str, str]:
    """The first paragraph of a text, and the others, each as a line."""
    title, _, rest = text.partition("\n\n")
    return " ".join(title.split()), " ".join(rest.split())
