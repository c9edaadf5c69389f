"""Every setting's main policy beside its rivals: speed, and agreement."""

from collections.abc import Iterator
from importlib import import_module

from .contest import Contestant, best_turns, library, loop, z_score


def contestants(setting) -> dict[str, Contestant]:
    """Who plays the game of a setting's module, the library first."""
    return {
        "jaxbandits": library(setting),
        "Numba, tuned": loop(setting),
        **getattr(setting, "OTHERS", {}),
    }


def measure(options) -> Iterator[dict]:
    """Rows ``{setting, contestant, M rounds/s, ...}``: speeds, and scores.

    ``z`` is the distance of the mean score from the library's, in standard errors;
    more than 4 of them are wrong: the contestants do not play the same game.
    """
    for name in options.settings:
        setting = import_module(f".{name}", __package__)
        horizon = options.horizon or setting.LIBRARY.horizon
        best = best_turns(contestants(setting), options.seeds, horizon, options.repeats)
        own = best["jaxbandits"]
        for contestant, done in best.items():
            z = z_score(done, own)
            yield {
                "setting": name,
                "contestant": contestant,
                "cores": done.cores,
                "M rounds/s": done.rate / 1e6,
                "ns per round and core": 1e9 * done.cores / done.rate,
                "jaxbandits is x faster": own.rate / done.rate,
                "horizon": horizon,
                "compile_seconds": done.compile_seconds,
                "score": float(done.score.mean()),
                "z": z,
                "wrong": abs(z) > 4,
            }
