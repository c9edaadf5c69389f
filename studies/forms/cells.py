"""Forms of cell Thompson sampling that were tried beside it; see `forms`.

All have its state, and choose otherwise. None is in the library: this is what they
were, so that their numbers can be had again.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import xlogy
from jaxtyping import Float, Int32

from jaxbandits.arrays import (
    first_argmax,
    one_hot,
    pick,
    put,
    split_index,
    stored,
    unit_interval,
)
from jaxbandits.censored import cell_thompson, rcucb
from jaxbandits.censored.policies.cell_thompson import gains_of, scored_cell_thompson
from jaxbandits.censored.policies.cells import drawn_hazards, values_of_pairs
from jaxbandits.censored.policies.scored import Scored, best_pair, plays_pairs
from jaxbandits.censored.problem import Action, Problem
from jaxbandits.kernels.gamma import beta_from_uniforms
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Policy

_TRIPS, _SWEEPS = 14, 2  # of the bisection for a multiplier, and within each
_LEAST_COUNT = 1e-3  # stands for none


def gain_moments(problem: Problem, state: Any) -> tuple[Array, Array]:
    """Posterior mean and variance of the mean gain of every cell, as of cell TS."""
    seen = gains_of(problem, state)
    mean, n, least = seen.expected(), seen.runs + 2, seen.least
    second = (seen.square + (least**2 + 1)) / n
    # The prior observations alone give this much: only rounding could give less.
    spread = jnp.maximum(second - mean * mean, (1 - least) ** 2 / (2 * n))
    return mean, spread / (n + 1)


def pooled(problem: Problem, mass: float) -> Policy:
    """Hazards pooled over arms: a cell starts with some rounds as in the other arms.

    No arm gives more than `mass` of its rounds. If these are N of all other arms, of
    which a share p ended in the cell, the prior of its hazard is ``Beta(1 + w p, 1 + w
    (1 - p))``, ``w = mass N / (mass + N)``: `mass` where much is known of the others,
    and 0, the uniform prior, where nothing is.
    """
    base = scored_cell_thompson(problem)

    def of_others(count):
        return jnp.maximum(jnp.sum(count, axis=0)[None, :] - count, 0.0)

    def score(noise, view, state, params):
        del view
        first, second, *rest = unit_interval(noise).reshape(5, *state.entered.shape)
        ended = state.ended.astype(float)
        passed = (state.entered - state.ended).astype(float)
        given = mass / (mass + ended + passed)  # of a round, so that all are below mass
        others_ended, others_passed = (of_others(given * x) for x in (ended, passed))
        weight = mass / (mass + others_ended + others_passed)
        hazard = beta_from_uniforms(
            first,
            second,
            params.prior_ended + weight * others_ended + ended,
            params.prior_passed + weight * others_passed + passed,
        )
        gain = gains_of(problem, state).drawn(jnp.stack(rest))
        return stored(values_of_pairs(problem, *stored((hazard, gain))))

    return plays_pairs(base._replace(name=f"pooled, {mass:g}", score=score))


def normal_gains(problem: Problem) -> Policy:
    """Mean gains from the normal law with the posterior's mean and variance.

    This was played until November 2026, and is not consistent.
    """
    base = scored_cell_thompson(problem)

    def score(noise, view, state, params):
        del view
        first, second, third = unit_interval(noise).reshape(3, *state.entered.shape)
        hazard = drawn_hazards(first, second, state, params)
        mean, variance = gain_moments(problem, state)
        drawn = mean + jnp.sqrt(variance) * normal_quantile(third).astype(mean.dtype)
        gain = jnp.clip(drawn, -problem.max_cost, 1.0)
        return stored(values_of_pairs(problem, *stored((hazard, gain))))

    words = (3 * problem.num_pairs, 0)
    return plays_pairs(base._replace(name="normal gains", score=score, words=words))


def _draws(base: Scored, number: int, noise, view, state, params):
    """That many draws of all values, f32[number, K, M]."""
    words = noise.reshape(number, base.words[0])
    return jax.vmap(lambda word: base.score(word, view, state, params))(words)


def averaged(problem: Problem, draws: int) -> Policy:
    """The best pair by the mean of several draws of the values."""
    base = scored_cell_thompson(problem)

    def score(noise, view, state, params):
        return _draws(base, draws, noise, view, state, params).mean(axis=0)

    words = (draws * base.words[0], 0)
    return plays_pairs(base._replace(name=f"mean of {draws}", score=score, words=words))


def optimistic(problem: Problem) -> Policy:
    """No draw below the value at the posterior means (May et al. 2012)."""
    base = scored_cell_thompson(problem)

    def score(noise, view, state, params):
        drawn = base.score(noise, view, state, params)
        return jnp.maximum(drawn, base.answer(state, params))

    return plays_pairs(base._replace(name="optimistic", score=score))


class Watched(NamedTuple):
    """A policy's state, and how often pairs were played."""

    inner: Any
    pulls: Int32[Array, "K M"]


