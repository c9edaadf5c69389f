"""theory/discounted-omega.md: how long an arm is left alone."""

import math
from types import SimpleNamespace

import numpy as np

from jaxbandits.budgeted import discounted_omega_ucb, s_br_changing
from jaxbandits.testing import trace_run
from tests.reference.budgeted_policies import DiscountedOmega
from tests.tables import each_row

K, ROUNDS = 3, 600


@each_row("memory", [20.0, 60.0])
def test_no_arm_is_left_alone_for_longer_than_the_proposition_says(memory):
    """In a game that stands still; counts, z^2 and indices are the twin's."""
    game = s_br_changing(K, 1)
    policy = discounted_omega_ucb(game.problem)
    params = policy.params._replace(memory=memory)
    trace = trace_run(policy, game, ROUNDS, params=params)
    twin, view = DiscountedOmega(K, memory=memory), SimpleNamespace(num_arms=K)
    z2, played, counts = np.zeros(ROUNDS), np.zeros(ROUNDS), np.zeros((ROUNDS, K))
    count = np.zeros(K)
    for t, arm in enumerate(trace.actions.tolist()):
        counts[t] = count
        z2[t] = 2 * twin.rho * math.log(max(count.sum(), 1))
        played[t] = twin.indices(t + 1, [0.0], view)[arm]
        twin.update(t + 1, [], arm, trace.feedback.reward[t], trace.feedback.cost[t])
        count = (1 - 1 / memory) * count
        count[arm] += 1
    assert np.all(np.diff(counts.sum(axis=1)) >= -1e-9)
    longest = 0
    for k in range(K):
        pulls = np.flatnonzero(trace.actions == k)
        for before, after in zip(pulls[1:-1], pulls[2:], strict=True):
            first, rounds = before + 1, after - before - 1
            if not rounds or z2[first] == 0:
                continue
            x = played[first:after].max()
            least = z2[first] * (math.sqrt(0.25 + 1 / x) - 0.5)
            n = counts[first, k]
            most = 1 + memory * max(math.log(n / least), 0) if least else math.inf
            assert rounds <= most, (k, before)
            longest = max(longest, rounds)
    assert longest > 5, "arms are left alone"
