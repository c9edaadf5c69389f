"""What the statistics cover: a simulation of each on data whose truth is known.

    python studies/interval_coverage.py  # rewrites the tables of docs/statistics.md
    python studies/interval_coverage.py --check  # the bars only, with 500 repetitions

Every cell repeats an experiment with S seeds. Bold cells are those for which the
documentation makes a promise; below the bars (`COVERS`, `WRONG`, `POWER`) the script
ends with status 1. Some minutes on one core; `--check` takes two.
"""

import argparse
import itertools
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats as scipy_stats

from jaxbandits import stats
from jaxbandits.plots.ranks import rank_ends
from jaxbandits.stats.pair_tests import bounded_test, sign_test, t_test
from jaxbandits.stats.soundness import SKEWED, supported

LEVEL = 0.95
COVERS = 0.93  # where promised
WRONG = 0.06  # probability of a wrong verdict, everywhere
POWER = 0.8
SEEDS = (5, 10, 20, 100, 1000)
PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"


class Case(NamedTuple):
    """A distribution.

    Attributes:
      draw: (rng, shape) -> values.
      mean: its mean.
      skewness: its skewness; 0 if it is constant.
      median: its median.
      bounds: between which all its values lie; None if it has none.
    """

    draw: Callable
    mean: float
    skewness: float
    median: float
    bounds: tuple[float, float] | None = None


def lost(rng, shape):
    """Two runs in a hundred are lost."""
    return np.where(rng.random(shape) < 0.02, 5000.0, 200.0)


CASES = {
    "normal": Case(lambda rng, n: rng.normal(size=n), 0, 0, 0),
    "exponential": Case(lambda rng, n: rng.exponential(size=n), 1, 2, np.log(2)),
    "log-normal 1.5": Case(
        lambda rng, n: rng.lognormal(0, 1.5, n), np.exp(1.125), 33.5, 1
    ),
    "2 % lost runs, the rest equal": Case(lost, 296, 6.86, 200, (0, 10_000)),
    "lattice 0, 1, 2": Case(
        lambda rng, n: rng.integers(0, 3, n).astype(float), 1, 0, 1, (0, 2)
    ),
    "lattice 0, 1": Case(
        lambda rng, n: rng.integers(0, 2, n).astype(float), 0.5, 0, 0.5, (0, 1)
    ),
    "rare 0, 1 (5 %)": Case(
        lambda rng, n: (rng.random(n) < 0.05).astype(float), 0.05, 4.13, 0, (0, 1)
    ),
    "constant": Case(lambda rng, n: np.full(n, 3.0), 3, 0, 3, (0, 10)),
}
# What no statistic of the seeds can see: the lost runs, as long as none is among them.
HIDDEN_TITLE = "hidden losses (2 % lost runs, the rest noisy)"
HIDDEN = Case(lambda rng, n: lost(rng, n) + rng.normal(0, 10, n), 296, 6.8, 200)


class Cell(NamedTuple):
    """One number of a table.

    Attributes:
      value: share of the repetitions that covered, or were wrong.
      aside: share that warned, or were silent; None if that cannot be.
      promised: whether the documentation promises something here.
    """

    value: float
    aside: float | None
    promised: bool


def dataset(values: np.ndarray, **coordinates) -> xr.Dataset:
    """Repetitions ``[R, S]`` or ``[R, S, C]`` as parameter points of one policy."""
    values = values.reshape(*values.shape[:2], -1)[None]
    dims = ("policy", "params", "seed", "checkpoint")
    return xr.Dataset({"regret": (dims, values)}, {"policy": ["p"], **coordinates})


def blocks(values: np.ndarray, size: int):
    """Parts with bootstraps of their own: in one, all rows have the same resamples."""
    for seed, start in enumerate(range(0, len(values), size)):
        yield seed, dataset(values[start : start + size])


def hits(results, truth) -> np.ndarray:
    """bool[R], whether intervals (an end that is NaN is infinite) hold the truth."""
    missed = (results.lower > truth) | (results.upper < truth)
    return ~missed.values.reshape(-1, *missed.shape[-1:]).any(axis=-1)


