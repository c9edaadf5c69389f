"""Benchmarks: ``python scripts/bench.py WHAT`` (see docs/benchmarks.md).

Speeds are of contestants that take turns in one run, several times; the best turn of
each counts, because on a shared machine noise only ever slows things down. Compile time
is apart.
"""

import argparse
import json
import os
import sys
from importlib import import_module
from pathlib import Path

os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count() or 1))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path[0] = str(Path(__file__).resolve().parents[1])  # this very tree

SETTINGS = ("censored", "farewell", "budgeted", "allocation")
# What can be measured, by a module of that name.
BENCHMARKS = {
    "rivals": "every setting's main policy beside Numba and C: speed, and scores",
    "gpu": "instructions of a round on an H100; compiled, not run",
    "imports": "what importing costs, next to JAX",
}


def main() -> int:
    """Parse the command line, measure, print; 1 if a row is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="what", required=True)
    for name, about in BENCHMARKS.items():
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("--out", type=Path, help="a folder for JSON")
    rivals, gpu, imports = commands.choices.values()
    for command, turns in ((rivals, 3), (imports, 9)):
        command.add_argument("--repeats", type=int, default=turns, help="turns of each")
    for command, seeds in ((rivals, 512), (gpu, 8_192)):
        command.add_argument("--seeds", type=int, default=seeds)
        command.add_argument(
            "--settings", nargs="+", default=SETTINGS, choices=SETTINGS
        )
    rivals.add_argument("--horizon", type=int, help="or a budget; chosen by default")
    gpu.add_argument("--all", action="store_true", help="every policy")
    gpu.add_argument("--ahead", action="store_true", help="by XLA, too")
    options = parser.parse_args()
    rows = list(import_module(f"scripts.bench.{options.what}").measure(options))
    show(rows)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / f"{options.what}.json").write_text(json.dumps(rows, indent=1))
    return any(row.get("wrong") for row in rows)


def show(rows: list[dict]) -> None:
    """Print rows as a table."""
    import pandas as pd

    how = {"index": False, "float_format": "{:,.4g}".format, "na_rep": ""}
    print(pd.DataFrame(rows).to_string(**how))


if __name__ == "__main__":
    sys.exit(main())
