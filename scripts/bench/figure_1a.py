"""The farewell paper's Figure 1a at its full horizon: ten seeds of all policies."""

import time

from jaxbandits.experiments.common.comparison import run_contestants
from jaxbandits.experiments.common.experiment import Options
from jaxbandits.experiments.farewell.catalogue import PAPER
from jaxbandits.settings.farewell import doubling


def measure(options) -> list[dict]:
    """Seconds of each policy, and of all, from start to end."""
    began = time.perf_counter()
    data = run_contestants(
        doubling(), PAPER, Options(10, options.horizon, progress=False), by_budget=True
    )
    seconds = time.perf_counter() - began
    rows = [
        {"policy": name, "run_seconds": float(run), "compile_seconds": float(compiling)}
        for name, run, compiling in zip(
            data["policy"].values,
            data["run_seconds"].values,
            data["compile_seconds"].values,
            strict=True,
        )
    ]
    return [*rows, {"policy": "all, side by side", "run_seconds": seconds}]
