"""Problems of the allocation setting, as many as one likes, with fixed keys."""

from typing import NamedTuple

import numpy as np

from jaxbandits_studies.datasets.synthetic import (
    criteo_like_parameters,
    ednet_like_parameters,
)


class Batch(NamedTuple):
    """Problems: maximise ``sum_i weight_i G(x_i, rate_i)``, ``sum_i x_i = budget``.

    Attributes:
      weight: f64[N, K].
      rate: f64[N, K].
      shape: f64[N, K], 1 if the family has none.
      budget: f64[N].
    """

    weight: np.ndarray
    rate: np.ndarray
    shape: np.ndarray
    budget: np.ndarray


def simulated(count: int, shape: float = 1.0, num_arms: int = 10) -> Batch:
    """Problems of appendix A.1: rates ~ U[1/40, 2], weights ~ U(0, 1], B = 40."""
    rng = np.random.default_rng(40)
    u = rng.uniform(size=(2, count, num_arms))
    shapes = np.full((count, num_arms), shape)
    return Batch(1 - u[0], 1 / 40 + (2 - 1 / 40) * u[1], shapes, np.full(count, 40.0))


def quizzes(count: int) -> Batch:
    """EdNet-like problems, K = 20: Weibull laws of shape 1.3 to 2.5, B = 700 s."""
    drawn = [ednet_like_parameters(20, seed) for seed in range(count)]
    return Batch(
        np.array([arms.probability for arms in drawn]),
        1 / np.array([arms.scale for arms in drawn]),
        np.array([arms.shape for arms in drawn]),
        np.array([arms.budget for arms in drawn]),
    )


def campaigns(count: int) -> Batch:
    """Criteo-like problems, K = 15: one user each, with 1 to 40 impressions."""
    drawn = [criteo_like_parameters(15, seed) for seed in range(count)]
    return Batch(
        np.array([arms.probability for arms in drawn]),
        np.array([arms.rate for arms in drawn]),
        np.array([arms.shape for arms in drawn]),
        np.array([float(arms.budgets[0]) for arms in drawn]),
    )
