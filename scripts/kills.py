"""Sweeps that are killed at random moments: is anything lost or changed?

    python -m scripts.kills [KILLS]

By default 40 kills (SIGKILL, SIGTERM, SIGINT in turn) of the command line over four
sweeps: one of many blocks, one on drawn instances with a second stage (a half-width),
one in which points stop one by one, and one of the budgeted setting from a TOML file.
After every kill all that is complete is held against a sweep that was not interrupted,
at the end everything. The exit status is 1 if a bit differs.
"""

import signal
import sys
import tempfile
from pathlib import Path

import numpy as np

from jaxbandits import Machine
from jaxbandits.results import open_store
from jaxbandits.simulation import read_spec, run_sweep
from tests.simulation.processes import finish, is_made, start, wait_for_runs

MANY = """
from tests.simulation import walk
SPEC = walk.spec(points=9, seeds=600)
"""
DRAWN = """
from jaxbandits.simulation import HalfWidth
from tests.simulation import walk
SPEC = walk.spec(
    points=3,
    seeds=HalfWidth("regret", 1e-6, at_most=500, pilot=300),
    environments={"drawn": walk.DRAWN},
    runs_per_instance=2,
)
"""
MONEY = """
setting = "budgeted"
budget = 20
seeds = 2000
checkpoints = "log"
metrics = ["regret"]
environments.three = { make = "s_br", arguments = { num_arms = 3 } }
policies.uniform = { make = "uniform" }
policies.omega = { make = "omega_ucb", cross = { rho = [0.25, 1.0] } }
"""
EACH = """
from jaxbandits.simulation import HalfWidth
from tests.simulation import walk
SPEC = walk.spec(points=3, seeds=HalfWidth("regret", 3.0, pilot=100, each=True))
"""
SPECS = {"many.py": MANY, "drawn.py": DRAWN, "each.py": EACH, "money.toml": MONEY}
SIGNALS = signal.SIGKILL, signal.SIGTERM, signal.SIGINT


def main(kills: int = 40) -> int:
    """Kill and compare; how many stores were wrong."""
    wrong = 0
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
        for number, (name, text) in enumerate(SPECS.items()):
            spec = Path(folder, name)
            spec.write_text(text)
            count = len(range(number, kills, len(SPECS)))
            wrong += killed(spec, count, rng)
    print(f"stores that were wrong: {wrong}")
    return int(wrong > 0)


def killed(spec: Path, kills: int, rng: np.random.Generator) -> bool:
    """Kill a sweep so many times; whether anything was wrong."""
    read, quiet = read_spec(spec), Machine(progress=False)
    whole = run_sweep(read, machine=quiet)
    store, cache = spec.with_suffix(""), spec.with_name("cache")
    complete, bad, ended, exits = 0, 0, 0, []
    for attempt in range(kills):
        process = start(
            store, cache=cache, spec=spec, more=("--block", "40"), WALK_PAUSE="0.03"
        )
        try:
            # Every fourth anywhere, its start included; the others after some blocks.
            timeout = rng.uniform(0, 6) if attempt % 4 == 0 else 90
            runs = complete + int(rng.integers(1, 320))
            wait_for_runs(process, store, runs, timeout)
        except AssertionError:
            ended += 1  # It was complete before.
        process.send_signal(SIGNALS[attempt % 3])
        exits.append(finish(process)[0])
        if is_made(store):
            found = open_store(store).load()
            played = found["session"] > 0
            bad += int(played.sum()) < complete or differs(found, whole, played)
            complete = int(played.sum())
    left = int((whole["rounds"].isel(checkpoint=-1) > 0).sum()) - complete
    found = run_sweep(read, store, quiet).load()
    who = ["session", "compile_seconds", "run_seconds"]
    leavings = [file for file in store.glob("*/.*") if file.is_file()]
    same = (
        found.drop_vars("session")
        .drop_attrs()
        .identical(whole.drop_vars(who, errors="ignore").drop_attrs())
    )
    print(
        f"{spec.name}: {kills} kills ({ended} of processes that were done), exits "
        f"{sorted(set(exits))}, {left} runs left at the end; wrong after a kill: "
        f"{bad}; identical when complete: {same}; temporary files: {len(leavings)}",
        flush=True,
    )
    return bool(bad) or not same


def differs(found, whole, played) -> bool:
    """Whether a complete run has other bits than the whole sweep, at the same place."""
    wanted = whole.reindex(seed=found["seed"])
    for name in found.data_vars:
        if name == "session":
            continue
        a, b = found[name], wanted[name]
        same = (a == b) | (a.isnull() & b.isnull())
        dims = [d for d in same.dims if d not in played.dims]
        if not same.all(dims).where(played, True).all():
            return True
    return False


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
