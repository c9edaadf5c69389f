"""The verdicts that full runs of ours came to, from `verdicts.json` beside this file.

`scripts/reproduction.py` takes them from the summaries that docs/reproduction shows.
"""

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from jaxbandits.experiments.statements import STATEMENTS, of_experiment

NAME = "verdicts.json"


def verdicts() -> dict[str, dict[str, Any]]:
    """Id of a claim -> ``{"verdict", "ours", "revision", "date"}``.

    ``ours`` are our numbers, by what they are of; ``revision`` is that of the code.
    Claims whose experiment was not played in full are not in it.
    """
    file = resources.files(__package__) / NAME
    return json.loads(file.read_text(encoding="utf-8"))


def keep(summaries: Iterable[Mapping[str, Any]]) -> None:
    """Write the file anew, of summaries of full runs.

    Raises:
      ValueError: if one says nothing of a claim of its experiment, or speaks of one
        that there is not.
    """
    text = json.dumps(verdicts_of(summaries), indent=1, ensure_ascii=False)
    (Path(__file__).parent / NAME).write_text(text + "\n", encoding="utf-8")


def verdicts_of(summaries: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the file holds, in the order of the statements."""
    found = {}
    for summary in summaries:
        if others := other_claims(summary):
            raise ValueError(
                f"{summary['experiment']}: judged other claims than there are today: "
                f"{', '.join(others)}; play it again"
            )
        made = summary["provenance"]
        for claim in summary["claims"]:
            found[claim["id"]] = {
                "verdict": claim["verdict"],
                "ours": claim["ours"],
                "revision": (made["git"] or {}).get("revision"),
                "date": made["created"][:10],
            }
    return {id: found[id] for id in STATEMENTS if id in found}


def other_claims(summary: Mapping[str, Any]) -> list[str]:
    """Ids under which a summary says other than the statements of today, or nothing."""
    stated = {(each.id, each.text) for each in of_experiment(summary["experiment"])}
    judged = {(claim["id"], claim["text"]) for claim in summary["claims"]}
    return sorted({name for name, _ in stated ^ judged})
