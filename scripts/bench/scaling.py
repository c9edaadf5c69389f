"""How the cost grows: with the number of indices, of seeds, and of rounds.

``measure`` plays the library beside its two honest CPU rivals, Numba and NumPy, and
returns flat rows; ``draw`` makes one row of panels per setting out of them.
"""

from collections.abc import Iterator

from .contest import FIRST_HORIZON, LONGEST_HORIZON, Turn, first_turn, turns
from .contests import CONTESTS, LIBRARY, NUMBA, NUMPY

RIVALS = (LIBRARY, NUMBA, NUMPY)
SEEDS = (1, 16, 128, 1_024, 10_000, 100_000)
HORIZONS = (1_000, 10_000, 100_000, 1_000_000, LONGEST_HORIZON)
SIZE_SEEDS = 512
HORIZON_SEEDS = 64
# A point that would take longer, by the rate of the point before, is left out.
LONGEST = 20.0
AXES = ("size", "seeds", "horizon")
NAMES = {
    "size": "indices in a round",
    "seeds": "seeds",
    "horizon": "rounds, or budget",
}
COSTS = {
    "size": "ns per seed and round",
    "seeds": "ns per seed and round",
    "horizon": "seconds",
}
MARKERS = "os^"


def measure(options) -> Iterator[dict]:
    """Rows ``{setting, policy, axis, x, name, rate, ...}``."""
    for setting in options.settings:
        contest = CONTESTS[setting]()
        rivals = {name: contest.contestants[name] for name in RIVALS}
        how = {"seconds": options.seconds, "repeats": options.repeats}

        def row(axis, x, turn, seeds, setting=setting, contest=contest):
            found = {"setting": setting, "policy": contest.policy, "axis": axis, "x": x}
            return found | {"seeds": seeds} | turn._asdict()

        for size, game in contest.sizes.items():
            # Mostly rounds in which indices decide.
            shortest = max(4 * contest.start(game), FIRST_HORIZON)
            for turn in turns(rivals, game, SIZE_SEEDS, shortest=shortest, **how):
                yield row("size", size, turn, SIZE_SEEDS)
        for seeds in SEEDS:
            for turn in turns(rivals, contest.game, seeds, **how):
                yield row("seeds", seeds, turn, seeds)
        for name, timed in rivals.items():
            for turn, run_seconds in _by_horizon(name, timed, contest.game):
                found = row("horizon", turn.horizon, turn, HORIZON_SEEDS)
                yield found | {"run_seconds": run_seconds}


def _by_horizon(name, timed, game) -> Iterator[tuple[Turn, float]]:
    """One turn at each horizon that is not too long, and its seconds."""
    rate = None
    for horizon in HORIZONS:
        if rate and HORIZON_SEEDS * horizon / rate > LONGEST:
            return
        # Of a program that has been compiled.
        first_turn(name, timed, game, HORIZON_SEEDS, 0.0, FIRST_HORIZON)
        done = timed(game, HORIZON_SEEDS, horizon, 1)
        rate = done.rate
        yield Turn(name, rate, done.cores, 0.0, horizon), done.seconds


def draw(rows: list[dict]):
    """A figure: settings by rows, axes by columns."""
    from jaxbandits.plots import (
        draw_legend,
        figure,
        line_style,
        readable_ticks,
        share_names,
    )

    settings = list(dict.fromkeys(row["setting"] for row in rows))
    picture, panels = figure(len(settings), len(AXES))
    policies = {row["setting"]: row["policy"] for row in rows}
    titles = {
        "size": f"{SIZE_SEEDS} seeds",
        "seeds": "standard size",
        "horizon": f"{HORIZON_SEEDS} seeds",
    }
    for place, ax in enumerate(panels):
        setting, axis = settings[place // len(AXES)], AXES[place % len(AXES)]
        for number, name in enumerate(RIVALS):
            mine = [
                row
                for row in rows
                if (row["setting"], row["axis"], row["name"]) == (setting, axis, name)
            ]
            style = line_style(number)._replace(linestyle="solid")._asdict()
            ax.plot(
                [row["x"] for row in mine],
                [_cost(row) for row in mine],
                marker=MARKERS[number],
                label=name,
                **style,
            )
        box = ax.dataLim
        readable_ticks(ax.xaxis, "log", box.minposx, box.x1)
        readable_ticks(ax.yaxis, "log", box.minposy, box.y1)
        ax.set_title(f"{policies[setting]}, {titles[axis]}")
        ax.set(xlabel=NAMES[axis], ylabel=COSTS[axis])
    share_names(panels)
    draw_legend(panels)
    return picture


def _cost(row: dict) -> float:
    """Seconds of a run of all seeds, or nanoseconds per seed and round."""
    if row["axis"] == "horizon":
        return row["run_seconds"]
    return 1e9 / row["rate"]
