"""Records of solvers, which play no game."""

import numpy as np

from jaxbandits.stats import entry, make_record


def mean_and_error(values):
    """Mean and its standard error, of those that are numbers."""
    values = values[np.isfinite(values)]
    error = np.std(values, ddof=1) / np.sqrt(values.size) if values.size > 1 else None
    return np.mean(values), error


def solver_record(experiment, environment, solver, options, **metrics):
    return make_record(
        experiment,
        environment,
        solver,
        {key: entry(*number) for key, number in metrics.items()},
        seeds=options.seeds,
        horizon=options.horizon,
    )
