"""Labels of axes, and short, readable numbers."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from jaxbandits.plots.words import literal, symbols
from jaxbandits.results.lookup import check_checkpoints
from jaxbandits.results.names import FACT

# Metrics whose name does not say enough.
METRIC_LABELS = {
    "regret": "cumulative regret",
    "censored": "share of censored rounds",
    "optimal": "share of optimal choices",
    "realised_regret": "realised regret",
    "rounds": "rounds played",
}
CHECKPOINT_LABELS = {
    "round": "round $t$",
    "spent": "budget spent",
    "share": "share of the budget spent",
}
# Metrics that are 0 before the first round.
FROM_ZERO = ("regret", "realised_regret", "reward", "rounds", "spent")
BUDGET_LABELS = {"farewell": "time $t$"}  # what the budget of a setting is
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def metric_label(metric: str) -> str:
    """An axis label for a metric."""
    return METRIC_LABELS.get(metric, literal(metric.replace("_", " ")))


def metric_at(dataset: xr.Dataset, metric: str, checkpoint: int = -1) -> str:
    """A metric and its checkpoint: "cumulative regret at round 10k"."""
    kind = _kind(dataset)
    value = dataset["checkpoint"].values[checkpoint].item()
    if kind == "share":
        where = f"{short_number(100 * value)} % of the {_whole(dataset)}"
    else:
        where = "round " if kind == "round" else "spent budget "
        where += short_number(value)
    return f"{metric_label(metric)} at {where}"


def parameter_label(name: str) -> str:
    """An axis label for a parameter of a policy, or an environment's argument."""
    return symbols(name.removeprefix(FACT).replace("_", " "))


def checkpoint_label(dataset: xr.Dataset) -> str:
    """An axis label for the checkpoints."""
    kind = _kind(dataset)
    label = CHECKPOINT_LABELS[kind]
    if kind == "spent":
        label = BUDGET_LABELS.get(dataset.attrs.get("setting", ""), label)
    if kind == "share" and _whole(dataset) == "horizon":
        label = "share of the horizon"
    return label


def _whole(dataset: xr.Dataset) -> str:
    """What checkpoints are shares of, as `as_share` has noted it."""
    return "horizon" if dataset.attrs.get("share_of") == "round" else "budget"


def _kind(dataset: xr.Dataset) -> str:
    """What checkpoints are, of `CHECKPOINT_LABELS`; the dataset must say it."""
    check_checkpoints(dataset)
    kind = dataset.attrs.get("checkpoint_kind")
    if kind not in CHECKPOINT_LABELS:
        raise ValueError(
            "dataset must have the attribute checkpoint_kind, one of "
            f"{', '.join(CHECKPOINT_LABELS)}, got {kind!r}; what xarray has computed "
            "has lost it: give dataset.assign_attrs(checkpoint_kind=...)"
        )
    return str(kind)


def short_number(value: float, digits: int = 6) -> str:
    """`value` to at most `digits` digits, with k, M, G or T: 100k, 2.5M, \u22121."""
    # Rounded first, so that 999999.9 is 1M and not 1000k.
    value = float(f"{value:.{digits}g}")
    for size, unit in _UNITS:
        if abs(value) >= size:
            return _minus(f"{value / size:.{digits}g}{unit}")
    return _minus(f"{value:.{digits}g}")


def _minus(text: str) -> str:
    """With a minus that is as wide as a plus, and not a hyphen; exponents keep it."""
    return "\N{MINUS SIGN}" + text[1:] if text.startswith("-") else text


def padded_number(value: float) -> str:
    """`value` to three digits, zeros too, so that numbers compare: 0.210, 3.50k."""
    text = short_number(value, 3)
    number, unit = (text[:-1], text[-1]) if text[-1].isalpha() else (text, "")
    if number == "0":
        return number + unit
    # float() reads a hyphen only.
    padded = f"{float(number.replace(chr(0x2212), '-')):#.3g}".removesuffix(".")
    return _minus(padded) + unit


def value_labels(values: Iterable[float]) -> list[str]:
    """Distinct values to as few digits, three or more, as keep them apart."""
    values = np.asarray(values, np.float64)
    for digits in range(3, 17):
        # Python writes two digits of an exponent: 1e-05.
        texts = [
            short_number(value, digits).replace("e-0", "e-")
            for value in values.tolist()
        ]
        if len(set(texts)) == len(set(values.tolist())):
            break
    return texts


def percentage(share: float) -> str:
    """`share` in percent, to a tenth, below 1 % to two digits: 46.0 %, 0.024 %."""
    return f"{100 * share:.1f} %" if abs(share) >= 0.01 else f"{100 * share:.2g} %"
