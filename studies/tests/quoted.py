"""Numbers that pages quote from full runs: is each still what the run says?

A table of a page that follows the command of an experiment, ``jaxbandits reproduce
NAME``, quotes its summary: every ``mean ± error`` in it must be, to the digits printed,
an entry of that summary (or of another that the row names). Tables below commands with
other seeds or horizons, or of other programs, are not looked at.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

COMMAND = re.compile(r"(?:JAXBANDITS_DATA=\S+ )?jaxbandits reproduce ([a-z0-9-]+)$")
MENTIONED = re.compile(r"`jaxbandits reproduce ([a-z0-9-]+)`")
NUMBER = r"[−-]?(?:\d[\d,]*)?\.?\d+(?:e-?\d+)?"
PAIR = re.compile(rf"({NUMBER}) ± ({NUMBER})")


class Quote(NamedTuple):
    """A number with its error, as a line of a table of a page has it."""

    row: str
    mean: str
    error: str
    experiments: frozenset[str]  # whose summaries may say so


def quotes(page: str) -> Iterator[Quote]:
    """What the tables of a page quote of experiments, from top to bottom."""
    names: set[str] = set()
    fresh = False  # whether the commands seen last belong to the table to come
    for line in page.splitlines():
        if line.startswith("#"):
            names, fresh = set(), False
        elif line.startswith("    "):
            found = COMMAND.fullmatch(line.strip())
            if not fresh:
                names, fresh = set(), True
            names.add(found[1] if found else "")
        elif line.startswith("|"):
            fresh = False
            if names and "" not in names:
                sources = frozenset(names.union(MENTIONED.findall(line)))
                for mean, error in PAIR.findall(line):
                    yield Quote(line, mean, error, sources)


def is_said(quote: Quote, summaries: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a summary has the pair, rounded as it is printed."""
    return any(
        entry["mean"] is not None
        and entry["sem"] is not None
        and _rounds_to(entry["mean"], quote.mean)
        and _rounds_to(entry["sem"], quote.error)
        for name in quote.experiments
        for record in summaries[name]["records"]
        for entry in record["metrics"].values()
    )


def _rounds_to(value: float, printed: str) -> bool:
    """To the last digit printed, which is not a zero before a missing point."""
    plain = printed.replace(",", "").replace("−", "-")
    digits = len(plain.partition(".")[2].partition("e")[0])
    unit = 10.0**-digits
    if "e" in plain:
        unit *= 10.0 ** int(plain.partition("e")[2])
    elif not digits:
        # 7,200 may stand for hundreds, 7,201 does not.
        unit = 10.0 ** (len(plain) - len(plain.rstrip("0")))
    return abs(value - float(plain)) <= 0.500001 * unit
