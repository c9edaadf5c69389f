"""Records of solvers, which play no game."""

import numpy as np


def mean_and_error(values):
    """Mean and its standard error, of those that are numbers."""
    values = values[np.isfinite(values)]
    error = np.std(values, ddof=1) / np.sqrt(values.size) if values.size > 1 else None
    return np.mean(values), error


def solver_record(experiment, instance, solver, options, **metrics):
    return {
        "experiment": experiment,
        "instance": instance,
        "policy": solver,
        "params": {},
        "seeds": options.seeds,
        "horizon": options.horizon,
        "metrics": {
            key: {
                "mean": float(mean),
                "sem": None if sem is None else float(sem),
                "published": None,
            }
            for key, (mean, sem) in metrics.items()
        },
    }
