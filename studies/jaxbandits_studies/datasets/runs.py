"""Recorded runs of configurations (of a solver, say), as log files hold them."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from jaxbandits.censored import Runs
from jaxbandits.checks import number, positive, shown, text
from jaxbandits_studies.datasets.reading import (
    Allowed,
    Read,
    look,
    named_as_totals,
    read,
    tell,
    tidy,
)

RUN = "run"
# What logs say of a run, in small letters.
FINISHED = {
    *("ok", "success", "successful", "solved", "finished", "done", "complete"),
    *("completed", "sat", "satisfiable", "unsat", "unsatisfiable", "optimal"),
}
STOPPED = {
    *("timeout", "timed out", "time out", "time limit", "timelimit", "to", "tle"),
    *("capped", "cutoff", "censored", "stopped", "killed", "interrupted"),
}
FAILED = {
    *("memout", "memory", "memory out", "out of memory", "oom", "mo", "crash"),
    *("crashed", "error", "failed", "failure", "abort", "aborted", "segfault"),
    *("unknown", "unsolved", "not applicable", "other"),
}
NEAR = 0.01  # of a timeout: so little below it, a run may have been stopped by it


def load_runs(
    path: str | PathLike[str],
    *,
    reward: str | None = "reward",
    seconds: str = "seconds",
    configuration: Sequence[str] | None = None,
    timeout: float | None = None,
    cutoff: str | None = None,
    status: str | None = None,
    tolerance: float | None = None,
    sep: str | None = None,
    decimal: str | None = None,
) -> Runs:
    """Read recorded runs.

    Of a run that was stopped it is known that it exceeds every limit up to where it was
    stopped, and nothing of larger limits. Hence `censored.recorded` plays limits up to
    the smallest cutoff of a run that was stopped, and no larger one. (To play larger
    ones, leave out all runs of small cutoffs, those that finished as well: to leave out
    the stopped ones alone would favour limits that they exceed.)

    Args:
      path: a CSV file, one row per run, as for `from_table`. A column
        ``run`` (a number), if there is one, orders the runs of a configuration.
      reward: the column of rewards in [0, 1]; not looked at in a run that had not
        finished. None: a run that finished brings 1.
      seconds: the column of times; any resource will do. ``inf`` in a run that had not
        finished.
      configuration: the columns that make the configuration; by default all others.
        Cells are text: ``1`` and ``01`` are two configurations. A column all of whose
        cells are numbers as Python writes them has numbers for values.
      timeout: the time after which runs were stopped: those with as many seconds, or
        more, had not finished.
      cutoff: the column of such times, > 0, where each run has its own.
      status: the column that says how a run ended, in place of its seconds: ``ok``,
        ``timeout`` (stopped at its cutoff or the timeout, or else at its seconds) or
        ``memout`` and ``crash``, which bring nothing whatever the limit, and exceed
        every one, as in PAR10. Other words for these are known, too.
      tolerance: the share of a timeout or cutoff, in [0, 1), by which a run that it
        stopped may fall short of it: 0.01 counts 9.98 of 10 s as stopped. By default 0,
        and such runs are worth a warning. It goes with timeout or cutoff.
      sep, decimal: as for `from_table`.

    Returns:
      The runs, configurations in the order of their values.

    Raises:
      ValueError: naming `path`, the column and the row, if a cell is empty or no number
        in range, a status is not known, or one that finished took for ever; naming the
        argument, if its column is missing or another's, if no configuration is told, or
        `timeout`, `tolerance`, `sep` or `decimal` are out of range.
      TypeError: naming the argument, if it is no name, or no list of them.
      FileNotFoundError: if there is no such file.
    """
    given = {"reward": reward, "seconds": seconds, "cutoff": cutoff, "status": status}
    columns = {
        argument: text(argument, column)
        for argument, column in given.items()
        if column is not None or argument == "seconds"
    }
    if isinstance(configuration, str) or not isinstance(configuration, Iterable | None):
        raise TypeError(
            "configuration must be a list of columns' names, got "
            f"{shown(configuration)}"
        )
    configured = [text("configuration: a name", c) for c in configuration or ()]
    different = [*columns.values(), RUN, *configured]
    if len({*map(tidy, different)}) < len(different):
        raise ValueError(
            f"{', '.join(columns)}, configuration and {RUN!r} must be different "
            f"columns, got {', '.join(map(repr, [*columns.values(), *configured]))}"
        )
    if timeout is not None:
        timeout = number("timeout", timeout)
        positive(timeout=timeout)
    if tolerance is not None and not 0 <= number("tolerance", tolerance) < 1:
        raise ValueError(f"tolerance must be in [0, 1), got {tolerance}")
    if tolerance is not None and timeout is None and cutoff is None:
        raise ValueError(
            "tolerance is a share of a timeout or cutoff: give timeout or cutoff, too"
        )
    layout = look(path, columns | {f"configuration {c!r}": c for c in configured}, sep)
    columns = {argument: layout.named[argument] for argument in columns}
    others = [c for c in layout.columns if c and c not in (*columns.values(), RUN)]
    names = others if configuration is None else [*map(tidy, configured)]
    # Pandas writes its row numbers so, and each would be a configuration of its own.
    if configuration is None and layout.unnamed:
        raise ValueError(
            f"path: {path} has a column without a name, which configuration must leave "
            f"out; others are {others}"
        )
    if len(set(names)) < len(names):
        raise ValueError(f"path: {path} must have one column of a name, got {names}")
    if not names:
        raise ValueError(f"path: {path} has no configurations: no further columns")
    free = status is not None
    wanted = {columns["seconds"]: Allowed(lowest=0, infinite=True, any_text=free)}
    if reward is not None:
        wanted[columns["reward"]] = Allowed(lowest=0, highest=1, any_text=True)
    if cutoff is not None:
        wanted[columns["cutoff"]] = Allowed(lowest=0, infinite=True)
    if RUN in layout.columns:
        wanted[RUN] = Allowed()
    statuses = [] if status is None else [columns["status"]]
    result = read(layout, [*names, *statuses], wanted, decimal, loose=statuses)
    ended, stops, notes = _ends(path, result, columns, timeout, tolerance)
    pairs = np.zeros((len(ended), 2))
    pairs[:, 1] = np.where(ended, result.numbers[columns["seconds"]], np.inf)
    pairs[:, 0] = ended
    if reward is not None:
        _refuse(path, result, columns["reward"], wanted, ended)
        pairs[ended, 0] = result.numbers[columns["reward"]][ended]
    arm, configurations = _configurations(result, names)
    counts = np.bincount(arm)
    if configuration is None and len(counts) == len(arm) > 1:
        notes.append(
            f"every row is a configuration of its own, made of {', '.join(names)}: "
            "say by configuration which of these columns make one"
        )
    # A value that several runs have is one of a parameter, whatever its name.
    cells = (result.words[name] for name in names)
    once = [
        x.names[i] for x in cells for i in np.flatnonzero(np.bincount(x.codes) == 1)
    ]
    notes += named_as_totals(once, "arm's configuration")
    for note in notes:
        tell(path, note)
    order = np.lexsort((result.numbers.get(RUN, 0 * ended), arm))
    if np.isfinite(stops).any() or timeout is not None:
        timeout = float(min(np.min(stops, initial=np.inf), timeout or np.inf))
    about = {
        "file": str(path),
        "runs_of_each": [int(np.min(counts)), int(np.max(counts))],
        "notes": [*result.notes, *notes],
    }
    return Runs(configurations, pairs[order], counts, about, timeout)


def _ends(
    path: str | PathLike[str],
    result: Read,
    columns: dict[str, str],
    timeout: float | None,
    tolerance: float | None,
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Which runs finished, bool[R], when the others were stopped, f64[R], and notes.

    +inf of those that finished, or would bring nothing whatever the limit.
    """
    notes = []
    seconds = result.numbers[columns["seconds"]]

    def first(which: np.ndarray) -> str:
        place = int(np.argmax(which))
        times = f"{seconds[place]:g} of {most[place]:g}"
        return f"{times} in row {result.rows[place]} below the header"

    most = np.full(seconds.shape, np.inf if timeout is None else timeout)
    if "cutoff" in columns:
        cutoffs = result.numbers[columns["cutoff"]]
        if not cutoffs.all():
            raise ValueError(
                f"path: cells of column {columns['cutoff']!r} of {path} must be above "
                f"0, got 0 in row {result.rows[np.argmin(cutoffs)]} below the header"
            )
        most = np.minimum(most, cutoffs)
    if "status" not in columns:
        stopped = seconds >= most * (1 - (tolerance or 0.0))
        near = ~stopped & (seconds >= most * (1 - NEAR))
        if tolerance is None and near.any():
            notes.append(
                f"{near.sum()} runs took nearly their timeout or cutoff, as "
                f"{first(near)}, and count as finished: if they were stopped, give "
                f"status, or tolerance={NEAR}"
            )
        if np.any(stopped & np.isinf(most)):
            notes.append(
                "runs with a time of inf count as exceeding every limit, as the file "
                "does not say when they were stopped: give timeout or cutoff"
            )
        longest = np.max(seconds[~stopped], initial=0.0)
        # Of whole seconds some are equal by chance: not more of the longest, though.
        long = seconds[~stopped & (seconds >= longest / 2)]
        ties = np.append(1, np.unique(long, return_counts=True)[1])
        if np.isinf(most).all() and ties[-1] > ties[:-1].max():
            notes.append(
                f"{ties[-1]} of {seconds.size} runs took exactly the longest time, "
                f"{longest:g}, and count as finished: if they were stopped, give "
                "timeout, cutoff or status"
            )
        return ~stopped, np.where(stopped, most, np.inf), notes
    if tolerance is not None:
        raise ValueError("tolerance is of seconds, and goes without status")
    ended, stopped = (np.zeros(seconds.shape, bool) for _ in range(2))
    column = result.words[columns["status"]]
    for code, word in enumerate(column.names):
        plain = " ".join(re.split(r"[\s_-]+", word.casefold()))
        if plain not in FINISHED | STOPPED | FAILED:
            row = result.rows[np.argmax(column.codes == code)]
            raise ValueError(
                f"path: {path} has the status {word!r} in row {row} below the header, "
                "which is not known: write ok (it finished), timeout (it was stopped), "
                "memout or crash"
            )
        ended |= (column.codes == code) & (plain in FINISHED)
        stopped |= (column.codes == code) & (plain in STOPPED)
    wanted = {columns["seconds"]: Allowed(lowest=0, any_text=True)}
    seconds = np.where(np.isinf(seconds), np.nan, seconds)
    result.numbers[columns["seconds"]] = seconds
    for place in np.flatnonzero(np.isnan(seconds) & ended):
        result.bad[columns["seconds"]].setdefault(int(place), "inf")
    _refuse(path, result, columns["seconds"], wanted, ended)
    for place, cell in result.bad[columns["seconds"]].items():
        if stopped[place] and re.match(r"-\s*[\d.,]", cell.strip()):
            raise ValueError(
                f"path: cells of column {columns['seconds']!r} of {path} must not be "
                f"below 0 in a run that was stopped, got {cell!r} in row "
                f"{result.rows[place]} below the header (empty if it is unknown)"
            )
    known = np.where(np.isinf(most), np.nan_to_num(seconds, nan=np.inf), most)
    if np.any(stopped & np.isinf(known)):
        notes.append(
            "stopped runs count as exceeding every limit, as the file does not say "
            "when they were stopped: give timeout or cutoff"
        )
    early = stopped & (seconds < most * (1 - NEAR)) & np.isfinite(most)
    if early.any():
        notes.append(
            f"{early.sum()} runs were stopped before their timeout or cutoff, as at "
            f"{first(early)}, and count as exceeding it: if they had another, give "
            "cutoff"
        )
    late = ended & (seconds > most)
    if late.any():
        notes.append(
            f"{late.sum()} runs finished after their timeout or cutoff, as "
            f"{first(late)}, and count with their seconds: if they were stopped, "
            "correct their status"
        )
    return ended, np.where(stopped, known, np.inf), notes


