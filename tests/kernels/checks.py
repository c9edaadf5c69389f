"""Checks that several tests share. All draws come from fixed seeds: a statistical test
passes for ever or fails for ever, and `ALARM` is the chance that it fails wrongly.
"""

import jax
import numpy as np
from scipy import stats

ALARM = 1e-6


def assert_uniform(x):
    """Kolmogorov-Smirnov test against the uniform law on (0, 1)."""
    assert stats.kstest(np.asarray(x, np.float64), "uniform").pvalue > ALARM


def assert_law(x, cdf):
    """Draws `x` follow `cdf`, up to the rounding of a draw to its neighbours.

    The distance of the empirical from the exact distribution function stays below the
    Dvoretzky-Kiefer-Wolfowitz bound. Float numbers may carry mass; an endpoint reached
    by rounding stands for every number within one spacing.
    """
    tiny = np.finfo(x.dtype).tiny
    values, counts = np.unique(x, return_counts=True)
    assert np.all(np.isfinite(values))
    below = np.cumsum(counts) / x.size
    gap = np.maximum(np.spacing(np.abs(values)), tiny).astype(np.float64)
    values = values.astype(np.float64)
    lowest, highest = cdf(values - gap), cdf(values + gap)
    distance = np.max(np.maximum(lowest - below, below - highest))
    strict = np.max(np.maximum(lowest - (below - counts / x.size), 0.0) * (counts == 1))
    assert max(distance, strict) < np.sqrt(np.log(2 / ALARM) / (2 * x.size))


def assert_mean(x, mean):
    """z-test of the mean of independent draws."""
    x = np.asarray(x, np.float64)
    z = (np.mean(x) - mean) / (np.std(x) / np.sqrt(x.size))
    assert abs(z) < stats.norm.isf(ALARM / 2), f"z = {z:.2f}"


def assert_frequency(hits, probability, trials):
    """Exact binomial test of a count."""
    assert stats.binomtest(int(hits), trials, probability).pvalue > ALARM


def assert_transforms_agree(function, *batches, rtol=0.0):
    """Jitted one by one and as one vmapped call: the same numbers.

    Args:
      function: of one example.
      *batches: arrays with a leading axis of examples.
      rtol: 0 asks for identical bits.
    """

    def agree(x, y):
        np.testing.assert_allclose(np.asarray(y), x, rtol=rtol, strict=True)

    batched = jax.tree.map(np.asarray, jax.jit(jax.vmap(function))(*batches))
    jitted = jax.jit(function)
    for i, example in enumerate(zip(*batches, strict=True)):
        row = jax.tree.map(lambda x, i=i: x[i], batched)
        jax.tree.map(agree, row, jitted(*example))
