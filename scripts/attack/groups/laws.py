"""Laws, their parameters, threshold families, and check_law."""

import numpy as np

from attack.case import Case
from attack.values import INF, NAN, attack, of
from jaxbandits import laws
from jaxbandits.laws import thresholds
from jaxbandits.testing import check_law

ONE = np.ones(2)
TABLE = np.ones((2, 3)) / 3
PARAMS = {
    "bernoulli": (laws.bernoulli, laws.Bernoulli(ONE / 2)),
    "discrete": (laws.discrete, laws.Discrete(TABLE, TABLE)),
    "uniform": (laws.uniform, laws.Uniform(0 * ONE, ONE)),
    "exponential": (laws.exponential, laws.Exponential(ONE)),
    "beta": (laws.beta, laws.Beta(ONE, ONE)),
    "clipped_lognormal": (laws.clipped_lognormal, laws.LogNormal(ONE, ONE)),
    "clipped_pareto": (laws.clipped_pareto, laws.Pareto(ONE / 2, ONE)),
}
NUMBERS = (None, "a", True, 1j, NAN, INF, -INF, [None], ["a"], [[1.0], [1.0, 2.0]])
OUT_OF_RANGE = {
    "probability": (-0.1, 1.5, [0.5, 2.0]),
    "probabilities": (-TABLE, 2 * TABLE, ONE),
    "values": (ONE, TABLE * 1e40),
    "low": (2 * ONE, 1e39),
    "high": (-ONE, 1e39),
    "rate": (0.0, -1.0, 1e39, 1e-50),
    "a": (0.0, -1.0, 1e39),
    "b": (0.0, -1.0, 1e-50),
    "location": (1e39,),
    "scale": (0.0, -1.0, 1e39),
    "least": (0.0, 1.0, -1.0, 1e-50),
    "index": (0.0, -1.0, 1e39),
}


def cases() -> list[Case]:
    return [*_univariate(), *_joint(), *_families(), *_contract()]


def _univariate():
    for name, (law, params) in PARAMS.items():
        others = (None, "x", 3, (), laws.Exponential, laws.Uniform(ONE, 2 * ONE))
        others = [x for x in others if type(x) is not type(params)]
        yield from attack(
            law.check, {"params": params}, {"params": others}, f"{name}.check"
        )
        # Bounds in integers are made anew from the probabilities.
        for leaf in (x for x in params._fields if x not in ("bound", "bounds")):
            for value in (*NUMBERS, *OUT_OF_RANGE[leaf]):
                broken = params._replace(**{leaf: value})
                yield Case(
                    f"{name}.check({leaf}={value!r})"[:60],
                    lambda law=law, broken=broken: law.check(broken),
                    (leaf, *(("low", "high") if leaf in ("low", "high") else ())),
                )


def _joint():
    for function in (laws.product, laws.gaussian_copula):
        pair = {"reward": laws.bernoulli, "consumption": laws.exponential}
        wrong = of("object", plus=(laws.empirical, laws.Beta(ONE, ONE), {1: 2}))
        yield from attack(function, pair, dict.fromkeys(pair, wrong))
    yield from attack(
        laws.gaussian_copula,
        {"reward": laws.uniform, "consumption": laws.exponential},
        {"reward": (laws.empirical,), "consumption": (laws.empirical,)},
    )
    joint = laws.gaussian_copula(laws.uniform, laws.exponential)
    for rho in (*NUMBERS, -1.5, 2.0):
        params = laws.Copula(laws.Uniform(0 * ONE, ONE), laws.Exponential(ONE), rho)
        yield from attack(
            joint.check,
            {},
            {"params": (params,)},
            f"copula {rho!r}",
            works=False,
            named={"params": ("correlation",)},
        )
    tables = (*NUMBERS, [], [0.5], [[]], [[-0.5]], [[0.5, NAN]], np.ones((2, 2)))
    for argument in ("reward", "consumption"):
        yield from attack(
            laws.empirical_params,
            {"reward": [[0.5]], "consumption": [[0.5]]},
            {argument: tables},
        )
    mean, covariance = np.full((2, 2), 0.5), np.tile(np.eye(2) / 5, (2, 1, 1))
    yield from attack(
        laws.truncated_gaussian_params,
        {"mean": mean, "covariance": covariance},
        {
            "mean": (*NUMBERS, [], ONE, mean * NAN, mean + 100, mean * 1e39),
            "covariance": (*NUMBERS, -covariance, covariance * NAN, covariance[:1]),
            "lower": (*NUMBERS, [0.5], (2.0, 0.0), (NAN, 0.0)),
            "upper": (*NUMBERS, [0.5], (-1.0, 1.0), (NAN, 1.0)),
        },
        named={"mean": ("covariance",)},
    )


def _families():
    good = {"family": thresholds.weibull, "rate": 1.0, "shape": 2.0}
    wrong = {"rate": "played", "shape": "played", "family": "object"}
    yield from attack(thresholds.check_family, good, wrong)


def _contract():
    good = {"law": laws.exponential, "params": laws.Exponential(ONE)}
    wrong = {
        "law": of("object", plus=("exponential",)),
        "params": of("object", plus=(laws.Beta(ONE, ONE), laws.Exponential(-ONE))),
        "draws": of("count", plus=(1,)),
        "seed": of("natural", 2**70),
    }
    yield from attack(check_law, good, wrong, named={"params": ("rate",)})
