"""A ranking of policies on somebody's own records: places, intervals, the advice."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits import stats
from jaxbandits.console.printing import Table
from jaxbandits.protocol import Environment
from jaxbandits_studies.common.comparison import (
    Contestant,
    Played,
    add_spread,
    play_games,
)
from jaxbandits_studies.common.experiment import Options, amount

LEVEL = 0.95
SEEDS = 200
MOST_ARMS = 20  # that are described in words
CAVEAT = (
    "The games replay these rows as if they were all there is: what the intervals of "
    "the {} leave open, the ranking does not know."
)


class Rank(NamedTuple):
    """A policy's place among the others; pairs are intervals of 95 %.

    Attributes:
      policy: its name.
      regret: mean of what it leaves on the table, next to the best arm throughout.
      regret_interval: of that mean.
      median: of its runs.
      q90: what one run in ten exceeds.
      behind: mean paired difference to the first, on the same seeds; 0 for the first.
      behind_interval: of that, simultaneously for all policies (Bonferroni).
      brings: mean of what it brings.
    """

    policy: str
    regret: float
    regret_interval: tuple[float, float]
    median: float
    q90: float
    behind: float
    behind_interval: tuple[float, float]
    brings: float

    @property
    def tied(self) -> bool:
        """Whether its interval does not separate it from the first."""
        return self.behind_interval[0] <= 0


def ranked(
    games: Mapping[str, Environment],
    cast: Mapping[str, Contestant],
    options: Options,
    brings: str,
) -> tuple[Played, dict[str, list[Rank]]]:
    """Play all policies of a cast in games, and rank them.

    Args:
      games: by title.
      cast: the policies.
      options: seeds, and the budget or the number of rounds.
      brings: the metric of what a policy brings.

    Returns:
      What was played, with records in the order of the rankings, and these by title.
    """
    metrics = ["regret", brings]
    datasets, played = play_games("compare", games, cast, options, metrics=metrics)
    rankings, records = {}, []
    for title, dataset in datasets.items():
        rankings[title] = ranks(dataset, brings)
        order = [rank.policy for rank in rankings[title]]
        own = [record for record in played if record["environment"] == title]
        add_spread(own, dataset, "regret", order[0])
        records += sorted(own, key=lambda record: order.index(record["policy"]))
    return Played(datasets, records), rankings


def ranks(dataset: xr.Dataset, brings: str = "reward") -> list[Rank]:
    """The policies of a dataset, smallest mean regret first."""
    at_end = dataset.isel(checkpoint=[-1], params=[0])
    regret = stats.final(at_end, "regret").isel(params=0)
    brought = stats.final(at_end, brings).isel(params=0)
    result = stats.interval(at_end, "regret", LEVEL)
    order = regret.mean("seed").to_series().sort_values().index.tolist()
    level = 1 - (1 - LEVEL) / max(len(order) - 1, 1)
    ranking = []
    for policy in order:
        runs = regret.sel(policy=policy).values
        mean, *ends = (float(x.sel(policy=policy).values.item()) for x in result)
        behind = (0.0, 0.0, 0.0)
        if policy != order[0]:
            paired = stats.paired_difference(at_end, "regret", policy, order[0], level)
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
                float(brought.sel(policy=policy).mean()),
            )
        )
    return ranking


def advice(title: str, ranking: Sequence[Rank], lost: tuple[str, str]) -> str:
    """The recommendation in a sentence.

    Args:
      title: of the game.
      ranking: of its policies.
      lost: what stands before and after its regret: "leaves", "on the table", say.
    """
    first, *others = ranking
    ties = [rank.policy for rank in others if rank.tied]
    words = (
        f"{title}: play {first.policy}, which {lost[0]} {amount(first.regret)} "
        f"{ends(first.regret_interval)} {lost[1]}"
    )
    return words + (f"; not separable from it: {'; '.join(ties)}." if ties else ".")


def first_few(lines: Sequence[str], title: str) -> list[str]:
    """So many descriptions of arms as a page can bear."""
    more = len(lines) - MOST_ARMS
    rest = [f"{title}: and {more:,} more"] if more > 0 else []
    return [*lines[:MOST_ARMS], *rest]


def ranking_table(title: str, ranking: Sequence[Rank], of: str) -> Table:
    """The ranking for a terminal; `of` says what its numbers are."""
    table = Table(title=f"{title}: {of}, 95 % intervals")
    table.add_column("policy")
    for name in ("mean", "median", "90 % quantile", "behind the first", "brings"):
        table.add_column(name, justify="right")
    for rank in ranking:
        behind = f"{amount(rank.behind)} {ends(rank.behind_interval)}"
        table.add_row(
            rank.policy,
            f"{amount(rank.regret)} {ends(rank.regret_interval)}",
            amount(rank.median),
            amount(rank.q90),
            behind if rank is not ranking[0] else "",
            amount(rank.brings),
        )
    return table


def ends(interval: tuple[float, float]) -> str:
    """An interval as the ranking shows it."""
    return f"[{amount(interval[0])}, {amount(interval[1])}]"
