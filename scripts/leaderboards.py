"""Take leaderboards into the package and the docs.

    python scripts/leaderboards.py results

For every setting whose leaderboard lies in FOLDER/leaderboard-SETTING, as `jaxbandits
reproduce leaderboard-SETTING` writes it: the scores go into the package, the page and
its figure into docs. Then the advice of docs/recommendation.md is written anew, as
`jaxbandits recommend` prints it.
"""

import argparse
import shutil
import textwrap
from pathlib import Path

from jaxbandits.experiments.judging import board
from jaxbandits.experiments.judging.advice import ADVICE, paragraphs

ROOT = Path(__file__).parents[1]
BOARDS = Path(board.__file__).parent / "boards"
DOCS = ROOT / "docs"
BEGIN, END = "<!-- advice: by scripts/leaderboards.py -->", "<!-- end of advice -->"
WIDTH = 92  # of the docs


def take(folder: Path, setting: str) -> None:
    """The files of a setting."""
    name = f"leaderboard-{setting}"
    BOARDS.mkdir(exist_ok=True)
    (DOCS / "leaderboards").mkdir(exist_ok=True)
    shutil.copy(folder / "leaderboard.json", BOARDS / f"{setting}.json")
    shutil.copy(folder / f"{name}.png", DOCS / "figures" / f"{name}.png")
    page = (folder / "leaderboard.md").read_text()
    page = page.replace(f"]({name}.png)", f"](../figures/{name}.png)")
    (DOCS / "leaderboards" / f"{setting}.md").write_text(page)


def advice() -> str:
    """The part of docs/recommendation.md, all settings."""
    blocks = [BEGIN]
    for setting in ADVICE:
        blocks.append(f"**{setting.capitalize()}.** " + paragraphs(setting)[0])
        blocks.append(paragraphs(setting)[1])
        if board.shipped(setting):
            blocks.append(
                f"All of it: [leaderboards/{setting}.md](leaderboards/{setting}.md)."
            )
    options = {"break_long_words": False, "break_on_hyphens": False}
    wrapped = [textwrap.fill(block, WIDTH, **options) for block in blocks]
    return "\n\n".join([*wrapped, END])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    folder = parser.parse_args().folder
    for setting in ADVICE:
        here = folder / f"leaderboard-{setting}"
        if (here / "leaderboard.json").is_file():
            take(here, setting)
            print(f"took {here}")
    page = DOCS / "recommendation.md"
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(before + advice() + after)


if __name__ == "__main__":
    main()
