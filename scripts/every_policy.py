"""Play every policy of the registry in games of its setting.

    python scripts/every_policy.py speed [--seeds 1 8 64 512] [--rounds 300]
    python scripts/every_policy.py engines [--engine fused-interpret]
    python scripts/every_policy.py checkpoints [--seeds 8192] [--rounds 500]
    python scripts/every_policy.py layouts [--seeds 330] [--rounds 100]
    python scripts/every_policy.py digests FILE [--programs]

``speed`` says how long compiling and playing take, and how much memory. ``engines``
compares the runs of an engine on this device with those of `scan` on a CPU.
``checkpoints`` measures a hundred of them beside one, the best of three turns.
``layouts`` asks whether the bits depend on how the runs are laid out: in chunks of 64,
128 and 320 runs and of the chosen size, on 1, 2 and 3 devices. ``digests`` asks whether
a change of names and places changes what is computed: it compares with a file of JSON,
and adds what that lacks. A line per policy and game; the exit status is 1 if a policy
cannot be played, is not finite, has other runs by another engine, other bits in another
layout, or others than in the file. ``--only PATTERN ...`` takes some policies,
``--engine NAME ...`` plays by others than `scan`.

Digests are, of every policy in the first game of its setting, that of its program
(without names), and one of the results of all seeds, bit for bit; and the numbers of a
quick reproduction of each setting. Results depend on the processor and on the versions
of JAX and NumPy, which the file names: elsewhere the programs alone can be compared
(``--programs`` plays nothing). `scripts/digests.json` has the results of the tree
before its modules were moved (revision d98d675), bit for bit, but for
`allocation/thompson-mean-feasible`, whose draws were mended later; its programs are
newer: digests did not see updates then.
"""

import argparse
import fnmatch
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import NamedTuple

import jaxbandits as jb  # before JAX, which then starts with a device for every core

# isort: split

import jax
import numpy as np
import xarray as xr

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.allocation.solving import is_concave
from jaxbandits.cli.main import main as command_line
from jaxbandits.engine.identity import program_digest
from jaxbandits.laws.thresholds import exponential
from jaxbandits.registry import policies
from jaxbandits.simulation.machine import kind_of, site_of
from jaxbandits_studies import datasets

SEEDS, ROUNDS = 64, 200  # of digests
REPRODUCTIONS = ("censored-fig4", "allocation-fig4", "budgeted-fig3a", "farewell-fig1")
CHUNKS = (None, 64, 128, 320)
DEVICES = (1, 2, 3)
TURNS = 4


class Case(NamedTuple):
    """A policy in a game.

    Attributes:
      name: in the registry.
      policy: built for the game.
      environment: the game.
      end: ``horizon`` or ``budget``, arguments of `simulate`.
    """

    name: str
    policy: jb.Policy
    environment: jb.Environment
    end: dict


# Games by the first part of the policies' names.
GAMES = {
    "censored": lambda: [
        censored.indep(censored.equidistant(10)),
        censored.poscorr(censored.equidistant(3)),
    ],
    "continuum": lambda: [censored.indep(censored.ANY)],
    "combinatorial": lambda: [
        censored.combinatorial(censored.indep([0.3, 0.5, 0.7]), 2)
    ],
    "dueling": lambda: [censored.duels(censored.indep([0.3, 0.5, 0.7]))],
    "budgeted": lambda: [budgeted.s_br(10), budgeted.s_bt(5)],
    "farewell": lambda: [
        farewell.optimum_in_the_middle(),
        farewell.display_advertising(),
    ],
    "allocation": lambda: [allocation.simulation(4), datasets.ednet_like(3)],
    "ordered": lambda: [allocation.ordered(allocation.simulation(3, 8.0), [2, 8])],
}
ROUND = {"budgeted": 0.5, "farewell": 3}  # what a round costs on average


# No rule for sigmoids, and no average of their optima.
CONCAVE = {
    "allocation/mg-ucb",
    "allocation/thompson-mean",
    "allocation/thompson-mean-feasible",
}
EXPONENTIAL = {"allocation/ra-ucb-authors"}  # the published code has no other radii


@cache
def games(setting: str) -> list[jb.Environment]:
    """The games of a setting."""
    return GAMES[setting]()


