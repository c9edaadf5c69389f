"""Take full runs into the docs and the package.

    python scripts/reproduction.py results

For every experiment whose full run lies in FOLDER/NAME, as `jaxbandits reproduce NAME`
writes it: summary and figure go to docs/reproduction/NAME, its minutes and verdicts
into the package. Then the pages of the papers are written anew, from all that is there.
Without FOLDER, only these.
"""

import argparse
import shutil
from pathlib import Path

from pages import reproduction

from jaxbandits.experiments import REGISTRY, Options, minutes, recorded
from jaxbandits.experiments.common.claims import is_full
from jaxbandits.experiments.common.writing import SUMMARY

KEPT = Path(__file__).parents[1] / "docs" / "reproduction"


def take(folder: Path) -> list[str]:
    """Copy what is of a full run; names of the experiments."""
    taken = []
    for name, summary in reproduction.summaries_in(folder).items():
        options = summary["options"]
        played = Options(options["seeds"], options["horizon"], quick=options["quick"])
        if name.startswith("leaderboard-") or not is_full(REGISTRY[name], played):
            continue
        if recorded.other_claims(summary):
            print(f"left {name}, which judged other claims than there are today")
            continue
        (KEPT / name).mkdir(parents=True, exist_ok=True)
        for file in (SUMMARY, f"{name}.png"):
            shutil.copy(folder / name / file, KEPT / name / file)
        taken.append(name)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?")
    folder = parser.parse_args().folder
    if folder is not None:
        for name in take(folder):
            print(f"took {name}")
    summaries = reproduction.summaries_in(KEPT)
    whole = filter(minutes.is_whole, summaries.values())
    minutes.keep(map(minutes.timing_in, whole), REGISTRY)
    recorded.keep(summaries.values())
    for setting in reproduction.PAPERS:
        page = reproduction.page(setting, summaries)
        (KEPT / f"{setting}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
