"""Games that are ours, and those of data sets, in the lists of `protocols.toml`."""

from collections.abc import Sequence
from os import PathLike

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import budgeted, censored, farewell
from jaxbandits.laws import (
    Bernoulli,
    Beta,
    Discrete,
    Exponential,
    Product,
    bernoulli,
    beta,
    discrete,
    exponential,
    product,
    truncated_gaussian,
    truncated_gaussian_params,
)
from jaxbandits.protocol import Environment
from jaxbandits_studies import datasets


def of_ednet(path: str | PathLike[str]) -> Environment:
    """The quiz with 700 s, of a file of EdNet's."""
    return datasets.ednet(datasets.load_ednet(path))


def of_facebook(path: str | PathLike[str], setting: str) -> Environment:
    """``fb_br`` or ``fb_bt``, of a file of campaigns."""
    make = {"fb_br": datasets.fb_br, "fb_bt": datasets.fb_bt}[setting]
    return make(datasets.load_facebook(path))


def on_grid(name: str, size: int, grid: str = "tabulated") -> Environment:
    """One of the three instances of section 5.1 of the censored paper on a grid."""
    return getattr(censored, name)(censored.equidistant(size, form=grid))


def _grid(limits: int | Sequence[float]) -> Sequence[float]:
    return censored.equidistant(limits) if isinstance(limits, int) else limits


def drawn_times(
    name: str, seed: int, limits: int | Sequence[float] = 10, num_arms: int = 10
) -> Environment:
    """Beta rewards, exponential consumptions, and the running example's promise.

    Shapes of rewards are U(0.5, 3), rates of consumptions U(0.5, 4), of one draw.
    """
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.5, 3.0, (2, num_arms))
    arms = Product(Beta(a, b), Exponential(rng.uniform(0.5, 4.0, num_arms)))
    problem = censored.running_example(num_arms, _grid(limits))
    return censored.make_environment(name, problem, product(beta, exponential), arms)


def drawn_pairs(
    name: str, seed: int, limits: int | Sequence[float] = 10, num_arms: int = 10
) -> Environment:
    """Truncated Gaussian rewards and consumptions with correlations of both signs.

    Means are U(0.2, 0.9), x of eq. (33) U(-0.4, 0.4), of one draw.
    """
    rng = np.random.default_rng(seed)
    mean = rng.uniform(0.2, 0.9, (num_arms, 2))
    covariance = censored.gaussian_covariance(rng.uniform(-0.4, 0.4, num_arms), 0.2)
    arms = truncated_gaussian_params(mean, covariance)
    problem = censored.running_example(num_arms, _grid(limits))
    return censored.make_environment(name, problem, truncated_gaussian, arms)


def coins(name: str, reward, cost, num_arms: int = 10) -> Environment:
    """Bernoulli arms, whose mean rewards and costs are uniform on two intervals."""
    setup = {"reward": np.array(reward), "cost": np.array(cost)}
    setup["like"] = np.zeros(num_arms)
    law = product(bernoulli, bernoulli)
    return budgeted.random_environment(name, law, _draw_coins, setup, num_arms)


def narrow(name: str, reward, cost, concentration, num_arms: int = 10) -> Environment:
    """Beta arms with means as of `coins`, and a + b = `concentration`."""
    setup = {"reward": np.array(reward), "cost": np.array(cost)}
    setup |= {"like": np.zeros(num_arms), "concentration": np.float64(concentration)}
    return budgeted.random_environment(
        name, product(beta, beta), _draw_narrow, setup, num_arms
    )


def two_values(name: str, reward, reward_mean, cost, cost_mean) -> Environment:
    """Arms with two rewards and two costs each, of given means.

    Args:
      name: of the instance.
      reward, cost: f64[K, 2], low and high.
      reward_mean, cost_mean: f64[K], between them.
    """
    arms = Product(_discrete(reward, reward_mean), _discrete(cost, cost_mean))
    return budgeted.make_environment(
        name, product(discrete, discrete), arms, unit="cheapest"
    )


def _discrete(values, mean):
    low, high = np.transpose(values)
    share = (np.array(mean) - low) / (high - low)
    return Discrete(np.array(values), np.stack([1 - share, share], axis=1))


def _means(key, setup):
    """Mean rewards and costs, uniform on their intervals."""
    like = setup["like"]
    u = jax.random.uniform(key, (2, *like.shape), like.dtype)
    ends = jnp.stack([setup["reward"], setup["cost"]]).astype(like.dtype)
    return ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * u


def _draw_coins(key, setup):
    reward, cost = _means(key, setup)
    arms = Product(Bernoulli(reward), Bernoulli(cost))
    return budgeted.Arms(arms, jnp.int32(setup["like"].shape[0]))


def _draw_narrow(key, setup):
    reward, cost = _means(key, setup)
    size = setup["concentration"]
    laws = [Beta(size * mean, size * (1 - mean)) for mean in (reward, cost)]
    return budgeted.Arms(Product(*laws), jnp.int32(setup["like"].shape[0]))


def drawn_delays(
    name: str, seed: int, num_arms: int = 3, num_waits: int = 10
) -> Environment:
    """Delays with Dirichlet(1/2) probabilities on 1, ..., D + 1, rewards U(0.2, 1).

    The last delay is beyond all waits.
    """
    rng = np.random.default_rng(seed)
    delay = rng.dirichlet(np.full(num_waits + 1, 0.5), num_arms)
    reward = rng.uniform(0.2, 1.0, (num_arms, 1))
    return farewell.make_environment(name, delay, reward, num_waits=num_waits)


def heavy_tail(num_waits: int = 30) -> Environment:
    """One macro-arm whose delay d has a probability like d ** -1.5: waiting pays late.

    A fifth of the rewards never comes.
    """
    delays = np.arange(1, num_waits + 2)
    delay = delays**-1.5
    delay *= 0.8 / delay[:-1].sum()
    delay[-1] = 0.2
    return farewell.make_environment(
        "heavy tail", delay[None], np.ones((1, 1)), num_waits=num_waits
    )


def late_prize() -> Environment:
    """All but one reward in ten come last, and at once none: short waits look lost."""
    delay = np.zeros((2, 11))
    delay[0, [0, 9]] = 0.1, 0.9
    delay[1, [0, 10]] = 0.09, 0.91
    return farewell.make_environment("late prize", delay, np.ones((2, 1)), num_waits=10)