def cases(name: str, rounds: int) -> Iterator[Case]:
    """A policy of the registry in the games that it is for, of about so many rounds."""
    setting = name.split("/")[0]
    end = {"horizon": rounds}
    if setting in ROUND:
        end = {"budget": ROUND[setting] * rounds}
    for environment in games(setting):
        problem = environment.problem
        if name in CONCAVE and not is_concave(problem):
            continue
        if name in EXPONENTIAL and problem.family is not exponential:
            continue
        yield Case(name, policies()[name](problem), environment, end)


def played(
    case: Case, seeds: int, engine="scan", checkpoints="log", **where
) -> xr.Dataset:
    """Of a policy in its game; ``where`` goes to `Machine`."""
    machine = jb.Machine(progress=False, engine=engine, **where)
    how = {"seeds": seeds, "checkpoints": checkpoints, "machine": machine}
    return jb.simulate(case.policy, case.environment, **case.end, **how)


def speed(case: Case, seeds: int, engine: str) -> tuple[bool, str]:
    """Whether all regrets are finite, how fast they come, and in how much memory."""
    data = played(case, seeds, engine)
    compiling, running = (
        float(data[key].sum()) for key in ("compile_seconds", "run_seconds")
    )
    sound = bool(np.isfinite(data["regret"].values).all())
    rounds = float(data["rounds"].isel(checkpoint=-1).sum())
    rate = rounds / max(running, 1e-9) / 1000
    # At the peak, of all that has been played; of the device, where that says it.
    memory = (jax.devices()[0].memory_stats() or {}).get(
        "peak_bytes_in_use", 1024 * getrusage(RUSAGE_SELF).ru_maxrss
    )
    text = f"compiled {compiling:6.1f} s, played {running:7.3f} s, {rate:9.0f} k/s"
    text = f"{text}, {memory / 1e6:6.0f} MB"
    return sound, text if sound else f"{text}, not finite"


def engines(case: Case, seeds: int, engine: str) -> tuple[bool, str]:
    """Whether an engine plays what `scan` plays on a CPU (but for near ties)."""
    expected = played(case, seeds, devices=jax.devices("cpu")[:1])
    data = played(case, seeds, engine)
    near = 2e-4 * np.maximum(np.abs(expected["regret"]), 1)
    differ = np.abs(data["regret"] - expected["regret"]) > near
    differ |= data["rounds"] != expected["rounds"]
    apart = int(differ.any("checkpoint").sum())
    return apart <= seeds / 20, f"{speed(case, seeds, engine)[1]}, {apart} runs apart"


def checkpoints(case: Case, seeds: int, engine: str) -> tuple[bool, str]:
    """What a hundred checkpoints cost beside one, from the call to the dataset."""
    seconds = []
    for each in ([*case.end.values()], "linear"):
        turns = []
        for _ in range(TURNS):
            began = time.perf_counter()
            played(case, seeds, engine, each)
            turns.append(time.perf_counter() - began)
        seconds.append(min(turns[1:]))  # the first one compiles
    one, many = seconds
    return True, f"one {one:7.3f} s, a hundred {many:7.3f} s, ratio {many / one:5.2f}"


def layouts(case: Case, seeds: int, engine: str) -> tuple[bool, str]:
    """Whether all layouts have the same bits, and which have others."""
    by_layout = {}
    for chunk, count in product(CHUNKS, DEVICES):
        where = {"devices": jax.devices()[:count], "chunk": chunk}
        by_layout[f"{chunk or 'chosen'} on {count}"] = bits(
            played(case, seeds, engine, **where)
        )
    first, *others = by_layout.values()
    different = [where for where, each in by_layout.items() if each != first]
    return not different, f"other bits: {different}" if different else "same bits"


def bits(data: xr.Dataset) -> str:
    """The digest of all numbers, without their names and what they took to play."""
    values = sorted(
        hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        for key, value in data.data_vars.items()
        if not key.endswith("_seconds")
    )
    return hashlib.sha256("".join(values).encode()).hexdigest()[:16]


def digests(name: str, seeds: int) -> dict[str, str]:
    """Of a policy's program, and of what it plays where there are seeds."""
    case = next(cases(name, ROUNDS))
    program = program_digest(case.policy, case.environment)
    if not seeds:
        return {"program": program}
    return {"program": program, "results": bits(played(case, seeds))}


