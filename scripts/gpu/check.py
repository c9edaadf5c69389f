"""What a GPU says of the engines: the same runs? how fast? how much memory?

    python scripts/gpu/check.py OUT [--minutes 7] [--dry]

From the root of the repository. Every step is a process of its own with a time limit,
whose rows are in OUT/results.jsonl as soon as they are known: a hang or a crash costs
one step. ``--dry`` plays tiny sizes on CPUs, with ``fused-interpret`` for ``fused``.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Settings of scripts/bench with their first end: rounds, or a budget.
ENDS = {"censored": 400, "budgeted": 8_000.0, "farewell": 1_200.0, "allocation": 200}
SIZES = (8_192, 131_072, 1_048_576)
ENGINES = ("fused", "scan", "vmap")


def note(out: Path, **row) -> None:
    """A row of results, on disk before anything else happens."""
    with (out / "results.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")


def play(engine: str, setting: str, runs: int, end, marks: int, device):
    """One chunk, and the seconds of play and of compiling."""
    import jax
    import numpy as np

    from jaxbandits.engine.run import Clock, run
    from jaxbandits.engine.schedule import Schedule, Terms
    from scripts.bench.gpu import POLICIES, REGISTRY, import_module

    game = import_module(f"scripts.bench.{setting}").environment()
    policy = REGISTRY[POLICIES[setting]](game.problem)
    by_budget = game.game.spent is not None
    ends = np.linspace(end / marks, end, marks)
    ends = ends if by_budget else np.unique(np.ceil(ends)).astype(int)
    params = jax.tree.map(lambda x: np.full(runs, x, np.float64), policy.params)
    terms, clock = Terms(Schedule(ends, 10**8, by_budget), engine=engine), Clock([], [])
    with jax.default_device(device):
        (chunk,) = run(
            policy,
            game,
            params,
            np.arange(runs, dtype=np.uint32),
            terms,
            chunk=runs,
            devices=[device],
            clock=clock,
            progress=lambda done: None,
        )
    return chunk, sum(clock.running), sum(clock.compiling)


def same(out: Path, setting: str, dry: bool) -> None:
    """Every engine against scan on the CPU, run by run."""
    import jax
    import numpy as np

    runs, end = (64, ENDS[setting] / 8) if dry else (1_024, ENDS[setting])
    base, *_ = play("scan", setting, runs, end, 10, jax.devices("cpu")[0])
    expected = base.accounts.metrics["regret"]
    for engine in ENGINES:
        name = "fused-interpret" if dry and engine == "fused" else engine
        found, seconds, compiling = play(name, setting, runs, end, 10, jax.devices()[0])
        regret = found.accounts.metrics["regret"]
        apart = np.abs(regret - expected) > 2e-4 * np.maximum(np.abs(expected), 1)
        apart |= found.rounds != base.rounds
        row = {"run_s": seconds, "compile_s": compiling, "runs": runs}
        row |= {"runs_apart": int(apart.any(axis=1).sum())}
        row |= {"regret": float(regret[:, -1].mean())}
        row |= {"regret_on_cpu": float(expected[:, -1].mean())}
        note(out, step="same", setting=setting, engine=engine, **row)


def speed(out: Path, setting: str, engine: str, dry: bool) -> None:
    """Rounds per second at several sizes, of turns of half a second; memory."""
    import jax

    for runs in SIZES:
        runs, goal = (64, 0.05) if dry else (runs, 0.5)
        name = "fused-interpret" if dry and engine == "fused" else engine
        end, rates = ENDS[setting] / 4, []
        for _ in range(4):
            chunk, seconds, compiling = play(
                name, setting, runs, end, 1, jax.devices()[0]
            )
            rates.append(int(chunk.rounds[:, -1].astype("int64").sum()) / seconds)
            end *= min(max(goal / max(seconds, 1e-4), 1.0), 16.0)
        memory = (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
        row = {"runs": runs, "rounds_per_s": max(rates), "compile_s": compiling}
        note(out, step="speed", setting=setting, engine=engine, bytes=memory, **row)


def checkpoints(out: Path, setting: str, dry: bool) -> None:
    """A hundred checkpoints against one, of the same runs by the GPU engine."""
    import jax

    name, runs = ("fused-interpret", 64) if dry else ("fused", 131_072)
    best = {1: float("inf"), 100: float("inf")}
    for marks in (1, 100, 1, 100):
        _, seconds, _ = play(
            name, setting, runs, ENDS[setting], marks, jax.devices()[0]
        )
        best[marks] = min(best[marks], seconds)
    ratio = best[100] / best[1]
    note(out, step="checkpoints", setting=setting, runs=runs, ratio=ratio)


def steps(dry: bool) -> list[tuple[str, ...]]:
    """Of all, the most important first."""
    settings = ["budgeted"] if dry else list(ENDS)
    speeds = [("speed", s, e) for s in settings for e in ENGINES]
    return [
        *(("same", setting) for setting in settings),
        *(speeds[:1] if dry else speeds),
        *(("checkpoints", setting) for setting in settings[:1]),
    ]


def main() -> None:
    """Run one step, or all of them, each in its time."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--step", nargs="+")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.step:
        kind, *rest = options.step
        {"same": same, "speed": speed, "checkpoints": checkpoints}[kind](
            options.out, *rest, options.dry
        )
        return
    until = time.monotonic() + 60 * options.minutes
    environment = dict(os.environ, PYTHONPATH=str(ROOT), JAXBANDITS_DEVICES="keep")
    environment["JAX_PLATFORMS"] = "cpu" if options.dry else "cuda,cpu"
    for step in steps(options.dry):
        command = [sys.executable, __file__, str(options.out), "--step", *step]
        command += ["--dry"] * options.dry
        left = until - time.monotonic()
        try:
            done = subprocess.run(command, env=environment, timeout=max(left, 1))
        except subprocess.TimeoutExpired:
            note(options.out, step=step, error="no time is left")
            return
        if done.returncode:
            note(options.out, step=step, error=f"exit status {done.returncode}")


if __name__ == "__main__":
    main()
