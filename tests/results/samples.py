"""Small datasets with known numbers."""

import numpy as np

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
            name: np.broadcast_to(checkpoints, shape) for name in ("ucb", "uniform")
        },
        "checkpoints": checkpoints,
        "checkpoint_kind": "round",
        "seeds": np.arange(3, 3 + num_seeds),
        "params": {
            "ucb": [{"alpha": 0.5 * (i + 1)} for i in range(points)],
            "uniform": [{} for _ in range(points)],
        },
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
