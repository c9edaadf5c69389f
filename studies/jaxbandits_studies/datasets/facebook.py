"""The social-media advertisement settings of the budgeted paper (FB-Br and FB-Bt).

An arm is an ad, a setting a group of ads. The data are Kaggle's
``madislemsalu/facebook-ad-campaign``, which this package does not contain; the rules by
which the paper's 19 settings come out are those of its published code (errata.md).
"""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
from jax import Array

from jaxbandits import checks
from jaxbandits.budgeted.environment import (
    Arms,
    Instance,
    State,
    Tables,
    metrics,
    random_environment,
)
from jaxbandits.budgeted.synthetic import LARGEST_PARAMETER
from jaxbandits.laws import Bernoulli, Beta, Product, bernoulli, beta, product
from jaxbandits.laws.law import Law
from jaxbandits.protocol import Environment
from jaxbandits_studies.datasets.reading import Allowed, read_known

GROUPS = ("campaign_id", "age", "gender")
NUMBERS = ("clicks", "spent", "total_conversion")
LEAST_REWARD = 0.01  # stands for "no conversion at all"
LARGEST_MEAN = 0.99


class Group(NamedTuple):
    """One setting.

    Attributes:
      campaign: campaign id.
      age: age category.
      gender: ``F`` or ``M``.
      mean_reward: f64[K] in (0, 1), conversions per click.
      mean_cost: f64[K] in (0, 1), money per click.
    """

    campaign: str
    age: str
    gender: str
    mean_reward: np.ndarray
    mean_cost: np.ndarray

    @property
    def name(self) -> str:
        """``campaign/age/gender``."""
        return f"{self.campaign}/{self.age}/{self.gender}"


def load_facebook(path: str | PathLike[str]) -> list[Group]:
    """Read the campaign data and form the settings.

    Ads with money spent and at least as many clicks as conversions are kept (rows that
    the original file has shifted by two columns fail this and drop out), grouped by
    campaign, age and gender; groups of one ad are left out. A reward is total
    conversions per click, a cost is money per click; zero rewards become 0.01, and both
    are divided by their largest value in the group, times 0.99.

    Args:
      path: of ``data.csv``.

    Returns:
      Groups in the order of (campaign, age, gender); the paper's 19, with 2 to 93 arms.

    Raises:
      ValueError: naming `path`, if the file has not the columns, has a negative number
        or no group of two ads.
      FileNotFoundError: if there is no such file.
    """
    table = read_known(path, GROUPS, dict.fromkeys(NUMBERS, Allowed(any_text=True)))
    numbers = pd.DataFrame(table.numbers)
    if (numbers < 0).any(axis=None):
        raise ValueError(f"path: {path} has negative clicks, money or conversions")
    clicks, spent, conversions = (numbers[c] for c in NUMBERS)
    kept = (spent > 0) & (clicks >= conversions) & (clicks > 0)
    reward = (conversions / clicks).where(conversions > 0, LEAST_REWARD)
    names = pd.DataFrame({x: words.cells for x, words in table.words.items()})
    ads = names.assign(reward=reward, cost=spent / clicks)[kept]
    groups = [
        Group(campaign, age, gender, _scaled(part["reward"]), _scaled(part["cost"]))
        for (campaign, age, gender), part in ads.groupby([*GROUPS], sort=True)
        if len(part) >= 2
    ]
    if not groups:
        raise ValueError(f"path: {path} has no group of at least two ads")
    return groups


def _scaled(column: pd.Series) -> np.ndarray:
    values = column.to_numpy(np.float64)
    return LARGEST_MEAN * values / values.max()


def fb_br(
    groups: list[Group], num_arms: int | None = None
) -> Environment[Any, Any, Array]:
    """FB-Br: Bernoulli rewards and costs with the groups' means.

    Args:
      groups: of `load_facebook`; every seed draws one of several, and the metric
        ``group`` says which, as a position in the provenance's ``groups``.
      num_arms: K, the size of the largest group by default. Environments of one size
        share their programs: give 93 to play the paper's groups one by one.

    Raises:
      TypeError, ValueError: if `groups` is no list of groups, or empty, or has a group
        of more than `num_arms`.
    """
    return _facebook("FB-Br", groups, bernoulli, _draw_bernoulli, num_arms)


