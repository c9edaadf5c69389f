"""When regret is paid for in the quiz (sigmoids), and what means of draws would save.

    python studies/quiz_rounds.py [--seeds 16] [--horizon 1000]

Plays the tuning set's EdNet-like case: one draw, RA-UCB with tuned radii, and two means
of eight draws that the library has not, as a mean of sigmoids' optima is no optimum:
of all optima, and of those that serve the same arms as the first draw's (the others are
looked for among these arms, which a fixed set makes a concave problem beyond the
modes). Prints the regret after 10, 30, 100, ... rounds, which allocation-notes.md in
studies/results shows.
"""

import argparse
import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits import simulate
from jaxbandits.allocation import Action, Allocation, Problem, thompson
from jaxbandits.allocation.policies.handing_out import best_way
from jaxbandits.allocation.policies.learning import start_allocation, turn
from jaxbandits.allocation.policies.posterior import State, after, draw, prior
from jaxbandits.arrays import pick, unit_interval
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Policy
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

PROTOCOL = PROTOCOLS["allocation"]
CASE, DRAWS = "EdNet-like 11", 8
SERVED = 1e-3  # of the budget


@factory(Problem)
def mean_of(problem: Problem, same: bool) -> Policy[State, tuple[()], Action]:
    """The mean of eight optima, of all or of those that serve the same arms."""
    num_arms, hand_out, start = problem.num_arms, best_way(problem), "uniform_split"

    def init(params):
        del params
        return prior(problem)

    def act(noise, view, state, params):
        del params
        z = normal_quantile(unit_interval(noise)).reshape(DRAWS, 2, num_arms)
        now = turn(problem, start, jnp.ones(()), view.round)
        alone = start_allocation(problem, start, now, view)

        def add(i, carried):
            total, count, among = carried
            rate, p = draw(problem, state, *pick(z, i))
            p = jnp.where(among, p, 0.0) if same else p
            x = hand_out(now.starting, alone, p, rate, view.budget).amounts
            served = x > SERVED * problem.budget
            among = jnp.where(i == 0, served, among)
            alike = jnp.all(served == among) if same else jnp.ones((), bool)
            return total + jnp.where(alike, x, 0.0), count + alike.astype(float), among

        zeros, every = jnp.zeros(num_arms, float), jnp.ones(num_arms, bool)
        start_of = zeros, jnp.zeros((), float), every
        total, count, _ = lax.fori_loop(0, DRAWS, add, start_of)
        return Allocation(total / count)

    def update(noise, view, state, action, feedback, params):
        del noise, view, action, params
        return after(problem, state, feedback)

    name = "mean of 8, same arms" if same else "mean of 8"
    return Policy(name, init, act, update, words=(2 * num_arms * DRAWS, 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--horizon", type=int, default=1_000)
    options = parser.parse_args()
    environment = PROTOCOL.tuning[CASE].environment()
    problem, horizon = environment.problem, options.horizon
    start = {"scale": 0.05, "initial": float(int(math.log(horizon)))}
    tuned = cast("allocation", "learners")["RA-UCB, tuned"]
    entrants = {
        "one draw": thompson(problem),
        "RA-UCB, tuned": tuned.factory(problem).with_params(**start),
        "mean of 8": mean_of(problem, same=False),
        "mean of 8, same arms": mean_of(problem, same=True),
    }
    ends = [t for t in (10, 30, 100, 300, 1_000, 3_000) if t < horizon] + [horizon]
    print("| policy |", *(f"{t:,} |" for t in ends), "median | worst |")
    print("|---|" + "---|" * (len(ends) + 2))
    for name, policy in entrants.items():
        data = simulate(
            {name: policy},
            environment,
            seeds=options.seeds,
            horizon=horizon,
            checkpoints=ends,
            root_seed=TUNING_SEED,
        )
        regret = data["regret"].isel(policy=0, params=0).values
        error = np.std(regret[:, -1], ddof=1) / options.seeds**0.5
        means = [f"{x:,.0f} |" for x in regret.mean(axis=0)[:-1]]
        last = f"{regret[:, -1].mean():,.0f} ± {error:,.0f} |"
        middle, worst = np.median(regret[:, -1]), regret[:, -1].max()
        print(f"| {name} |", *means, last, f"{middle:,.0f} | {worst:,.0f} |")


if __name__ == "__main__":
    main()
