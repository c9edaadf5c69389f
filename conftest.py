"""Strict flags, hypothesis profiles, both precisions, the tape of uniforms."""

import gc
import os
from functools import cache

import hypothesis
import jax
import numpy as np
import pytest

from jaxbandits.console.progress import SWITCH
from jaxbandits.engine.tape import Stream, read
from tests.programs import QUICKLY, keep_programs
from tests.reference.words import grid

# Two devices, so that sharing lanes out is tested on any machine.
jax.config.update("jax_num_cpu_devices", 2)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_debug_nans", False)
# Machines differ in what takes long enough to be told of.
os.environ[SWITCH] = "off"

for profile, examples in {"short": 25, "long": 100}.items():
    hypothesis.settings.register_profile(
        profile,
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
    )


def pytest_configure(config):
    # Tests play a few seeds. Those of this warning ask for it with `pytest.warns`.
    config.addinivalue_line("filterwarnings", "ignore:coverage of the:UserWarning")
    # Long tests play more than they compile.
    short = config.option.markexpr not in ("", "slow")
    hypothesis.settings.load_profile("short" if short else "long")
    if short:
        os.environ["XLA_FLAGS"] = f"{QUICKLY} {os.environ.get('XLA_FLAGS', '')}"
    keep_programs(config)


def pytest_collection_modifyitems(items):
    """How long what is slow may take."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(3600))


def pytest_collection_finish():
    # Traces make many objects, and little garbage: looked through less often, and what
    # is there already not at all.
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)


@pytest.fixture(scope="module")
def quickly(request):
    """For files whose cases repeat the short run's: compiled as quickly as there."""
    alone = request.config.option.markexpr == "slow"
    jax.config.update("jax_disable_most_optimizations", alone)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(params=["float32", "float64"])
def dtype(request):
    """Runs a test in both precisions; the value is the NumPy type of its arrays."""
    with jax.enable_x64(request.param == "float64"):
        yield np.dtype(request.param).type


@pytest.fixture(scope="session")
def words():
    """``words(rounds, width, seed=0) -> u32[rounds, width]`` of the tape."""

    @cache
    def some(rounds, width, seed=0):
        return read(20220907, seed, Stream.ENVIRONMENT, rounds, width)

    return some


@pytest.fixture(scope="session")
def tape(words):
    """``tape(rounds, width, seed=0) -> f32[rounds, width]``, uniforms in (0, 1)."""

    @cache
    def uniforms(rounds, width, seed=0):
        return grid(words(rounds, width, seed)).astype(np.float32)

    return uniforms


@pytest.fixture
def rng():
    """A NumPy generator with a fixed seed, for inputs that are not uniforms."""
    return np.random.default_rng(7)


@pytest.fixture
def write(tmp_path):
    """``write(text, name="table.csv")``: the path of a new file with that text."""

    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write
