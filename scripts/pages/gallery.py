"""The gallery: every experiment with its command, and its picture if there is one."""

from pathlib import Path

from jaxbandits_studies import REGISTRY

SETTINGS = ("censored", "allocation", "budgeted", "farewell")


def page(results: Path) -> str:
    """The page's Markdown.

    Args:
      results: the folder ``studies/results``, with a picture of every full run.
    """
    lines = [
        "# Gallery",
        "",
        "Every figure and table by name, with the command that makes it. `--quick` "
        "makes a small one in seconds.",
        "",
    ]
    for setting in SETTINGS:
        lines += [f"## {setting.capitalize()}", ""]
        for experiment in REGISTRY.values():
            if experiment.setting == setting:
                lines += _entry(experiment, results)
    return "\n".join(lines)


def _entry(experiment, results: Path) -> list[str]:
    name = experiment.name
    lines = [f"### {name}", "", f"{experiment.title} *({experiment.source})*", ""]
    picture = f"{name}/{name}.webp"
    if name == f"leaderboard-{experiment.setting}":
        picture = f"leaderboards/{experiment.setting}.webp"
    if (results / picture).exists():
        lines += [f"![{name}](results/{picture}){{ .gallery loading=lazy }}", ""]
    return [*lines, f"    jaxbandits reproduce {name}", ""]
