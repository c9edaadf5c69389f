"""The GPU engine compiled for every policy of the registry, each in time."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.engine.gpu import Block, legs
from jaxbandits.engine.legs import SCAN
from jaxbandits.laws.thresholds import exponential
from jaxbandits.registry import policies

from .gpu import in_machine_code, memory_per_run, topology, traced

# A game of every kind of policy, small.
GAMES = {
    "censored": censored.indep,
    "continuum": lambda: censored.indep(censored.ANY),
    "combinatorial": lambda: censored.combinatorial(
        censored.indep(censored.equidistant(3)), 2
    ),
    "dueling": lambda: censored.duels(censored.indep(censored.equidistant(3))),
    "budgeted": lambda: budgeted.s_br(10),
    "farewell": farewell.figure_1a,
    "allocation": lambda: allocation.make_environment(
        "ten arms",
        exponential,
        [0.95, 0.9, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05],
        [0.05, 0.06, 0.3, 0.05, 0.04, 0.08, 0.05, 1.0, 0.5, 0.1],
        20.0,
        lowest=1 / 40,
        highest=2,
    ),
    "ordered": lambda: allocation.ordered(allocation.simulation(4, 12.0), [3, 12]),
}


def rows(seeds: int, seconds: int) -> Iterator[dict]:
    """A row per policy; one that fails, or takes longer, says so."""
    for name in policies():
        program = (
            f"from scripts.bench import gpu_registry as g; g.tell({name!r}, {seeds})"
        )
        try:
            done = subprocess.run(
                (sys.executable, "-c", program),
                cwd=Path(__file__).resolve().parents[2],
                capture_output=True,
                text=True,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            yield {"policy": name, "note": f"more than {seconds} s"}
            continue
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
            yield {"policy": name, "note": lines[-1][:120]}
            continue
        yield json.loads(done.stdout.splitlines()[-1])


def tell(name: str, seeds: int) -> None:
    """Compile the engine for one policy, and print its row as JSON."""
    game = GAMES[name.split("/")[0]]()
    began = time.perf_counter()
    policy, engine = policies()[name](game.problem), SCAN._replace(legs=legs)
    program = traced(topology(), policy, game, seeds, engine)
    row = {"policy": name, "trace_s": time.perf_counter() - began}
    row |= memory_per_run(program, policy, game)
    print(json.dumps(row | in_machine_code(program, policy, game, Block())))
