"""The commands that studies add to the command line, and what ``list`` shows of them.

`jaxbandits.cli.main` finds this module by its entry point and calls these functions.
"""

from typing import Any

from jaxbandits_studies.cli.compare import add_compare
from jaxbandits_studies.cli.papers import PAPERS, add_papers
from jaxbandits_studies.cli.reproduce import ALL, add_reproduce


def add_commands(commands: Any) -> None:
    """Add ``reproduce``, ``paper``, ``recommend`` and ``compare`` to a parser."""
    add_reproduce(commands)
    add_papers(commands)
    add_compare(commands)


def experiments() -> list[dict[str, Any]]:
    """Facts about each experiment, as JSON can hold them."""
    from jaxbandits_studies import REGISTRY, minutes

    timings = minutes.measured()
    return [
        {
            "name": each.name,
            "setting": each.setting,
            "title": each.title,
            "source": each.source,
            "seeds": each.full.seeds,
            "horizon": each.full.horizon,
            "minutes": {
                form: minutes.minutes_of(timings.get(minutes.size_of(each, options)))
                for form, options in (("quick", each.quick), ("full", each.full))
            },
        }
        for each in REGISTRY.values()
    ]


def words() -> dict[str, list[str]]:
    """Words that a shell completes, by name of the argument."""
    from jaxbandits_studies import REGISTRY
    from jaxbandits_studies.statements import STATEMENTS

    papers = [*PAPERS]
    judged = dict.fromkeys(each.experiment for each in STATEMENTS.values())
    return {
        "name": [*REGISTRY, ALL],
        "setting": papers,
        "paper": papers,
        "asked": [*papers, *judged, *STATEMENTS],
        "format": ["png", "pdf", "svg"],
    }
