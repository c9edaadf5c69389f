"""Play every policy of the registry in games of its setting.

    python scripts/every_policy.py speed [--seeds 1 8 64 512] [--rounds 300]
    python scripts/every_policy.py layouts [--seeds 330] [--rounds 100]
    python scripts/every_policy.py digests FILE [--programs]

``speed`` says how long compiling and playing take. ``layouts`` asks whether the bits
depend on how the runs are laid out: in chunks of 64, 128 and 320 runs and of the chosen
size, on 1, 2 and 3 devices. ``digests`` asks whether a change of names and places
changes what is computed: it compares with a file of JSON, and adds what that lacks. A
line per policy and game; the exit status is 1 if a policy cannot be played, is not
finite, has other bits in another layout, or others than in the file. ``--only PATTERN``
takes some policies.

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
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
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


def played(case: Case, seeds: int, **how) -> xr.Dataset:
    """Of a policy in its game; `how` goes to `Machine`."""
    machine = jb.Machine(progress=False, **how)
    return jb.simulate(
        case.policy, case.environment, **case.end, seeds=seeds, machine=machine
    )


def speed(case: Case, seeds: int) -> tuple[bool, str]:
    """Whether all regrets are finite, and how long compiling and playing took."""
    data = played(case, seeds)
    rounds = float(data["rounds"].isel(checkpoint=-1).sum())
    compiling, running = (
        float(data[key].sum()) for key in ("compile_seconds", "run_seconds")
    )
    sound = bool(np.isfinite(data["regret"].values).all())
    rate = rounds / max(running, 1e-9) / 1000
    text = f"compiled {compiling:6.1f} s, played {running:7.3f} s, {rate:9.0f} k/s"
    return sound, text if sound else f"{text}, not finite"


def layouts(case: Case, seeds: int) -> tuple[bool, str]:
    """Whether all layouts have the same bits, and which have others."""
    reference = bits(played(case, seeds, devices=jax.devices()[:1]))
    different = [
        f"{chunk or 'chosen'} on {count}"
        for chunk, count in product(CHUNKS, DEVICES)
        if reference
        != bits(played(case, seeds, devices=jax.devices()[:count], chunk=chunk))
    ]
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
        return {"numbers": list(numbers_of(json.loads(summary.read_text())))}


def compared(file: Path, name: str, find: Callable[[str], dict]) -> tuple[bool, str]:
    """Whether what is found is in a file of JSON, to which is added what it lacks."""
    found, record = find(name), json.loads(file.read_text())
    known = found | record.get(name, {})
    other = {key: known[key] for key in found if known[key] != found[key]}
    text = "as before" if known == record.get(name) else "added"
    file.write_text(json.dumps(record | {name: known}, indent=1) + "\n")
    return not other, f"{found}, before: {other}" if other else text


def numbers_of(value) -> Iterator[float]:
    """All real numbers in what JSON says, in order; but not what it took."""
    if isinstance(value, dict):
        value = [part for key, part in value.items() if not key.endswith("seconds")]
    if isinstance(value, list):
        for part in value:
            yield from numbers_of(part)
    elif isinstance(value, float):
        yield value


def compare(file: Path, programs: bool, only: str) -> list[bool]:
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
        for name in fnmatch.filter(looks, only)
        if not (programs and name in REPRODUCTIONS)
    ]


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
    for look, seeds, rounds in ((speed, [1, 8, 64, 512], 300), (layouts, [330], 100)):
        command = commands.add_parser(look.__name__, help=look.__doc__)
        command.add_argument("--seeds", type=int, nargs="+", default=seeds)
        command.add_argument("--rounds", type=int, default=rounds)
        command.set_defaults(look=look)
    command = commands.add_parser("digests", help="Whether all are those in a file.")
    command.set_defaults(look=None)
    command.add_argument("file", type=Path)
    command.add_argument("--programs", action="store_true", help="play nothing")
    for command in commands.choices.values():
        command.add_argument("--only", default="*", metavar="PATTERN")
    options = parser.parse_args()
    if not options.look:
        return not all(compare(options.file, options.programs, options.only))
    if options.look is layouts:
        jax.config.update("jax_num_cpu_devices", max(DEVICES))
    print(f"jax {jax.__version__}, devices {len(jax.devices())}")
    sound = [
        line(
            f"{name:36s} {case.environment.name:28s} {seeds:5d}",
            partial(options.look, case, seeds),
        )
        for name in fnmatch.filter(policies(), options.only)
        for case in cases(name, options.rounds)
        for seeds in options.seeds
    ]
    return not all(sound)


if __name__ == "__main__":
    sys.exit(main())
