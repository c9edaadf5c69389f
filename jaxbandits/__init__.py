"""Resource-constrained bandits with censored feedback, thousands of seeds at a time."""

# ruff: noqa: E402
from jaxbandits.devices import use_all_cores

use_all_cores()  # before JAX starts

from jaxbandits import (
    arrays,
    kernels,
    laws,
    live,
    plots,
    policies,
    results,
    settings,
    stats,
    testing,
)
from jaxbandits._simulate import simulate
from jaxbandits.protocol import Actions, Environment, Game, Policy, View
from jaxbandits.results.cuts import CutOffWarning
from jaxbandits.sweeps import sweep

__version__ = "0.1.0"

__all__ = [
    "Actions",
    "CutOffWarning",
    "Environment",
    "Game",
    "Policy",
    "View",
    "arrays",
    "kernels",
    "laws",
    "live",
    "plots",
    "policies",
    "results",
    "settings",
    "simulate",
    "stats",
    "sweep",
    "testing",
]