def reproduction(name: str) -> dict[str, list[float]]:
    """All numbers of the summary of a quick reproduction, in order."""
    with tempfile.TemporaryDirectory() as folder:
        if command_line(["reproduce", name, "--quick", "--out", folder]):
            raise RuntimeError(f"{name} could not be played")
        (summary,) = Path(folder).rglob("summary.json")
        text = summary.read_text()
    # Objects are lists of their values, in order; but not of what took how long.
    values = json.loads(
        text,
        object_pairs_hook=lambda pairs: [
            value for key, value in pairs if not key.endswith("seconds")
        ],
    )
    return {"numbers": [x for x in jax.tree.leaves(values) if isinstance(x, float)]}


def compared(file: Path, name: str, find: Callable[[str], dict]) -> tuple[bool, str]:
    """Whether digests are those in a file of JSON, to which is added what it lacks."""
    now, record = find(name), json.loads(file.read_text())
    known = now | record.get(name, {})
    other = {key: known[key] for key in now if known[key] != now[key]}
    text = "as before" if known == record.get(name) else "added"
    file.write_text(json.dumps(record | {name: known}, indent=1) + "\n")
    return not other, f"{now}, before: {other}" if other else text


def compare(file: Path, programs: bool, only: list[str]) -> list[bool]:
    """Print whether digests are those in a file; for each, whether it is."""
    machine = {
        "processor": kind_of(site_of(jax.devices())),
        "jax": jax.__version__,
        "numpy": np.__version__,
    }
    if not file.exists():
        file.write_text(json.dumps({"machine": machine}))
    recorded = json.loads(file.read_text())
    other = recorded.pop("machine")
    if other != machine and not programs:
        raise SystemExit(f"{file} is of another machine: {other}")
    looks = dict.fromkeys(
        [*recorded, *policies()], partial(digests, seeds=0 if programs else SEEDS)
    )
    looks |= dict.fromkeys(REPRODUCTIONS, reproduction)
    return [
        line(f"{name:36s}", partial(compared, file, name, looks[name]))
        for name in chosen(looks, only)
        if not (programs and name in REPRODUCTIONS)
    ]


def chosen(names: Iterable[str], patterns: list[str]) -> list[str]:
    """The names that are like one of the patterns."""
    return [x for x in names if any(fnmatch.fnmatch(x, each) for each in patterns)]


def line(label: str, look: Callable[[], tuple[bool, str]]) -> bool:
    """Print what a look says; whether all is as it should be."""
    try:
        sound, text = look()
    except Exception as error:  # whatever it is, it belongs into the table
        sound, text = False, f"{type(error).__name__}: {error}".splitlines()[0][:120]
    print(f"{label}  {text}", flush=True)
    return sound


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="look", required=True)
    for look, engine, seeds, rounds in (
        (speed, "scan", [1, 8, 64, 512], 300),
        (engines, "fused-interpret", [64], 100),
        (checkpoints, "scan", [8_192], 500),
        (layouts, "scan", [330], 100),
    ):
        command = commands.add_parser(look.__name__, help=look.__doc__)
        command.add_argument("--engine", nargs="+", default=[engine])
        command.add_argument("--seeds", type=int, nargs="+", default=seeds)
        command.add_argument("--rounds", type=int, default=rounds)
        command.set_defaults(look=look)
    command = commands.add_parser("digests", help="Whether all are those in a file.")
    command.set_defaults(look=None)
    command.add_argument("file", type=Path)
    command.add_argument("--programs", action="store_true", help="play nothing")
    for command in commands.choices.values():
        command.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN")
    options = parser.parse_args()
    if not options.look:
        return not all(compare(options.file, options.programs, options.only))
    if options.look is layouts:
        jax.config.update("jax_num_cpu_devices", max(DEVICES))
    print(f"jax {jax.__version__}, devices {len(jax.devices())}")
    sound = [
        line(
            f"{name:36s} {case.environment.name:28s} {seeds:5d} {engine}",
            partial(options.look, case, seeds, engine),
        )
        for name in chosen(policies(), options.only)
        for case in cases(name, options.rounds)
        for seeds in options.seeds
        for engine in options.engine
    ]
    return not all(sound)


if __name__ == "__main__":
    sys.exit(main())
