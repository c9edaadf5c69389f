"""Kernels: what is no integer or array, and statuses of what is no problem."""

import jax.numpy as jnp
import numpy as np

from attack.case import Case
from attack.values import INF, NAN, attack
from jaxbandits import arrays, kernels
from jaxbandits.kernels import allocation
from jaxbandits.laws.thresholds import curves, exponential

ONE = np.ones(2, np.float32)
VALUES = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 1.5]], np.float32)
NO_NUMBERS = (None, "x", ["a"], {}, print, object())


def told(solution) -> bool:
    """A status that says that this is no solution."""
    return int(solution.status) in (allocation.INVALID, allocation.INACCURATE)


def invalid(function, good, wrong, name=None):
    """Cases of numbers out of range: a status answers them, or an error."""
    fine = dict.fromkeys(wrong, told)
    return attack(function, good, wrong, name, fine=fine, heavy=True, works=False)


def cases() -> list[Case]:
    return [*_solvers(), *_numbers(), *_integers()]


def _solvers():
    budgets = (NAN, -1.0, INF, -INF)
    good = {"weight": ONE, "rate": ONE, "budget": 3.0}
    weights = (ONE * NAN, ONE * np.float32(INF), -ONE, np.float32([1, NAN]))
    wrong = {"weight": weights, "rate": (*weights, 0 * ONE), "budget": budgets}
    yield from invalid(allocation.exponential_water_filling, good, wrong)
    shapes = {"weight": (*NO_NUMBERS, np.ones(3)), "rate": (*NO_NUMBERS, 1.0)}
    yield from attack(
        allocation.exponential_water_filling,
        good,
        shapes | {"budget": (*NO_NUMBERS, ONE)},
        heavy=True,
        named={k: ("rank", "shape", "shapes") for k in good},
    )

    def filled(weight, rate, budget):
        return allocation.water_filling(curves(exponential, weight, rate), budget)

    # A rate below 0 is no curve: its height is NaN.
    yield from invalid(
        filled, good, wrong | {"weight": weights[:2], "rate": weights[:2]}
    )
    for function in (allocation.integer_programming, allocation.integer_greedy):
        values = (VALUES * NAN, VALUES[:, ::-1], VALUES + np.float32(INF))
        good = {"values": VALUES, "budget": 2}
        yield from invalid(function, good, {"budget": (-1, 3, 9), "values": values})
        wrong = {"budget": (1.7, "x", None, NAN, ONE), "values": (*NO_NUMBERS, ONE)}
        named = {"values": ("rank",), "budget": ("rank",)}
        yield from attack(function, good, wrong, heavy=True, named=named)
    good = {"values": VALUES, "survival": np.float32([1.0, 0.5])}
    falling = (np.float32([0.5, 1.0]), np.float32([NAN, 0.5]), np.float32([1.0, -1.0]))
    yield from invalid(
        allocation.ordered_programming, good, {"values": values, "survival": falling}
    )
    wrong = {"values": (*NO_NUMBERS, ONE), "survival": (*NO_NUMBERS, ONE)}
    named = {"values": ("rank", "survival"), "survival": ("rank",)}
    yield from attack(
        allocation.ordered_programming, good, wrong, heavy=True, named=named
    )
    good = {"objective": jnp.sum, "start": ONE, "budget": 3.0, "steps": 2}
    yield from invalid(
        allocation.projected_gradient,
        good,
        {
            "objective": (lambda x: jnp.sum(x) * NAN,),
            "start": (ONE * NAN,),
            "budget": (*budgets, 0.0),
        },
    )
    steps = (None, "x", 2.5, -1, True)
    yield from attack(allocation.projected_gradient, good, {"steps": steps}, heavy=True)


def _numbers():
    """Kernels of real numbers take numbers, and nothing else."""
    for name, good in {
        "wilson_interval": {"mean": 0.5, "count": 3, "z_squared": 4.0},
        "hoeffding_interval": {"mean": 0.5, "count": 3, "confidence": 2.0},
        "hoeffding_scale": {"confidence": 2.0},
        "peeling_scale": {"confidence": 2.0},
        "kl_bernoulli": {"p": 0.5, "q": 0.6},
        "kl_upper_bound": {"mean": 0.5, "bound": 0.1},
        "kl_ratio_bound": {"reward": 0.5, "cost": 0.5, "bound": 0.1},
        "normal_quantile": {"u": 0.5},
        "gamma_quantile": {"score": 0.5, "shape": 2.0},
        "log_gamma_quantile": {"score": 0.5, "shape": 2.0},
        "wright_omega": {"z": 0.5},
        "beyond_mode": {"b": 0.5, "drop": 0.5},
        "truncated_exponential_mean": {"v": 0.5},
    }.items():
        wrong = dict.fromkeys(good, NO_NUMBERS)
        yield from attack(getattr(kernels, name), good, wrong, name, heavy=True)


def _integers():
    x = np.ones(3, np.float32)
    wrong = (0.5, NAN, None, "x", [0.5])
    good = {"x": x, "index": 1}
    named = {"index": ("index",)}
    yield from attack(arrays.pick, good, {"index": wrong}, "pick", named=named)
    yield from attack(
        arrays.put, good | {"row": 2.0}, {"index": wrong}, "put", named=named
    )
    yield from attack(
        arrays.one_hot,
        {"index": 1, "length": 3},
        {"index": wrong, "length": (None, "x", 2.5, -1)},
    )
    yield from attack(
        arrays.threefry,
        {"key": (1, 2), "counter": (0, 1)},
        {"key": ((0.5, 1), None, (1,), "xy"), "counter": ((0.5, 1), None, "xy")},
    )
    yield from attack(
        arrays.unit_interval, {"word": 3}, {"word": (0.5, None, "x", [0.5])}
    )
