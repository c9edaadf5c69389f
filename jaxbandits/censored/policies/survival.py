"""Estimates of the risk P(C > tau) from an arm's rounds, and confidence lengths.

`rcucb` and `z_rcucb` take both as arguments: your own estimate is a `Survival`, your
own confidence length a function with the form of `eq_12`.
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
      name: shown in a policy's name; "" for the paper's estimate.
      num_counts: number of tables of counts that the estimate needs.
      observe: ``(exceeds, within) -> increments of the counts``, bool[M] each:
        `exceeds` is true at limits below the consumption (at all limits if censored),
        `within` at limits up to the limit that was played.
      estimate: ``(counts, rounds) -> f32[..., M]``; counts are i32[..., M] each, rounds
        of the arm are broadcastable and at least 1.
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
      rounds: N_{i,0}, the rounds of the arm.
    """
    (exceeded,) = counts
    return exceeded.astype(float) / rounds


def _survived_cells(
    exceeds: Bool[Array, " M"], within: Bool[Array, " M"]
) -> tuple[Bool[Array, " M"], Bool[Array, " M"]]:
    """Rounds with a limit of at least tau_j show cell j, (tau_{j-1}, tau_j]."""
    entered = jnp.concatenate([jnp.ones_like(exceeds[:1]), exceeds[:-1]])
    return (within & exceeds, within & entered)


def product_limit(counts: tuple[Array, Array], rounds: Array) -> Array:
    """Kaplan & Meier (1958): the product of the survival rates of the cells.

    Args:
      counts: ``(survived, at_risk)``, i32[..., M] each: rounds that passed the cell,
        and rounds that entered it, both with a limit beyond it.
      rounds: not used.
    """
    survived, at_risk = (x.astype(float) for x in counts)
    # A cell that no round has entered does not change the estimate.
    rate = jnp.where(at_risk > 0, survived / jnp.maximum(at_risk, 1.0), 1.0)
    return jnp.cumprod(rate, axis=-1)


CENSORED_EXCEEDS = Survival("", 1, _exceeded, exceeded_share)
KAPLAN_MEIER = Survival("Kaplan-Meier", 2, _survived_cells, product_limit)
SURVIVAL = {"censored_exceeds": CENSORED_EXCEEDS, "kaplan_meier": KAPLAN_MEIER}


def survival_of(survival: str | Survival) -> Survival:
    """The `Survival` with a name; a `Survival` is returned unchanged.

    Raises:
      ValueError: on an unknown name.
      TypeError: if `survival` is neither a name nor a `Survival`.
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
    """`eq_12` with lambda over N_{i,0} in place of its square root; same arguments.

    Remark 3 attributes the factor 1 + lambda of the bound to a crude estimate of
    ``1 + lambda / N_{i,0}`` and conjectures that a finer one exists. It defines no
    radius; here the penalty part shrinks like that quotient.
    """
    gain = params.gain_radius / jnp.sqrt(count)
    return gain + params.penalty_radius * penalties / rounds


def sub_gaussian_gain_radius(sigma: float) -> float:
    """The factor `gain_radius` for sigma-sub-Gaussian rewards, footnote 1.

    Given the consumption, let the reward be a mean in [0, 1] plus sigma-sub-Gaussian
    noise. The gain within a limit is then the sum of two terms. One lies in an interval
    of length 2 and is 1-sub-Gaussian, as eq. (12) assumes; the other is the noise or 0.
    Their sum is sqrt(1 + sigma^2)-sub-Gaussian, and the radius grows by that factor.

    Args:
      sigma: at least 0; 0 if the reward is a function of the consumption.

    Raises:
      ValueError: if `sigma` is negative, not finite, or too large or small for float32.
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
      TypeError: if `radius` is neither a name nor a function.
    """
    if isinstance(radius, str):
        radius = RADII[one_of("radius", radius, RADII)]
    name = getattr(function("radius", radius), "__name__", "own").replace("_", " ")
    return "" if radius is eq_12 else name, radius


def named(policy: str, *variants: str) -> str:
    """A policy's name, followed by the names of its variants."""
    forms = ", ".join(filter(None, variants))
    return f"{policy} ({forms})" if forms else policy
