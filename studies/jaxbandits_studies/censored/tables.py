"""The numbers that the censored paper prints, and the instances they belong to."""

from jaxbandits import censored
from jaxbandits.protocol import Environment

INSTANCES = {
    "PosCorr": censored.poscorr,
    "NegCorr": censored.negcorr,
    "Indep": censored.indep,
}
# The tables of sections 5.1 and F.1: censored share of RCUCB, TS, UCB, and
# 1 - P(tau*) of the optimal pair.
TABLE_5_1 = {
    "PosCorr": (0.6399, 0.7516, 0.7993, 0.6116),
    "NegCorr": (0.7700, 0.8510, 0.8894, 0.7631),
    "Indep": (0.4462, 0.5749, 0.5455, 0.4404),
}
TABLE_M1 = {
    "PosCorr": (0.5876, 0.5688, 0.5919, 0.5584),
    "NegCorr": (0.7266, 0.7081, 0.7246, 0.7189),
    "Indep": (0.4122, 0.4158, 0.4142, 0.4066),
}
TABLE_M2 = {
    "PosCorr": (0.6126, 0.7383, 0.8157, 0.5851),
    "NegCorr": (0.7477, 0.8396, 0.9185, 0.7559),
    "Indep": (0.4282, 0.5639, 0.5870, 0.4222),
}
# The standard deviations of 100 repetitions in F.1's brackets: RCUCB, TS, UCB.
DEVIATIONS_M1 = {
    "PosCorr": (0.0029, 0.0166, 0.0038),
    "NegCorr": (0.0018, 0.0030, 0.0030),
    "Indep": (0.0017, 0.0052, 0.0016),
}
DEVIATIONS_M2 = {
    "PosCorr": (0.0027, 0.0935, 0.0027),
    "NegCorr": (0.0016, 0.0432, 0.0021),
    "Indep": (0.0017, 0.0019, 0.0736),
}
# By the games that they belong to.
TABLES = {"5.1": TABLE_5_1, "M1": TABLE_M1, "M2": TABLE_M2}
DEVIATIONS = {"M1": DEVIATIONS_M1, "M2": DEVIATIONS_M2}


def trio(limits=None) -> dict[str, Environment]:
    """PosCorr, NegCorr and Indep on a grid (by default that of section 5.1)."""
    return {title: make(limits) for title, make in INSTANCES.items()}
