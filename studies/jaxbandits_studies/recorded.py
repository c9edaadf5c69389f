"""The verdicts that full runs of ours came to, from `verdicts.json` beside this file.

`studies/reproduction.py` takes them from the summaries that studies/results shows.
"""

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from jaxbandits.results.plain import plain
from jaxbandits_studies.common.claims import Found
from jaxbandits_studies.common.experiment import Outcome
from jaxbandits_studies.statements import OF_RECORDS, STATEMENTS, of_experiment

NAME = "verdicts.json"


def verdicts() -> dict[str, dict[str, Any]]:
    """Id of a claim -> ``{"verdict", "found", "ours", "revision", "date"}``.

    ``found`` is what the check found, whether it is comparable or not, ``ours`` are our
    numbers, by what they are of, and ``revision`` is that of the code.
    Claims whose experiment was not played in full are not in it.
    """
    file = resources.files(__package__) / NAME
    return json.loads(file.read_text(encoding="utf-8"))


def keep(summaries: Iterable[Mapping[str, Any]]) -> None:
    """Write the file anew, of summaries of full runs, a claim a line."""
    lines = [
        f"{json.dumps(id)}: {json.dumps(kept, ensure_ascii=False)}"
        for id, kept in verdicts_of(summaries).items()
    ]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (Path(__file__).parent / NAME).write_text(text, encoding="utf-8")


def verdicts_of(summaries: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the file holds, in the order of the statements."""
    kept = ("verdict", "found", "ours")
    results = {}
    for summary in summaries:
        made = summary["provenance"]
        for claim in summary["claims"]:
            results[claim["id"]] = {name: claim[name] for name in kept} | {
                "revision": (made["git"] or {}).get("revision"),
                "date": made["created"][:10],
            }
    return {id: results[id] for id in STATEMENTS if id in results}


def judged_again(summary: Mapping[str, Any]) -> dict[str, Any]:
    """A summary with the claims of today.

    They are judged by its records; what only the runs tell is what was found then, by
    the same checks. These may have been stricter: an entry of errata.md says so (B5).

    Raises:
      ValueError: if a claim asks another thing of the runs than was asked then.
    """
    then = {claim["id"]: claim for claim in summary["claims"]}
    outcome = Outcome({}, summary["records"], Figure())
    claims = []
    for each in of_experiment(summary["experiment"]):
        old = then.get(each.id)
        if each.kind in OF_RECORDS:
            results = each.find(outcome)
        elif old is not None and old["check"] == each.check:
            results = Found(old["found"], old["ours"])
        else:
            raise ValueError(
                f"{summary['experiment']}: did not ask of its runs what claim "
                f"{each.id} asks today; play it again"
            )
        claims.append(plain(each.claim(results)._asdict(), "claims"))
    return {**summary, "claims": claims}
