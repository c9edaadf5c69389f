"""Small runs of experiments, each made once."""

from functools import cache

import pytest

from jaxbandits.experiments import REGISTRY, Options

TINY = Options(seeds=2, horizon=30, progress=False)


@pytest.fixture(scope="session")
def tiny():
    """``tiny(name)``: the outcome of an experiment with 2 seeds and 30 rounds."""
    return cache(lambda name: REGISTRY[name].run(TINY))
