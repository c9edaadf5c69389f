"""Forms of cell Thompson sampling, on the tuning set and on traps of their own.

    python studies/censored_forms.py FILE [--rounds 10000] [--seeds 64] [--only FORM]

Plays the forms of `forms.cells` on the tuning cases of the censored setting and on
three traps, which are no cases of the leaderboard. FILE keeps the regret of every run:
a form that is there is not played again. Prints a table of all that it has, at a tenth
of the rounds and at their end: geometric means over the tuning cases of mean regret and
95 % quantile over those of cell TS, the largest quotient of a case, and how many runs
are trapped: lost at least 0.02 a round over the second half, and as much as before.

All forms meet the same outcomes, which are drawn for all arms beforehand; so one
program plays all cases of a form.
"""

import argparse
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from forms.cells import FORMS, PLAIN
from jax import Array

from jaxbandits import censored
from jaxbandits.censored import Action, censor
from jaxbandits.laws import empirical, empirical_params
from jaxbandits.protocol import View
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

TUNING = PROTOCOLS["censored"].tuning
PARTS = 10  # of a run; the first, the fifth and the last are looked at
LOOKS = (0, 4, 9)
PER_ROUND, SHARE = 0.02, 0.45  # of a trapped run, in its second half
LEAST = 1.0  # regret that smaller ones count as


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=64)
    parser.add_argument("--only", nargs="+", choices=FORMS, default=[*FORMS])
    options = parser.parse_args()
    cases = {title: case.environment() for title, case in TUNING.items()} | traps()
    results = json.loads(options.file.read_text()) if options.file.exists() else {}
    size = f"{options.rounds} x {options.seeds}"
    outcomes = functools.cache(
        lambda: [drawn(each, options.rounds, options.seeds) for each in cases.values()]
    )
    for form in options.only:
        if f"{form}; {size}" not in results:
            regret = played(form, [*cases.values()], outcomes(), options.rounds)
            results[f"{form}; {size}"] = regret.round(4).tolist()
            options.file.write_text(json.dumps(results))
    print(table(results, [*cases], size, options.rounds))


def traps() -> dict:
    """Ten arms on the grid to 1, whose last limit is best: a round in 50 exceeds it.

    ``one of ten``: half the rounds of nine arms end at once, the others exceed all
    limits; those of the tenth end late. ``all late``: those of all arms do. ``some
    soon``: so they do, but for a third, which end at once and bring less.
    """
    problem = censored.running_example(10, censored.equidistant(5, form="printed"))
    many, rare = 50, slice(49, None)
    reward, consumption = np.full((3, 10, many), 0.6), np.full((3, 10, many), 0.9)
    reward[:, 9] = 0.9
    consumption[0, :9, ::2], consumption[0, :9, 1::2] = 0.1, 1.2
    consumption[2, :, ::3], reward[2, :, ::3] = 0.1, 0.4
    consumption[..., rare] = 1.2
    return {
        name: censored.make_environment(
            name, problem, empirical, empirical_params(*arms)
        )
        for name, *arms in zip(
            ("one of ten", "all late", "some soon"), reward, consumption, strict=True
        )
    }


def drawn(environment, rounds, seeds):
    """Rewards and consumptions of every arm, f32[seeds, rounds, K] each.

    Consumptions beyond the longest limit, which no policy sees, are infinite.
    """
    game, problem = environment.game, environment.problem
    setup = jax.tree.map(jnp.asarray, environment.setup)
    longest = jnp.int32(problem.num_limits - 1)

    def of_arm(noise, arm):
        books = game.init(setup)
        shown = game.step(noise, setup, books, Action(arm, longest))[1]
        return shown.reward, shown.consumption

    def of_seed(key):
        noise = jax.random.bits(key, (rounds, game.words), jnp.uint32)
        arms = jnp.arange(problem.num_arms, dtype=jnp.int32)
        return jax.vmap(lambda each: jax.vmap(of_arm, (None, 0))(each, arms))(noise)

    keys = jax.random.split(jax.random.key(TUNING_SEED), seeds)
    return jax.tree.map(np.asarray, jax.jit(jax.vmap(of_seed))(keys))


class _Traced(NamedTuple):
    """What forms ask a `Problem`, with limits and penalties that may be traced."""

    limits: Array
    penalty: Array
    num_arms: int
    num_limits: int
    cost: Callable
    max_cost: float
    sigma: float = 0.0

    @property
    def num_pairs(self) -> int:
        return self.num_arms * self.num_limits

    def penalties(self) -> Array:
        return self.penalty