def fb_bt(
    groups: list[Group], num_arms: int | None = None, factor: float = 1.0
) -> Environment[Any, Any, Array]:
    """FB-Bt: Beta laws with the groups' means and random parameters.

    All parameters are drawn from U(0, 5); then alpha is adjusted to the mean if that is
    at most 1/2, else beta.

    Args:
      groups: as for `fb_br`.
      num_arms: as for `fb_br`.
      factor: in (0, 1], of all means; the published code has 0.99 here, a second time.

    Raises:
      TypeError, ValueError: as `fb_br`, or if `factor` is out of range.
    """
    factor = checks.number("factor", factor)
    checks.positive(factor=factor)
    checks.in_unit_interval(factor=factor)
    return _facebook("FB-Bt", groups, beta, _draw_beta, num_arms, factor)


def _facebook(
    name: str,
    groups: Sequence[Group],
    law: Law,
    draw: Callable[[Any, Any], Arms],
    num_arms: int | None,
    factor: float = 1.0,
) -> Environment[Any, Any, Array]:
    if isinstance(groups, str | Group) or not isinstance(groups, Sequence):
        raise TypeError(f"groups must be a list of groups, got {checks.shown(groups)}")
    if not groups:
        raise ValueError("groups must not be empty")
    for group in groups:
        checks.instance("groups", group, Group, "of load_facebook")
        checks.between_zero_and_one(
            mean_reward=group.mean_reward, mean_cost=group.mean_cost
        )
    sizes = np.array([len(g.mean_reward) for g in groups], np.int32)
    capacity = max(len(g.mean_reward) for g in groups)
    if num_arms is not None:
        capacity = checks.whole("num_arms", num_arms, capacity, checks.MOST)

    def padded(column):
        # Arms that do not exist need means that a law can have.
        pad = ((0, capacity - len(column)),)
        return factor * np.pad(column, pad, constant_values=0.5)

    setup = {
        "reward": np.stack([padded(g.mean_reward) for g in groups]),
        "cost": np.stack([padded(g.mean_cost) for g in groups]),
        "sizes": sizes,
    }
    name = f"{name} {groups[0].name}" if len(groups) == 1 else name
    provenance = {"groups": [g.name for g in groups]}
    environment = random_environment(
        name, product(law, law), draw, setup, capacity, provenance=provenance
    )
    if len(groups) == 1:
        return environment
    return environment._replace(game=environment.game._replace(metrics=_with_group))


def _with_group(tables: Tables, instance: Instance, record: State) -> dict[str, Array]:
    """The metrics, and which group was drawn."""
    return metrics(tables, instance, record) | {"group": instance.arms.group}


def _chosen(key: Array, setup: dict[str, Array]) -> tuple[Array, Array, Array, Array]:
    """Mean rewards and costs of a random group, its number of arms and position."""
    group = jax.random.randint(key, (), 0, setup["sizes"].shape[0])
    return setup["reward"][group], setup["cost"][group], setup["sizes"][group], group


def _draw_bernoulli(key: Array, setup: dict[str, Array]) -> Arms:
    reward, cost, size, group = _chosen(key, setup)
    return Arms(Product(Bernoulli(reward), Bernoulli(cost)), size, group)


def _draw_beta(key: Array, setup: dict[str, Array]) -> Arms:
    which, shapes = jax.random.split(key)
    reward, cost, size, group = _chosen(which, setup)
    drawn = 1 - jax.random.uniform(shapes, (2, 2, *reward.shape), reward.dtype)
    drawn = LARGEST_PARAMETER * drawn
    laws = Product(_with_mean(reward, drawn[0]), _with_mean(cost, drawn[1]))
    return Arms(laws, size, group)


def _with_mean(mean: Array, drawn: Array) -> Beta:
    """A Beta law with the given mean and one of its parameters as drawn."""
    a, b = drawn
    small = mean <= 0.5
    return Beta(
        jnp.where(small, mean * b / (1 - mean), a),
        jnp.where(small, b, a * (1 - mean) / mean),
    )