def _watching(problem: Problem, policy: Policy) -> dict[str, Any]:
    """`init`, `update` and `recommend` of a policy that counts its pulls."""
    shape = (problem.num_arms, problem.num_limits)

    def init(params):
        return Watched(policy.init(params), jnp.zeros(shape, jnp.int32))

    def update(noise, view, state, action, feedback, params):
        inner = policy.update(noise, view, state.inner, action, feedback, params)
        played = pick(state.pulls, action.arm) + one_hot(action.limit, shape[1])
        return Watched(inner, put(state.pulls, action.arm, played.astype(jnp.int32)))

    def recommend(state, params):
        return policy.recommend(state.inner, params)

    return {"init": init, "update": update, "recommend": recommend}


def forced(problem: Problem, policy: Policy, rounds: float) -> Policy:
    """Every arm is played at its longest limit ``rounds log t`` times at least."""
    last = problem.num_limits - 1

    def act(noise, view, state, params):
        chosen = policy.act(noise, view, state.inner, params)
        arm = first_argmax(-state.pulls[:, last])
        due = pick(state.pulls[:, last], arm) < rounds * jnp.log(
            view.round.astype(float)
        )
        return Action(
            jnp.where(due, arm, chosen.arm), jnp.where(due, last, chosen.limit)
        )

    return policy._replace(
        name=f"{policy.name}, forced", act=act, **_watching(problem, policy)
    )


def thrifty(problem: Problem) -> Policy:
    """Cell TS with the prior Beta(1, M), which expects rounds to pass."""
    policy = cell_thompson(problem, prior_passed=float(problem.num_limits))
    return policy._replace(name="Beta(1, M)")


def small_radius(problem: Problem) -> Policy:
    """RCUCB with Kaplan-Meier, half a gain radius and no penalty radius."""
    return rcucb(problem, "kaplan_meier", gain_radius=0.5, penalty_radius=0.0)


def information_directed(problem: Problem, draws: int) -> Policy:
    """Information-directed sampling by variances, of draws of all values.

    Russo & Van Roy, "Learning to Optimize via Information-Directed Sampling" (2018),
    section 5: of all mixtures of two pairs, the one with the least ``gap^2 / v``, where
    v is the variance, over which pair is best, of a pair's value given that it is. A
    round shows what any smaller limit would have shown, so a pair has the largest v of
    its arm's limits up to its own, each over its outcome's squared range.
    """
    base = scored_cell_thompson(problem)
    shape, size = (problem.num_arms, problem.num_limits), problem.num_pairs
    ranges = 1 + jnp.asarray(problem.penalties(), float)[None, :]

    def act(noise, view, state, params):
        values = stored(_draws(base, draws, noise[:-1], view, state, params)).reshape(
            draws, size
        )
        best = jnp.argmax(values, axis=1)
        mean = values.mean(axis=0)
        gap = values.max(axis=1).mean() - mean
        is_best = jax.nn.one_hot(best, size)  # [S, K M]
        share = is_best.mean(axis=0)
        # Times the share.
        given = (is_best.T @ values) / draws - share[:, None] * mean[None, :]
        off = given**2 / jnp.maximum(share, 1 / draws)[:, None]
        shown = off.sum(axis=0).reshape(shape) / ranges**2
        shown = jax.lax.cummax(shown, axis=1).reshape(size) + 1e-12
        # Pairs of pairs: q of the first, which is the one with the smaller gap.
        gap = jnp.maximum(gap, 0.0)
        low, high = gap[:, None], gap[None, :]
        less, more = shown[:, None], shown[None, :]
        rise, gain = high - low, more - less
        # d/dx of (low + x rise)^2 / (less + x gain) is 0 at this x, the second's share.
        x = low / jnp.where(rise > 0, rise, 1.0) - 2 * less / jnp.where(
            gain > 0, gain, 1.0
        )
        x = jnp.where((rise > 0) & (gain > 0), jnp.clip(x, 0.0, 1.0), 0.0)
        ratio = (low + x * rise) ** 2 / (less + x * gain)
        first, second = split_index(
            jnp.argmin(ratio.reshape(-1)).astype(jnp.int32), size, size
        )
        chance = pick(x.reshape(-1), first * size + second)
        chosen = jnp.where(unit_interval(noise[-1:])[0] < chance, second, first)
        # Certain of the best pair, nothing is left to be learnt.
        sure = jnp.max(share) >= 1
        chosen = jnp.where(sure, jnp.argmax(mean), chosen).astype(jnp.int32)
        return Action(*split_index(chosen, *shape))

    played = plays_pairs(base)
    words = (draws * base.words[0] + 1, 0)
    return played._replace(name=f"IDS, {draws} draws", act=act, words=words)


