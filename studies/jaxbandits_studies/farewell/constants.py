"""What a consistent policy loses per unit of log T at least, while it waits.

A game of epochs in which a unit of time costs what the best pair makes of it, and the
symbols that an epoch may show (theory/least-waiting-regret.md).
"""

from typing import Any

import jax
import numpy as np
from scipy.special import roots_legendre

from jaxbandits.laws import Bernoulli, Beta, bernoulli, beta
from jaxbandits.protocol import Environment
from jaxbandits_studies.theory import graves_lai
from jaxbandits_studies.theory.graves_lai import LowerBound

LAWS = {Bernoulli: bernoulli, Beta: beta}
PARTS = 8  # that the rewards of a law without atoms are cut into, equally likely ones
NODES = 16  # per part, for its mean


def of_known_rewards(environment: Environment) -> LowerBound:
    """c among all chances of the waits' cells; the rest is known to who plays.

    That is the mean reward and time of an epoch that ends in a cell, and which cells
    are empty.
    """
    oracle, delay, seen = _told(environment)
    below = np.zeros((len(delay), environment.problem.num_waits))
    for wait in range(below.shape[1]):
        below[:, wait] = np.minimum(delay[:, seen <= wait].sum(axis=1), 1.0)
    values = oracle.mean_reward - oracle.rate * oracle.mean_time
    return graves_lai.lower_bound(below, values, penalties(environment))


def of_any_law(environment: Environment, parts: int = PARTS) -> LowerBound:
    """c among all joint laws of a delay and a reward in [0, 1].

    If rewards have no atoms it is a little smaller: that of the laws which cut a
    delay's rewards into `parts`, and change the chances of these and of 1 alone.
    """
    oracle, delay, seen = _told(environment)
    waits = environment.problem.lengths
    rewards, shares = _parts(environment.setup.reward, delay.shape, parts)
    in_time = np.flatnonzero((seen < len(waits)) & delay.any(axis=0))
    chances = (delay[:, :, None] * shares)[:, in_time].reshape(len(delay), -1)
    rewards = rewards[:, in_time].reshape(len(delay), -1)
    times = np.repeat(_delays(environment)[in_time], shares.shape[2])
    # What else a rival may have: a reward of 1 as early in a cell as can be.
    early = np.append(1, waits[:-1] + 1)
    more = np.ones((len(delay), len(waits)))
    return graves_lai.of_symbols(
        np.append(chances, 0 * more, axis=1),
        np.append(np.repeat(seen[in_time], shares.shape[2]), np.arange(len(waits))),
        np.append(rewards, more, axis=1) - oracle.rate * np.append(times, early),
        penalties(environment),
    )


def penalties(environment: Environment) -> np.ndarray:
    """What giving up loses, at the best pair's price of time, f64[D]."""
    problem = environment.problem
    waits = problem.lengths.astype(float)
    lost = waits if problem.failure == "wait" else np.ones_like(waits)
    return _oracle(environment).rate * lost


def _oracle(environment: Environment) -> Any:
    assert environment.oracle is not None
    return environment.oracle()


def _delays(environment: Environment) -> np.ndarray:
    """f64[N]."""
    facts = environment.provenance
    return np.array(facts.get("delays") or range(1, len(facts["delay"][0]) + 1), float)


def _told(environment: Environment) -> tuple[Any, np.ndarray, np.ndarray]:
    """The oracle, the delays' chances, and the position of the wait that shows each.

    f64[K, N] and i64[N]; D of a delay that is beyond all waits.
    """
    seen = np.searchsorted(environment.problem.lengths, _delays(environment))
    return _oracle(environment), np.array(environment.provenance["delay"]), seen


def _parts(
    params: Any, shape: tuple[int, ...], parts: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rewards of an epoch that ends after a delay and their chances, [K, N, n] each."""
    law = LAWS[type(params)]
    rows = jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), params)
    if law.atoms is not None:
        result = law.atoms(rows)
    else:
        assert law.quantile is not None
        nodes, weights = roots_legendre(NODES)
        inside = (np.arange(parts)[:, None] + (1 + nodes) / 2) / parts
        exact = jax.tree.map(lambda x: np.asarray(x, np.float64), rows)
        points = np.tile(inside.ravel(), (int(np.prod(shape)), 1))
        means = law.quantile(exact, points).reshape(-1, parts, NODES) @ weights / 2
        result = means, np.full(means.shape, 1 / parts)
    values, chances = (np.asarray(x, float).reshape(*shape, -1) for x in result)
    return values, chances
