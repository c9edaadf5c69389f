"""What the arms of an environment lose per unit of log B at least, draw by draw."""

from typing import Any, NamedTuple

import jax
import numpy as np
from scipy.special import roots_legendre

from jaxbandits.laws import Bernoulli, Beta, Discrete, bernoulli, beta, discrete
from jaxbandits.protocol import Environment
from jaxbandits_studies.budgeted.table import first_instances
from jaxbandits_studies.theory import lai_robbins

LAWS = {Bernoulli: bernoulli, Beta: beta, Discrete: discrete}
NODES = 32  # of a law without atoms: with 72, c changes by less than 0.5 %
TOGETHER = 500  # arms, whose pairs of values are in memory
REACH = 0.1  # of the budget


class Losses(NamedTuple):
    """What worse arms cost a consistent policy; NaN of best ones and where none is.

    Attributes:
      constant: f64[S, K], regret per log B.
      price: f64[S, K], what the pulls cost that are needed, in units of the budget, per
        log B.
    """

    constant: np.ndarray
    price: np.ndarray

    def total(self) -> np.ndarray:
        """c of every draw, f64[S]."""
        return np.nansum(self.constant, axis=1)

    def within(self, budget: float) -> np.ndarray:
        """c of the arms that can be told apart with a tenth of a budget, f64[S]."""
        near = self.price * np.log(budget) <= REACH * budget
        return np.where(near, self.constant, 0.0).sum(axis=1)


def losses(environment: Environment, seeds: int, root_seed: int) -> dict[str, Losses]:
    """Of both classes of `theory.lai_robbins`, for the instances of the first seeds."""
    instance = first_instances(environment, seeds, root_seed)
    instance = jax.tree.map(np.asarray, instance)
    oracle = environment.oracle(instance)  # type: ignore[misc]
    best = np.nanmax(oracle.ratios, axis=1, keepdims=True)
    worse = np.flatnonzero(oracle.gaps > 1e-7 * best)  # float32 draws of the arms
    ratio = np.broadcast_to(best, oracle.gaps.shape).ravel()[worse]
    reward, cost = (
        _points(law, worse)
        for law in (instance.arms.law.reward, instance.arms.law.consumption)
    )
    parts = np.split(np.arange(len(worse)), range(TOGETHER, len(worse), TOGETHER))
    joint = [_joint(reward, cost, ratio, part) for part in parts]
    results = {
        "joint": np.concatenate(joint),
        "independent": lai_robbins.independent(*reward, *cost, ratio),
    }
    lost = (oracle.mean_cost * oracle.gaps).ravel()[worse]
    paid = (oracle.mean_cost / instance.unit[:, None]).ravel()[worse]

    def table(each: np.ndarray) -> np.ndarray:
        whole = np.full(oracle.gaps.size, np.nan)
        whole[worse] = each
        return whole.reshape(oracle.gaps.shape)

    return {k: Losses(table(lost / d), table(paid / d)) for k, d in results.items()}


def _joint(reward: Any, cost: Any, ratio: np.ndarray, part: np.ndarray) -> np.ndarray:
    """All pairs of the values of an independent reward and cost."""
    values, chances = (x[part][:, :, None] for x in reward)
    others, shares = (x[part][:, None, :] for x in cost)
    pairs = np.broadcast_arrays(values, others, chances * shares)
    return lai_robbins.joint(*(x.reshape(len(part), -1) for x in pairs), ratio[part])


def _points(params: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values and chances of laws ``[S, K, ...]``, f64[rows, n] each."""
    law = LAWS[type(params)]
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[rows], params)
    if law.atoms is not None:
        values, chances = (np.asarray(x, np.float64) for x in law.atoms(flat))
        return values, chances / chances.sum(axis=1, keepdims=True)
    # A mean is the integral of the quantiles over [0, 1].
    nodes, weights = roots_legendre(NODES)
    chances = np.tile(weights / 2, (len(rows), 1))
    exact = jax.tree.map(lambda x: np.asarray(x, np.float64), flat)
    values = law.quantile(exact, np.tile((1 + nodes) / 2, (len(rows), 1)))  # type: ignore[misc]
    # Where gaps are small, no error of the mean is: it is moved to what it should be.
    mean, results = law.mean(exact)[:, None], (values * chances).sum(axis=1)[:, None]
    up = 1 - (1 - values) * (1 - mean) / (1 - results)
    return np.where(mean > results, up, values * mean / results), chances