def _refuse(
    path: str | PathLike[str],
    result: Read,
    column: str,
    wanted: Mapping[str, Allowed],
    ended: np.ndarray,
) -> None:
    """Require that a column has no bad cell in a run that finished."""
    bad = [place for place in result.bad[column] if ended[place]]
    if bad:
        raise ValueError(
            f"path: cells of column {column!r} of {path} are no "
            f"{wanted[column].words} "
            f"in a run that finished, first {result.bad[column][bad[0]]!r} in row "
            f"{result.rows[bad[0]]} below the header"
        )


def _configurations(
    result: Read, names: Sequence[str]
) -> tuple[np.ndarray, tuple[dict[str, Any], ...]]:
    """The configuration of every run, i64[R], and the configurations in order."""
    columns = [result.words[name] for name in names]
    keys, codes = np.unique(
        np.stack([_rank(c.names)[c.codes] for c in columns]),
        axis=1,
        return_inverse=True,
    )
    values = []
    for column, ranks in zip(columns, keys, strict=True):
        typed = _typed(column.names)
        places = np.argsort(_rank(column.names))[ranks]
        values.append([typed[place] for place in places])
    made = (dict(zip(names, each, strict=True)) for each in zip(*values, strict=True))
    return codes.reshape(-1), tuple(made)


