"""What the pages for contributors say, taken at its word.

Every block of Python follows a line that says where it goes: into a new file, into a
list or table, among the imports, or at the end of a file. `apply` does so in a copy of
the repository. `commands` are the lines that test or run what is added.
"""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^(?P<where>[^\n]*)\n\n```(?:python|toml)\n(?P<code>.*?)^```$", re.M | re.S
)
PLACES = {
    "file": r"New file `(?P<path>[^`]+)`:",
    "entry": r"In `(?P<table>[^`]+)` of `(?P<path>[^`]+)`:",
    "import": r"Among the imports of `(?P<path>[^`]+)`:",
    "end": r"At the end of `(?P<path>[^`]+)`:",
}
LIBRARY = ("from jaxbandits", "from .")
COMMAND = r"    (?P<line>(scripts/test\.sh tests/|jaxbandits reproduce ).*)"


class Step(NamedTuple):
    """A block of a page, and where it goes."""

    place: str  # a key of `PLACES`
    path: str
    table: str | None  # what the block is an entry of
    code: str


def steps(page: str) -> list[Step]:
    """The blocks of a page, in order."""
    text = (ROOT / page).read_text()
    found = []
    for block in BLOCK.finditer(text):
        where, code = block["where"], block["code"]
        for place, pattern in PLACES.items():
            if match := re.fullmatch(pattern, where):
                named = match.groupdict()
                found.append(Step(place, named["path"], named.get("table"), code))
                break
        else:
            raise ValueError(f"{page}: {where!r} does not say where a block goes")
    if len(found) != text.count("```python") + text.count("```toml"):
        raise ValueError(f"{page}: a block of Python follows no line that says where")
    return found


def commands(page: str) -> list[list[str]]:
    """The words of the page's commands that test or run what it adds."""
    lines = (ROOT / page).read_text().splitlines()
    found = (re.fullmatch(COMMAND, line) for line in lines)
    return [shlex.split(match["line"]) for match in found if match]


def apply(step: Step, root: Path) -> None:
    """Do in a copy of the repository what a block is there for."""
    path = root / step.path
    if (step.place == "file") == path.exists():
        raise ValueError(f"{step.path}: a new file is there, or another is not")
    if step.place == "file":
        path.write_text(step.code)
    elif step.place == "end":
        path.write_text(f"{path.read_text()}\n\n{step.code}")
    else:
        lines = path.read_text().splitlines(keepends=True)
        lines.insert(_position(step, lines), step.code)
        path.write_text("".join(lines))


def _position(step, lines):
    """Of the line that an entry or an import becomes."""
    if step.place == "entry":
        first = re.compile(rf"{re.escape(step.table)}\b.*[\[({{]\n")
        found = [n + 1 for n, line in enumerate(lines) if first.fullmatch(line)]
    else:
        # Where it sorts among those of the library.
        imports = [n for n, x in enumerate(lines) if x.startswith(LIBRARY)]
        found = [n for n in imports if lines[n] > step.code][:1]
    if len(found) != 1:
        raise ValueError(f"{step.path}: {len(found)} places for {step.code!r}")
    return found[0]