def played(form, environments, outcomes, rounds) -> np.ndarray:
    """Regret of every run at the parts looked at, f64[cases, seeds, LOOKS]."""
    seeds = len(outcomes[0][0])
    keys = jax.random.split(jax.random.key(TUNING_SEED + 1), seeds)
    problems = [each.problem for each in environments]
    shape = {(p.num_arms, p.num_limits, p.cost, p.max_cost) for p in problems}
    (known,) = shape  # All that is not traced is the same.
    limits = np.array([p.limits for p in problems], np.float32)
    penalties = np.array([p.penalties() for p in problems], np.float32)
    rewards, consumptions = (np.stack(x) for x in zip(*outcomes, strict=True))

    def run(key, limits, penalties, rewards, consumptions):
        return _run(
            FORMS[form](_Traced(limits, penalties, *known)),
            limits,
            key,
            rewards,
            consumptions,
        )

    over_seeds = jax.vmap(run, (0, None, None, 0, 0))
    over_cases = jax.vmap(over_seeds, (None, 0, 0, 0, 0))
    pulls = jax.jit(over_cases)(keys, limits, penalties, rewards, consumptions)
    gaps = np.stack([each.oracle().gaps for each in environments])
    pulls = np.asarray(pulls, float)[:, :, list(LOOKS)]
    return (pulls * gaps[:, None, None]).sum((-1, -2))


def _run(policy, limits, key, rewards, consumptions):
    """Pulls at the end of every part, i32[PARTS, K, M]."""
    to_act, to_update = policy.words
    params = jax.tree.map(lambda x: jnp.asarray(x, float), policy.params)

    def step(carry, inputs):
        state, pulls = carry
        t, reward, consumption = inputs
        words = (to_act + to_update,)
        noise = jax.random.bits(jax.random.fold_in(key, t), words, jnp.uint32)
        action = policy.act(noise[:to_act], View(t), state, params)
        shown = censor(
            reward[action.arm], consumption[action.arm], limits[action.limit]
        )
        state = policy.update(noise[to_act:], View(t), state, action, shown, params)
        return (state, pulls.at[action.arm, action.limit].add(1)), None

    def part(carry, inputs):
        carry, _ = jax.lax.scan(step, carry, inputs)
        return carry, carry[1]

    none = jnp.zeros((rewards.shape[1], len(limits)), jnp.int32)
    inputs = (jnp.arange(1, len(rewards) + 1, dtype=jnp.int32), rewards, consumptions)
    inputs = jax.tree.map(lambda x: x.reshape(PARTS, -1, *x.shape[1:]), inputs)
    return jax.lax.scan(part, (policy.init(params), none), inputs)[1]


def table(results, titles, size, rounds) -> str:
    """In markdown."""
    ends = (rounds // PARTS, rounds)
    over = [f"{what}, {t:,}" for t in ends for what in ("mean", "95 %")]
    tuning = len(TUNING)
    head = ["form", *over, "largest", "trapped", *titles[tuning:]]
    lines = [head, ["---"] * len(head)]
    plain = np.array(results[f"{PLAIN}; {size}"])
    for form in FORMS:
        if f"{form}; {size}" not in results:
            continue
        runs = np.array(results[f"{form}; {size}"])
        ratios = np.stack(
            [
                np.maximum(measure(runs), LEAST) / np.maximum(measure(plain), LEAST)
                for measure in (_mean, _high)
            ]
        )[..., [0, -1]][:, :tuning]  # [measure, case, end]
        middle = np.exp(np.log(ratios).mean(axis=1)).T.ravel()
        lost = [trapped(each, rounds) for each in runs]
        on_traps = [
            f"{each[:, -1].mean():,.0f} ({each[:, -1].max():,.0f}; {count})"
            for each, count in zip(runs[tuning:], lost[tuning:], strict=True)
        ]
        cells = [f"{x:.2f}" for x in (*middle, ratios.max())]
        lines.append([form, *cells, f"{sum(lost[:tuning])}", *on_traps])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _mean(runs):
    return runs.mean(axis=1)


def _high(runs):
    return np.quantile(runs, 0.95, axis=1)


def trapped(regret, rounds) -> int:
    """How many runs lose as much in the second half as before, and much."""
    late = regret[:, 2] - regret[:, 1]
    lost = (late >= PER_ROUND * rounds / 2) & (late >= SHARE * regret[:, 2])
    return int(lost.sum())


if __name__ == "__main__":
    main()
