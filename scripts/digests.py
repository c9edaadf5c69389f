"""Does a change of names and places change what is computed?

    python scripts/digests.py write FILE [--only PATTERN] [--programs]
    python scripts/digests.py compare BEFORE AFTER       differences; exit status 1

Of every policy of the registry, in the game of its setting: the digest of its program
(without names), and one of the results of 64 seeds, bit for bit; and the numbers of a
quick reproduction of each setting. Results depend on the processor and on the versions
of JAX and NumPy, which the file names: compare two files of one machine, or the
programs alone (`--programs` plays nothing). A file that is there is gone on with.
`scripts/digests.json` has the results of the tree before its modules were moved
(revision d98d675), bit for bit, but for `allocation/thompson-mean-feasible`, whose
draws were mended later; its programs are newer: digests did not see updates then.
"""

import argparse
import fnmatch
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import jaxbandits as jb  # before JAX, which then starts with a device for every core

# isort: split

import jax
import numpy as np
from every_policy import Game, games, policy_of

from jaxbandits.cli.main import main as command
from jaxbandits.engine.identity import program_digest
from jaxbandits.registry import policies
from jaxbandits.simulation.machine import kind_of, site_of

SEEDS, ROUNDS = 64, 200
REPRODUCTIONS = ("censored-fig4", "allocation-fig4", "budgeted-fig3a", "farewell-fig1")
MACHINE = {
    "processor": kind_of(site_of(jax.devices())),
    "jax": jax.__version__,
    "numpy": np.__version__,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write")
    write.add_argument("file", type=Path)
    write.add_argument("--only", default="*", metavar="PATTERN")
    write.add_argument("--programs", action="store_true", help="play nothing")
    compare = commands.add_parser("compare")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "write":
        return _write(options.file, options.only, options.programs)
    before, after = (
        json.loads(file.read_text()) for file in (options.before, options.after)
    )
    return _compare(before, after)


def _write(file: Path, only: str, programs: bool) -> int:
    found = json.loads(file.read_text()) if file.exists() else {"machine": MACHINE}
    if found["machine"] != MACHINE:
        raise SystemExit(f"{file} is of another machine: {found['machine']}")
    tasks = dict.fromkeys(policies(), _program if programs else _policy)
    if not programs:
        tasks |= dict.fromkeys(REPRODUCTIONS, _reproduction)
    for name, task in tasks.items():
        if name not in found and fnmatch.fnmatch(name, only):
            found[name] = task(name)
            print(name, flush=True)
            file.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def _game(name: str) -> Game:
    """The first game of a policy's setting that it can play."""
    return next(g for g in games(name.split("/")[0], ROUNDS) if policy_of(name, g))


def _program(name: str) -> dict[str, str]:
    """The digest of a policy's program."""
    game = _game(name)
    program = program_digest(policy_of(name, game), game.environment)
    return {"program": program}


def _policy(name: str) -> dict[str, str]:
    """The digests of a policy: of its program, and of what it plays."""
    game = _game(name)
    policy = policy_of(name, game)
    machine = jb.Machine(progress=False)
    data = jb.simulate(
        policy, game.environment, **game.end, seeds=SEEDS, machine=machine
    )
    # Variables without their names.
    values = sorted(
        hashlib.sha256(np.ascontiguousarray(data[name].values).tobytes()).hexdigest()
        for name in data.data_vars
        if not name.endswith("_seconds")
    )
    results = hashlib.sha256("".join(values).encode()).hexdigest()[:16]
    return _program(name) | {"results": results}


def _reproduction(name: str) -> dict[str, list[float]]:
    """All numbers of the summary of a quick reproduction, in order."""
    with tempfile.TemporaryDirectory() as folder:
        if command(["reproduce", name, "--quick", "--out", folder]):
            raise SystemExit(f"{name} could not be played")
        (summary,) = Path(folder).rglob("summary.json")
        return {"numbers": list(_numbers(json.loads(summary.read_text())))}


def _numbers(value):
    if isinstance(value, dict):
        for key, part in value.items():
            if not key.endswith("seconds"):
                yield from _numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, float):
        yield value


def _compare(before: dict, after: dict) -> int:
    """Print what differs."""
    if other_machine := before.pop("machine") != after.pop("machine"):
        print("not of one machine: programs only")
    differs = 0
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        if one is None or other is None:
            print(f"{name}: only {'after' if one is None else 'before'}")
        elif "program" in one and (other_machine or one.keys() != other.keys()):
            one, other = one["program"], other["program"]
        if one != other and not (other_machine and name in REPRODUCTIONS):
            differs += 1
            print(f"{name}: {one} before, {other} after")
    print(f"{len(before)} before, {len(after)} after, {differs} differ")
    return differs > 0


if __name__ == "__main__":
    sys.exit(main())
