"""Which policy for one's own arms? A ranking by the money that is left on the table."""

import hashlib
from collections.abc import Mapping
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.checks import instance, positive, whole
from jaxbandits.plots import plot_panels
from jaxbandits.protocol import Environment
from jaxbandits.simulation.dealing import dealt
from jaxbandits.stats import as_share
from jaxbandits_studies.common import ranking
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.datasets import Records, records_of

CAST = cast("budgeted", "own pulls")
LOST = "leaves", "on the table"
# In the legend: its longest name says how many fit side by side.
SHORT = {
    "omega*-UCB, shrunk, log(t/n), rho = 1/2": "omega*, log t/n",
    "share-UCB, anytime, joint": "share-UCB, joint",
}


def compare(
    environments: Environment | Mapping[str, Environment],
    *,
    budget: float,
    seeds: int = ranking.SEEDS,
    progress: bool | None = None,
) -> Outcome:
    """Play every policy of `CAST` on recorded arms.

    Arms are shuffled in every game, the same way for all policies: neither their names
    nor the order of the rows have an effect on any number.

    Args:
      environments: of `datasets.from_table`: one, or several by name.
      budget: the money to spend, in each of them.
      seeds: how many games, at least 2.
      progress: whether to say what is compiled and played, see `jaxbandits.Machine`.

    Returns:
      Datasets and records by group, a figure, and in `notes` the arms and the advice.
      `common.ranking.ranks` gives a dataset's ranking.

    Raises:
      ValueError, TypeError: naming the argument.
    """
    if isinstance(environments, Environment):
        environments = {environments.name: environments}
    for environment in environments.values():
        instance("environments", environment, Environment, "of from_table")
    positive(budget=budget)
    arms = {title: records_of(each) for title, each in environments.items()}
    if all(len(own) < 2 for own in arms.values()):
        raise ValueError(
            "environments must have two arms or more to choose from, got "
            + ", ".join(f"{title}: {own[0].name!r}" for title, own in arms.items())
        )
    for title, own in arms.items():
        least = min(float(arm.cost.min()) for arm in own)
        if budget < least:
            raise ValueError(
                f"budget must be at least what the cheapest pull of {title} costs, "
                f"{least:g}, got {budget:g}"
            )
    options = Options(whole("seeds", seeds, 2), budget, progress)
    games = {k: dealt(_in_order_of_rows(each)) for k, each in environments.items()}
    (datasets, records), rankings = ranking.ranked(games, CAST, options, "reward")
    notes = []
    for title, own in arms.items():
        notes += [
            *_arms_in_words(title, own),
            ranking.advice(title, rankings[title], LOST),
        ]
    read = dict.fromkeys(
        note for e in environments.values() for note in e.provenance["notes"]
    )
    notes = [
        *notes,
        *(f"Mind: {note}." for note in read),
        ranking.CAVEAT.format("ratios"),
    ]
    return Outcome(datasets, records, partial(draw, datasets), tuple(notes))


def _in_order_of_rows(environment: Environment) -> Environment:
    """The same game, its arms in an order that does not depend on their names."""
    arms = records_of(environment)
    rows = [(arm.reward.tobytes(), arm.cost.tobytes()) for arm in arms]
    keys = [hashlib.sha256(b"".join(row)).digest() for row in rows]
    order = np.arange(environment.problem.num_arms)
    order[: len(arms)] = sorted(range(len(arms)), key=keys.__getitem__)
    setup = environment.setup
    law = setup.law
    own = {name: getattr(law, name)[order] for name in law._fields[2:]}
    facts = {x: environment.provenance[x] for x in ("arms", "rows")}
    return environment._replace(
        setup=setup._replace(law=law._replace(**own)),
        provenance=environment.provenance
        | {
            name: [values[i] for i in order[: len(arms)]]
            for name, values in facts.items()
        },
    )


def draw(datasets: Mapping[str, xr.Dataset]) -> Figure:
    """Regret over the share of the budget, a panel per group."""
    played = {name for each in datasets.values() for name in each["policy"].values}
    return plot_panels(
        {title: as_share(each) for title, each in datasets.items()},
        "regret",
        level=ranking.LEVEL,
        labels={name: text for name, text in SHORT.items() if name in played},
        columns=min(3, len(datasets)),
    )


def _arms_in_words(title: str, arms: list[Records]) -> list[str]:
    """The arms, best ratio first, with how well the records tell the ratio."""
    lines = []
    for arm in sorted(arms, key=lambda a: -a.reward.sum() / a.cost.sum()):
        ratio = arm.reward.sum() / arm.cost.sum()
        count = arm.cost.size
        text = f"{title}: {arm.name}: {ratio:.3f} per unit of money, "
        if arm.reward.any():
            # The ratio's delta method.
            spread = (
                np.std(arm.reward - ratio * arm.cost, ddof=1) if count > 1 else np.inf
            )
            error = 1.96 * spread / np.sqrt(count) / arm.cost.mean()
            lines.append(f"{text}± {error:.3f} from {count:,} rows")
        else:
            rare = 1 / (1 - 0.05 ** (1 / count))
            lines.append(
                f"{text}from {count:,} rows without a reward, though one in "
                f"{rare:,.0f} may have one (95 %)"
            )
    return ranking.first_few(lines, title)
