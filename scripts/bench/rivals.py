"""Every setting's main policy beside its rivals: speed, and agreement."""

from contextlib import suppress
from importlib import import_module

with suppress(ImportError):  # before any setting: `contest.compiled` looks for it
    import numba as _  # noqa: F401

from .contest import Contestant, library, numba, turns, z_score

AGREEMENT_SEEDS = 512


def contestants(name: str) -> dict[str, Contestant]:
    """Who plays a setting's game, the library first."""
    setting = import_module(f".{name}", __package__)
    return {
        "jaxbandits": library(setting),
        "Numba, tuned": numba(setting),
        **getattr(setting, "OTHERS", {}),
    }


def measure(options) -> list[dict]:
    """Contestants take turns; rows ``{setting, contestant, M rounds/s, ...}``."""
    rows = []
    how = {"seconds": options.seconds, "repeats": options.repeats}
    for setting in options.settings:
        played = turns(contestants(setting), options.seeds, **how)
        own = played[0].best.rate
        rows += [
            {
                "setting": setting,
                "contestant": name,
                "cores": best.cores,
                "M rounds/s": best.rate / 1e6,
                "ns per round and core": 1e9 * best.cores / best.rate,
                "jaxbandits is x faster": own / best.rate,
                "horizon": horizon,
                "compile_seconds": best.compile_seconds,
            }
            for name, horizon, best in played
        ]
    return rows


def agree(options) -> list[dict]:
    """Scores of all contestants, and their distance from the library's.

    Raises:
      SystemExit: if a score is more than 4 standard errors away.
    """
    rows = []
    for setting in options.settings:
        horizon = import_module(f".{setting}", __package__).AGREEMENT
        first = None
        for name, timed in contestants(setting).items():
            done = timed(AGREEMENT_SEEDS, horizon, 7)
            if done is None:
                continue
            first = first or done
            z, score = z_score(done.played, first.played), done.played.score.mean()
            row = {"setting": setting, "contestant": name, "score": float(score)}
            rows.append(row | {"z": z})
    if any(abs(row["z"]) > 4 for row in rows):
        raise SystemExit(f"contestants disagree: {rows}")
    return rows
