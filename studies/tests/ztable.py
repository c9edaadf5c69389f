"""Our numbers beside those that somebody else found, all rows of a setting at once.

Row by row at three standard errors some row fails by chance, and a bias of one standard
error in all of them does not. So all rows are judged together: the sum of their squared
z under a chi-square law finds what is a little wrong everywhere, the largest |z| under
Bonferroni's bound what is wrong in one place.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

FALSE_ALARM = 1e-3  # of each of the two tests


class Row(NamedTuple):
    """One number, found twice, with standard errors."""

    name: str
    ours: float
    error: float
    theirs: float
    their_error: float  # `of_repetitions` where it is not told
    rounding: float = 0.0  # half a unit of their last place: the end of a uniform law

    @property
    def z(self) -> float:
        """The difference over its standard error."""
        error = np.hypot(self.error, self.their_error)
        return (self.ours - self.theirs) / np.hypot(error, self.rounding / np.sqrt(3))


def of_repetitions(error, seeds: int, repetitions: int) -> float:
    """Their standard error from ours, where only their repetitions are told."""
    return error * np.sqrt(seeds / repetitions)


def listed(rows) -> str:
    """The table, worst row first."""
    lines = [f"{'z':>6}  ours +- s.e. | theirs +- s.e. | row"]
    for row in sorted(rows, key=lambda row: -abs(row.z)):
        ours, theirs = f"{row.ours:.6g} +- {row.error:.2g}", f"{row.theirs:.6g}"
        lines.append(
            f"{row.z:6.2f}  {ours} | {theirs} +- {row.their_error:.2g} | {row.name}"
        )
    return "\n".join(lines)


def check_rows(rows) -> str:
    """Both tests, each with the false-alarm rate `FALSE_ALARM`; returns the table.

    Rows that share runs (policies on common seeds, two metrics of one policy) are
    correlated; Bonferroni's bound holds all the same, and the chi-square test is then
    stricter than it says. One and the same number must not be counted twice.
    """
    assert rows, "no rows"
    names = [row.name for row in rows]
    assert len(set(names)) == len(names), "a row occurs twice"
    table, z = listed(rows), np.array([row.z for row in rows])
    assert np.isfinite(z).all(), f"a row without an error\n{table}"
    together = stats.chi2.sf(np.sum(z**2), len(z))
    alone = min(2 * stats.norm.sf(np.abs(z).max()) * len(z), 1.0)
    head = (
        f"{len(z)} rows, rms z {np.sqrt(np.mean(z**2)):.2f}, chi-square p "
        f"{together:.3g}, largest |z| {np.abs(z).max():.2f} (Bonferroni p {alone:.3g})"
    )
    assert min(together, alone) >= FALSE_ALARM, f"{head}\n{table}"
    return f"{head}\n{table}"
