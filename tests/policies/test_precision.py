"""float32 against float64 over a long run: RCUCB's gain part on Indep.

Two pairs whose indices differ by less than float32 resolves may be chosen in the other
order. Rewards belong to rounds, so from the first such round on the two programs see
other rewards, and a single seed's regret differs by several percent at T = 1e6. What
float32 must keep, and what is tested, is that

* every choice is a best one for float64 on the same past, up to 1e-6;
* runs agree to the last pull until the first near tie;
* regret has the same mean, and the pairs are pulled in the same proportions.
"""

import jax
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.engine.tape import Stream, read
from jaxbandits.policies.censored import rcucb
from jaxbandits.settings.censored import indep
from jaxbandits.testing import altered, trace_run
from tests.policies.twins import CASES, Draws, K, M

GAIN_PART = {"penalty_radius": 0.0}


@pytest.mark.slow
def test_every_choice_is_a_best_one_up_to_float32():
    """The twin learns from the feedback of the float32 run, 100,000 rounds."""
    rounds, environment = 100_000, indep()
    policy = rcucb(environment.problem)
    params = policy.params._replace(**GAIN_PART)
    trace = trace_run(policy, environment, rounds, params=params)
    run = [x.tolist() for x in (*trace.actions, *trace.feedback)]
    draws = Draws(
        "indep", read(0, 0, Stream.ENVIRONMENT, rounds, environment.game.words)
    )
    twin, near_ties = CASES["RCUCB, gain part"].twin(), 0
    for t, (arm, limit, *feedback) in enumerate(zip(*run, strict=True), start=1):
        index = twin.indices(t)
        if np.argmax(index) != arm * M + limit:
            near_ties += 1
            assert index[arm, limit] >= index.max() - 1e-6, f"round {t}"
        assert draws.step(t, arm, limit)[2] == feedback[2], f"round {t}"
        twin.update(t, None, arm, limit, *feedback)
    assert near_ties <= 0.001 * rounds  # 16


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
                rcucb(game.problem),
                altered(game, metrics=metrics),
                horizon=10**6,
                seeds=64,
                checkpoints=[10**2, 10**3, 10**4, 10**5],
                params={"RCUCB": GAIN_PART},
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
