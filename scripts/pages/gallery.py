"""The gallery: every experiment with its command, and its picture if there is one."""

from pathlib import Path

from jaxbandits_studies import REGISTRY

SETTINGS = ("censored", "allocation", "budgeted", "farewell")


def page(docs: Path) -> str:
    """The page's Markdown.

    Args:
      docs: the folder of pages, with pictures that are kept: of full runs in
        ``reproduction/NAME``, others in ``figures``.
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
                lines += _entry(experiment, docs)
    return "\n".join(lines)


def _entry(experiment, docs: Path) -> list[str]:
    name = experiment.name
    lines = [f"### {name}", "", f"{experiment.title} *({experiment.source})*", ""]
    for picture in (f"reproduction/{name}/{name}.png", f"figures/{name}.png"):
        if (docs / picture).exists():
            lines += [f"![{name}]({picture}){{ .gallery loading=lazy }}", ""]
            break
    return [*lines, f"    jaxbandits reproduce {name}", ""]
