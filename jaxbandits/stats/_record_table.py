"""Records as a LaTeX or Markdown table, with marks for the best policies."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10, sqrt
from typing import Any

import scipy

from jaxbandits import checks
from jaxbandits.console import texts
from jaxbandits.stats.checks import check_level
from jaxbandits.stats.records import Entry, Record, make_record
from jaxbandits.stats.soundness import FEWEST

FORMS = ("markdown", "latex")
DIRECTIONS = ("lowest", "highest")
# What is better of the metrics that rank policies; others are not marked.
BEST = {
    "regret": "lowest",
    "realised_regret": "lowest",
    "simple_regret": "lowest",
    "reward": "highest",
    "gain": "highest",
    "optimal": "highest",
}
LONG = 9  # numbers from 10**LONG on are written as multiples of a power of ten
_NOTE = (
    "Bold: the {directions}. Dagger: not surely worse, Welch's tests at level "
    "{level:g} together per column and environment. "
)


def _checked(records: Any) -> list[Record]:
    """Records as `make_record` makes them, at least one.

    Records written by hand may have no experiment and no horizon.
    """
    if isinstance(records, str | Mapping) or not isinstance(records, Sequence | None):
        raise TypeError(
            f"records must be a list of records, got {checks.shown(records)}"
        )
    if not records:
        raise ValueError("records: there is nothing to show")
    result = []
    for number, record in enumerate(records):
        with checks.named(f"records[{number}]"):
            checks.mapping("a record", record)
            needed = ("environment", "policy", "metrics", "seeds")
            if missing := [name for name in needed if name not in record]:
                raise ValueError(
                    f"a record must have {', '.join(needed)}, as make_record gives it; "
                    f"there is no {', '.join(missing)}"
                )
            known: dict[str, Any] = {"experiment": "", "horizon": 0}
            known |= {x: record[x] for x in Record.__annotations__ if x in record}
            result.append(make_record(**known))
    return result


def record_table(
    records: Sequence[Record],
    form: str = "markdown",
    *,
    metrics: Sequence[str] | None = None,
    best: Mapping[str, str] = BEST,
    level: float = 0.95,
    labels: Mapping[str, str] | None = None,
) -> str:
    """Records as a table: a row each, a column per metric, mean ± standard error.

    If a policy has several rows in an environment, the parameters in which they differ
    follow its name.

    In every environment the best mean of a metric is bold, and a dagger marks the means
    that are not significantly worse. With probability `level` the best policy is among
    the marked ones. All others are worse than the best by a one-sided Welch test with
    Bonferroni's correction. The tests use means and errors only. On shared seeds they
    are conservative (if policies vary together), and unlike `dominance` they ignore
    skewness. With fewer than 20 seeds no difference is significant. Rows without an
    error (a clairvoyant's regret, say) are not compared. Each experiment and horizon is
    compared separately.

    Args:
      records: as in ``summary.json``, or of `summary_records`.
      form: "markdown", or "latex": a tabular that needs the package booktabs.
      metrics: which ones, in their order; by default all.
      best: metric -> "lowest" or "highest"; metrics that are not named are not marked.
      level: probability in (0, 1) that the marks hold the best.
      labels: environment, policy or metric -> its text, source of LaTeX or Markdown.

    Returns:
      The table, with a last line that says what marks mean (in LaTeX, a comment).

    Raises:
      TypeError, ValueError: naming the argument that is wrong.
    """
    checks.one_of("form", form, FORMS)
    check_level(level)
    checks.mapping("best", best)
    for name, direction in best.items():
        checks.one_of(f"best[{name!r}]", direction, DIRECTIONS)
    records = _checked(records)
    if isinstance(metrics, str) or not isinstance(metrics, Iterable | None):
        raise TypeError(f"metrics must be a list of names, got {metrics!r}")
    checks.mapping("labels", {} if labels is None else labels)
    known = list(dict.fromkeys(name for r in records for name in r["metrics"]))
    names = known if metrics is None else list(metrics)
    for name in names:
        checks.one_of("metrics", name, known)
    written = ["environment", "policy", *known]
    for record in records:
        written += [record["environment"], record["policy"]]
    for name in {} if best is BEST else best:
        checks.one_of("best", name, known)
    for name in labels or {}:
        checks.one_of("labels", name, dict.fromkeys(written))
    marks = {
        name: _marks(records, name, best[name], level) for name in names if name in best
    }
    printed = {
        name
        for r in records
        for name, results in r["metrics"].items()
        if results["published"] is not None
    }
    latex = form == "latex"
    safe = texts.latex if latex else texts.markdown
    points = _points(records)

    def tidy(text: str) -> str:
        if labels is not None and text in labels:
            return labels[text]
        return safe(text.replace("_", " ") if text in known else text)

    heads = [tidy("environment"), tidy("policy")]
    for name in names:
        heads.append(tidy(name))
        if name in printed:
            heads.append("printed")
    rows: list[list[str]] = []
    groups: list[int] = []
    for number, record in enumerate(records):
        here = record["environment"]
        first = number == 0 or here != records[number - 1]["environment"]
        if first:
            groups.append(number)
        row = [
            tidy(here) if first else "",
            tidy(record["policy"]) + safe(points[number]),
        ]
        for name in names:
            results = record["metrics"].get(name)
            row.append(_cell(results, latex, marks.get(name, {}).get(number)))
            if name in printed:
                value = None if results is None else results["published"]
                row.append("" if value is None else _number(value, None, latex))
        rows.append(row)
    used = sorted({best[name] for name in marks})
    note = _NOTE.format(directions=" or ".join(used), level=level) if used else ""
    if any(e["sem"] for r in records for e in r["metrics"].values()):
        note += "Mean ± standard error."
    lines = _latex(heads, rows, groups) if latex else _markdown(heads, rows)
    if note := note.strip():
        lines += [f"% {note}"] if latex else ["", note]
    return "\n".join(lines) + "\n"


def _points(records: Sequence[Record]) -> list[str]:
    """For each record, the parameters in which its policy differs in other rows."""
    params: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        same = params.setdefault((record["environment"], record["policy"]), [])
        same.append(record["params"])
    results = []
    for record in records:
        rows = params[record["environment"], record["policy"]]
        own = [
            f"{name} = {value}"
            for name, value in record["params"].items()
            if any(name not in other or other[name] != value for other in rows)
        ]
        results.append(f" ({', '.join(own)})" if own else "")
    return results


def _marks(
    records: Sequence[Record], name: str, direction: str, level: float
) -> dict[int, str]:
    """The numbers of marked records: "best", or "close" if not significantly worse.

    Compared are those of one environment, experiment and horizon.
    """
    sign = 1.0 if direction == "lowest" else -1.0
    games: dict[Any, dict[int, tuple[float, float, int]]] = {}
    for number, record in enumerate(records):
        results = record["metrics"].get(name)
        if results is not None and results["mean"] is not None and results["sem"]:
            rival = (sign * results["mean"], results["sem"], record["seeds"])
            game = record["environment"], record["experiment"], record["horizon"]
            games.setdefault(game, {})[number] = rival
    marks = {}
    for rivals in games.values():
        best = min(rivals, key=lambda number: rivals[number][0])
        if len(rivals) > 1:  # A policy alone is not the best.
            marks[best] = "best"
        for number, rival in rivals.items():
            if number != best:
                share = (1 - level) / (len(rivals) - 1)
                if _welch(rival, rivals[best]) > share:
                    marks[number] = "close"
    return marks


def _welch(one: tuple[float, float, int], other: tuple[float, float, int]) -> float:
    """p value of "one is not larger than the other"; 1 where seeds are too few."""
    (mean, error, seeds), (low, low_error, low_seeds) = one, other
    if min(seeds, low_seeds) < FEWEST:
        return 1.0
    variance, low_variance = error**2, low_error**2
    freedom = (variance + low_variance) ** 2 / (
        variance**2 / (seeds - 1) + low_variance**2 / (low_seeds - 1)
    )
    return float(
        scipy.stats.t.sf((mean - low) / sqrt(variance + low_variance), freedom)
    )


def _cell(results: Entry | None, latex: bool, mark: str | None) -> str:
    if results is None or results["mean"] is None:
        return ""
    text = _number(results["mean"], results["sem"], latex)
    if latex:
        bold = rf"$\mathbf{{{text[1:-1]}}}$"
        marked = {"best": bold, "close": text[:-1] + r"^{\dagger}$"}
    else:
        marked = {"best": f"**{text}**", "close": f"{text} †"}
    return text if mark is None else marked[mark]


def _number(mean: float, error: float | None, latex: bool) -> str:
    """A mean with two digits of its error; four significant digits without an error."""
    power = floor(log10(abs(mean))) if mean else 0
    if power < LONG:
        text = " ± ".join(_digits(mean, error))
    else:
        unit = 10.0**power
        text = " ± ".join(_digits(mean / unit, error and error / unit))
        text = f"({text})" if error else text
        text += rf" \cdot 10^{{{power}}}" if latex else f"e{power}"
    if latex:
        return "$" + text.replace("±", r"\pm").replace(",", "{,}") + "$"
    return text.replace("-", "\N{MINUS SIGN}")


def _digits(mean: float, error: float | None) -> list[str]:
    """The mean, and the error if there is one."""
    size, kept = (error, 1) if error else (abs(mean), 3)
    decimals = max(0, kept - floor(log10(size))) if size else 0
    return [f"{x:,.{decimals}f}" for x in ((mean, error) if error else (mean,))]


def _markdown(heads: list[str], rows: list[list[str]]) -> list[str]:
    rule = ["---", "---", *("---:" for _ in heads[2:])]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]


def _latex(heads: list[str], rows: list[list[str]], groups: list[int]) -> list[str]:
    lines = [
        rf"\begin{{tabular}}{{ll{'r' * (len(heads) - 2)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
    ]
    for number, row in enumerate(rows):
        if number in groups:
            lines.append(r"\midrule")
        lines.append(" & ".join(row) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]
