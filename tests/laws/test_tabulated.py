"""Draws from tables of quantiles: the law is that of SciPy, to 1e-5 in probability."""

import jax
import numpy as np
import pytest
from scipy import stats

from jaxbandits import laws
from jaxbandits.arrays import constant
from jaxbandits.laws._tabulated import tabulated
from jaxbandits.laws.law import exact_params

SHAPES = np.array([0.02, 0.3, 1.0, 4.0, 300.0, 1e6])
GAMMAS = laws.Gamma(SHAPES, np.array([1.0, 0.01, 3.0, 2.0, 1e4, 1.0]))
BETAS = laws.Beta(SHAPES, SHAPES[[3, 1, 2, 4, 0, 5]])
CASES = {
    "Gamma": (laws.gamma, GAMMAS, stats.gamma(SHAPES, scale=1 / GAMMAS.rate)),
    "Beta": (tabulated(laws.beta), BETAS, stats.beta(BETAS.a, BETAS.b)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_draw_is_the_quantile_of_its_number(name):
    law, params, exact = CASES[name]
    first = np.linspace(2**12, 2**32 - 2**12, 999).astype(np.uint32)
    words = np.stack([first, 0 * first + 2**31], axis=1)
    params = constant(exact_params(law, params))
    drawn = jax.jit(jax.vmap(jax.vmap(law.sample, (0, None)), (None, 0)))(words, params)
    x = np.asarray(drawn).T
    assert drawn.dtype == np.float32 and np.all(np.isfinite(x))
    u = (first / 2.0**32)[:, None]
    # What float32 rounds to one number is one draw.
    gap = np.maximum(np.spacing(x.astype(np.float32)) * 2, 1e-37)
    x = x.astype(np.float64)
    assert np.all(exact.cdf(x + gap) >= u - 1e-5)
    assert np.all(exact.cdf(x - gap) <= u + 1e-5)


def test_quantiles_that_are_too_steep_for_a_table_are_refused():
    steep = laws.Beta(np.array([1.0, 1e-3]), np.array([1.0, 1e-3]))
    with pytest.raises(ValueError, match="^params: Beta of arm 1 cannot be drawn by"):
        exact_params(tabulated(laws.beta), steep)
