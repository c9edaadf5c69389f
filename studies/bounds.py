"""Bounds of studies/results/theory beside runs: the tables of its pages.

    python studies/bounds.py cells [--instances 200] [--horizon 100000]

Where a theorem is about instances that are drawn from a prior and a posterior that is
exact, this is played in NumPy, all instances at a time; the policies of the library are
played where they are what the page speaks of.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from forms.cells import normal_gains
from forms.playing import regrets, row
from scipy.stats import norm

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.censored import cell_thompson
from jaxbandits.laws import (
    Bernoulli,
    Copula,
    Discrete,
    Product,
    bernoulli,
    discrete,
    gaussian_copula,
    product,
)
from jaxbandits.laws.thresholds import exponential
from jaxbandits_studies.judging.games import drawn_delays, drawn_times
from jaxbandits_studies.theory import (
    cells,
    gains,
    hazards,
    lost_runs,
    ratios,
    sampled_rates,
    shrinking,
    sparring,
    waiting,
)

Moments = tuple[np.ndarray, np.ndarray]


def mean_and_error(regret: np.ndarray) -> Moments:
    """Over the last axis, of runs."""
    return regret.mean(axis=-1), regret.std(axis=-1) / np.sqrt(regret.shape[-1])


def decades(horizon: int) -> np.ndarray:
    """1,000, 10,000, ... up to the horizon, or a horizon below them."""
    if horizon < 1_000:
        return np.array([horizon])
    return 10 ** np.arange(3, int(np.log10(horizon)) + 1)


def with_error(mean: float, error: float) -> str:
    return f"{mean:,.0f} ± {error:,.0f}"


def lost_runs_of(runs: np.ndarray, most: float) -> tuple[str, str, str]:
    """Mean regret, the worst run, and the share that loses half of the most or more."""
    mean, error = runs.mean(), runs.std() / len(runs) ** 0.5
    lost = np.mean(runs > most / 2)
    return f"{mean:.1f} ± {error:.1f}", f"{runs.max():,.0f}", f"{lost:.2%}"


# Cell Thompson sampling, theory/cell-thompson.md.


def cell_game(
    rng: np.random.Generator, instances: int, num_arms: int, num_limits: int
) -> Moments:
    """Hazards and chances to gain 1 of cells, uniform, f64[instances, K, M] each."""
    hazard, gain = rng.random((2, instances, num_arms, num_limits))
    return hazard, gain


def values_of(hazard: np.ndarray, gain: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """Eq. (2), f64[..., K, M]."""
    survival = np.cumprod(1 - hazard, axis=-1)
    entering = np.concatenate(
        [np.ones_like(survival[..., :1]), survival[..., :-1]], axis=-1
    )
    return np.cumsum(entering * hazard * gain, axis=-1) - penalty * survival


def cell_runs(
    rng: np.random.Generator,
    game: Moments,
    penalty: np.ndarray,
    rounds: np.ndarray,
    *,
    learns: bool = True,
    size: int = 1,
) -> np.ndarray:
    """Regret of Thompson sampling on cells at some rounds, f64[rounds, instances].

    By the exact posterior, or of arms and limits at random.
    """
    hazard, gain = game
    shape = instances, num_arms, num_limits = hazard.shape
    truth = values_of(hazard, gain, penalty)
    best = np.sort(truth.max(axis=2), axis=1)[:, -size:].sum(axis=1)
    entered, ended, gained = np.zeros((3, *shape))
    lost, results = np.zeros(instances), []
    which = np.arange(instances)[:, None]
    for t in range(1, rounds[-1] + 1):
        scores = rng.random(shape)
        if learns:
            h = rng.beta(1 + ended, 1 + entered - ended)
            mu = rng.beta(1 + gained, 1 + ended - gained)
            scores = values_of(h, mu, penalty)
        limit = scores.argmax(axis=2)
        arms = np.argsort(-scores.max(axis=2), axis=1)[:, :size]
        limits = np.take_along_axis(limit, arms, axis=1)
        lost += best - truth[which, arms, limits].sum(axis=1)
        # Runs go on from cell to cell until they end or have passed the limit.
        going = np.ones((instances, size), bool)
        for cell in range(num_limits):
            going = going & (cell <= limits)
            ends = going & (rng.random(going.shape) < hazard[which, arms, cell])
            pays = ends & (rng.random(going.shape) < gain[which, arms, cell])
            entered[which, arms, cell] += going
            ended[which, arms, cell] += ends
            gained[which, arms, cell] += pays
            going = going & ~ends
        if t in rounds:
            results.append(lost.copy())
    return np.array(results)


def cell_table(instances: int, horizon: int) -> None:
    """Three arms, three limits with the penalties 0.1, 0.2, 0.3."""
    penalty, num_arms = np.array([0.1, 0.2, 0.3]), 3
    rounds = decades(horizon)
    for size in (1, 2):
        print(f"\n{size} of {num_arms} arms in a round, {instances} instances")
        row("rounds", "bound", "exact posterior", "at random")
        bound = cells.bayes_regret_bound(rounds, num_arms, penalty, size=size)
        columns = []
        for learns in (True, False):
            rng = np.random.default_rng(7)
            game = cell_game(rng, instances, num_arms, penalty.size)
            regret = cell_runs(rng, game, penalty, rounds, learns=learns, size=size)
            columns.append(
                [with_error(*x) for x in zip(*mean_and_error(regret), strict=True)]
            )
        for entries in zip(rounds, bound, *columns, strict=True):
            row(f"{entries[0]:,}", f"{entries[1]:,.0f}", *entries[2:])


COIN, SURE = 0.35, 0.3  # the chance of arm 1 to gain 1, and what arm 2 gains


def trap_runs(make: Callable, seeds: int, rounds: np.ndarray) -> np.ndarray:
    """Regret of a policy on a coin beside a sure thing, f64[rounds, seeds]."""
    values = np.array([[0.0, 1.0], [SURE, 1.0]])
    chances = np.array([[1 - COIN, COIN], [1.0, 0.0]])
    game = censored.plain("coin and sure thing", discrete, Discrete(values, chances))
    return regrets(make(game.problem), game, rounds, seeds)[0]


def trap_table(instances: int, horizon: int) -> None:
    """The policy and a normal law of gains, and what that loses by theory alone."""
    rounds = decades(horizon)
    played = [trap_runs(f, instances, rounds) for f in (cell_thompson, normal_gains)]
    print(f"\n{instances} seeds: regret, median, worst run; above half of the most")
    row("rounds", "cell TS", "normal gains", "of their lost runs, by theory")
    theory = cells.lost_regret(rounds, COIN, SURE)
    for i, t in enumerate(rounds):
        shown = [
            f"{with_error(*mean_and_error(x))}, {np.median(x):,.0f}, {x.max():,.0f}; "
            f"{np.sum(x > t * (COIN - SURE) / 2)}"
            for x in (regret[i] for regret in played)
        ]
        row(f"{t:,}", *shown, f"{theory[i]:.1f}")
    print("\nOf a normal law, by theory alone")
    for t in (1e6, 1e8, 1e10, 1e12):
        lost = cells.lost_regret([t], COIN, SURE)[0]
        row(f"{t:.0e}", f"{lost:,.0f}", f"{np.log(lost) / np.log(t):.2f}")
    for n in range(4, 21, 4):
        drawn = gains.chance_above(n, 0.0, 0.0, SURE)
        normal = cells.chance_after_failures(n, SURE)
        row(n, f"{(1 - COIN) ** n:.2g}", f"{drawn:.2g}", f"{normal:.2g}")


GAP = 0.1


def gains_table(instances: int, horizon: int) -> None:
    """Information against a mean that is larger by 0.1, of laws on [0, 1]."""
    del instances, horizon
    laws = {
        "a coin of 1/2": [0, 1],
        "a coin of 0.1": [0] * 9 + [1],
        "0 or 1/2": [0, 0.5],
        "uniform": (np.arange(1000) + 0.5) / 1000,
        "uniform on [0.4, 0.6]": 0.4 + 0.2 * (np.arange(1000) + 0.5) / 1000,
        "always 1/2": [0.5],
    }
    row("gains", "their law", "two values", "a coin of this mean", "2 d^2")
    for name, seen in laws.items():
        mean, variance = np.mean(seen), np.var(seen)
        shown = (
            gains.least_information(seen, mean + GAP),
            gains.information(mean, variance, mean + GAP),
            gains.information(mean, mean * (1 - mean), mean + GAP),
            2 * GAP**2,
        )
        row(name, *(f"{x:.4f}" for x in shown))


HAZARD, THREE, HOW_OFTEN, WITHIN = 0.35, (0.0, 0.3, 1.0), (0.3, 0.4, 0.3), 0.1


def normal_chance(count: int, mean: float, variance: float, level: float) -> float:
    """How likely the normal law of gains is at least a level: `gains.chance_above`."""
    n = count + 2  # with one gain of 0 and one of 1
    first = (count * mean + 1) / n
    second = (count * (variance + mean**2) + 1) / n
    return norm.sf((level - first) / np.sqrt((second - first**2) / (n + 1)))


def waits_table(instances: int, horizon: int) -> None:
    """Rounds until a draw is near the truth; and regret by decades, of three limits."""
    row("n", "a hazard", "gains, two values", "a normal law")
    for n in (1, 4, 16, 32, 64, 128, 512, 1024):
        shown = [waiting.for_hazard(n, HAZARD, WITHIN)]
        if n <= 64:
            laws = gains.chance_above, normal_chance
            seen = THREE, HOW_OFTEN, WITHIN
            shown += [waiting.for_gains(n, *seen, drawn=law) for law in laws]
        row(n, *(f"{x:.2g}" for x in shown))
    rounds = decades(horizon)
    print(f"\n{instances} seeds: regret of three arms with three limits")
    row("game", *(f"{t:,}" for t in rounds))
    for seed in (901, 902, 903):
        game = drawn_times("drawn", seed, [0.2, 0.5, 1.0], 3)
        regret = regrets(cell_thompson(game.problem), game, rounds, instances)[0]
        row(seed, *(with_error(*mean_and_error(x)) for x in regret))


# Allocation, theory/allocation-thompson.md: exponential thresholds.

LOWEST, HIGHEST, BUDGET, ARMS = 0.05, 5.0, 2.0, 3


def grid_of_values(num_rates: int, num_chances: int) -> Moments:
    """Probabilities and rates of an arm, f64[J] each; one chance is 1."""
    rates = np.geomspace(LOWEST, HIGHEST, num_rates)
    chances = np.linspace(0, 1, num_chances + 1)[1:]
    chance, rate = np.meshgrid(chances, rates, indexing="ij")
    return chance.ravel(), rate.ravel()


def splits(chance: np.ndarray, rate: np.ndarray, budget: float) -> np.ndarray:
    """The best amounts, f64[..., K]: levels of the r steepest arms, the largest one."""
    steep = np.argsort(-chance * rate, axis=-1)
    slope = np.take_along_axis(np.log(chance * rate), steep, axis=-1)
    width = 1 / np.take_along_axis(rate, steep, axis=-1)
    levels = (np.cumsum(slope * width, -1) - budget) / np.cumsum(width, -1)
    level = levels.max(axis=-1, keepdims=True)
    return np.maximum(np.log(chance * rate) - level, 0) / rate


def allocation_runs(
    rng: np.random.Generator,
    values: Moments,
    instances: int,
    rounds: np.ndarray,
    *,
    uniform: bool = False,
) -> np.ndarray:
    """Regret by the exact posterior on a grid, or of equal amounts, f64[rounds, n]."""
    chance, rate = values
    J, shape = rate.size, (instances, ARMS)
    each = np.indices((J,) * ARMS).reshape(ARMS, -1).T
    optimal = splits(chance[each], rate[each], BUDGET)
    number = J ** np.arange(ARMS)[::-1]
    true = rng.integers(J, size=shape)
    p, lam = chance[true], rate[true]

    def worth(amounts: np.ndarray) -> np.ndarray:
        return np.sum(-p * np.expm1(-lam * amounts), axis=1)

    best = worth(optimal[true @ number])
    log_posterior = np.zeros((*shape, J))
    lost, results = np.zeros(instances), []
    for t in range(1, rounds[-1] + 1):
        density = np.exp(log_posterior - log_posterior.max(axis=2, keepdims=True))
        mass = np.cumsum(density, axis=2)
        level = rng.random((*shape, 1)) * mass[:, :, -1:]
        drawn = np.minimum(np.sum(mass < level, axis=2), J - 1)
        amounts = optimal[drawn @ number]
        if uniform:
            amounts = np.full(shape, BUDGET / ARMS)
        lost += best - worth(amounts)
        threshold = rng.exponential(size=shape) / lam
        success = (rng.random(shape) < p) & (threshold <= amounts)
        seen = np.where(success, threshold, 0.0)[..., None]
        log_posterior += np.where(
            success[..., None],
            np.log(chance * rate) - rate * seen,
            np.log1p(chance * np.expm1(-rate * amounts[..., None])),
        )
        if t in rounds:
            results.append(lost.copy())
    return np.array(results)


def library_runs(values: Moments, seeds: int, rounds: np.ndarray) -> np.ndarray:
    """Regret of the policy, which has another prior, on arms of the same grid."""

    def drawn(key, setup):
        place = jax.random.randint(key, (ARMS,), 0, setup.shape[1])
        return allocation.Arms(*(jnp.take(x, place) for x in setup))

    problem = allocation.make_problem(
        exponential, ARMS, BUDGET, lowest=LOWEST * 0.99, highest=HIGHEST * 1.01
    )
    game = allocation.random_environment("grid", problem, drawn, np.stack(values))
    return regrets(allocation.thompson(problem), game, rounds, seeds)[0]


def allocation_table(instances: int, horizon: int) -> None:
    """Rates alone, and rates with probabilities, of three arms."""
    rounds = decades(horizon)
    row("unknown", "J", "rounds", "bound", "exact posterior", "the policy", "equal")
    for num_rates, num_chances in ((8, 1), (64, 1), (5, 3)):
        values = grid_of_values(num_rates, num_chances)
        J, ordered = values[1].size, num_chances == 1
        bound = sampled_rates.bayes_regret_bound(
            rounds, np.full(ARMS, np.log(J)), np.full(ARMS, J), ordered=ordered
        )
        columns = [
            allocation_runs(np.random.default_rng(7), values, instances, rounds),
            library_runs(values, min(instances, 64), rounds),
            allocation_runs(
                np.random.default_rng(7), values, instances, rounds, uniform=True
            ),
        ]
        for i, t in enumerate(rounds):
            shown = [with_error(*mean_and_error(x[i])) for x in columns]
            what = "rates" if ordered else "both"
            row(what, J, f"{t:,}", f"{bound[i]:,.0f}", *shown)


# Hazard Thompson sampling, theory/hazard-thompson.md.


def drawn_waits(rng: np.random.Generator, num_arms: int, num_waits: int) -> Moments:
    """A game's delays f64[K, D + 1] and rewards f64[K, D + 1], hazards uniform."""
    hazard, value = rng.random((2, num_arms, num_waits))
    survival = np.cumprod(1 - hazard, axis=1)
    ends = np.concatenate([np.ones((num_arms, 1)), survival[:, :-1]], axis=1) * hazard
    never = np.zeros((num_arms, 1))
    return (
        np.concatenate([ends, survival[:, -1:]], axis=1),
        np.concatenate([value, never], axis=1),
    )


