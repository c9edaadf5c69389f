"""Every figure and table as a named, runnable experiment; leaderboards.

The experiments are the blocks of `experiments.toml` beside this file. What one of them
plays is imported when it is run.
"""

import tomllib
from collections.abc import Mapping
from functools import partial
from importlib import import_module, resources
from typing import Any

from jaxbandits_studies.common.experiment import Experiment, Options, Outcome


def _run(path: str, arguments: Mapping[str, Any], options: Options) -> Outcome:
    """Call the function at a path ``module:function`` of this package."""
    module, _, function = path.partition(":")
    run = getattr(import_module(f"{__package__}.{module}"), function)
    return run(**arguments, options=options)


def _experiment(row: Mapping[str, Any]) -> Experiment:
    return Experiment(
        row["name"],
        row["title"],
        row["source"],
        partial(_run, row["run"], row.get("arguments", {})),
        Options(*row.get("full", (1, 1))),
        Options(*row.get("quick", (1, 1)), quick=True),
        row.get("fixed", False),
    )


_FILE = resources.files(__package__) / "experiments.toml"
TABLE = tomllib.loads(_FILE.read_text(encoding="utf-8"))["experiments"]
REGISTRY = {row["name"]: _experiment(row) for row in TABLE}
