"""Regrets of runs in the library, and rows of Markdown, as several scripts need."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import jaxbandits as jb
from jaxbandits_studies.common.playing import end_of


def regrets(
    policies: Any, game: Any, ends: Sequence[int], seeds: int, root_seed: int = 0
) -> np.ndarray:
    """Regret of runs, f64[policies, ends, seeds].

    By rounds, or by what is spent where a budget ends the game.
    """
    ends = [int(end) for end in ends]
    data = jb.simulate(
        policies,
        game,
        seeds=seeds,
        root_seed=root_seed,
        checkpoints=ends,
        **end_of(game, ends[-1]),
    )
    regret = data["regret"].isel(params=0)
    return regret.transpose("policy", "checkpoint", "seed").values


def row(*entries: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, entries)) + " |", flush=True)
