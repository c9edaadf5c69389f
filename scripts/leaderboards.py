"""Take leaderboards into the package and the docs.

    python scripts/leaderboards.py results

For every setting whose leaderboard lies in FOLDER/leaderboard-SETTING-final, as
`jaxbandits reproduce leaderboard-SETTING-final` writes it, or without the `-final` if
there is none: the scores go into the package, the page and its figure into docs. Cells
of the same seeds that the package has, and FOLDER has not, stay. Then the advice of
docs/recommendation.md is written anew, as `jaxbandits recommend` prints it.
"""

import argparse
import textwrap
from pathlib import Path

from jaxbandits.experiments.judging import board
from jaxbandits.experiments.judging.advice import ADVICE, paragraphs
from jaxbandits.experiments.judging.figure import dot_plot
from jaxbandits.experiments.judging.leaderboard import PROTOCOLS
from jaxbandits.experiments.judging.page import page
from jaxbandits.plots import save_figure

ROOT = Path(__file__).parents[1]
BOARDS = Path(board.__file__).parent / "boards"
DOCS = ROOT / "docs"
BEGIN, END = "<!-- advice: by scripts/leaderboards.py -->", "<!-- end of advice -->"
WIDTH = 92  # of the docs


def found(results: Path, setting: str) -> Path | None:
    """The folder of a setting; that of the seeds that are played last goes first."""
    names = (f"leaderboard-{setting}-final", f"leaderboard-{setting}")
    played = (results / name for name in names)
    return next((p for p in played if (p / "leaderboard.json").is_file()), None)


def take(folder: Path, setting: str) -> None:
    """The files of a setting."""
    protocol, figure = PROTOCOLS[setting], f"leaderboard-{setting}.png"
    whole = board.loaded((folder / "leaderboard.json").read_text())
    if (old := board.shipped(setting)) is not None:
        whole = board.joined(old, whole, list(protocol.judging))
    longest = max(cell.horizon for cell in whole.cells)
    command = f"jaxbandits reproduce {folder.name}"
    command += f" --seeds {whole.seeds} --horizon {longest}"
    BOARDS.mkdir(exist_ok=True)
    (DOCS / "leaderboards").mkdir(exist_ok=True)
    (BOARDS / f"{setting}.json").write_text(board.dumped(whole))
    save_figure(dot_plot(whole, protocol), DOCS / "figures" / figure)
    text = page(whole, protocol, command, f"../figures/{figure}")
    (DOCS / "leaderboards" / f"{setting}.md").write_text(text)


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
    results = parser.parse_args().folder
    for setting in ADVICE:
        folder = found(results, setting)
        if folder is not None:
            take(folder, setting)
            print(f"took {folder}")
    recommendation = DOCS / "recommendation.md"
    before, rest = recommendation.read_text().split(BEGIN)
    after = rest.split(END)[1]
    recommendation.write_text(before + advice() + after)


if __name__ == "__main__":
    main()
