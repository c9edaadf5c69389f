"""float32 against float64 over a long run: RCUCB's gain part on Indep.

Two pairs whose indices differ by less than float32 resolves may be chosen in the other
order. Rewards belong to rounds, so from the first such round on the two programs see
other rewards, and a single seed's regret differs by several percent at T = 1e6. What
float32 must keep, beside choices that are best ones on the same past (test_twins.py):

* runs agree to the last pull until the first near tie;
* regret has the same mean, and the pairs are pulled in the same proportions.
"""

import jax
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.censored import indep, rcucb
from jaxbandits.testing import altered
from tests.censored.twins import K, M


@pytest.fixture(scope="module")
def both():
    """Pulls [S, C, K M] and regret [S, C] of the float32 and of the float64 run."""
    game = indep()
    regret_of = game.game.metrics

    def metrics(tables, instance, record):
        pulls = record.pulls.reshape(-1)
        columns = {f"pulls {k}": pulls[k] for k in range(K * M)}
        return regret_of(tables, instance, record) | columns

    results = []
    for x64 in (False, True):
        with jax.enable_x64(x64):
            data = simulate(
                rcucb(game.problem, penalty_radius=0.0),
                altered(game, metrics=metrics),
                horizon=10**6,
                seeds=64,
                checkpoints=[10**2, 10**3, 10**4, 10**5],
            )
        pulls = [data[f"pulls {k}"].values[0, 0] for k in range(K * M)]
        results.append((np.stack(pulls, axis=-1), data["regret"].values[0, 0]))
    return results


@pytest.mark.slow
def test_long_runs_agree_until_the_first_near_tie_and_in_the_mean(both):
    (pulls, regret), (pulls64, regret64) = both
    moved = np.abs(pulls - pulls64).sum(axis=-1) / 2
    # All agree at 1,000 rounds, 64 % at 10,000, none at 100,000; at the end 0.8 % of
    # the rounds have moved, and a seed's regret differs by 3.5 % (median).
    assert np.all(moved[:, 0] == 0) and np.mean(moved[:, 1] == 0) > 0.9
    assert np.all(moved[:, -1] < 0.03 * 10**6)
    difference = regret[:, -1] - regret64[:, -1]
    error = np.std(difference) / np.sqrt(len(difference))
    assert abs(np.mean(difference)) < 4 * error
    assert 4 * error < 0.05 * np.mean(regret64[:, -1])
    shares = pulls[:, -1].mean(axis=0) / 10**6, pulls64[:, -1].mean(axis=0) / 10**6
    np.testing.assert_allclose(*shares, atol=5e-3)
