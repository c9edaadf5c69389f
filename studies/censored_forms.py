"""Forms of cell Thompson sampling, on the tuning set and on traps of their own.

    python studies/censored_forms.py FILE [--rounds 10000] [--seeds 64] [--only FORM]

Plays the forms of `forms.cells` on the tuning cases of the censored setting and on
three traps, which are no cases of the leaderboard. FILE keeps the regret of every run:
a form that is there is not played again. Prints a table of all that it has, at a tenth
of the rounds and at their end: geometric means over the tuning cases of mean regret and
95 % quantile over those of cell TS, the largest quotient of a case, and how many runs
are trapped: lost at least 0.02 a round over the second half, and as much as before.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from forms.cells import FORMS, PLAIN
from forms.playing import regrets, row

from jaxbandits import censored
from jaxbandits.laws import empirical, empirical_params
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

TUNING = PROTOCOLS["censored"].tuning
PER_ROUND, SHARE = 0.02, 0.45  # of a trapped run, in its second half
LEAST = 1.0  # regret that smaller ones count as


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=64)
    parser.add_argument("--only", nargs="+", choices=FORMS, default=[*FORMS])
    options = parser.parse_args()
    cases = {title: case.environment() for title, case in TUNING.items()} | traps()
    results = json.loads(options.file.read_text()) if options.file.exists() else {}
    size = f"{options.rounds} x {options.seeds}"
    for form in options.only:
        if f"{form}; {size}" not in results:
            regret = played(form, [*cases.values()], options.rounds, options.seeds)
            results[f"{form}; {size}"] = regret.round(4).tolist()
            options.file.write_text(json.dumps(results))
    for line in table(results, [*cases], size, options.rounds):
        row(*line)


def traps() -> dict:
    """Ten arms on the grid to 1, whose last limit is best: a round in 50 exceeds it.

    ``one of ten``: half the rounds of nine arms end at once, the others exceed all
    limits; those of the tenth end late. ``all late``: those of all arms do. ``some
    soon``: so they do, but for a third, which end at once and bring less.
    """
    problem = censored.running_example(10, censored.equidistant(5, form="printed"))
    many, rare = 50, slice(49, None)
    reward, consumption = np.full((3, 10, many), 0.6), np.full((3, 10, many), 0.9)
    reward[:, 9] = 0.9
    consumption[0, :9, ::2], consumption[0, :9, 1::2] = 0.1, 1.2
    consumption[2, :, ::3], reward[2, :, ::3] = 0.1, 0.4
    consumption[..., rare] = 1.2
    return {
        name: censored.make_environment(
            name, problem, empirical, empirical_params(*arms)
        )
        for name, *arms in zip(
            ("one of ten", "all late", "some soon"), reward, consumption, strict=True
        )
    }


def played(form: str, games: list, rounds: int, seeds: int) -> np.ndarray:
    """Regret at a tenth of the rounds, half of them and all, f64[games, seeds, 3]."""
    ends = rounds // 10, rounds // 2, rounds
    runs = [
        regrets(FORMS[form](game.problem), game, ends, seeds, TUNING_SEED)[0].T
        for game in games
    ]
    return np.stack(runs)


def table(results: dict, titles: list[str], size: str, rounds: int) -> list[list[str]]:
    """The cells of the table, row by row."""
    ends = (rounds // 10, rounds)
    over = [f"{what}, {t:,}" for t in ends for what in ("mean", "95 %")]
    tuning = len(TUNING)
    head = ["form", *over, "largest", "trapped", *titles[tuning:]]
    lines = [head, ["---"] * len(head)]
    plain = np.array(results[f"{PLAIN}; {size}"])
    for form in FORMS:
        if f"{form}; {size}" not in results:
            continue
        runs = np.array(results[f"{form}; {size}"])
        ratios = np.stack(
            [
                np.maximum(measure(runs), LEAST) / np.maximum(measure(plain), LEAST)
                for measure in (_mean, _high)
            ]
        )[..., [0, -1]][:, :tuning]  # [measure, case, end]
        middle = np.exp(np.log(ratios).mean(axis=1)).T.ravel()
        lost = [trapped(each, rounds) for each in runs]
        on_traps = [
            f"{each[:, -1].mean():,.0f} ({each[:, -1].max():,.0f}; {count})"
            for each, count in zip(runs[tuning:], lost[tuning:], strict=True)
        ]
        cells = [f"{x:.2f}" for x in (*middle, ratios.max())]
        lines.append([form, *cells, f"{sum(lost[:tuning])}", *on_traps])
    return lines


def _mean(runs):
    return runs.mean(axis=1)


def _high(runs):
    return np.quantile(runs, 0.95, axis=1)


def trapped(regret, rounds) -> int:
    """How many runs lose as much in the second half as before, and much."""
    late = regret[:, 2] - regret[:, 1]
    lost = (late >= PER_ROUND * rounds / 2) & (late >= SHARE * regret[:, 2])
    return int(lost.sum())


if __name__ == "__main__":
    main()
