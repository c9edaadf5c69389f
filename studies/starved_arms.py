"""Why runs of Thompson sampling get lost in allocation: rates that would need p > 1.

    python studies/starved_arms.py [--feasible] [--draws 8] [--case CASE]

Plays appendix A.1 with 30 arms, or a case of the tuning set, and shows, of the runs
that lose most in the second half, the arms that get least of what is best for them:
their truth, what they get in the mean, and what is believed of them. The numbers of
theory/mean-allocation.md.
"""

import argparse

import numpy as np

from jaxbandits import allocation, simulate
from jaxbandits.allocation import Plan, Problem, thompson
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy
from jaxbandits.testing import trace_run
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

PROTOCOL = PROTOCOLS["allocation"]
ARMS_SHOWN = 2


@factory(Problem)
def told(problem: Problem) -> Policy:
    """Plays what no learner knows, so that it is on record."""
    del problem

    def act(noise, view, state, params):
        del noise, state, params
        return Plan(view.oracle.probability, view.oracle.rate)

    return Policy("split", lambda params: (), act, lambda noise, view, state, *_: state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=list(PROTOCOL.tuning))
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--feasible", action="store_true")
    parser.add_argument("--seeds", type=int, default=64)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--show", type=int, default=3)
    options = parser.parse_args()
    case, horizon = options.case, options.horizon
    game = PROTOCOL.tuning[case].environment() if case else allocation.simulation(30)
    policy = thompson(game.problem, draws=options.draws, feasible=options.feasible)
    data = simulate(
        [policy],
        game,
        seeds=options.seeds,
        horizon=horizon,
        checkpoints=[horizon // 2, horizon],
        root_seed=TUNING_SEED,
    )
    half, end = data["regret"].isel(policy=0, params=0).values.T
    print(
        f"{policy.name}: {end.mean():.1f} ± {end.std(ddof=1) / len(end) ** 0.5:.1f}, "
        f"95 % {np.quantile(end, 0.95):.0f}, worst {end.max():.0f}"
    )
    for seed in np.argsort(half - end)[: options.show].tolist():
        show(policy, game, horizon, seed)


def show(policy, game, horizon: int, seed: int) -> None:
    """The arms of a run that are served worst in its second half."""
    where = {"root_seed": TUNING_SEED, "seed_index": seed}
    truth = trace_run(told(game.problem), game, 1, **where)
    p, rate = (np.asarray(x[0], np.float64) for x in truth.actions)
    best = np.asarray(truth.feedback.allocation[0], np.float64)
    run = trace_run(policy, game, horizon, **where)
    got = np.asarray(run.feedback.allocation[horizon // 2 :], np.float64).mean(0)
    found, seen = run.state.estimate, run.state.statistics.successes
    print(f"seed {seed}:")
    for arm in np.argsort(got - best)[:ARMS_SHOWN]:
        print(
            f"  p {p[arm]:.2f}, rate {rate[arm]:.3f}: best {best[arm]:.2f}, got "
            f"{got[arm]:.2f}; {seen[arm]:,} successes, believed p "
            f"{found.probability[arm]:.2f}, rate {found.rate[arm]:.3f}"
        )


if __name__ == "__main__":
    main()