def at_random(delay: np.ndarray, value: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Regret of a pair at random in every epoch: lost per epoch, over its length."""
    ends, waits = delay[:, :-1], np.arange(1, delay.shape[1])
    left = 1 - np.cumsum(ends, axis=1)
    reward = np.cumsum(ends * value[:, :-1], axis=1)
    length = np.cumsum(ends * waits, axis=1) + left * waits
    best = np.max(reward / length)
    return time * np.sum(best * length - reward) / np.sum(length)


def hazard_table(instances: int, horizon: int) -> None:
    """The policy itself, on as many drawn instances of two macro-arms."""
    time = decades(horizon)
    row("waits", "time", "bound", "hazard TS", "at random")
    for num_waits in (1, 2, 3):
        rng = np.random.default_rng(7)
        regret, random = [], []
        for i in range(instances):
            delay, value = drawn_waits(rng, 2, num_waits)
            game = farewell.make_environment("drawn", delay, value, num_waits=num_waits)
            policy = farewell.hazard_thompson(game.problem)
            regret.append(regrets(policy, game, time, 1, root_seed=i).ravel())
            random.append(at_random(delay, value, time))
        bound = hazards.bayes_regret_bound(time, 2, num_waits)
        columns = [mean_and_error(np.array(x).T) for x in (regret, random)]
        for i, t in enumerate(time):
            shown = [with_error(mean[i], error[i]) for mean, error in columns]
            row(num_waits, f"{t:,}", f"{bound[i]:,.0f}", *shown)


SOONER, LITTLE, GAP_ENDS = 0.5, 0.08, 10


def coin_in_a_gap():
    """One wait, and all epochs end within it.

    Those of arm 1 at once with a reward of 1, as often as `SOONER` says, or when the
    wait ends with none; those of arm 2 at once with `LITTLE`.
    """
    delay = np.array([[SOONER, 1 - SOONER], [1.0, 0.0]])
    values = np.array([[[1.0], [0.0]], [[LITTLE], [0.0]]])
    rewards = Discrete(values, np.ones_like(values))
    times = {"delays": [1, GAP_ENDS], "waits": [GAP_ENDS]}
    return farewell.make_environment(
        "coin in a gap", delay, rewards, reward_law=discrete, **times
    )


def both_hazards(game: Any, time: np.ndarray, seeds: int) -> np.ndarray:
    """Regret with reward and time drawn apart and jointly, f64[2, time, seeds]."""
    made = [farewell.hazard_thompson(game.problem, joint=x) for x in (False, True)]
    return np.concatenate([regrets(x, game, time, seeds) for x in made])


def gap_table(instances: int, horizon: int) -> None:
    """Regret where what comes late pays less, within one wait."""
    game, time = coin_in_a_gap(), decades(horizon)
    most = np.max(game.oracle().gaps)
    columns = "worst", "lost"
    row("time", "hazard TS", *columns, "joint", *columns)
    regret = both_hazards(game, time, instances).swapaxes(0, 1)
    for t, both in zip(time, regret, strict=True):
        row(f"{t:,}", *(x for runs in both for x in lost_runs_of(runs, most * t)))


def with_gaps(seed: int, waits: Sequence[int], falling: bool):
    """A tuning case of ten waits with these alone; rewards may fall to 0 in time."""
    whole = drawn_delays("drawn", seed)
    chance = np.asarray(whole.setup.reward.probability, float)
    if falling:
        chance = chance * np.linspace(1, 0, chance.shape[1])
    return farewell.make_environment(
        "with gaps", whole.provenance["delay"], chance, waits=waits
    )


def thinned_table(instances: int, horizon: int) -> None:
    """How many times the regret of hazard TS the joint form has, if waits are left out.

    Geometric means over three tuning cases, of the means and of the worst runs.
    """
    time = decades(horizon)
    row("rewards", "waits", *(f"{t:,}" for t in time), "worst runs")
    results = []
    for falling in (False, True):
        for waits in ((10,), (3, 10), (2, 5, 10)):
            ratios = []
            for seed in (101, 102, 103):
                game = with_gaps(seed, waits, falling)
                apart, jointly = both_hazards(game, time, instances)
                mean = jointly.mean(axis=1) / apart.mean(axis=1)
                worst = jointly.max(axis=1) / apart.max(axis=1)
                ratios.append([*mean, worst[-1]])
            results += ratios
            shown = np.exp(np.log(ratios).mean(axis=0))
            name = "falling" if falling else "steady"
            row(name, ", ".join(map(str, waits)), *(f"{x:.2f}" for x in shown))
    row("all", "", *(f"{x:.2f}" for x in np.exp(np.log(results).mean(axis=0))))
    row("largest", "", *(f"{x:.2f}" for x in np.max(results, axis=0)))
    row("smallest", "", *(f"{x:.2f}" for x in np.min(results, axis=0)))


# Self-sparring on cells, theory/self-sparring.md.


def duel_runs(
    means: tuple[float, ...], seeds: int, rounds: np.ndarray, spread: float = 2**0.5
) -> np.ndarray:
    """Regret of the policy that knows that all runs end, f64[rounds, seeds]."""
    coins = censored.plain("coins", bernoulli, Bernoulli(np.array(means)))
    game = censored.duels(coins)
    policy = censored.cell_self_sparring(game.problem)
    policy = policy.with_params(prior_ended=1e7, reward_spread=spread)
    return regrets(policy, game, rounds, seeds)[0]


def sparring_table(instances: int, horizon: int) -> None:
    """Two coins whose means differ by 0.1, 0.2 and 0.4."""
    rounds = decades(horizon)
    row("gap", "spread", "rounds", "bound", "regret", "worst", "at random")
    for gap in (0.1, 0.2, 0.4):
        for spread in (2**0.5, 1.0):
            bound = sparring.regret_bound(rounds, gap, spread)
            runs = duel_runs((0.5, 0.5 + gap), instances, rounds, spread)
            for i, t in enumerate(rounds):
                shown = f"{bound[i]:,.0f}", with_error(*mean_and_error(runs[i]))
                most = f"{runs[i].max():,.0f}"
                row(gap, f"{spread:.2f}", f"{t:,}", *shown, most, f"{gap * t / 2:,.0f}")


# omega*-UCB with shrunk variances, theory/shrunk-omega.md.

RHO, COST = 0.25, 0.5
COINS = 0.95, 0.9
SHOWN, CHANCE, RIVAL = 0.2, 0.3, 0.4  # the best arm brings 0.2, or 1 in 3 of 10 pulls


def two_arms(values: list, chances: list):
    """A budgeted game of two arms whose pulls cost 1/2, as is known."""
    cost = Discrete(np.full((2, 1), COST), np.ones((2, 1)))
    arms = Product(Discrete(np.array(values), np.array(chances)), cost)
    law = product(discrete, discrete)
    return budgeted.make_environment(
        "two arms", law, arms, unit="cheapest", cost_range=(COST, COST)
    )


def shrunk_table(instances: int, horizon: int) -> None:
    """Two coins, and an arm that mostly brings the same beside a sure thing."""
    p, q = COINS
    mean = (1 - CHANCE) * SHOWN + CHANCE
    games = {
        "two coins": two_arms([[0.0, 1], [0, 1]], [[1 - p, p], [1 - q, q]]),
        "mostly 0.2": two_arms(
            [[SHOWN, 1], [RIVAL, 1]], [[1 - CHANCE, CHANCE], [1, 0]]
        ),
    }
    rounds = decades(horizon)
    odds = 9.0 * np.arange(1, 9)  # failures give an arm up while n q / (1 - q) >= z^2
    failures = [1 + int(np.sum(odds < 2 * RHO * np.log(t))) for t in rounds]
    coins = [
        (p - q) * (1 - p) ** n * (t - n) for n, t in zip(failures, rounds, strict=True)
    ]
    mostly = {
        v: shrinking.lost_regret(rounds, RHO, SHOWN, RIVAL, mean, CHANCE, v)
        for v in shrinking.ETAS
    }
    theory = {
        "two coins": dict.fromkeys(("shrunk", "switch", "omega"), coins),
        "mostly 0.2": {
            "shrunk": mostly["shrunk"],
            "switch": mostly["switch"],
            "omega": mostly["none"],
        },
    }
    row(
        "game", "policy", "rounds", "of lost runs, by theory", "regret", "worst", "lost"
    )
    for name, game in games.items():
        gap = (p - q) if name == "two coins" else mean - RIVAL
        star, plain = budgeted.omega_star_ucb, budgeted.omega_ucb
        cast = {
            "shrunk": star(game.problem, variance="shrunk"),
            "switch": star(game.problem),
            "omega": plain(game.problem),
            "BTS": budgeted.bts(game.problem),
        }
        played = regrets(cast, game, rounds, instances)
        for policy, runs in zip(cast, played, strict=True):
            for i, t in enumerate(rounds):
                shown = theory[name].get(policy)
                row(
                    name,
                    policy,
                    f"{t:,}",
                    "" if shown is None else f"{shown[i]:.1f}",
                    with_error(*mean_and_error(runs[i])),
                    f"{runs[i].max():,.0f}",
                    int(np.sum(runs[i] > 0.9 * gap * t)),
                )
    print("\nThe power of T that regret exceeds on two coins, 1 - a")
    for p, q in (
        (0.95, 0.9),
        (0.9, 0.8),
        (0.5, 0.45),
        (0.5, 0.3),
        (0.9, 0.5),
        (0.5, 0.1),
    ):
        row(p, q, *(f"{1 - lost_runs.exponent(r, p, q):.2f}" for r in (RHO, 1.0)))
    print("\nRounds that an arm of n equal rewards is left alone for")
    n = np.array([5, 10, 15, 20, 29, 30, 40])
    shown = [
        shrinking.rounds_left_alone(n, RHO, SHOWN, RIVAL, v)
        for v in ("shrunk", "switch", "none")
    ]
    for entries in zip(n, *shown, strict=True):
        row(entries[0], *(f"{x:.2g}" for x in entries[1:]))


# Ratio Thompson sampling, theory/ratio-thompson.md.

PAYS, SURELY = 0.5, 0.45
TOGETHER = {"opposite": -1.0, "independent": 0.0, "one coin": 1.0}


def coin_beside_sure(correlation: float):
    """A coin of a reward and a coin of a cost, and an arm that always gives the same.

    Both coins show 1 with the chance `PAYS`, both are 1 at a time as often as the
    correlation says; the other arm brings `SURELY` for what that leaves of 1.
    """
    coin, sure = [1 - PAYS, PAYS], [1.0, 0.0]
    reward = Discrete(np.array([[0, 1], [SURELY, 1]]), np.array([coin, sure]))
    cost = Discrete(np.array([[0, 1], [1 - SURELY, 1]]), np.array([coin, sure]))
    arms = Copula(reward, cost, np.array([correlation, 0.0]))
    law = gaussian_copula(discrete, discrete)
    return budgeted.make_environment("coin beside sure", law, arms)


def ratio_table(instances: int, horizon: int) -> None:
    """Runs with a coin whose reward and cost are opposite, independent or one coin."""
    price = budgeted.price_thompson
    budgets = decades(horizon)
    gap = PAYS / (1 - PAYS) - SURELY / (1 - SURELY)
    theory = ratios.lost_regret(budgets.astype(float), PAYS, SURELY)
    columns = "regret", "worst", "lost"
    row("reward and cost", "budget", "by theory", *columns, "price TS", *columns[1:])
    for name, correlation in TOGETHER.items():
        game = coin_beside_sure(correlation)
        made = [make(game.problem) for make in (budgeted.ratio_thompson, price)]
        ratio, prices = regrets(made, game, budgets, instances)
        for i, budget in enumerate(budgets):
            shown = [lost_runs_of(x[i], gap * budget) for x in (ratio, prices)]
            lost = f"{theory[i]:.1f}" if correlation == -1 else ""
            row(name, f"{budget:,}", lost, *shown[0], *shown[1])
    print("\nThe power of the budget that regret exceeds, opposite")
    for p, q in ((0.5, 0.49), (0.5, 0.45), (0.5, 0.4), (0.2, 0.19), (0.8, 0.79)):
        row(p, q, f"{ratios.power(p, q):.2f}")


TABLES: dict[str, Callable[[int, int], None]] = {
    "cells": cell_table,
    "trap": trap_table,
    "gains": gains_table,
    "waits": waits_table,
    "allocation": allocation_table,
    "hazards": hazard_table,
    "gap": gap_table,
    "thinned": thinned_table,
    "sparring": sparring_table,
    "shrunk": shrunk_table,
    "ratio": ratio_table,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--horizon", type=int, default=10_000)
    options = parser.parse_args(arguments)
    TABLES[options.table](options.instances, options.horizon)


if __name__ == "__main__":
    main()
