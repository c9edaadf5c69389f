"""RUCB and self-sparring on plain arms, by hand."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.plain import relative_ucb, self_sparring
from jaxbandits.protocol import View
from tests.tables import each_row

NONE = np.zeros(4, np.uint32)


def chosen(wins, best, words=NONE, round_=100):
    """What RUCB plays with some wins, and with B."""
    policy = relative_ucb(len(wins))
    state = policy.init(policy.params)._replace(
        wins=jnp.array(wins, jnp.int32), best=jnp.int32(best)
    )
    view = View(jnp.int32(round_))
    action = jax.jit(policy.act)(jnp.asarray(words), view, state, policy.params)
    return tuple(int(x) for x in action)


# Arm 1 beats both others for sure; 0 and 2 are as good as one another.
CLEAR = [[0, 0, 50], [100, 0, 100], [50, 0, 0]]
CIRCLE = [[0, 500, 0], [0, 0, 500], [500, 0, 0]]


def test_who_beats_all_for_sure_meets_itself():
    assert chosen(CLEAR, 3) == (1, 1)
    assert chosen(CLEAR, 0) == (1, 1)


def test_the_second_arm_is_the_most_dangerous_rival():
    # 0 beats 1 by 60 of 100, and met 2 twice only: 2 may beat it.
    wins = [[0, 90, 1], [10, 0, 90], [1, 10, 0]]
    first, second = chosen(wins, 0)
    assert (first, second) == (0, 2)


def test_half_of_the_time_the_one_that_is_thought_best_stays():
    nothing = np.zeros((3, 3), int)
    low, high = np.uint32(2**30), np.uint32(3 * 2**30)
    firsts = [
        chosen(nothing, 2, np.array([word, 0, other, 0], np.uint32))[0]
        for word in (low, high)
        for other in (0, 2**31, 2**32 - 1)
    ]
    assert firsts[:3] == [2, 2, 2]  # B
    assert firsts[3:] == [0, 1, 1]  # one of the others
    # Without B all three are as likely, and the second is another arm.
    without = [
        chosen(nothing, 3, np.array([0, 0, x, 0], np.uint32)) for x in (0, 2**31)
    ]
    assert [first for first, _ in without] == [0, 1]
    assert all(first != second for first, second in without)


def test_where_nobody_may_beat_all_anyone_is_first():
    words = [np.array([0, 0, x, 0], np.uint32) for x in (0, 2**31, 2**32 - 1)]
    duels = [chosen(CIRCLE, 0, each) for each in words]
    assert [first for first, _ in duels] == [0, 1, 2]
    # Each against the one that beats it.
    assert [second for _, second in duels] == [2, 0, 1]


@each_row("make", [relative_ucb, self_sparring])
def test_the_winner_wins(make):
    policy = make(3)
    view, arms = View(jnp.int32(5)), (jnp.int32(2), jnp.int32(0))
    state, update = policy.init(policy.params), jax.jit(policy.update)
    for preferred in (True, True, False):
        told = jnp.asarray(preferred)
        state = update(NONE, view, state, arms, told, policy.params)
    if make is relative_ucb:
        assert state.wins[2, 0] == 2 and state.wins[0, 2] == 1
        assert state.wins.sum() == 3
        assert [int(x) for x in policy.recommend(state, policy.params)] == [2, 2]
    else:
        assert state.wins.tolist() == [1, 0, 2] and state.losses.tolist() == [2, 0, 1]
        assert [int(x) for x in policy.recommend(state, policy.params)] == [2, 2]


@each_row(
    "wins, before, after",
    [
        (CLEAR, 3, 1),  # alone in C
        (CLEAR, 0, 1),
        (CIRCLE, 0, 3),  # C is empty, and so is B
        (np.zeros((3, 3), int), 2, 2),  # all are in C
        (np.zeros((3, 3), int), 3, 3),
    ],
)
def test_who_is_thought_best_after_a_round(wins, before, after):
    policy = relative_ucb(3)
    state = policy.init(policy.params)._replace(
        wins=jnp.array(wins, jnp.int32), best=jnp.int32(before)
    )
    arms = (jnp.int32(0), jnp.int32(0))
    view = View(jnp.int32(100))
    update = jax.jit(policy.update)
    told = update(NONE, view, state, arms, jnp.asarray(True), policy.params)
    assert int(told.best) == after


def test_self_sparring_draws_both_places_from_their_own_words():
    """A draw is large where the word of wins is large and that of losses small."""
    policy = self_sparring(3)
    words = np.full((2, 2, 3), 2**31, np.uint32)  # by place, wins or losses, and arm
    for place, arm in ((0, 1), (1, 2)):
        words[place, :, arm] = 2**32 - 2**20, 2**20
    act = jax.jit(policy.act)
    state, params = policy.init(policy.params), policy.params
    assert [int(x) for x in act(words.ravel(), None, state, params)] == [1, 2]
    # Whoever has lost often is not drawn.
    lost = state._replace(losses=jnp.array([0, 10_000, 10_000], jnp.int32))
    assert [int(x) for x in act(words.ravel(), None, lost, params)] == [0, 0]
