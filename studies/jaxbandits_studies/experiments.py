"""Every figure and table as a named, runnable experiment; leaderboards.

The experiments are the blocks of `experiments.toml` beside this file. What one of them
plays is imported when it is run.
"""

import tomllib
from collections.abc import Mapping
from functools import partial
from importlib import import_module, resources
from inspect import signature
from typing import Any

from jaxbandits_studies.common.experiment import Experiment, Options, Outcome


def _run(row: Mapping[str, Any], options: Options) -> Outcome:
    """Call the function ``module:function`` of a row with what it takes."""
    module, _, function = row["run"].partition(":")
    run = getattr(import_module(f"{__package__}.{module}"), function)
    own = {"name": row["name"]} if "name" in signature(run).parameters else {}
    return run(**own, **row.get("arguments", {}), options=options)


def _experiment(row: Mapping[str, Any]) -> Experiment:
    return Experiment(
        row["name"],
        row["title"],
        row["source"],
        partial(_run, row),
        Options(*row.get("full", (1, 1))),
        Options(*row.get("quick", (1, 1)), quick=True),
        row.get("fixed", False),
    )


_FILE = resources.files(__package__) / "experiments.toml"
TABLE = tomllib.loads(_FILE.read_text(encoding="utf-8"))["experiments"]
REGISTRY = {row["name"]: _experiment(row) for row in TABLE}
