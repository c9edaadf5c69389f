"""Thompson sampling with and without rates that would need p > 1: the tuning set."""

from functools import partial

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.common.playing import play
from jaxbandits.experiments.judging.allocation import PROTOCOL, SIGMOID
from jaxbandits.experiments.judging.protocol import TUNING_SEED
from jaxbandits.plots import plot_panels
from jaxbandits.policies.allocation import thompson_allocation
from jaxbandits.stats import summary_records

NAME = "allocation-feasible"
LIMITED = 10  # rounds of sigmoids and whole units cost more: a tenth of them
MAKERS = {
    (draws, feasible): partial(thompson_allocation, draws=draws, feasible=feasible)
    for draws in (1, 8)
    for feasible in (False, True)
}


def feasible(options: Options) -> Outcome:
    """Regret of one draw and of the mean of eight, with either posterior."""
    datasets, records, notes = {}, [], []
    cases = list(PROTOCOL.tuning)[: 2 if options.quick else None]
    for title in cases:
        case = PROTOCOL.tuning[title]
        environment = case.environment()
        family = environment.problem.family
        concave = case.horizons != SIGMOID and not family.integer
        made = [
            make(environment.problem)
            for (draws, _), make in MAKERS.items()
            if concave or draws == 1
        ]
        end = options.horizon if concave else max(options.horizon // LIMITED, 2)
        datasets[title] = play(
            {policy.name: policy for policy in made},
            environment,
            options,
            horizon=end,
            checkpoints="log",
            root_seed=TUNING_SEED,
        )
        records += summary_records(
            datasets[title], NAME, environment=title, metrics=["regret"]
        )
        at_end = datasets[title]["regret"].isel(params=0, checkpoint=-1)
        worst = (
            f"{policy.name}: {float(at_end.sel(policy=policy.name).max()):,.0f}"
            for policy in made
        )
        notes.append(f"{title}, the worst runs. {'; '.join(worst)}.")
    picture = plot_panels(datasets, x_scale="log", y_scale="log", columns=3)
    return Outcome(datasets, records, picture, tuple(notes), root_seed=TUNING_SEED)
