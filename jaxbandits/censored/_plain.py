"""A standard bandit as a game of the censored setting: Remark 1."""

from typing import Any

import jax
import numpy as np

from jaxbandits.censored.costs import scaled
from jaxbandits.censored.environment import make_environment
from jaxbandits.censored.problem import Action, RealAction, make_problem
from jaxbandits.checks import instance, shown
from jaxbandits.laws import Discrete, Law, Product, discrete, product
from jaxbandits.laws.law import num_arms_of
from jaxbandits.protocol import Environment


def plain(
    name: str, rewards: Law, params: Any
) -> Environment[Any, Any, Action | RealAction]:
    """A bandit with arms and rewards only.

    The remark uses the limit 0 and consumptions of 0. Since limits are positive
    (section 2), the only limit here is 1. The game is the same: no round is censored,
    costs and penalties are 0, and regret is that of a standard bandit. (The remark's
    other case, one fixed limit with censoring, is a grid with one entry.)

    Args:
      name: name of the instance.
      rewards: univariate law of rewards in [0, 1], or `normal`.
      params: parameters of this law, leaves ``[K, ...]``.

    Raises:
      ValueError: if a parameter is out of the law's range, or rewards leave [0, 1].
      TypeError: if an argument has the wrong type.
    """
    instance("rewards", rewards, Law, "of jaxbandits.laws")
    rewards.check(params)
    if any(np.ndim(leaf) == 0 for leaf in jax.tree.leaves(params)):
        raise TypeError(
            "params must hold arrays with a row per arm (no lists or numbers), got "
            f"{shown(params)}"
        )
    num_arms = num_arms_of(rewards, params)
    sigma = 0.0 if rewards.sigma is None else float(np.max(rewards.sigma(params)))
    problem = make_problem(num_arms, (1.0,), scaled(0.0), scaled(0.0), sigma=sigma)
    nothing = Discrete(np.zeros((num_arms, 1)), np.ones((num_arms, 1)))
    law = product(rewards, discrete)
    return make_environment(name, problem, law, Product(params, nothing))
