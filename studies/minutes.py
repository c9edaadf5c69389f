"""Take the minutes of experiments into the package, for `jaxbandits list`.

    python studies/minutes.py results/*/summary.json

From every summary of a run of the registered size, quick or full, its seconds; they
take the place of what was measured before. Left out, and named, is what took longer
than its summary says: what went on after an interruption, or with another's runs.
"""

import argparse
import json
import sys
from pathlib import Path

from jaxbandits_studies import REGISTRY, minutes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("summaries", metavar="SUMMARY", type=Path, nargs="+")
    options = parser.parse_args()
    rows = []
    for path in options.summaries:
        summary = json.loads(path.read_text())
        if minutes.is_whole(summary):
            rows.append(minutes.timing_in(summary))
        else:
            print(f"left out {path}: it found runs that were there", file=sys.stderr)
    minutes.keep(rows, REGISTRY)


if __name__ == "__main__":
    main()
