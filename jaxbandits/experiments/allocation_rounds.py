"""Lengths of start and exploration, as functions of the horizon."""

import math

from jaxbandits.experiments.experiment import Options


def start_rounds(options: Options) -> float:
    """floor(log T), the paper's rounds of start per arm."""
    return float(int(math.log(options.horizon)))


def exploration(options: Options) -> float:
    """``T ** (2/3)``, the paper's exploration length."""
    return float(max(round(options.horizon ** (2 / 3)), 1))
