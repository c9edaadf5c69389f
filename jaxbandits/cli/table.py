"""The table of an experiment's records: ours, and the paper's number beside it."""

from collections.abc import Sequence

from jaxbandits.console.printing import Table
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


def records_table(records: Sequence[Record], title: str) -> Table:
    """A table with a row per record and two columns per metric that has a number.

    Args:
      records: flat records as in `summary.json`.
      title: of the table.
    """
    names = list(dict.fromkeys(n for r in records for n in r["metrics"]))
    published = {
        n
        for r in records
        for n, entry in r["metrics"].items()
        if entry["published"] is not None
    }
    averaged = any(e["sem"] for r in records for e in r["metrics"].values())
    table = Table(title=f"{title} (mean ± s.e.)" if averaged else title)
    table.add_column("environment")
    table.add_column("policy")
    for name in names:
        table.add_column(METRICS.get(name, (name, ""))[0], justify="right")
        if name in published:
            table.add_column("paper", justify="right", style="dim")
    previous = None
    for record in records:
        if previous not in (None, record["environment"]):
            table.add_section()
        first = record["environment"] if record["environment"] != previous else ""
        previous = record["environment"]
        row = [first, record["policy"]]
        for name in names:
            entry = record["metrics"].get(name)
            row.append(_with_error(name, entry))
            if name in published:
                row.append(_number(name, entry and entry["published"]))
        table.add_row(*row)
    return table


def _with_error(name, entry) -> str:
    if entry is None or entry["mean"] is None:
        return ""
    text = _number(name, entry["mean"])
    return text + (f" ± {_number(name, entry['sem'])}" if entry["sem"] else "")


def _number(name, value) -> str:
    if value is None:
        return ""
    return METRICS.get(name, (name, "{:.4g}"))[1].format(value)
