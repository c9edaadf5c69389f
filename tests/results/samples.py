"""Small datasets with known numbers, and many repetitions of an experiment."""

import numpy as np
import xarray as xr

from jaxbandits.results import build_dataset


def arguments(points: int = 1, num_seeds: int = 5, **changes) -> dict:
    """Keyword arguments of `build_dataset`: two policies, four checkpoints.

    The second policy has no metric ``optimal`` and no parameter ``alpha``. Its regret
    shares the noise of the first one's, seed by seed.
    """
    rng = np.random.default_rng(7)
    checkpoints = np.array([10, 100, 1000, 10000])
    shape = (points, num_seeds, 4)
    noise = rng.normal(size=shape)
    own = rng.normal(size=shape)
    made = {
        "metrics": {
            "ucb": {
                "regret": checkpoints**0.5 + noise,
                "optimal": rng.uniform(size=shape),
            },
            "uniform": {"regret": checkpoints + noise + 0.1 * own},
        },
        "rounds": {
            "ucb": np.broadcast_to(checkpoints, shape),
            "uniform": np.broadcast_to([0, *checkpoints[1:]], shape),  # 0 is a count
        },
        "checkpoints": checkpoints,
        "checkpoint_kind": "round",
        "seeds": np.arange(3, 3 + num_seeds),
        "params": {"ucb": {"alpha": 0.5 * np.arange(1, points + 1)}, "uniform": {}},
        "compile_seconds": {"ucb": 1.5, "uniform": 0.5},
        "run_seconds": {"ucb": 3.0, "uniform": 2.0},
        "environment": "two arms",
        "setting": "censored",
        "provenance": {"versions": {"jax": "0"}, "device": "cpu"},
    }
    return made | changes


def dataset(points: int = 1, num_seeds: int = 5, **changes):
    """The dataset of `arguments`."""
    return build_dataset(**arguments(points, num_seeds, **changes))


def repetitions(values, **coordinates) -> xr.Dataset:
    """One policy with the values ``[R, S]`` or ``[R, S, C]``.

    The R parameter points are repetitions of an experiment with S seeds, so that one
    call makes R intervals.
    """
    values = np.asarray(values, np.float64)
    values = values.reshape(*values.shape[:2], -1)
    return xr.Dataset(
        {"regret": (("policy", "params", "seed", "checkpoint"), values[None])},
        coords={
            "policy": ["ucb"],
            "params": np.arange(values.shape[0]),
            "seed": np.arange(values.shape[1]),
            "checkpoint": np.arange(values.shape[2]),
            **coordinates,
        },
    )


def blocks(data: xr.Dataset, number: int) -> list[xr.Dataset]:
    """The parameter points in equal parts.

    A bootstrap with one seed gives all points the same resamples, and so their coverage
    a common error; a simulation spreads it over several seeds.
    """
    size = data.sizes["params"] // number
    return [data.isel(params=slice(i * size, (i + 1) * size)) for i in range(number)]


def slack(probability: float, trials: int) -> float:
    """Four standard deviations of a frequency: a false alarm in 16,000 tests."""
    return 4 * (probability * (1 - probability) / trials) ** 0.5
