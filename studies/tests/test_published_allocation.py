"""Regret of the allocation policies against independent numbers, appendix A.1.

The paper prints none. These come from an independent float64 simulation of 15 runs at T
= 10,000, without standard errors: ours, times the root of 64 over 15, stands for them.
Its runs are paired by seed, as ours are: a draw of 15 instances that is harder than
most moves all rows of RA-UCB at once (they correlate by .9). So the rows are judged
together by Hotelling's test, with the covariance over our seeds, and one by one by
Bonferroni's.
"""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from jaxbandits import allocation, simulate
from jaxbandits.stats import final
from jaxbandits_studies.slips.allocation import ra_ucb_printed
from studies.tests.ztable import FALSE_ALARM, Row, listed, of_repetitions

pytestmark = pytest.mark.slow

SEEDS, RUNS = 64, 15
POINT = {"update": "all", "others": "point"}
INDEPENDENT = {
    "printed": (
        partial(ra_ucb_printed, estimator="truncated", radii="printed"),
        {1.0: 40_023, 1e-4: 29_536, 1e-5: 4_818, 1e-6: 890},
    ),
    "delta": (
        partial(allocation.ra_ucb, radii="delta"),
        {6.0: 9_199, 1.0: 2_042, 0.5: 1_300, 0.25: 989},
    ),
    "profile": (
        allocation.ra_ucb,
        {6.0: 6_304, 2.0: 2_643, 1.0: 1_672, 0.5: 1_211, 0.25: 982},
    ),
    "profile, one round": (allocation.ra_ucb, {1.0: 1_531, 0.25: 764}),
    "all arms learn": (partial(allocation.ra_ucb, **POINT), {0.5: 790}),
}
OTHERS = {
    "RA-ETC in all": (allocation.ra_etc, {"exploration": 464.0}, 2_059),
    "RA-ETC per arm": (
        partial(allocation.ra_etc, count="per_arm"),
        {"exploration": 464.0},
        18_582,
    ),
    "NO-UCB, 9 rounds": (allocation.no_ucb, {"initial": 9.0}, 1_021),
    "NO-UCB, 3 rounds": (allocation.no_ucb, {"initial": 3.0}, 3_182),
    "NO-UCB, 1 round": (allocation.no_ucb, {"initial": 1.0}, 13_616),
}


def played(factory, params):
    """Final regret, f64[point, seed]."""
    game = allocation.simulation()
    policy = factory(game.problem).over(**params)
    data = simulate(policy, game, horizon=10_000, seeds=SEEDS)
    return final(data, "regret").isel(policy=0).transpose("params", "seed").values


def all_played():
    """Name -> ours f[seed], and the other number."""
    found = {}
    for name, (factory, numbers) in INDEPENDENT.items():
        initial = 1.0 if "one round" in name else 9.0
        scales = list(numbers)
        values = played(factory, {"scale": scales, "initial": initial})
        for scale, ours in zip(scales, values, strict=True):
            found[f"{name}, scale {scale:g}"] = ours, numbers[scale]
    for name, (factory, params, expected) in OTHERS.items():
        found[name] = played(factory, params)[0], expected
    return found


def check_paired(found):
    """Both tests, each with the false-alarm rate of `ztable`; returns the table."""
    ours, theirs = (np.array(x) for x in zip(*found.values(), strict=True))
    rows = []
    for name, values, number in zip(found, ours, theirs, strict=True):
        error = np.std(values, ddof=1) / np.sqrt(SEEDS)
        other = of_repetitions(error, SEEDS, RUNS)
        rows.append(Row(name, np.mean(values), error, number, other))
    count, degrees = len(rows), SEEDS - 1
    difference = np.mean(ours, axis=1) - theirs
    spread = np.cov(ours) * (1 / SEEDS + 1 / RUNS)
    squared = difference @ np.linalg.solve(spread, difference)
    left = degrees - count + 1
    together = stats.f.sf(squared * left / (degrees * count), count, left)
    largest = max(abs(row.z) for row in rows)
    alone = min(2 * stats.norm.sf(largest) * count, 1.0)
    head = (
        f"{count} rows, Hotelling p {together:.3g}, largest |z| {largest:.2f} "
        f"(Bonferroni p {alone:.3g})\n{listed(rows)}"
    )
    assert min(together, alone) >= FALSE_ALARM, head
    return head


def test_all_rows_together():
    found = all_played()
    assert len(found) == 4 + 4 + 5 + 2 + 1 + 5
    print(check_paired(found))
    # It would notice one row that is a tenth off where its neighbours are not.
    values, number = found["profile, scale 1"]
    with pytest.raises(AssertionError, match="Hotelling"):
        check_paired(found | {"profile, scale 1": (values, 1.1 * number)})


def test_the_slope_of_the_truncated_estimator():
    """Up to T = 1e6; slopes over the last factor of ten agree to 0.1.

    That of the printed one is not reproduced (errata.md, A1).
    """
    expected, slope = 4_500, 0.33
    game = allocation.simulation()
    policy = allocation.ra_ucb(game.problem)
    data = simulate(policy, game, horizon=1_000_000, seeds=16, checkpoints="log")
    curve = data["regret"].isel(policy=0, params=0)
    mean = curve.mean("seed")
    late = curve["checkpoint"].values >= 100_000
    logs = np.log(curve["checkpoint"].values[late]), np.log(mean.values[late])
    assert abs(np.polyfit(*logs, 1)[0] - slope) < 0.1
    last = curve.isel(checkpoint=-1).values
    # Theirs were 8 runs.
    allowed = 3 * np.std(last, ddof=1) * np.sqrt(1 / 16 + 1 / 8)
    assert abs(np.mean(last) - expected) < allowed
