"""The gallery: every experiment with its command, and its picture if there is one."""

from pathlib import Path

from jaxbandits.experiments import REGISTRY

SETTINGS = ("censored", "allocation", "budgeted", "farewell")


def page(figures: Path) -> str:
    """The page's Markdown.

    Args:
      figures: the folder of pictures that are kept, ``NAME.png``.
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
                lines += _entry(experiment, figures)
    return "\n".join(lines)


def _entry(experiment, figures: Path) -> list[str]:
    name = experiment.name
    lines = [f"### {name}", "", f"{experiment.title} *({experiment.source})*", ""]
    if (figures / f"{name}.png").exists():
        lines += [f"![{name}](figures/{name}.png){{ .gallery loading=lazy }}", ""]
    return [*lines, f"    jaxbandits reproduce {name}", ""]
