"""Which policy for one's own arms? A ranking by the money that is left on the table."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from rich.table import Table

from jaxbandits.checks import instance, positive, whole
from jaxbandits.experiments.common.comparison import (
    Contestant,
    add_spread,
    run_contestants,
)
from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.plots import plot_panels
from jaxbandits.policies import budgeted as policies
from jaxbandits.protocol import Environment
from jaxbandits.results import as_share
from jaxbandits.settings.budgeted import Records, records_of
from jaxbandits.stats import final, interval, paired_difference, summary_records

LEVEL = 0.95
SEEDS = 200
CAVEAT = (
    "The games replay these rows as if they were all there is: what the intervals of "
    "the ratios leave open, the ranking does not know."
)
_omega = policies.omega_star_ucb
# Nobody who needs an oracle, and nobody who plays like uniform play for 1e5 pulls.
CAST = {
    "omega*-UCB, shrunk": Contestant(partial(_omega, variance="shrunk")),
    "omega*-UCB": Contestant(_omega),
    "omega*-UCB, shrunk, log(t/n), rho = 1/2": Contestant(
        partial(_omega, exploration="log_share", variance="shrunk"), {"rho": 0.5}
    ),
    "m-UCB": Contestant(policies.m_ucb),
    "BTS": Contestant(policies.bts),
    "KUBE": Contestant(policies.kube),
    "UCB-SC+": Contestant(policies.ucb_sc_plus),
    "b-greedy": Contestant(policies.b_greedy),
    "epsilon-first": Contestant(policies.epsilon_first),
    "uniform": Contestant(policies.uniform),
}
# In the legend: its longest name says how many fit side by side.
SHORT = {"omega*-UCB, shrunk, log(t/n), rho = 1/2": "omega*, shrunk, log t/n"}


class Rank(NamedTuple):
    """A policy's place among the others, in money; pairs are intervals of 95 %.

    Attributes:
      policy: its name.
      regret: mean of what it leaves on the table, next to the best arm throughout.
      regret_interval: of that mean.
      median: of its runs.
      q90: what one run in ten exceeds.
      behind: mean paired difference to the first, on the same seeds; 0 for the first.
      behind_interval: of that, simultaneously for all policies (Bonferroni).
      reward: mean of what it brings.
    """

    policy: str
    regret: float
    regret_interval: tuple[float, float]
    median: float
    q90: float
    behind: float
    behind_interval: tuple[float, float]
    reward: float

    @property
    def tied(self) -> bool:
        """Whether it is not told from the first."""
        return self.behind_interval[0] <= 0


def compare(
    environments: Environment | Mapping[str, Environment],
    *,
    budget: float,
    seeds: int = SEEDS,
    progress: bool | None = None,
) -> Outcome:
    """Play every policy of `CAST` on recorded arms.

    Args:
      environments: of `settings.budgeted.from_table`: one, or several by name.
      budget: the money to spend, in each of them.
      seeds: how many games, at least 2.
      progress: whether to say what is compiled and played, see `jaxbandits.Machine`.

    Returns:
      Datasets and records by group, a figure, and in `notes` the arms and the advice.
      `ranks` gives a dataset's ranking.

    Raises:
      ValueError, TypeError: naming the argument.
    """
    if isinstance(environments, Environment):
        environments = {environments.name: environments}
    for environment in environments.values():
        instance("environments", environment, Environment, "of from_table")
        records_of(environment)
    positive(budget=budget)
    options = Options(whole("seeds", seeds, 2), budget, progress)
    datasets, records, notes = {}, [], []
    for title, environment in environments.items():
        dataset = run_contestants(environment, CAST, options, by_budget=True)
        datasets[title] = dataset
        ranking = ranks(dataset)
        found = summary_records(
            dataset, "compare", environment=title, metrics=["regret", "reward"]
        )
        add_spread(found, dataset, "regret", ranking[0].policy)
        order = [rank.policy for rank in ranking]
        records += sorted(found, key=lambda record: order.index(record["policy"]))
        notes += [
            *_arms_in_words(title, records_of(environment)),
            advice(title, ranking),
        ]
    return Outcome(datasets, records, draw(datasets), (*notes, CAVEAT))


def draw(datasets: Mapping[str, xr.Dataset]) -> Figure:
    """Regret over the share of the budget, a panel per group."""
    played = {name for each in datasets.values() for name in each["policy"].values}
    return plot_panels(
        {title: as_share(each) for title, each in datasets.items()},
        "regret",
        level=LEVEL,
        labels={name: text for name, text in SHORT.items() if name in played},
        columns=min(3, len(datasets)),
    )


def ranks(dataset: xr.Dataset) -> list[Rank]:
    """The policies of a dataset, smallest mean regret first."""
    at_end = dataset.isel(checkpoint=[-1], params=[0])
    regret = final(at_end, "regret").isel(params=0)
    reward = final(at_end, "reward").isel(params=0)
    found = interval(at_end, "regret", LEVEL)
    order = regret.mean("seed").to_series().sort_values().index.tolist()
    level = 1 - (1 - LEVEL) / max(len(order) - 1, 1)
    ranking = []
    for policy in order:
        runs = regret.sel(policy=policy).values
        mean, *ends = (float(x.sel(policy=policy).values.item()) for x in found)
        behind = (0.0, 0.0, 0.0)
        if policy != order[0]:
            paired = paired_difference(at_end, "regret", policy, order[0], level)
            behind = tuple(float(x.values.item()) for x in paired[:3])
        ranking.append(
            Rank(
                policy,
                mean,
                tuple(ends),
                float(np.median(runs)),
                float(np.quantile(runs, 0.9)),
                behind[0],
                behind[1:],
                float(reward.sel(policy=policy).mean()),
            )
        )
    return ranking


def advice(title: str, ranking: list[Rank]) -> str:
    """The recommendation in a sentence."""
    first, *others = ranking
    ties = [rank.policy for rank in others if rank.tied]
    words = (
        f"{title}: play {first.policy}, which leaves {_money(first.regret)} "
        f"{_ends(first.regret_interval)} on the table"
    )
    return words + (f"; not told from it: {', '.join(ties)}." if ties else ".")


def _arms_in_words(title: str, arms: list[Records]) -> list[str]:
    """The arms, best ratio first, with how well the records tell the ratio."""
    lines = []
    for arm in sorted(arms, key=lambda a: -a.reward.sum() / a.cost.sum()):
        ratio = arm.reward.sum() / arm.cost.sum()
        count = arm.cost.size
        # The ratio's delta method.
        spread = np.std(arm.reward - ratio * arm.cost, ddof=1) if count > 1 else np.inf
        error = 1.96 * spread / np.sqrt(count) / arm.cost.mean()
        lines.append(
            f"{title}: {arm.name}: {ratio:.3f} per unit of money, "
            f"± {error:.3f} from {count:,} rows"
        )
    return lines


def ranking_table(title: str, ranking: list[Rank]) -> Table:
    """The ranking for a terminal."""
    table = Table(title=f"{title}: money left on the table, 95 % intervals")
    table.add_column("policy")
    for name in ("mean", "median", "90 % quantile", "behind the first", "brings"):
        table.add_column(name, justify="right")
    for rank in ranking:
        behind = f"{_money(rank.behind)} {_ends(rank.behind_interval)}"
        table.add_row(
            rank.policy,
            f"{_money(rank.regret)} {_ends(rank.regret_interval)}",
            _money(rank.median),
            _money(rank.q90),
            behind if rank is not ranking[0] else "",
            _money(rank.reward),
        )
    return table


def _money(value) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _ends(ends) -> str:
    return f"[{_money(ends[0])}, {_money(ends[1])}]"
