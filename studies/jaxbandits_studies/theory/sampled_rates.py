"""Thompson sampling for allocation: what it loses on instances drawn from its prior.

By the information that a round brings (theory/allocation-thompson.md).
"""

import numpy as np

from jaxbandits.checks import together
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    NonNegative,
    Numbers,
    Vector,
    domains,
)


@domains
def bayes_regret_bound(
    horizon: AtLeastOne[Numbers],
    entropy: NonNegative[Vector],
    num_values: AtLeastOne[Vector],
    *,
    ordered: bool = False,
) -> np.ndarray:
    """Bound on the Bayes regret of Thompson sampling by the exact posterior.

    Of arms whose parameters are drawn independently, each from finitely many values;
    ``sum_i sqrt(J_i H_i T / 2)``. If the values of every arm have an order in which the
    chance of a success does not fall, whatever the amount, an arm's part is at most
    ``sqrt((1 + log T) H_i T / 2) + 1`` as well.

    Args:
      horizon: real >= 1 of any shape, T.
      entropy: real ``[K]`` >= 0, H of every arm's prior, in nats.
      num_values: real ``[K]`` >= 1, J of every arm.
      ordered: whether the values have such an order, as rates where probabilities are
        known.

    Returns:
      f64 of the shape of `horizon`. It says nothing where it is above K T.
    """
    together(entropy=entropy, num_values=num_values)
    H, J = np.broadcast_arrays(entropy, num_values)
    if np.any(np.log(J) * (1 + 1e-9) < H):
        raise ValueError(f"entropy must be at most log(num_values), got {H} for {J}")
    time = horizon[..., None]
    part = np.sqrt(J * H * time / 2)
    if ordered:
        part = np.minimum(part, np.sqrt((1 + np.log(time)) * H * time / 2) + 1)
    return part.sum(axis=-1)
