"""All statistics of runs by name: what they do alike has one test for all of them."""

import numpy as np

from jaxbandits import stats


def by_run(data):
    """With an instance of its own for every run."""
    return data.assign_coords(instance=("seed", np.arange(data.sizes["seed"])))


# Of a dataset whose metric is regret: arrays over policies, points and checkpoints; a
# mean and its two ends first.
INTERVALS = {
    "interval": lambda data: stats.interval(data, "regret"),
    "bootstrap": lambda data: stats.interval(
        data, "regret", method="bootstrap", resamples=99
    ),
    "bounded": lambda data: stats.interval(
        data, "regret", method="bounded", bounds=(-10, 1e9)
    ),
    "band": lambda data: stats.band(data, "regret", resamples=99),
    "interval_of": lambda data: stats.interval_of(data["regret"]),
    "fixed_width": lambda data: stats.fixed_width_interval(
        data["regret"], min(20, data.sizes["seed"])
    ),
    "two_level": lambda data: stats.two_level(by_run(data), "regret"),
    "two_level, bootstrap": lambda data: stats.two_level(
        by_run(data), "regret", method="bootstrap", resamples=99
    ),
    # Over points and checkpoints.
    "paired": lambda data: stats.paired_difference(
        data, "regret", *data["policy"].values[::-1]
    ),
}
STATISTICS = INTERVALS | {
    "mean": lambda data: [stats.mean(data, "regret")],
    "sem": lambda data: [stats.sem(data, "regret")],
    "quantiles": lambda data: [stats.quantiles(data, "regret", 0.5)],
    "quantile_interval": lambda data: stats.quantile_interval(data, "regret", 0.5),
}
