"""Take full runs into studies/results and the package.

    python studies/reproduction.py results

For every experiment whose full run lies in FOLDER/NAME, as `jaxbandits reproduce NAME`
writes it: summary and figure go to studies/results/NAME, its minutes into the
package. Then all that is there is judged by the claims of today, the verdicts go into
the package, and the pages of the papers are written anew. Without FOLDER, only that.
"""

import argparse
import json
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import reproduction_page as reproduction

from jaxbandits_studies import REGISTRY, Options, minutes, recorded
from jaxbandits_studies.common.claims import is_full
from jaxbandits_studies.common.writing import SUMMARY, small_figure

KEPT = Path(__file__).parent / "results"


def take(folder: Path) -> list[str]:
    """Copy what is of a full run; names of the experiments."""
    taken = []
    for name, summary in reproduction.summaries_in(folder).items():
        options = summary["options"]
        played = Options(options["seeds"], options["horizon"], quick=options["quick"])
        if name.startswith("leaderboard-") or not is_full(REGISTRY[name], played):
            continue
        (KEPT / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name / SUMMARY, KEPT / name / SUMMARY)
        small_figure(folder / name / f"{name}.png", KEPT / name / f"{name}.webp")
        taken.append(name)
    return taken


def text_of(summary: Mapping[str, Any]) -> str:
    """JSON with a line per claim and record."""
    dumped = partial(json.dumps, ensure_ascii=False, allow_nan=False)
    parts = []
    for key, value in summary.items():
        text = dumped(value)
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(map(dumped, value)) + "\n]"
        parts.append(f"{dumped(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?")
    folder = parser.parse_args().folder
    if folder is not None:
        for name in take(folder):
            print(f"took {name}")
    summaries = {
        name: recorded.judged_again(summary)
        for name, summary in reproduction.summaries_in(KEPT).items()
    }
    for name, summary in summaries.items():
        (KEPT / name / SUMMARY).write_text(text_of(summary), encoding="utf-8")
    whole = filter(minutes.is_whole, summaries.values())
    minutes.keep(map(minutes.timing_in, whole), REGISTRY)
    recorded.keep(summaries.values())
    for setting in reproduction.PAPERS:
        page = reproduction.page(setting, summaries)
        (KEPT / f"{setting}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
