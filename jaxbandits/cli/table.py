"""The table of records, with the numbers of a paper beside ours."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from jaxbandits.console.printing import Table, width_of
from jaxbandits.stats import Record

METRICS = {
    "regret": ("regret", "{:,.1f}"),
    "censored": ("censored share", "{:.4f}"),
    "censored_deviation": ("its deviation", "{:.4f}"),
    "realised_regret": ("realised", "{:,.0f}"),
    "epochs": ("epochs", "{:,.0f}"),
    "optimal": ("optimal share", "{:.4f}"),
    "regret_median": ("median", "{:,.1f}"),
    "regret_q90": ("90 % quantile", "{:,.0f}"),
    "regret_minus_baseline": ("minus baseline", "{:,.1f}"),
}
_MOST_DECIMALS = dict.fromkeys(("censored", "censored_deviation", "optimal"), 4)
_GAP = 2  # characters between two columns


class _Column(NamedTuple):
    """A column of our numbers, and the numbers of a paper beside it."""

    header: str
    cells: list[str]
    paper: list[str] | None

    @property
    def width(self) -> int:
        """The width in characters, with the paper's numbers and the gaps."""
        width = _GAP + max(map(width_of, [self.header, *self.cells]))
        if self.paper:
            width += _GAP + max(map(width_of, ["paper", *self.paper]))
        return width


def records_table(
    records: Sequence[Record], title: str, width: int | None = None
) -> Table:
    """A table with a row per record and two columns per metric that has a number.

    Args:
      records: flat records as in `summary.json`.
      title: of the table.
      width: of the table, in characters. Metrics that do not fit are left out, those
        without a published number first, and named below the table. None shows all.
    """
    names = list(dict.fromkeys(n for r in records for n in r["metrics"]))
    columns = {name: _column(name, records) for name in names}
    environments, policies = _labels(records)
    averaged = any(e["sem"] for r in records for e in r["metrics"].values())
    table = Table(title=f"{title} (mean ± s.e.)" if averaged else title)
    table.add_column("environment", no_wrap=width is not None)
    table.add_column("policy", no_wrap=width is not None)
    labels = sum(
        max(map(width_of, [header, *cells]), default=0)
        for header, cells in (("environment", environments), ("policy", policies))
    )
    shown = _fitting(columns, None if width is None else width - labels - _GAP)
    for column in shown.values():
        table.add_column(column.header, justify="right", no_wrap=width is not None)
        if column.paper:
            table.add_column("paper", justify="right", style="dim")
    for row in range(len(records)):
        cells = [environments[row], policies[row]]
        for column in shown.values():
            cells.append(column.cells[row])
            if column.paper:
                cells.append(column.paper[row])
        table.add_row(*cells)
    if left_out := [columns[name].header for name in names if name not in shown]:
        table.caption_justify = "left"
        table.caption = f"Left out for want of width: {', '.join(left_out)}"
    return table


def _labels(records: Sequence[Record]) -> tuple[list[str], list[str]]:
    """Names of environments, each in its first row only, and of policies."""
    environments = [record["environment"] for record in records]
    first = [
        "" if row and environments[row - 1] == name else name
        for row, name in enumerate(environments)
    ]
    return first, [record["policy"] for record in records]


def _column(name: str, records: Sequence[Record]) -> _Column:
    entries = [record["metrics"].get(name) for record in records]
    published = [entry["published"] if entry else None for entry in entries]
    paper = [_number(name, value) for value in published] if any(published) else None
    ours = [_with_error(name, entry) for entry in entries]
    return _Column(METRICS.get(name, (name, ""))[0], ours, paper)


def _fitting(columns: dict[str, _Column], width: int | None) -> dict[str, _Column]:
    """The columns that fit: the first, those with the paper's numbers, then others."""
    if width is None:
        return columns
    first = next(iter(columns), None)
    wanted = sorted(columns, key=lambda n: (n != first, columns[n].paper is None))
    kept = set()
    for name in wanted:
        if columns[name].width <= width or name == first:
            kept.add(name)
            width -= columns[name].width
    return {name: column for name, column in columns.items() if name in kept}


def _with_error(name, entry) -> str:
    if entry is None or entry["mean"] is None:
        return ""
    if not entry["sem"]:
        return _number(name, entry["mean"])
    return rounded(entry["mean"], entry["sem"], _MOST_DECIMALS.get(name))


def rounded(mean: float, error: float, most: int | None = None) -> str:
    """A mean without digits beyond its error: ``6,460 ± 140``, ``1,593 ± 7``.

    The error has one digit, or two if the first is a 1.

    Args:
      mean: a number.
      error: its standard error, > 0.
      most: the most decimals; a smaller error is rounded up to the last one.
    """
    if most is not None:
        error = max(error, 10.0**-most)
    place = -math.floor(math.log10(float(f"{error:.1g}")))
    if f"{error:.1e}".startswith("1"):
        place += 1
    if most is not None:
        place = min(place, most)
    decimals = max(place, 0)
    return " ± ".join(f"{round(x, place):,.{decimals}f}" for x in (mean, error))


def _number(name, value) -> str:
    if value is None:
        return ""
    return METRICS.get(name, (name, "{:.4g}"))[1].format(value)
