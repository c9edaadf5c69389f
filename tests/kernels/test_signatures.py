"""Kernels take and return what their signatures say: dtypes, and shapes by name.

In a traced call of every public kernel: nothing is compiled.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits import kernels
from jaxbandits.arrays.real import Floats, Reals
from jaxbandits.kernels import allocation
from jaxbandits.laws import thresholds
from tests.shapes import unlike_its_signature
from tests.tables import each_row

COLUMN = np.array([[0.2], [0.5], [0.7]], np.float32)
ROW = np.array([[0.3, 0.6]], np.float32)
WORDS = np.array([[1], [2**31]], np.uint32)
NODES = np.linspace(-3, 3, 9, dtype=np.float32)
HEIGHTS = 5 - NODES**2
UNIFORMS = np.float32([0.1, 0.4, 0.6, 0.9])
ARMS = np.float32([1.0, 2.0, 3.0])  # something > 0 of every arm
UNITS = np.float32([[0, 1, 2], [0, 3, 3], [0, 2, 4]])


# Their curves, of three arms, are made in the call.
CONCAVE, SIGMOID = thresholds.exponential, thresholds.maxwell


def plain(*args, **options):
    return args, options


GRID = kernels.limit_grid(None, 4, 1.0)


LIMITS = {"limit": ARMS, "least": ARMS / 20}
WHOLE = {"limit": np.int32([1, 2, 2]), "least": np.int32([0, 1, 0])}
# What each kernel is called with: in the broadcast shape of two, and with numbers.
EXAMPLES = {
    "bernstein_interval": [plain(COLUMN, 0.1, 500 * ROW, 1)],
    "beta_from_uniforms": [plain(COLUMN, ROW, 2.0, 1 + COLUMN)],
    "beta_from_uniforms_small": [plain(UNIFORMS, 0.5, np.float32(2))],
    "beta_logit_from_uniforms": [plain(UNIFORMS, 0.5, np.float32(2))],
    "beyond_mode": [plain(COLUMN, ROW), plain(1, 0.5)],
    "bisect": [plain(lambda x: x < 0.3, 0 * ROW, 1 + ROW)],
    "cell_at": [plain(GRID, 0.3)],
    "crossings": [plain(HEIGHTS, 4, 5.0, np.float32(1.5))],
    "gamma_quantile": [plain(COLUMN, 1 + ROW), plain(0.3, 2)],
    "hoeffding_interval": [plain(COLUMN, 5, ROW)],
    "hoeffding_scale": [plain(COLUMN), plain(2)],
    "implicit_root": [plain(lambda x: x**2 - ARMS, jnp.sqrt(ARMS))],
    "interpolate": [plain(HEIGHTS, 2.5)],
    "kl_bernoulli": [plain(COLUMN, ROW)],
    "kl_ratio_bound": [plain(COLUMN, ROW, 0.5)],
    "kl_upper_bound": [plain(COLUMN, ROW), plain(0.5, ROW, iterations=3)],
    "limit_grid": [plain(3, 4, 1.0, history="inherit")],
    "log_gamma_quantile": [plain(COLUMN, 1 + ROW)],
    "maximum": [plain(HEIGHTS + NODES / 2)],
    "normal_quantile": [plain(COLUMN)],
    "normal_score": [plain(WORDS, np.uint32([[3, 4, 5]]))],
    "peeling_scale": [plain(ROW)],
    "split_cells": [plain(GRID, np.array([True, False, False, False]), 5)],
    "truncated_exponential_mean": [plain(ROW)],
    "truncated_normal_quantile": [plain(COLUMN, ROW, 0.5, 0, 1)],
    "wilson_interval": [
        plain(COLUMN, 10, 4.0, ROW),
        plain(COLUMN, 10, 4.0, low=0.0, high=1 + ROW),
    ],
    "with_slope_of": [plain(COLUMN, 2 * COLUMN)],
    "wright_omega": [plain(COLUMN)],
    "allocation.beyond": [plain(CONCAVE, ARMS / 20)],
    "allocation.exponential_water_filling": [plain(ARMS, ARMS, 3)],
    "allocation.fill_in_order": [plain(np.int32([0, 2, 2, 1]), 3, 0.5, 1.2)],
    "allocation.integer_greedy": [plain(UNITS, 2), plain(UNITS, np.int32(2), **WHOLE)],
    "allocation.integer_programming": [plain(UNITS, 2), plain(UNITS, 2, **WHOLE)],
    "allocation.kkt_residual": [plain(CONCAVE, ARMS, 6.0)],
    "allocation.marginal_greedy": [plain(lambda x: 1 / (1 + x), 3, 0.5, 4)],
    "allocation.fill_in_turns": [plain(np.int32([2, 0, 1]), np.int32([1, 0, 2]), 2)],
    "allocation.ordered_programming": [plain(UNITS, np.float32([1.0, 0.5]))],
    "allocation.worth_of_turns": [plain(UNITS, np.float32([1.0, 0.5]))],
    "allocation.priced": [plain(CONCAVE, ARMS)],
    "allocation.projected_gradient": [
        plain(lambda x: jnp.sum(jnp.log1p(x)), ARMS, 2, steps=3)
    ],
    "allocation.sigmoid_filling": [plain(SIGMOID, 2.0, **LIMITS)],
    "allocation.sigmoid_prefix": [plain(SIGMOID, 2), plain(SIGMOID, 2.0, **LIMITS)],
    "allocation.water_filling": [plain(CONCAVE, 2), plain(CONCAVE, 2.0, **LIMITS)],
}


def unlike_in(kernel, args, options):
    """What of one traced call is not as the kernel's signature says."""
    texts = []

    def call():
        arrays = jax.tree.map(made, (args, options), is_leaf=is_family)
        texts.extend(unlike_its_signature(kernel, *arrays[0], **arrays[1]))

    jax.eval_shape(call)
    return texts


