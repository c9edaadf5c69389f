"""Pseudo-regrets on Figure 1's instances against independent numbers.

The numbers come from an independent float64 simulation, 10 repetitions: mean and
standard error. Ours are of 100 seeds; all rows are judged together (`ztable`).
"""

import pytest

from jaxbandits.experiments import Options
from jaxbandits.experiments.comparison import play
from jaxbandits.experiments.farewell import FIGURE_1, PAPER, SIDE
from jaxbandits.results import mean, sem
from tests.experiments.ztable import Row, check_rows

pytestmark = pytest.mark.slow

CAST = {name: PAPER[name] for name in ("Wait-UCB", "UCB-Simplex", "UCB-BV1")} | {
    # The independent simulation took the radius of the published code.
    "Budget-UCB, code": PAPER["Budget-UCB, code"],
    "Wait-UCB, shorter waits": SIDE["Wait-UCB, shorter waits"],
    "omega*-UCB, rho = 1": PAPER["omega*-UCB, rho = 1"],
}
# Horizon -> policy -> regret on the three instances, with its standard error.
INDEPENDENT = {
    100_000: {
        "Wait-UCB": ((14539, 24), (1087, 4), (22977, 83)),
        "UCB-Simplex": ((6700, 19), (5637, 8), (10293, 35)),
        "Budget-UCB, code": ((4421, 33), (1424, 18), (7257, 47)),
        "UCB-BV1": ((14193, 15), (4245, 1), (23152, 17)),
    },
    1_000_000: {
        "Wait-UCB": ((61108, 172), (3733, 6), (41648, 157)),
        "Wait-UCB, shorter waits": ((17644, 90), None, (9096, 50)),
        "omega*-UCB, rho = 1": ((538, 35), (106, 4), (420, 14)),
    },
}


SEEDS = 100


def rows():
    """Every number, played."""
    instances = {name: make() for name, make in FIGURE_1.items()}
    for horizon, table in INDEPENDENT.items():
        for policy, numbers in table.items():
            for (name, instance), number in zip(
                instances.items(), numbers, strict=True
            ):
                if number is None:
                    continue
                options = Options(SEEDS, horizon, progress=False)
                cast = {policy: CAST[policy]}
                dataset = play(instance, cast, options, by_budget=True)
                found = (float(f(dataset, "regret")[0, 0, -1]) for f in (mean, sem))
                yield Row(f"{policy}, {name}, {horizon:,}", *found, *number, 0.5)


def test_all_rows_together():
    found = [*rows()]
    assert len(found) == 12 + 3 + 2 + 3
    print(check_rows(found))
    ours = {row.name: row.ours for row in found}
    for instance in FIGURE_1:
        wait, omega = (
            ours[f"{policy}, {instance}, 1,000,000"]
            for policy in ("Wait-UCB", "omega*-UCB, rho = 1")
        )
        assert omega < wait / 20