# Methods: (rng, case, S, R) -> (values [R, S] on which warnings go, covered [R]).


def student(rng, case: Case, size: int, repeats: int):
    values = case.draw(rng, (repeats, size))
    return values, hits(stats.interval(dataset(values), "regret", LEVEL), case.mean)


def bca(rng, case: Case, size: int, repeats: int):
    values = case.draw(rng, (repeats, size))
    options = {"method": "bootstrap", "resamples": 999}
    results = [
        hits(stats.interval(data, "regret", LEVEL, seed=seed, **options), case.mean)
        for seed, data in blocks(values, max(repeats // 5, 1))
    ]
    return values, np.concatenate(results)


def bounded(rng, case: Case, size: int, repeats: int):
    values = case.draw(rng, (repeats, size))
    options = {"method": "bounded", "bounds": case.bounds}
    results = stats.interval(dataset(values), "regret", LEVEL, **options)
    return values, hits(results, case.mean)


def median(rng, case: Case, size: int, repeats: int):
    values = case.draw(rng, (repeats, size))
    results = stats.quantile_interval(dataset(values), "regret", 0.5, LEVEL)
    return values, hits(results, case.median)


def curves(rng, case: Case, size: int, repeats: int):
    """Sums of five steps: what is covered is the whole curve."""
    values = case.draw(rng, (repeats, size, 5)).cumsum(axis=2)
    truth = case.mean * np.arange(1, 6)
    results = [
        hits(stats.band(data, "regret", LEVEL, resamples=999, seed=seed), truth)
        for seed, data in blocks(values, max(repeats // 5, 1))
    ]
    return values, np.concatenate(results)


def stein(rng, case: Case, size: int, repeats: int):
    """A pilot of S seeds and as many as its variance asks for half its width.

    `fixed_width_interval` row by row, as rows have different lengths.
    """
    pilots = case.draw(rng, (repeats, size))
    half = 0.5 * 1.96 * max(np.std(case.draw(rng, 10_000)), 1e-6) / np.sqrt(size)
    needed = np.minimum(stats.seeds_needed(pilots, half, LEVEL).values, 100_000)
    sums = np.array([case.draw(rng, count - size).sum() for count in needed])
    error = np.abs((pilots.sum(axis=1) + sums) / needed - case.mean)
    quantile = scipy_stats.t.ppf((1 + LEVEL) / 2, size - 1)
    width = quantile * pilots.std(axis=1, ddof=1) / np.sqrt(needed)
    return pilots, error <= width + 1e-12


def small_skewness(case: Case, size: int) -> bool:
    """What the documentation promises of intervals that are nearly Student's."""
    return case.skewness <= SKEWED * np.sqrt(size)


class Method(NamedTuple):
    """A row of the first table: how it is called, and where it promises to hold."""

    run: Callable
    promises: Callable[[Case, int], bool]
    repeats: int = 4000
    bounded: bool = False
    warns: bool = True


METHODS = {
    "`interval`, t": Method(student, small_skewness),
    "`interval`, bootstrap": Method(
        bca, lambda case, size: size >= 100 and small_skewness(case, size), 2000
    ),
    "`interval`, bounded": Method(
        bounded, lambda case, size: True, bounded=True, warns=False
    ),
    "`band`": Method(
        curves, lambda case, size: size >= 10 and small_skewness(case, size), 2000
    ),
    "`fixed_width_interval`, `HalfWidth`": Method(
        stein, lambda case, size: size >= 10 and small_skewness(case, size)
    ),
    "`quantile_interval`, median": Method(median, lambda case, size: True, warns=False),
}


def interval_rows(repeats: int | None):
    """Method and case -> cells over `SEEDS`."""
    for name, method in METHODS.items():
        for title, case in {**CASES, HIDDEN_TITLE: HIDDEN}.items():
            if method.bounded and case.bounds is None:
                continue
            if case is HIDDEN and not method.warns:
                continue
            cells = []
            for size in SEEDS:
                rng = np.random.default_rng([size, len(title)])
                count = repeats or (method.repeats if size < 1000 else 1000)
                values, covered = method.run(rng, case, size, count)
                warned = None
                if method.warns:
                    sound = supported(np.moveaxis(values, 1, -1))
                    warned = 1 - sound.reshape(count, -1).all(axis=1).mean()
                promised = method.promises(case, size) and case is not HIDDEN
                cells.append(Cell(covered.mean(), warned, promised))
            yield f"{name} | {title}", cells


def shared_rows(repeats: int | None):
    """Runs that share drawn instances: deviation 1 of these, 0.5 of their runs."""
    for instances, runs in ((5, 10), (20, 5), (200, 5)):
        rng = np.random.default_rng(instances)
        count = repeats or 2000
        means = rng.normal(size=(count, instances))
        values = np.repeat(means, runs, axis=1)
        values = values + 0.5 * rng.normal(size=values.shape)
        drawn = ("seed", np.repeat(np.arange(instances), runs))
        data = dataset(values, instance=drawn)
        bare = data.drop_vars("instance")
        cells = [
            hits(results, 0).mean()
            for results in (
                stats.two_level(data, "regret", LEVEL),
                stats.interval(data, "regret", LEVEL),
                stats.band(data, "regret", LEVEL, resamples=999),
                stats.interval(bare, "regret", LEVEL),
            )
        ]
        promised = (True, True, instances >= 10, False)
        yield (
            f"{instances} x {runs}",
            [Cell(x, None, p) for x, p in zip(cells, promised, strict=True)],
        )


def verdicts(values: np.ndarray, test: str, bounds=None) -> tuple[float, float]:
    """Share of the tables ``[R, P, S]`` with a verdict, and of silent pairs.

    The tests of `dominance`, all tables at once: by Holm's correction there is a
    verdict if and only if the smallest p value is at most ``(1 - LEVEL) / pairs``.
    """
    rows, columns = np.triu_indices(values.shape[1], 1)
    pairs = values[:, rows] - values[:, columns]
    each = 1 - (1 - LEVEL) / len(rows)
    if test == "t":
        magnitude = np.abs(values).max(axis=-1)
        scale = np.maximum(magnitude[:, rows], magnitude[:, columns])
        results = t_test(pairs, each, scale)
    elif test == "sign":
        results = sign_test(pairs)
    else:
        results = bounded_test(pairs, each, bounds[1] - bounds[0])
    # NaN is larger than nothing.
    wrong = (results.p <= 1 - each).any(axis=-1)
    return wrong.mean(), (results.reason != "").mean()


def rare(rng, shape):
    """+1 with probability 0.99, -99 with 0.01."""
    return np.where(rng.random(shape) < 0.01, -99.0, 1.0)


def dominance_rows(repeats: int | None):
    """Policies of equal means: alike, and three against a constant one."""
    cases = CASES | {"+1 (99 %), -99 (1 %)": Case(rare, 0, -9.8, 1, (-100, 100))}
    cases[HIDDEN_TITLE] = HIDDEN
    kinds = {
        "t": ((False, 4), (True, 4), (True, 2)),
        "bounded": ((True, 4),),
        "sign": ((True, 4),),
    }
    for test, title in itertools.product(kinds, cases):
        case = cases[title]
        if test == "bounded" and case.bounds is None:
            continue
        if test == "sign" and (
            case is HIDDEN or case.bounds and abs(case.skewness) > 4
        ):
            continue  # One side of the median is likelier: a verdict is right.
        for constant, policies in kinds[test]:
            cells = []
            for size in SEEDS:
                rng = np.random.default_rng([size, len(title), policies])
                count = repeats or (4000 if size < 1000 else 1000)
                values = case.draw(rng, (count, policies, size))
                if constant:
                    # Of wins the median is what is equal.
                    values[:, 0] = case.median if test == "sign" else case.mean
                results = verdicts(values, test, case.bounds)
                cells.append(Cell(*results, case is not HIDDEN))
            kind = f"one of {policies} constant" if constant else "4 alike"
            yield f"{test} | {title}, {kind}", cells


def power_rows(repeats: int | None):
    """Two policies whose difference is one standard deviation of it."""
    for name, draw in {
        "normal": lambda rng, n: rng.normal(size=n),
        "exponential, tail away from 0": lambda rng, n: rng.exponential(size=n) - 1,
    }.items():
        cells = []
        for size in (20, 50, 100):
            rng = np.random.default_rng(size)
            values = np.zeros((repeats or 2000, 2, size))
            values[:, 0] = 1 + draw(rng, values[:, 0].shape)
            cells.append(Cell(*verdicts(values, "t"), size == 50))
        yield name, cells


def rank_rows(repeats: int | None):
    """Two policies of which one wins with probability p; five that are alike."""
    for p in (0.5, 0.8, 0.95, 0.99):
        cells = []
        for size in SEEDS:
            rng = np.random.default_rng([size, int(100 * p)])
            ranks = 2.0 - (rng.random((repeats or 4000, size)) < p)
            lower, upper = rank_ends(ranks, 2, LEVEL)
            covered = (lower <= 2 - p) & (2 - p <= upper)
            cells.append(Cell(covered.mean(), None, True))
        yield f"wins {100 * p:.0f} %", cells
    cells = []
    for size in SEEDS:
        rng = np.random.default_rng(size)
        count = repeats or 4000
        ranks = rng.random((count, size, 5)).argsort(-1).argsort(-1)[..., 0] + 1.0
        lower, upper = rank_ends(ranks, 5, LEVEL)
        cells.append(Cell(((lower <= 3) & (upper >= 3)).mean(), None, True))
    yield "one of five that are alike", cells


def text(cell: Cell) -> str:
    number = f"{cell.value:.3f}".replace("0.", ".").replace("1.000", "1")
    if cell.promised:
        number = f"**{number}**"
    if cell.aside is None:
        return number
    return f"{number} / {cell.aside:.2f}".replace("0.", ".").replace("1.00", "1")


def table(head: list[str], rows) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, cells in rows:
        lines.append(f"| {name} | " + " | ".join(map(text, cells)) + " |")
    return "\n".join(lines)


def study(repeats: int | None) -> tuple[dict[str, str], list[str]]:
    """The tables by name, and what missed its bar."""
    seeds = [f"{size:,} seeds" for size in SEEDS]
    parts = {
        "intervals": (["method", "data", *seeds], interval_rows, ">=", COVERS),
        "shared": (
            ["instances x runs", "`two_level`", "`interval`", "`band`", "as if alone"],
            shared_rows,
            ">=",
            COVERS,
        ),
        "dominance": (["test", "data", *seeds], dominance_rows, "<=", WRONG),
        "power": (
            ["differences", *(f"{size} seeds" for size in (20, 50, 100))],
            power_rows,
            ">=",
            POWER,
        ),
        "ranks": (["policy", *seeds], rank_rows, ">=", COVERS),
    }
    tables, missed = {}, []
    for name, (head, rows, sense, bar) in parts.items():
        results = list(rows(repeats))
        tables[name] = table(head, results)
        for title, cells in results:
            for column, cell in zip(head[-len(cells) :], cells, strict=True):
                # Four standard errors, if there are few repetitions.
                slack = 4 * np.sqrt(bar * (1 - bar) / repeats) if repeats else 0
                good = (
                    cell.value >= bar - slack
                    if sense == ">="
                    else cell.value <= bar + slack
                )
                if cell.promised and not good:
                    missed.append(f"{name}: {title}, {column}: {cell.value:.3f}")
    return tables, missed


def written(page: str, tables: dict[str, str]) -> str:
    """The page with its tables between their marks replaced."""
    for name, results in tables.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, rest = page.split(start)
        page = before + start + results + "\n" + end + rest.split(end)[1]
    return page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, be quick")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", stats.CoverageWarning)
    tables, missed = study(500 if arguments.check else None)
    if arguments.check:
        print("\n\n".join(tables.values()))
    else:
        PAGE.write_text(written(PAGE.read_text(), tables))
    print(*missed, sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