class _Dearest(NamedTuple):
    """Values of pairs under other hazards and gains, and what it takes to refute them.

    Attributes:
      value: f32[K, M]
      information: f32[K, M]
    """

    value: Array
    information: Array


def _dearest(problem: Problem, state: Any, price: Float[Array, "K M"]) -> _Dearest:
    """For every pair the cells that maximise ``value - price * information``.

    The information is ``sum_j n_j kl(hazard_j, h_j) + (gain_j - mu_j)^2 / (2 var_j)``.
    In one cell, the others fixed, the best h and mu are roots; some sweeps over cells.
    """
    size = problem.num_limits
    penalty = jnp.asarray(problem.penalties(), float)[None, :]
    count = jnp.maximum(state.entered.astype(float), _LEAST_COUNT)  # [K, cells]
    rate = jnp.clip(state.ended.astype(float) / count, 0.0, 1.0)
    rate = jnp.where(state.entered > 0, rate, 0.5)
    gain, variance = gain_moments(problem, state)
    within = jnp.arange(size)[:, None] >= jnp.arange(size)[None, :]  # [limit, cell]
    shape = (problem.num_arms, size, size)  # [K, limit, cell]
    hazard = jnp.broadcast_to(rate[:, None, :], shape)
    mean = jnp.broadcast_to(gain[:, None, :], shape)
    for _ in range(_SWEEPS):
        passing = jnp.where(within, 1 - hazard, 1.0)
        entering = jnp.cumprod(passing, axis=2) / jnp.maximum(passing, 1e-9)
        to_go = -jnp.broadcast_to(penalty, price.shape)
        new_hazard, new_mean = [], []
        for j in range(size - 1, -1, -1):
            n, r, reach = count[:, j, None], rate[:, j, None], entering[:, :, j]
            weight = reach * hazard[:, :, j] / price
            mu = jnp.clip(
                gain[:, j, None] + weight * variance[:, j, None],
                -problem.max_cost,
                1.0,
            )
            worth = reach * (mu - to_go)
            h = _moved(r, worth, price * n)
            inside = within[:, j][None, :]
            to_go = jnp.where(inside, h * mu + (1 - h) * to_go, to_go)
            new_hazard.append(h)
            new_mean.append(mu)
        hazard = jnp.stack(new_hazard[::-1], axis=2)
        mean = jnp.stack(new_mean[::-1], axis=2)
    paid = count[:, None, :] * _kl(rate[:, None, :], hazard)
    paid += (mean - gain[:, None, :]) ** 2 / (2 * variance[:, None, :])
    return _Dearest(to_go, jnp.sum(jnp.where(within, paid, 0.0), axis=2))


def _moved(rate: Array, worth: Array, price: Array) -> Array:
    """The h that maximises ``worth h - price kl(rate, h)``."""
    toward = jnp.where(worth > 0, rate, 1 - rate)
    k = price / jnp.maximum(jnp.abs(worth), 1e-9)
    root = jnp.sqrt((k - 1) ** 2 + 4 * k * toward)
    # Either form where it does not cancel.
    result = jnp.where(
        k > 1,
        2 * k * toward / jnp.maximum(k - 1 + root, 1e-9),
        (1 - k + root) / 2,
    )
    result = jnp.clip(result, 0.0, 1.0)
    return jnp.where(worth > 0, result, 1 - result)


def _kl(p: Array, q: Array) -> Array:
    q = jnp.clip(q, 1e-7, 1 - 1e-7)
    kl = xlogy(p, p / q) + xlogy(1 - p, (1 - p) / (1 - q))
    return jnp.maximum(kl, 0.0)


def _bisect(problem: Problem, state: Any, higher) -> tuple[_Dearest, _Dearest]:
    """Cells at the ends of an interval of prices, by their logarithms.

    It is halved, its upper half taken where the cells in the middle are to be
    `higher`.
    """
    shape = (problem.num_arms, problem.num_limits)
    ends = (jnp.full(shape, -14.0), jnp.full(shape, 6.0))

    def step(_, ends):
        low, high = ends
        middle = (low + high) / 2
        over = higher(_dearest(problem, state, jnp.exp(middle)))
        return jnp.where(over, middle, low), jnp.where(over, high, middle)

    low, high = jax.lax.fori_loop(0, _TRIPS, step, ends)
    return tuple(_dearest(problem, state, jnp.exp(end)) for end in (low, high))


