"""Full runs (100 seeds, 100,000 rounds) against independent numbers and the paper's.

The constants called "independent" come from an independent float64 simulation, 40
repetitions: mean regret with its standard error (None where none is known) and censored
share. The paper's are shares of 100 repetitions with their standard deviations. All
rows are judged together (`ztable`); the root seed is fixed, so that runs on one machine
agree. What the paper prints and nobody reproduces is no row: errata.md, C1 and C5.
"""

from functools import cache, partial

import pytest

from jaxbandits import censored
from jaxbandits.stats import mean, sem
from jaxbandits_studies import Options
from jaxbandits_studies.common.casts import cast, environments
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from studies.tests.ztable import Row, check_rows, of_repetitions

pytestmark = pytest.mark.slow

REPETITIONS = 40
OPTIONS = Options(100, 100_000, progress=False)
# What the experiments play: the games and the cast.
PLAYED = {
    "censored-fig4": ("5.1", "paper"),
    "censored-ts-updates": ("5.1", "updates"),
    "censored-radii": ("5.1", "radii"),
    "censored-fig6": ("M1", "paper"),
    "censored-fig7": ("M2", "paper"),
}
RCUCB, PRINTED = "RCUCB, gain radius only", "RCUCB, eq. (12)"
# Experiment -> (instance, policy) -> (regret, its standard error, censored share).
INDEPENDENT = {
    "censored-fig4": {
        ("Indep", PRINTED): (10332, 107, 0.4353),
        ("Indep", RCUCB): (2199, 21, 0.4463),
        ("Indep", "TS"): (6461, 143, 0.4700),
        ("Indep", "UCB"): (24932, 74, 0.5746),
        ("PosCorr", PRINTED): (31650, 15, 0.0576),
        ("PosCorr", RCUCB): (1589, 9, 0.5159),
        ("PosCorr", "TS"): (8850, 205, 0.5427),
        ("PosCorr", "UCB"): (26033, 53, None),
        ("NegCorr", PRINTED): (15056, 149, 0.6759),
        ("NegCorr", RCUCB): (103, 2, 0.7646),
        ("NegCorr", "TS"): (3558, 97, 0.7943),
        ("NegCorr", "UCB"): (15605, 71, None),
    },
    "censored-ts-updates": {
        ("Indep", "TS, shared"): (5313, 146, 0.4581),
        ("Indep", "TS, copied"): (14478, 851, 0.5769),
        ("Indep", "TS, strict"): (12646, 149, 0.5268),
        ("NegCorr", "TS, shared"): (2537, 47, 0.7762),
        # Two independent simulations disagree by 4 standard errors: the first, which
        # ours is not near either, has 10,413 +- 513 and 0.8948. This is the second (48
        # repetitions), which samples every pair once at the start, as E.1 says.
        ("NegCorr", "TS, copied"): (12916, 325, 0.9318),
    },
    "censored-radii": {
        ("Indep", "both radii halved"): (2481, None, None),
        ("Indep", "gain radius only, halved"): (767, None, None),
        ("PosCorr", "both radii halved"): (16429, None, None),
        ("PosCorr", "gain radius only, halved"): (479, None, None),
        ("NegCorr", "both radii halved"): (3105, None, None),
        ("NegCorr", "gain radius only, halved"): (77, None, None),
    },
}
# Remark 3's form of the radius, by instance.
REMARK_3 = {"Indep": 2477, "PosCorr": 1875, "NegCorr": 365}
# Censored shares on two and on 20 limits, 40 repetitions.
INDEPENDENT_SHARES = {"censored-fig6": 0.4156, "censored-fig7": 0.5645}  # UCB, Indep
# The paper's shares on Indep, and their standard deviations (None: not printed). What
# its column TS has is UCB's: errata.md, C5.
PUBLISHED = {
    ("censored-fig4", RCUCB): (0.4462, None),
    ("censored-fig4", "UCB"): (0.5749, None),
    ("censored-fig6", RCUCB): (0.4122, 0.0017),
    ("censored-fig6", "UCB"): (0.4158, 0.0052),
    ("censored-fig7", RCUCB): (0.4282, 0.0017),
    ("censored-fig7", "UCB"): (0.5639, 0.0019),
}
FOUR_PLACES = 5e-5  # half a unit of a printed share's last place


@cache
def dataset(name, instance, policy):
    """One policy of an experiment at full size, on one of its instances."""
    games, policies = PLAYED[name]
    alone = {policy: cast("censored", policies)[policy]}
    return run_contestants(environments("censored", games)[instance], alone, OPTIONS)


def found(dataset, metric):
    """Mean and standard error over seeds, at the end."""
    return tuple(f(dataset, metric).values[0, 0, -1] for f in (mean, sem))


def row(name, ours, theirs, their_error=None, repetitions=REPETITIONS, rounding=0.5):
    """Of ours (mean and standard error of 100 seeds) and theirs."""
    if their_error is None:
        their_error = of_repetitions(ours[1], 100, repetitions)
    return Row(name, *ours, theirs, their_error, rounding)


def independent_rows():
    for name, table in INDEPENDENT.items():
        for (instance, policy), (regret, error, share) in table.items():
            data, told = dataset(name, instance, policy), f"{instance}, {policy}"
            yield row(f"regret, {told}", found(data, "regret"), regret, error)
            if share is not None:
                ours = found(data, "censored")
                yield row(f"share, {told}", ours, share, rounding=FOUR_PLACES)
    for name, share in INDEPENDENT_SHARES.items():
        ours = found(dataset(name, "Indep", "UCB"), "censored")
        yield row(f"share, UCB, {name}", ours, share, rounding=FOUR_PLACES)


def remark_3_rows():
    games = environments("censored", "5.1")
    form = Contestant(partial(censored.rcucb, radius="remark_3"))
    for instance, regret in REMARK_3.items():
        data = run_contestants(games[instance], {"RCUCB": form}, OPTIONS)
        yield row(f"regret, Remark 3, {instance}", found(data, "regret"), regret)


def published_rows():
    for (name, policy), (share, deviation) in PUBLISHED.items():
        ours = found(dataset(name, "Indep", policy), "censored")
        error = None if deviation is None else deviation / 10
        told = f"the paper's share, {policy}, {name}"
        yield row(told, ours, share, error, repetitions=100, rounding=FOUR_PLACES)


def test_all_rows_together():
    rows = [*independent_rows(), *remark_3_rows(), *published_rows()]
    assert len(rows) == 22 + 10 + 6 + 2 + 3 + 6
    print(check_rows(rows))
