"""Peers in virtual environments of their own, with pinned versions.

A peer's module is two things: imported, a contestant; run as ``python -m
bench.peers.NAME`` by the peer's own interpreter, the script that plays. The script gets
the game as JSON in its argument and prints JSON. Only the play is timed, not imports,
set-up and a short first call.

Environments are made once, in ``~/.cache/jaxbandits-bench`` or the folder that the
variable JAXBANDITS_BENCH names, with ``python -m venv`` and ``pip install``.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..contest import Timed
from .game import Game, played

SCRIPTS = Path(__file__).resolve().parents[2]
WARM_HORIZON = 50


class Report(NamedTuple):
    """What a script prints.

    Attributes:
      seconds: of play.
      cores: that it could use.
      shares: of the best arm, in every run.
    """

    seconds: float
    cores: int
    shares: list[float]


Play = Callable[[Game, int, int, int], Report]


def in_environment(module: str, pins: tuple[str, ...]):
    """A contestant that plays in an environment of its own.

    Args:
      module: the peer's module in this package, which calls `answer` when run.
      pins: all that the environment contains, as ``name==version``, first the peer, of
        which it has its name; dependencies are not looked up.
    """

    def timed(game: Game, seeds: int, horizon: float, seed: int = 1) -> Timed | None:
        python = _environment(pins)
        if python is None:
            return None
        request = json.dumps([game.means, seeds, int(horizon), seed])
        command = [python, "-m", f"bench.peers.{module}", request]
        hidden = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
        settings = {k: v for k, v in os.environ.items() if k not in hidden}
        settings |= {"MPLBACKEND": "Agg", "PYTHONNOUSERSITE": "1"}
        options = {"cwd": SCRIPTS, "env": settings, "capture_output": True}
        done = subprocess.run(command, check=False, text=True, **options)
        if done.returncode:
            print(f"{module}: failed, skipped\n{done.stderr[-2000:]}")
            return None
        report = Report(*json.loads(done.stdout))
        return Timed(played(int(horizon), report.shares), report.seconds, report.cores)

    return timed


def answer(play: Play) -> None:
    """Play what the command line asks for and print the report, in the environment.

    Args:
      play: ``play(game, seeds, horizon, seed)``; called twice, the first time for a
        few rounds on all cores.
    """
    means, seeds, horizon, seed = json.loads(sys.argv[1])
    game = Game(tuple(means))
    # Peers and their processes print, too: that goes to the standard error.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        play(game, 4 * (os.cpu_count() or 1), min(horizon, WARM_HORIZON), seed)
        json.dump(play(game, seeds, horizon, seed), out)


@functools.cache
def _environment(pins: tuple[str, ...]) -> str | None:
    """The interpreter of an environment, made if need be; None, with a message."""
    default = Path.home() / ".cache" / "jaxbandits-bench"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    root = Path(os.environ.get("JAXBANDITS_BENCH") or default)
    folder = root / f"{pins[0]}-{version}"
    python = folder / "bin" / "python"
    # Written last: an environment without it is not complete.
    contents = folder / "contents.txt"
    if contents.exists() and contents.read_text().split() == list(pins):
        return str(python)
    shutil.rmtree(folder, ignore_errors=True)
    install = ("-m", "pip", "install", "--no-deps", "--only-binary", ":all:", *pins)
    for command in ([sys.executable, "-m", "venv", str(folder)], [python, *install]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            error = (done.stderr or done.stdout)[-2000:]
            print(f"{pins[0]}: cannot be installed, skipped\n{error}")
            return None
    contents.write_text("\n".join(pins) + "\n")
    return str(python)
