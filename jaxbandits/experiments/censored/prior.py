"""What cell Thompson sampling should believe at first: on the tuning set alone."""

import numpy as np

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.common.playing import play
from jaxbandits.experiments.judging.censored import TUNING
from jaxbandits.experiments.judging.protocol import TUNING_SEED
from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.policies import censored as policies
from jaxbandits.stats import entry, final, summary_records

NAME = "censored-prior"
PASSED = (1.0, 1.5, 2.5, 5.0, 10.0)  # of a grid of M = 5: to M / 2, M, 2 M
ENDED = (1.0, 2.0)
QUICK = ("Indep, 5 limits to 0.9", "Indep, 5 limits to 1")


def prior(options: Options) -> Outcome:
    """Regret against the prior of a cell's hazard, Beta(ended, passed).

    The mean says what is saved where rounds do pass, the worst run who is trapped.
    """
    names = QUICK if options.quick else TUNING
    datasets, records = {}, []
    for title in names:
        environment = TUNING[title].environment()
        dataset = play(
            {"cell TS": policies.cell_thompson(environment.problem)},
            environment,
            options,
            horizon=options.horizon,
            checkpoints=[options.horizon],
            grid={"cell TS": {"prior_ended": ENDED, "prior_passed": PASSED}},
            root_seed=TUNING_SEED,
        )
        found = summary_records(dataset, NAME, environment=title, metrics=["regret"])
        worst = final(dataset, "regret").isel(policy=0).max("seed").values
        for record, value in zip(found, worst, strict=True):
            record["metrics"]["regret_worst"] = entry(value)
            ended, passed = (
                record["params"][f"prior_{x}"] for x in ("ended", "passed")
            )
            record["policy"] = f"cell TS, Beta({ended:g}, {passed:g})"
        datasets[title] = dataset
        records += found
    return Outcome(datasets, records, _curves(records, names), root_seed=TUNING_SEED)


def _curves(records, names):
    """A line per case: the mean at the left, the worst run at the right."""
    fig, axes = figure(1, 2)
    titles = {"regret": "mean", "regret_worst": "worst run"}
    for ax, (metric, title) in zip(axes, titles.items(), strict=True):
        for i, name in enumerate(names):
            rows = [r for r in records if r["environment"] == name]
            rows = [r for r in rows if r["params"]["prior_ended"] == 1]
            values = [r["metrics"][metric]["mean"] for r in rows]
            passed = [r["params"]["prior_passed"] for r in rows]
            style = line_style(i)._asdict() | {"marker": "o"}
            ax.plot(passed, np.maximum(values, 1.0), label=name, **style)
        ax.set(
            title=title, xscale="log", yscale="log", xlabel="passed, of Beta(1, passed)"
        )
        ax.set_xticks(PASSED, [f"{x:g}" for x in PASSED])
        ax.minorticks_off()
        readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
    horizon = records[0]["horizon"]
    axes[0].set_ylabel(f"regret at T = {horizon:,}")
    draw_legend(axes, f"{records[0]['seeds']:,} seeds")
    return fig