def cell_kl_ucb(problem: Problem) -> Policy:
    """KL-UCB on cells: the largest value that log t of information do not refute."""
    base = scored_cell_thompson(problem)

    def score(noise, view, state, params):
        del noise, params
        most = jnp.log(view.round.astype(float))
        return _bisect(problem, state, lambda d: d.information > most)[1].value

    return plays_pairs(base._replace(name="cell KL-UCB", score=score, words=(0, 0)))


def cell_imed(problem: Problem) -> Policy:
    """IMED on cells (Honda & Takemura 2015).

    The pair with the least ``information + log N``: of the information that speaks
    against its being as good as the best one seems, and of the rounds of the arm that
    have shown as much.
    """
    base = scored_cell_thompson(problem)
    played = plays_pairs(base)

    def act(noise, view, state, params):
        del noise, view, params
        inner = state.inner
        count = jnp.maximum(inner.entered.astype(float), _LEAST_COUNT)
        rate = jnp.where(inner.entered > 0, inner.ended.astype(float) / count, 0.5)
        values = values_of_pairs(problem, rate, gain_moments(problem, inner)[0])
        reached = jnp.cumsum(state.pulls[:, ::-1], axis=1)[:, ::-1].astype(float)
        # What was never played is not the best one.
        seen = reached > 0
        target = jnp.max(jnp.where(seen, values, -jnp.inf))
        # The dearest price at which the cells are still worth as much.
        result, _ = _bisect(problem, inner, lambda d: d.value >= target)
        against = jnp.where(result.value >= target - 1e-3, result.information, 1e9)
        against = jnp.where(values >= target, 0.0, against)
        index = against + jnp.log(jnp.maximum(reached, 1e-6))
        index = jnp.where(seen, index, -jnp.inf)
        # Unplayed arms first, at their longest limit.
        return best_pair_from_right(-index)

    return played._replace(
        name="cell IMED", act=act, words=(0, 0), **_watching(problem, played)
    )


def best_pair_from_right(score: Float[Array, "K M"]) -> Action:
    """The best pair; of equal ones that with the longest limit."""
    flipped = best_pair(score[:, ::-1])
    return Action(flipped.arm, score.shape[1] - 1 - flipped.limit)


def cell_ucb(problem: Problem, alpha: float) -> Policy:
    """The posterior mean and ``sqrt(2 alpha log t)`` posterior deviations."""
    base = scored_cell_thompson(problem)

    def score(noise, view, state, params):
        del noise
        rounds = state.entered.astype(float) + 2
        hazard = (state.ended.astype(float) + 1) / rounds
        gain, gain_variance = gain_moments(problem, state)
        mean = base.answer(state, params)
        penalty = jnp.asarray(problem.penalties(), float)[None, :]
        to_go = -jnp.broadcast_to(penalty, hazard.shape)
        variance = jnp.zeros(hazard.shape)
        size = problem.num_limits
        for j in range(size - 1, -1, -1):
            inside = (jnp.arange(size) >= j)[None, :]
            h, g = hazard[:, j, None], gain[:, j, None]
            spread = h * (1 - h) / (rounds[:, j, None] + 1)
            new = (
                spread * (g - to_go) ** 2
                + (h**2 + spread) * gain_variance[:, j, None]
                + ((1 - h) ** 2 + spread) * variance
            )
            variance = jnp.where(inside, new, variance)
            to_go = jnp.where(inside, h * g + (1 - h) * to_go, to_go)
        log_t = jnp.log(view.round.astype(float))
        return mean + jnp.sqrt(2 * alpha * log_t * variance)

    return plays_pairs(
        base._replace(name=f"cell UCB, {alpha:g}", score=score, words=(0, 0))
    )


PLAIN = "cell TS"  # what forms are compared with
FORMS = {
    PLAIN: cell_thompson,
    "normal gains": normal_gains,
    "pooled, mass 2": partial(pooled, mass=2.0),
    "pooled, mass 8": partial(pooled, mass=8.0),
    "pooled, mass 4": partial(pooled, mass=4.0),
    "mean of 2 draws": partial(averaged, draws=2),
    "mean of 4 draws": partial(averaged, draws=4),
    "optimistic": optimistic,
    "Beta(1, M)": thrifty,
    "Beta(1, M), forced": lambda problem: forced(problem, thrifty(problem), 1.0),
    "small radius": small_radius,
    "small radius, forced": lambda problem: forced(problem, small_radius(problem), 1.0),
    "IDS, 16 draws": partial(information_directed, draws=16),
    "cell UCB, 1/2": partial(cell_ucb, alpha=0.5),
    "cell KL-UCB": cell_kl_ucb,
    "cell IMED": cell_imed,
}
