"""Which policy beats which: all pairs of policies, with control of multiplicity."""

import json
from collections.abc import Mapping

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.checks import one_of
from jaxbandits.results.lookup import at_points, check_checkpoint
from jaxbandits.results.plain import plain
from jaxbandits.stats.checks import check_bounds, check_level
from jaxbandits.stats.corrections import CORRECTIONS, corrected
from jaxbandits.stats.lookup import metric_values
from jaxbandits.stats.pair_tests import bounded_test, sign_test, t_test
from jaxbandits.stats.replications import replications
from jaxbandits.stats.soundness import moments

# What a verdict is about.
ABOUT = {"t": "means", "bounded": "means", "sign": "wins"}


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
    bounds: tuple[float, float] | None = None,
) -> xr.Dataset:
    """Compare all pairs of policies, paired by seed.

    With P policies there are ``P (P - 1) / 2`` two-sided tests. A family-wise
    correction makes a wrong verdict anywhere in the table with probability at most
    ``1 - level``, if every test keeps its level: "holm" (Holm 1979, Scand. J. Stat. 6,
    65-70) under any dependence, "bonferroni" likewise and weaker, "holm-sidak" for
    two-sided tests of jointly normal differences. "fdr_bh" (Benjamini and Hochberg
    1995, JRSS B 57, 289-300) instead bounds the expected share of wrong ones among the
    verdicts.

    The tests are those of the differences over seeds. What each says, and when:

    - "t": Student's test of the mean. It gives no verdict, and says why in ``reason``,
      if there are fewer than 20 seeds, if all differences are equal, or if they are
      skewed towards the other side of 0 (a few more seeds in that tail could reverse
      the mean). It assumes that no rare, unobserved losses decide the mean. If 2 % of
      the runs have extreme losses and the rest varies, a verdict is wrong with
      probability .62 at 20 seeds and .13 at 100 (docs/statistics.md).
    - "bounded": test of the mean by betting, for a metric that lies within `bounds` in
      every possible run. It keeps its level for every distribution and every number of
      seeds, unobserved losses included, but needs more seeds.
    - "sign": tests whether the policy is better than the rival on more seeds, not its
      mean: a policy that wins 99 seeds by 1 and loses one by 1,000 is better. It keeps
      its level for every distribution.

    Where several seeds share a drawn instance (``runs_per_instance > 1``) their mean
    counts as one seed.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric with one number per run and checkpoint.
      level: one minus the error rate, in (0, 1).
      params: number of the parameter point, or policy -> number.
      checkpoint: number of the checkpoint; negative ones count from the end.
      smaller_is_better: True for a loss such as regret, False for a gain.
      correction: "holm", "bonferroni", "holm-sidak" or "fdr_bh".
      test: "t", "bounded" or "sign".
      bounds: for "bounded", the least and the largest value that the metric of any run
        can have.

    Returns:
      Dataset with dimensions policy and rival and the variables

      - ``difference``: mean over seeds of the policy minus the rival;
      - ``lower``, ``upper``: simultaneous intervals of the mean differences
        (Bonferroni: level ``1 - (1 - level) / m`` for m pairs, whatever `correction`,
        so that a verdict may go beyond them), Student's or by betting. An end is NaN
        where the seeds do not support it, and with "sign";
      - ``p``, ``p_adjusted``: p values, alone and adjusted; NaN where the test says
        nothing, except that policies which agree on every seed have p = 1;
      - ``verdict``: int8, 1 if the policy is better than the rival at that level, -1
        if worse, 0 if undecided;
      - ``reason``: why the test says nothing, or empty;
      - ``skewness``, ``effective_seeds``: of the differences; how many seeds of equal
        weight would make their variance (a third of the seeds for normal ones, 1 where
        one seed makes it all). NaN where all are equal;
      - ``win_rate``: share of the seeds on which the policy is strictly better, plus
        half of that of ties;

      and the attribute ``about``, "means" or "wins". A pair with a NaN seed is NaN,
      its verdict 0, and it does not count as a test.

    Raises:
      ValueError: if `metric`, `correction` or `test` is unknown, `metric` has further
        dimensions, `level` is not in (0, 1), `params` or `checkpoint` is not a number
        of the dataset, a value is infinite, there are less than two policies or no
        seeds, or `bounds` do not hold the values, are missing or not wanted.
      TypeError: if an argument is of another type.
    """
    values = metric_values(dataset, metric)
    check_level(level)
    one_of("correction", correction, CORRECTIONS)
    one_of("test", test, ABOUT)
    checks.flag("smaller_is_better", smaller_is_better)
    check_checkpoint(dataset, checkpoint)
    values = at_points(values, params).isel(checkpoint=checkpoint)
    if set(values.dims) != {"policy", "seed"}:
        further = ", ".join(str(d) for d in values.dims if d not in ("policy", "seed"))
        raise ValueError(f"metric: {metric!r} has further dimensions, {further}")
    if values.sizes["policy"] < 2 or values.sizes["seed"] < 1:
        raise ValueError(
            f"dataset: needs two policies and a seed, got {values.sizes['policy']} and "
            f"{values.sizes['seed']}"
        )
    if np.isinf(values).any():
        raise ValueError(f"metric: {metric!r} is infinite in some run")
    if (test == "bounded") != (bounds is not None):
        raise ValueError('bounds: are for the test "bounded", which needs them')
    runs = replications(values).transpose("policy", "seed").values
    pairs = runs[:, None] - runs[None, :]
    center = pairs.mean(axis=-1)
    upper_half = np.triu(np.ones(center.shape, bool), 1) & ~np.isnan(center)
    tests = int(upper_half.sum())
    each = 1 - (1 - level) / max(tests, 1)
    if bounds is not None:
        low, high = check_bounds(bounds, values.values)
        result = bounded_test(pairs, each, high - low)
    elif test == "sign":
        result = sign_test(pairs)
    else:
        magnitude = np.abs(runs).max(axis=-1)
        result = t_test(pairs, each, np.maximum(magnitude[:, None], magnitude))
    p = np.where((pairs == 0).all(axis=-1), 1.0, result.p)
    p_adjusted, verdict = _corrected(p, result.sign, upper_half, 1 - level, correction)
    if smaller_is_better:
        verdict = -verdict
    better = pairs < 0 if smaller_is_better else pairs > 0
    wins = (better + (pairs == 0) / 2).mean(axis=-1)
    skewness, effective = moments(pairs)
    missing = np.isnan(center)
    columns = {
        "difference": center,
        "lower": result.lower,
        "upper": result.upper,
        "p": p,
        "p_adjusted": p_adjusted,
        "verdict": verdict,
        "reason": np.where(missing, "a seed is NaN", result.reason),
        "skewness": skewness,
        "effective_seeds": effective,
        "win_rate": np.where(missing, np.nan, wins),
    }
    names = values["policy"].values
    point = plain(params, "params")
    coords = {"policy": names, "rival": names}
    if "checkpoint" in values.coords:
        coords["checkpoint"] = values["checkpoint"].values
    return xr.Dataset(
        {name: (("policy", "rival"), column) for name, column in columns.items()},
        coords=coords,
        attrs={
            "metric": metric,
            "better": "smaller" if smaller_is_better else "larger",
            "level": level,
            # As netCDF can hold it.
            "params": json.dumps(point) if isinstance(point, dict) else point,
            "correction": correction,
            "test": test,
            "about": ABOUT[test],
        },
    )


def _corrected(
    p: np.ndarray,
    sign: np.ndarray,
    upper_half: np.ndarray,
    error_rate: float,
    correction: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Adjusted p values and int8 signs of what is sure, both ``[P, P]``."""
    adjusted, verdict = p.copy(), np.zeros(p.shape, np.int8)
    rows, columns = np.nonzero(upper_half)
    if not rows.size:
        return adjusted, verdict
    raw = p[rows, columns]
    # A test without a verdict stays in the family: to drop it because of its seeds
    # would make the level of the other tests depend on the same seeds.
    filled = np.where(np.isnan(raw), 1.0, raw)
    result = corrected(filled, correction)
    for at in ((rows, columns), (columns, rows)):
        adjusted[at] = np.where(np.isnan(raw), np.nan, result)
        verdict[at] = np.where((result <= error_rate) & ~np.isnan(raw), sign[at], 0)
    return adjusted, verdict