def _rank(texts: Sequence[str]) -> np.ndarray:
    """i64[n], the places of texts in order: of their values, if all are numbers."""
    cells = pd.Series(texts, dtype=object)
    values = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64)
    if np.isnan(values).any():
        values = np.zeros(len(texts))
    order = np.lexsort((np.array(texts), values))
    ranks = np.empty(len(texts), np.int64)
    ranks[order] = np.arange(len(texts))
    return ranks


def _typed(texts: Sequence[str]) -> list[Any]:
    """Numbers, where all texts are what Python writes for different ones."""
    for kind in (int, float):
        try:
            values = [kind(x) for x in texts]
        except ValueError:
            continue
        as_written = all(
            str(x) == t or (kind is float and t == str(int(x)) and abs(x) < 2**53)
            for x, t in zip(values, texts, strict=True)
            if math.isfinite(x)
        )
        finite = all(map(math.isfinite, values))
        if finite and as_written and len(set(values)) == len(texts):
            return values
    return [*texts]


def shipped_runs(name: str, **columns: Any) -> Runs:
    """Recorded runs that this package contains.

    Args:
      name: of the CSV file in the data folder, without its ending; beside it lies a
        JSON file that becomes `Runs.about`, with the timeout if there was one.
      **columns: as for `load_runs`.
    """
    folder = files("jaxbandits_studies.datasets") / "data"
    about = json.loads((folder / f"{name}.json").read_text())
    timeout = about.get("timeout")
    options = {} if timeout is None else {"timeout": timeout, "tolerance": 0.0}
    runs = load_runs(str(folder / f"{name}.csv"), **columns, **options)
    return runs._replace(about=runs.about | about)
