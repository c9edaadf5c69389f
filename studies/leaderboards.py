"""Take leaderboards into the package and studies/results.

    python studies/leaderboards.py results
    python studies/leaderboards.py results --again budgeted "share-UCB" --horizon 10000
    python studies/leaderboards.py results --missing censored "F.3, n = 5" trap

For every setting whose leaderboard lies in FOLDER/leaderboard-SETTING-final, as
`jaxbandits reproduce leaderboard-SETTING-final` writes it, or without the `-final` if
there is none: the scores go into the package, the page and its figure into
studies/results/leaderboards. Cells of the same seeds that the package has, and FOLDER
has not, stay. Then the tables of docs/which-policy.md and the evidence of
studies/results/recommendation.md are written anew, as `jaxbandits recommend` prints
them.

With `--again`, entrants that have changed, or are new, are played first, with the best
rival of every cell that the package has; their scores replace the old ones. Where
another rival is best then, all are played. With `--missing`, all entrants are played in
the cells that the package has not, of all cases or of those that are named; what is
there of them is written after each.
"""

import argparse
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from jaxbandits.plots import save_figure
from jaxbandits.protocol import Environment
from jaxbandits.results import provenance
from jaxbandits_studies.common.experiment import Options
from jaxbandits_studies.common.writing import small_figure
from jaxbandits_studies.judging import board
from jaxbandits_studies.judging.advice import ADVICE, proof
from jaxbandits_studies.judging.figure import dot_plot
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.page import page
from jaxbandits_studies.judging.playing import play_case, policy_for
from jaxbandits_studies.judging.protocol import FINAL_SEED, Entrant, Protocol
from jaxbandits_studies.judging.scores import Cell, cell_of
from jaxbandits_studies.judging.speed import microseconds

ROOT = Path(__file__).parents[1]
BOARDS = Path(board.__file__).parent / "boards"
PAGES = ROOT / "studies" / "results" / "leaderboards"
ADVICE_PAGE = ROOT / "docs" / "which-policy.md"
PROOF_PAGE = ROOT / "studies" / "results" / "recommendation.md"
BEGIN, END = (
    "<!-- advice: by studies/leaderboards.py -->",
    "<!-- end of advice -->",
)
WIDTH = 92  # of the docs


def folder_of(results: Path, setting: str) -> Path | None:
    """The folder of a setting; that of the seeds that are played last goes first."""
    names = (f"leaderboard-{setting}-final", f"leaderboard-{setting}")
    played = (results / name for name in names)
    return next((p for p in played if (p / "leaderboard.json").is_file()), None)


def take(folder: Path, setting: str) -> None:
    """The files of a setting."""
    whole = board.loaded((folder / "leaderboard.json").read_text())
    if (old := board.shipped(setting)) is not None:
        whole = board.joined(old, whole, list(PROTOCOLS[setting].judging))
    write(whole, folder.name)


def play_again(
    folder: Path, setting: str, names: Sequence[str], horizon: int | None
) -> None:
    """Entrants anew in all cells up to a horizon; whoever is killed goes on."""
    protocol, whole = PROTOCOLS[setting], _shipped(setting)
    folder.mkdir(parents=True, exist_ok=True)
    first = next(iter(protocol.judging.values())).environment()
    again = {name: protocol.entrants[name] for name in names}
    options = Options(whole.seeds, protocol.horizons[0], folder=folder)
    # All of them: times of another hour are of a machine that was busy otherwise.
    listed = {*whole.microseconds, *names}
    timed = {x: each for x, each in protocol.entrants.items() if x in listed}
    whole = whole._replace(microseconds=microseconds(protocol, first, timed, options))
    for cell in sorted(whole.cells, key=lambda cell: cell.horizon):
        if horizon is not None and cell.horizon > horizon:
            continue
        environment = protocol.judging[cell.case].environment()
        if environment is None:
            print(f"{cell.case} is left out without its data")
            continue
        if not any(policy_for(entrant, environment) for entrant in again.values()):
            continue
        options = Options(whole.seeds, cell.horizon, folder=folder)
        new = _played_again(
            protocol, cell, environment, again, options, whole.root_seed
        )
        whole = _with_cell(whole, new, provenance())
    write(whole, _name_of(whole))


def play_missing(
    folder: Path, setting: str, titles: Sequence[str], horizon: int | None
) -> None:
    """Cells that the package has not, up to a horizon; whoever is killed goes on."""
    protocol, whole = PROTOCOLS[setting], _shipped(setting)
    folder.mkdir(parents=True, exist_ok=True)
    played = provenance()  # Before anything is written.
    known = {(cell.case, cell.horizon) for cell in whole.cells}
    cells = [
        (each, title)
        for title in titles or protocol.judging
        for each in protocol.judging[title].horizons or protocol.horizons
        if (title, each) not in known and (horizon is None or each <= horizon)
    ]
    for each, title in sorted(cells, key=lambda cell: cell[0]):
        environment = protocol.judging[title].environment()
        if environment is None:
            print(f"{title} is left out without its data")
            continue
        options = Options(whole.seeds, each, folder=folder)
        where = protocol, title, environment, each, protocol.entrants, options
        runs = play_case(*where, whole.root_seed)
        cell = cell_of(title, each, runs, protocol.entrants)
        whole = _with_cell(whole, cell, played)
        write(whole, _name_of(whole))


