"""Every engine on the device that is here: the same runs, how fast, in how much memory?

What it plays first is held against `scan` on a CPU, run by run. On a CPU ``fused`` is
``fused-interpret``.
"""

from collections.abc import Iterator
from importlib import import_module

import jax
import numpy as np

from jaxbandits import Machine

from .contest import simulated

# By setting, where runs end that are compared: rounds, or a budget.
ENDS = {"censored": 400, "budgeted": 8_000.0, "farewell": 1_200.0, "allocation": 200}
COMPARED = 1_024  # runs
ENGINES = ("fused", "scan", "vmap")
TURNS = 4


def measure(options) -> Iterator[dict]:
    """Rows ``{setting, engine, runs apart, M rounds/s, ...}``.

    Args:
      options: `settings`; `seeds`, runs whose speed is measured; and `seconds` that a
        turn should take: ends grow until it does, at most 16 times a turn.
    """
    here, runs = jax.devices()[0], min(COMPARED, options.seeds)
    for setting in options.settings:
        end = ENDS[setting]
        expected = played(setting, "scan", runs, end, jax.devices("cpu")[0])
        for engine in ENGINES:
            on_cpu = engine == "fused" and here.platform == "cpu"
            name = "fused-interpret" if on_cpu else engine
            found = played(setting, name, runs, end, here)
            until, rates = end, []
            for _ in range(TURNS):
                data = played(setting, name, options.seeds, until, here)
                seconds = float(data["run_seconds"].sum())
                rounds = data["rounds"].isel(checkpoint=-1).sum()
                rates.append(float(rounds) / seconds / 1e6)
                until *= min(max(options.seconds / seconds, 1.0), 16.0)
            yield {
                "setting": setting,
                "engine": name,
                "compared": runs,
                "runs apart": apart(found, expected),
                "runs": options.seeds,
                "M rounds/s": max(rates),
                "compile_seconds": float(data["compile_seconds"].sum()),
                "bytes": (here.memory_stats() or {}).get("peak_bytes_in_use"),
            }


def played(setting: str, engine: str, runs: int, end, device):
    """Runs of a setting's main policy, in one chunk."""
    module = import_module(f".{setting}", __package__)
    end = int(end) if module.LIBRARY.end == "horizon" else end
    machine = Machine([device], chunk=runs, progress=False, engine=engine)
    return simulated(module, end, seeds=runs, machine=machine)


def apart(found, expected) -> int:
    """How many runs have other rounds, or another regret, at some checkpoint."""
    wanted = np.abs(expected["regret"])
    differs = np.abs(found["regret"] - expected["regret"]) > 2e-4 * np.maximum(
        wanted, 1
    )
    differs |= found["rounds"] != expected["rounds"]
    return int(differs.any("checkpoint").sum())
