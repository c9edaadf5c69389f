"""Which policy beats which: all pairs of policies, with control of multiplicity."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy import stats
from statsmodels.stats.multitest import multipletests

from jaxbandits.results.checks import check_choice, check_level
from jaxbandits.results.lookup import at_points, check_checkpoint, metric_values

# Seeds up to which the signed-rank test is exact; its normal form is close beyond.
EXACT = 50
CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "fdr_bh")


def dominance(
    dataset: xr.Dataset,
    metric: str,
    *,
    level: float = 0.95,
    params: int | Mapping[str, int] = 0,
    checkpoint: int = -1,
    smaller_is_better: bool = True,
    correction: str = "holm",
    test: str = "t",
) -> xr.Dataset:
    """Compare all pairs of policies, paired by seed.

    With P policies there are ``P (P - 1) / 2`` two-sided tests. A family-wise
    correction makes a wrong verdict anywhere in the table with probability at most
    ``1 - level``: "holm" (Holm 1979, Scand. J. Stat. 6, 65-70) under any dependence,
    "bonferroni" likewise and weaker, "holm-sidak" for two-sided tests of jointly normal
    differences. "fdr_bh" (Benjamini and Hochberg 1995, JRSS B 57, 289-300) instead
    bounds the expected share of wrong ones among the verdicts.

    The tests are those of the differences over seeds: "t" (Student's, of the mean), or
    "wilcoxon" (signed ranks with Pratt's treatment of zero differences, of symmetry
    about 0; robust where a few seeds dominate the mean; exact up to 50 seeds). The
    verdict's sign is that of the test's statistic.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric with one number per run and checkpoint.
      level: one minus the error rate, in (0, 1).
      params: number of the parameter point, or policy -> number.
      checkpoint: number of the checkpoint; negative ones count from the end.
      smaller_is_better: True for a loss such as regret, False for a gain.
      correction: "holm", "bonferroni", "holm-sidak" or "fdr_bh".
      test: "t" or "wilcoxon".

    Returns:
      Dataset with dimensions policy and rival and the variables

      - ``difference``: mean over seeds of the policy minus the rival;
      - ``lower``, ``upper``: simultaneous t intervals of the differences (Bonferroni:
        level ``1 - (1 - level) / m`` for m pairs) whatever `test` and `correction`, so
        that a verdict may go beyond them;
      - ``p``, ``p_adjusted``: p values, alone and adjusted. Policies that agree on
        every seed have p = 1;
      - ``verdict``: int8, 1 if the policy is better than the rival at that level, -1
        if worse, 0 if undecided;
      - ``win_rate``: share of the seeds on which the policy is strictly better, plus
        half of that of ties.

      A pair with a NaN seed is NaN, its verdict 0, and it does not count as a test.
      With a single seed the intervals are NaN and so is the p value of policies that
      differ.

    Raises:
      ValueError: if `metric`, `correction` or `test` is unknown, `metric` has further
        dimensions, `level` is not in (0, 1), or `params` or `checkpoint` is not a
        number of the dataset.
    """
    values = metric_values(dataset, metric)
    check_level(level)
    check_choice("correction", correction, CORRECTIONS)
    check_choice("test", test, ("t", "wilcoxon"))
    check_checkpoint(dataset, checkpoint)
    values = at_points(values, params).isel(checkpoint=checkpoint)
    if set(values.dims) != {"policy", "seed"}:
        further = ", ".join(str(d) for d in values.dims if d not in ("policy", "seed"))
        raise ValueError(f"metric: {metric!r} has further dimensions, {further}")
    runs = values.transpose("policy", "seed").values
    pairs = runs[:, None] - runs[None, :]
    center = pairs.mean(axis=-1)
    error = _standard_error(pairs)
    p, sign = (_t_test if test == "t" else _wilcoxon)(pairs, error)
    # The same policy, or the same actions: no test divides 0 by 0 for them.
    p[(pairs == 0).all(axis=-1)] = 1
    upper_half = np.triu(np.ones(p.shape, bool), 1) & ~np.isnan(p)
    p_adjusted, verdict = p.copy(), np.zeros(p.shape, np.int8)
    tests = int(upper_half.sum())
    if tests:
        # The correction of Sidak takes log(1 - p), also of p = 1.
        with np.errstate(divide="ignore"):
            found = multipletests(p[upper_half], 1 - level, correction)
        rows, columns = np.nonzero(upper_half)
        for at in ((rows, columns), (columns, rows)):
            p_adjusted[at] = found[1]
            verdict[at] = np.where(found[0], sign[at], 0)
    if smaller_is_better:
        verdict = -verdict
    tail = (1 - level) / max(tests, 1) / 2
    half = stats.t.isf(tail, runs.shape[1] - 1) * error
    better = pairs < 0 if smaller_is_better else pairs > 0
    wins = (better + (pairs == 0) / 2).mean(axis=-1)
    dims = ("policy", "rival")
    names = values["policy"].values
    return xr.Dataset(
        {
            "difference": (dims, center),
            "lower": (dims, center - half),
            "upper": (dims, center + half),
            "p": (dims, p),
            "p_adjusted": (dims, p_adjusted),
            "verdict": (dims, verdict),
            "win_rate": (dims, np.where(np.isnan(center), np.nan, wins)),
        },
        coords={
            "policy": names,
            "rival": names,
            "checkpoint": values["checkpoint"].values,
        },
        attrs={
            "metric": metric,
            "better": "smaller" if smaller_is_better else "larger",
            "level": level,
            "params": params,
            "correction": correction,
            "test": test,
        },
    )


def _standard_error(pairs: np.ndarray) -> np.ndarray:
    """f64[P, P], of the mean over seeds; NaN with a single seed."""
    size = pairs.shape[-1]
    if size < 2:
        return np.full(pairs.shape[:-1], np.nan)
    return pairs.std(axis=-1, ddof=1) / np.sqrt(size)


def _t_test(pairs, error) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p values and the signs of the mean differences."""
    center = pairs.mean(axis=-1)
    # A constant difference has an infinite statistic, p = 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.abs(center) / error
    return 2 * stats.t.sf(statistic, pairs.shape[-1] - 1), np.sign(center)


def _wilcoxon(pairs, error) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p values and the signs of the sums of signed ranks."""
    # Zeros are ranked and then left out, which is Pratt's treatment.
    ranks = np.sign(pairs) * stats.rankdata(np.abs(pairs), axis=-1)
    sums = ranks.sum(axis=-1)
    p = np.full(sums.shape, np.nan)
    proper = ~np.isnan(error) & (pairs != 0).any(axis=-1)
    if pairs.shape[-1] <= EXACT:
        for at in zip(*np.nonzero(proper), strict=True):
            p[at] = _signed_rank_p(ranks[at])
    elif proper.any():
        few = pairs[proper]
        p[proper] = stats.wilcoxon(
            few, zero_method="pratt", method="approx", axis=-1
        ).pvalue
    return p, np.sign(sums)


def _signed_rank_p(ranks: np.ndarray) -> float:
    """Exact p value of ``ranks [S]`` under random signs.

    SciPy is exact without ties only; with ties it walks through all 2^S signs, or
    takes the normal distribution for all pairs if one of them has ties.
    """
    # Mean ranks are halves. The sum of the positive ones has the generating function
    # prod((1 + x^r) / 2).
    doubled = np.rint(2 * np.abs(ranks)).astype(int)
    probability = np.zeros(doubled.sum() + 1)
    probability[0] = 1
    for rank in doubled[doubled > 0]:
        moved = np.zeros_like(probability)
        moved[rank:] = probability[:-rank]
        probability = (probability + moved) / 2
    sums = 2 * np.arange(len(probability)) - doubled.sum()
    observed = abs(np.rint(2 * ranks.sum()))
    return min(1.0, probability[np.abs(sums) >= observed].sum())
