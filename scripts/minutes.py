"""Take the minutes of experiments into the package, for `jaxbandits list`.

    python scripts/minutes.py results/*/summary.json

From every summary of a run of the registered size, quick or full, its seconds; they
take the place of what was measured before. Give summaries of whole runs only: one that
went on after an interruption took longer than it says.
"""

import argparse
import json
from pathlib import Path

from jaxbandits.experiments import REGISTRY, minutes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("summaries", metavar="SUMMARY", type=Path, nargs="+")
    options = parser.parse_args()
    rows = [minutes.timing_in(json.loads(x.read_text())) for x in options.summaries]
    minutes.keep(rows, REGISTRY)


if __name__ == "__main__":
    main()
