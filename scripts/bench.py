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
sys.modules["coverage"] = None  # type: ignore[assignment] # Numba takes studies' for one

SETTINGS = ("censored", "farewell", "budgeted", "allocation")
# What can be measured, by a module of that name: what it is, and defaults.
BENCHMARKS = {
    "rivals": ("every setting's main policy beside Numba and C", {"seeds": 512}),
    "agree": ("whether all of them play the same game", {}),
    "checkpoints": ("a hundred checkpoints against one, end to end", {"seeds": 16_384}),
    "engines": ("every engine on this device: same runs, speed", {"seeds": 8_192}),
    "memory": ("peak memory of many seeds", {"seeds": 10_000, "horizon": 100_000}),
    "gpu": ("instructions of a round on an H100; compiled, not run", {"seeds": 8_192}),
    "imports": ("what importing costs, next to JAX", {"repeats": 9}),
}


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="what", required=True)
    for name, (about, defaults) in BENCHMARKS.items():
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("--seeds", type=int)
        command.add_argument("--horizon", type=int)
        command.add_argument("--repeats", type=int, default=3, help="turns of each")
        command.add_argument("--seconds", type=float, default=1.0, help="of a turn")
        command.add_argument(
            "--settings", nargs="+", default=SETTINGS, choices=SETTINGS
        )
        if name == "checkpoints":
            command.add_argument("--engine", default="scan", help="of `Machine`")
        if name == "gpu":
            command.add_argument("--all", action="store_true", help="every policy")
            command.add_argument("--ahead", action="store_true", help="by XLA, too")
        command.add_argument("--out", type=Path, help="a folder for JSON")
        command.set_defaults(**defaults)
    options = parser.parse_args()
    if options.what == "agree":
        measure = import_module("scripts.bench.rivals").agree
    else:
        measure = import_module(f"scripts.bench.{options.what}").measure
    rows = list(measure(options))
    show(rows)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / f"{options.what}.json").write_text(json.dumps(rows, indent=1))


def show(rows: list[dict]) -> None:
    """Print rows as a table."""
    import pandas as pd

    how = {"index": False, "float_format": "{:,.4g}".format, "na_rep": ""}
    print(pd.DataFrame(rows).to_string(**how))


if __name__ == "__main__":
    main()