def _shipped(setting: str) -> board.Board:
    whole = board.shipped(setting)
    if whole is None:
        raise SystemExit(f"no leaderboard of {setting} came with the package")
    return whole


def _name_of(whole: board.Board) -> str:
    """Of the experiment that plays a board."""
    suffix = "-final" if whole.root_seed == FINAL_SEED else ""
    return f"leaderboard-{whole.setting}{suffix}"


def _played_again(
    protocol: Protocol,
    cell: Cell,
    environment: Environment,
    again: dict[str, Entrant],
    options: Options,
    root_seed: int,
) -> Cell:
    """The cell with these entrants anew: all of it, if another rival is best now."""
    best = {cell.best: protocol.entrants[cell.best]}
    for entrants in (again | best, protocol.entrants):
        where = protocol, cell.case, environment, cell.horizon
        played = play_case(*where, entrants, options, root_seed)
        new = cell_of(cell.case, cell.horizon, played, entrants)
        if (changed := board.refreshed(cell, new, protocol.entrants)) is not None:
            return changed
    return new


def _with_cell(whole: board.Board, new: Cell, played: dict) -> board.Board:
    """A board with a cell anew, or one more, and the provenance of that."""
    alone = whole._replace(cells=(new,), played=played)
    return board.joined(whole, alone, list(PROTOCOLS[whole.setting].judging))


def write(whole: board.Board, name: str) -> None:
    """Into the package and studies/results; `name`: of what plays the board."""
    # With the digits of the file, by which the page's tables are sorted.
    whole, setting = board.loaded(board.dumped(whole)), whole.setting
    protocol, figure = PROTOCOLS[setting], f"{setting}.webp"
    longest = max(cell.horizon for cell in whole.cells)
    command = f"jaxbandits reproduce {name}"
    command += f" --seeds {whole.seeds} --horizon {longest}"
    BOARDS.mkdir(exist_ok=True)
    PAGES.mkdir(exist_ok=True)
    (BOARDS / f"{setting}.json").write_text(board.dumped(whole))
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "board.png"
        save_figure(dot_plot(whole, protocol), drawn)
        small_figure(drawn, PAGES / figure)
    text = page(whole, protocol, command, figure)
    (PAGES / f"{setting}.md").write_text(text)


def tables() -> str:
    """The decision tables of docs/which-policy.md."""
    blocks = [BEGIN]
    for setting, one in ADVICE.items():
        rows = [f"| {choice.when} | `{choice.call}` |" for choice in one.choices]
        blocks.append(f"## {setting.capitalize()}")
        blocks.append(one.game)
        blocks.append("\n".join(["| if | play |", "|---|---|", *rows]))
        blocks.append(_wrapped(one.caution))
    return "\n\n".join([*blocks, END])


def proofs() -> str:
    """The evidence of studies/results/recommendation.md, all settings."""
    blocks = [BEGIN]
    for setting in ADVICE:
        blocks.append(_wrapped(f"**{setting.capitalize()}.** {proof(setting)}"))
        if board.shipped(setting):
            blocks.append(
                f"All of it: [leaderboards/{setting}.md](leaderboards/{setting}.md)."
            )
    return "\n\n".join([*blocks, END])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _rewrite(page: Path, block: str) -> None:
    """Put a block into a page, in place of the one that is there."""
    before, rest = page.read_text().split(BEGIN)
    page.write_text(before + block + rest.split(END)[1])


def _named(
    asked: Sequence[str], listed: Callable[[Protocol], Iterable[str]]
) -> tuple[str, list[str]] | None:
    """A setting, and names that its protocol lists; None if nothing is asked.

    Raises:
      ValueError: if there is no such setting or name.
    """
    if not asked:
        return None
    setting, *names = asked
    if setting not in PROTOCOLS:
        raise ValueError(f"{setting!r} must be one of {', '.join(PROTOCOLS)}")
    known = [*listed(PROTOCOLS[setting])]
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"{unknown[0]!r} must be one of {'; '.join(known)}")
    return setting, names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument(
        "--again",
        nargs="+",
        metavar=("SETTING", "ENTRANT"),
        default=[],
        help="play these entrants in the cells that the package has",
    )
    parser.add_argument(
        "--missing",
        nargs="+",
        metavar=("SETTING", "CASE"),
        default=[],
        help="play the cells that the package has not, of these cases or of all",
    )
    parser.add_argument("--horizon", type=int, help="the longest that is played")
    asked = parser.parse_args()
    results = asked.folder
    try:
        missing = _named(asked.missing, lambda protocol: protocol.judging)
        again = _named(asked.again, lambda protocol: protocol.entrants)
    except ValueError as error:
        parser.error(str(error))
    if missing:
        play_missing(results, *missing, asked.horizon)
    if again:
        play_again(results, *again, asked.horizon)
    for setting in ADVICE:
        folder = folder_of(results, setting)
        if folder is not None:
            take(folder, setting)
            print(f"took {folder}")
    _rewrite(ADVICE_PAGE, tables())
    _rewrite(PROOF_PAGE, proofs())


if __name__ == "__main__":
    main()
