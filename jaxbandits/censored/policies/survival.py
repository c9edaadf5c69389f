"""Estimates of the risk P(C > tau) and of its radius, from what an arm's rounds show.

`rcucb` and `z_rcucb` take them as values: one's own estimate of survival is a
`Survival`, one's own confidence length a function like `eq_12`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool

from jaxbandits.checks import function, instance, non_negative, number, one_of, played


class Survival(NamedTuple):
    """An estimate of P(C > tau) at every limit from counts over an arm's rounds.

    Attributes:
      name: shown in a policy's name; "" for the paper's.
      num_counts: how many tables of counts it keeps.
      observe: ``(exceeds, within) -> increments of the counts``, bool[M] each: whether
        the consumption was seen to exceed the limit (all of them if censored), and
        whether the limit is at most the one that was played.
      estimate: ``(counts, rounds) -> f32[..., M]``; counts i32[..., M] each, rounds of
        the arm, broadcastable, at least 1.
    """

    name: str
    num_counts: int
    observe: Callable[[Bool[Array, " M"], Bool[Array, " M"]], tuple[Array, ...]]
    estimate: Callable[[Any, Array], Array]


def _exceeded(
    exceeds: Bool[Array, " M"], within: Bool[Array, " M"]
) -> tuple[Bool[Array, " M"]]:
    return (exceeds,)


def exceeded_share(counts: tuple[Array], rounds: Array) -> Array:
    """Eq. (9): a censored round counts as exceeding every limit (C = infinity).

    Args:
      counts: one table, i32[..., M]: rounds that exceeded the limit.
      rounds: of the arm, N_{i,0}.
    """
    (exceeded,) = counts
    return exceeded.astype(float) / rounds


def _survived_cells(
    exceeds: Bool[Array, " M"], within: Bool[Array, " M"]
) -> tuple[Bool[Array, " M"], Bool[Array, " M"]]:
    """Cell j, (tau_{j-1}, tau_j], is seen in rounds whose limit reaches tau_j."""
    entered = jnp.concatenate([jnp.ones_like(exceeds[:1]), exceeds[:-1]])
    return (within & exceeds, within & entered)


def product_limit(counts: tuple[Array, Array], rounds: Array) -> Array:
    """Kaplan & Meier (1958): the product of the survival rates of the cells.

    Args:
      counts: ``(survived, at_risk)``, i32[..., M] each: rounds that were seen to pass
        the cell, and those that were seen to enter it.
      rounds: not used.
    """
    survived, at_risk = (x.astype(float) for x in counts)
    # A cell that nothing has entered leaves the estimate as it is.
    rate = jnp.where(at_risk > 0, survived / jnp.maximum(at_risk, 1.0), 1.0)
    return jnp.cumprod(rate, axis=-1)


CENSORED_EXCEEDS = Survival("", 1, _exceeded, exceeded_share)
KAPLAN_MEIER = Survival("Kaplan-Meier", 2, _survived_cells, product_limit)
SURVIVAL = {"censored_exceeds": CENSORED_EXCEEDS, "kaplan_meier": KAPLAN_MEIER}


def survival_of(survival: str | Survival) -> Survival:
    """A `Survival`, by name or as it is.

    Raises:
      ValueError: on an unknown name.
      TypeError: if it is neither.
    """
    if isinstance(survival, str):
        return SURVIVAL[one_of("survival", survival, SURVIVAL)]
    return instance("survival", survival, Survival, "of censored, or a name")


def eq_12(count: Array, rounds: Array, penalties: Array, params: Any) -> Array:
    """The confidence length of eq. (12), over ``sqrt(2 alpha log t)``.

    Args:
      count: f32[..., M], N_{i,tau}, rounds of the arm with a limit >= tau.
      rounds: f32, broadcastable, N_{i,0}, rounds of the arm.
      penalties: f32[..., M], lambda(tau).
      params: with the factors `gain_radius` and `penalty_radius` of the two parts.
    """
    gain = params.gain_radius / jnp.sqrt(count)
    return gain + params.penalty_radius * penalties / jnp.sqrt(rounds)


def remark_3(count: Array, rounds: Array, penalties: Array, params: Any) -> Array:
    """With lambda over N_{i,0}, not over its root; arguments as for `eq_12`.

    Remark 3 blames the factor 1 + lambda of the bound on a crude estimate of
    ``1 + lambda / N_{i,0}`` and conjectures a finer one. It says nothing of a radius:
    this is the one whose penalty part shrinks as that quotient does.
    """
    gain = params.gain_radius / jnp.sqrt(count)
    return gain + params.penalty_radius * penalties / rounds


def sub_gaussian_gain_radius(sigma: float) -> float:
    """The factor `gain_radius` for sigma-sub-Gaussian rewards, footnote 1.

    Given the consumption, let the reward be a mean in [0, 1] and sigma-sub-Gaussian
    noise. The gain within a limit is then a number in an interval of length 2, which is
    1-sub-Gaussian and what eq. (12) is made for, and the noise or nothing: together
    sqrt(1 + sigma^2)-sub-Gaussian, and the radius grows by that factor.

    Args:
      sigma: not negative; 0 if the reward is a function of the consumption.

    Raises:
      ValueError: if `sigma` is negative or not finite, or cannot be played.
    """
    sigma = number("sigma", sigma)
    non_negative(sigma=sigma)
    played(sigma=sigma)
    return math.sqrt(1 + sigma**2)


RADII = {"eq_12": eq_12, "remark_3": remark_3}


def radius_of(radius: str | Callable[..., Array]) -> tuple[str, Callable[..., Array]]:
    """The name ("" for eq. (12)) and the function of a radius.

    Raises:
      ValueError: on an unknown name.
      TypeError: if it is neither a name nor a function.
    """
    if isinstance(radius, str):
        radius = RADII[one_of("radius", radius, RADII)]
    name = getattr(function("radius", radius), "__name__", "own").replace("_", " ")
    return "" if radius is eq_12 else name, radius


def named(policy: str, *variants: str) -> str:
    """A policy's name with what tells it from its other variants."""
    forms = ", ".join(filter(None, variants))
    return f"{policy} ({forms})" if forms else policy
