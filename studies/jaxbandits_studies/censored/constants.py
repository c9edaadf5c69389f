"""What a consistent policy loses per unit of log T at least, with censored consumption.

The symbols that a round may show are theory/least-regret.md's.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.censored import Action
from jaxbandits.protocol import Environment
from jaxbandits_studies.theory import graves_lai
from jaxbandits_studies.theory.graves_lai import LowerBound

PARTS = 4  # that the gains of a cell are cut into, equally likely ones
DRAWN = 2**15  # rounds of each arm, which say what the parts are


def of_known_gains(environment: Environment) -> LowerBound:
    """c among all chances of the limits' cells; their mean gains are known."""
    below, values = _told(environment)
    return graves_lai.lower_bound(below, values, environment.problem.penalties())


def of_any_law(environment: Environment, parts: int = PARTS) -> LowerBound:
    """c among all joint laws of a reward in [0, 1] and a consumption.

    Or a little less: rivals change the chances of equally likely parts of a cell's
    gains, and of the best that a cell can bring, alone. Chances and mean gains of cells
    are exact, what the parts are is drawn.
    """
    problem = environment.problem
    below, values = _told(environment)
    penalties = problem.penalties()
    chances = np.diff(below, axis=1, prepend=0.0)
    gained = np.diff(values + penalties * (1 - below), axis=1, prepend=0.0)
    mean = np.divide(gained, chances, out=np.zeros_like(gained), where=chances > 0)
    # The best that a cell can bring: a reward of 1 as cheaply as can be.
    cheap = np.append(0.0, np.asarray(problem.limits)[:-1])
    best = 1 - np.asarray(problem.cost(cheap))
    cells, gains = _rounds(environment)
    shape = (*chances.shape, parts)
    gain, share = np.zeros(shape), np.zeros(shape)
    for arm, limit in np.argwhere(chances > 0):
        exact, most = mean[arm, limit], best[limit]
        result = np.sort(gains[arm][cells[arm] == limit])
        result = result if result.size >= parts else np.full(parts, exact)
        groups = np.array_split(result, parts)
        share[arm, limit] = [len(group) / len(result) for group in groups]
        # As far below the best as makes their mean exact, so that none is above it.
        gap = most - result.mean()
        scale = (most - exact) / gap if gap > 0 else 1.0
        below_best = np.array([most - group.mean() for group in groups])
        gain[arm, limit] = most - below_best * scale
    top = np.tile(best, (len(chances), 1))
    positions = np.arange(chances.shape[1])
    return graves_lai.of_symbols(
        np.append(_flat(chances[:, :, None] * share), 0 * top, axis=1),
        np.append(np.repeat(positions, parts), positions),
        np.append(_flat(gain), top, axis=1),
        penalties,
    )


def _flat(table: np.ndarray) -> np.ndarray:
    """[K, M, n] -> [K, M n]."""
    return table.reshape(len(table), -1)


def _told(environment: Environment) -> tuple[np.ndarray, np.ndarray]:
    """P(C <= tau) and eq. (2), f64[K, M] each."""
    oracle = environment.oracle()  # type: ignore[misc]
    return 1 - oracle.censoring, oracle.values


def _rounds(environment: Environment) -> tuple[np.ndarray, np.ndarray]:
    """Cells and gains of rounds with the longest limit, [K, DRAWN]; M if exceeded."""
    game, problem = environment.game, environment.problem
    setup = jax.tree.map(jnp.asarray, environment.setup)
    longest = jnp.int32(problem.num_limits - 1)

    def told(arm, noise):
        return game.step(noise, setup, game.init(setup), Action(arm, longest))[1]

    shape = (DRAWN, game.words)
    noise = np.random.default_rng(0).integers(0, 2**32, shape, dtype=np.uint32)
    arms = np.arange(problem.num_arms, dtype=np.int32)
    of_all = jax.jit(jax.vmap(jax.vmap(told, (None, 0)), (0, None)))
    result = jax.tree.map(np.asarray, of_all(arms, noise))
    cells = np.searchsorted(np.asarray(problem.limits, np.float32), result.consumption)
    consumption = np.where(result.censored, 0.0, result.consumption)
    return cells, result.reward - np.asarray(problem.cost(consumption))