def made(x):
    if is_family(x):
        return thresholds.curves(x, jnp.asarray(ARMS), jnp.asarray(ARMS))
    return jnp.asarray(x) if isinstance(x, np.ndarray) else x


def is_family(x):
    return isinstance(x, thresholds.Threshold)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_kernel_is_as_annotated(name):
    room, _, own = name.rpartition(".")
    kernel = getattr(allocation if room else kernels, own)
    for args, options in EXAMPLES[name]:
        assert not unlike_in(kernel, args, options)


def test_no_public_kernel_is_left_out():
    ours = {name for name in kernels.__all__ if name not in ("allocation", "Grid")}
    filling = {
        name for name in allocation.__all__ if callable(getattr(allocation, name))
    }
    filling -= {"Curves", "OrderedSolution", "Solution"}
    assert {*EXAMPLES} == ours | {f"allocation.{name}" for name in filling}


def right(x: Reals, y: Reals, z: float = 0) -> tuple[Floats, Real[ArrayLike, ""]]:
    return x + y, z


def of_one_length(x: Float[Array, " K"], y: Float[Array, " K"]) -> Floats:
    return x


class Row(NamedTuple):
    """What states are made of; an axis has one length in all fields."""

    mean: Float[Array, " K"]
    more: tuple[Float[Array, "K M"], ...] = ()
    last: Float[Array, ""] | None = None


def of_a_row(row: Row) -> Floats:
    return row.mean


@each_row(
    "function, args, says",
    [
        (right, (COLUMN, ROW), []),
        (right, (COLUMN, ROW, "0"), ["z is str", "the result[1] is str"]),
        (right, (COLUMN > 0, 0.5), ["x is bool[3, 1]"]),
        (of_one_length, (ARMS, UNIFORMS), ["y is float32[4]"]),
        (of_one_length, (ARMS, np.int32([1, 2, 3])), ["y is int32"]),
        (of_a_row, (Row(ARMS, (UNITS, UNITS), np.array(0.5)),), []),
        (
            of_a_row,
            (Row(ARMS, (UNITS, UNITS[:, :2])),),
            ["row.more[1] is float32[3"],
        ),
        (of_a_row, (Row(ARMS, (), ARMS),), ["row.last is float32[3]"]),
    ],
)
def test_what_is_not_as_annotated_is_found(function, args, says):
    texts = unlike_in(function, args, {})
    assert len(texts) == len(says)
    assert all(text.startswith(each) for text, each in zip(texts, says, strict=True))
