"""The contract of a law: its sampler must agree with all its other functions.

If the exact moments of a law are not those of its sampler, regret is silently wrong.
`check_law` checks your own law before it is played.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import integrate, stats

from jaxbandits.arrays import constant
from jaxbandits.checks import (
    Numbers,
    instance,
    require,
    shown,
    whole,
)
from jaxbandits.console.faults import warn
from jaxbandits.contract.round import drawn
from jaxbandits.laws.law import (
    JointLaw,
    Law,
    check_fields,
    exact_params,
    exceeds,
    num_arms_of,
    well_formed,
)
from jaxbandits.laws.thresholds import Threshold, check_family
from jaxbandits.testing._clauses import check_entries, indexing, refused
from jaxbandits.testing._trace import MOST_LOOKED_AT

ALARM = 1e-6  # probability that a check of draws fails for a correct law
SCORE = stats.norm.isf(ALARM / 2)
TINY = 1e-37  # a size that float32 hardly tells from 0
TAILS = (1e-9, 1e-7, 1e-5, 1e-3)  # probabilities at which monotone laws are compared
PROBABILITIES = (1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1 - 1e-6)


def check_law(
    law: Law | JointLaw | Threshold, params: Any, draws: int = 20_000, seed: int = 0
) -> None:
    """Check that a law's sampler has the law that its other functions describe.

    * the parameters pass the law's own check, which returns None; draws are finite
      floats, one per arm;
    * a draw reads only its own words, and converts them to numbers first;
    * its functions return the forms that `Law` and `JointLaw` say, and `exact` gives
      parameters of the same law;
    * draws lie in the support and follow the cdf (or the atoms), tails included; the
      cdf is 0 below the support and 1 above it;
    * the quantile function inverts the cdf; the mean agrees with the quantiles, atoms
      or cdf, and with the draws if the support is bounded (a warning says if there is
      nothing to compare it with);
    * a draw increases or decreases with its uniform as `monotone` says;
    * for a joint law: rewards lie in [0, 1] (or, with a `sigma`, are as close to their
      mean as sigma-sub-Gaussian noise), consumptions in [0, highest], both in
      `supports`; means and moments below limits, of linear and squared costs, agree
      with the draws.

    Args:
      law: a univariate law, a joint law, or a family of thresholds.
      params: the law's parameters, leaves ``[K, ...]``; for a family of thresholds
        ``(rate f64[K], shape f64[K] or None)``.
      draws: number of draws per arm. They do not show errors in probability below about
        ``3 / sqrt(draws)``.
      seed: seed of the draws.

    Raises:
      AssertionError: naming the broken clause and the arm.
      TypeError, ValueError: on arguments out of range, parameters included.
    """
    instance("law", law, (Law, JointLaw, Threshold), "of jaxbandits.laws or your own")
    whole("draws", draws, 100, 10**7)
    random = np.random.default_rng(whole("seed", seed, 0))
    if isinstance(law, Threshold):
        law, params = _of_family(law, params)
    else:
        check_fields("law", law, (Law, JointLaw))
    law = well_formed(law)
    law.check(params)
    num_arms_of(law, params)
    noise = random.integers(0, 2**32, (draws, law.words), np.uint32)
    with refused():
        exact = exact_params(law, params)
        _check_exact(law, params, exact)
        if isinstance(law, JointLaw):
            _check_joint(law, exact, *_drawn(law, exact, noise))
        else:
            _check_univariate(law, exact, noise)


# What a law must be before anybody draws from it.


def _check_exact(law: Law | JointLaw, params: Any, exact: Any) -> None:
    """Require that exact parameters are those of the same law."""
    limits = np.array([0.1, 0.5, 1.0])
    asked: dict[str, tuple[Any, ...]] = {
        **{"mean": (), "means": (), "support": (), "supports": (), "atoms": ()},
        "quantile": (np.tile(PROBABILITIES, (num_arms_of(law, params), 1)),),
        "moments": (limits, _half),
    }
    for name, args in asked.items():
        if law.exact is not None and (function := getattr(law, name, None)) is not None:
            pair = (jax.tree.leaves(function(p, *args)) for p in (params, exact))
            same = (np.allclose(x, y, 1e-6, 1e-9) for x, y in zip(*pair, strict=True))
            require(
                all(same),
                f"{law.name}: exact must give parameters of the same law, and `{name}` "
                "of them is another",
            )


def _of_family(
    family: Threshold, params: tuple[Numbers, Numbers | None]
) -> tuple[Law, dict[str, np.ndarray]]:
    """A family of thresholds as a univariate law on [0, inf)."""
    if not isinstance(params, list | tuple) or len(params) != 2:
        raise TypeError(f"params must be (rate, shape or None), got {shown(params)}")
    rate, shape = params
    check_family(family, rate, shape)
    params = {"rate": np.atleast_1d(np.asarray(rate, np.float64))}
    if family.shaped:
        params["shape"] = np.broadcast_to(
            np.asarray(shape, np.float64), params["rate"].shape
        )

    def cdf(params, x):
        columns = [np.reshape(p, (-1, *(1,) * np.ndim(x))) for p in params.values()]
        with jax.enable_x64(True):
            x = jnp.maximum(jnp.asarray(x), 0.0)[None]
            return np.asarray(jax.jit(family.cdf)(x, *columns))

    law = Law(
        family.name,
        family.words,
        lambda noise, p: family.sample(noise, p["rate"], p.get("shape")),
        lambda params: None,
        mean=None,  # type: ignore[arg-type]
        support=lambda params: (np.asarray(0.0), np.asarray(np.inf)),
        cdf=cdf,
    )
    return law, params


# Draws.


def _drawn(law: Law | JointLaw, params: Any, noise: np.ndarray) -> Any:
    """Draws, leaves f64[K, n], in the precision of play."""
    with jax.enable_x64(False):
        params = constant(params)
        if isinstance(law, JointLaw):
            arms = jnp.arange(len(law.rows(params)[0]), dtype=jnp.int32)
            given: tuple[Any, ...] = (params, arms)
        else:
            given = (params,)
        arm_by_arm = (None, *(None for _ in given[1:]), 0)
        draw_by_draw = jax.vmap(law.sample, (0, *(None for _ in given)))
        of_all = jax.vmap(draw_by_draw, arm_by_arm)
        sampled = jax.jit(of_all)(noise, *given)
        _check_reads(law, params, noise)
    leaves = jax.tree.leaves(sampled)
    require(leaves, f"{law.name}: a draw must be a number, got {sampled}")
    for x in leaves:
        require(x.ndim == 2, f"{law.name}: a draw must be a number, got {x.shape[2:]}")
        floats = jnp.issubdtype(x.dtype, jnp.floating)
        require(floats, f"{law.name}: a draw must be a float, got {x.dtype}")
        require(np.all(np.isfinite(x)), f"{law.name}: a draw is not finite")
    return jax.tree.map(lambda x: np.asarray(x, np.float64), sampled)


def _check_reads(law: Law | JointLaw, params: Any, words: np.ndarray) -> None:
    """Require that a draw reads its words, u32[n, words], and reads them as words."""
    width = words.shape[1]
    noise = jax.ShapeDtypeStruct((width,), jnp.uint32)
    if isinstance(law, JointLaw):
        given = params, jnp.int32(0)
    else:
        given = (jax.tree.map(lambda p: p[0], params),)
    what = f"{law.name}: a draw"
    takes = "(noise, params, arm)" if isinstance(law, JointLaw) else "(noise, params)"
    with refused():
        drawn(what, law.sample, noise, *given, compared=False, takes=takes)
    calls = [(row, *given) for row in words[:MOST_LOOKED_AT]]
    check_entries(what, indexing(law.sample, *calls[0]), calls)


def _require(law: Law | JointLaw, holds: Any, says: str, *values: Any) -> None:
    """Require that a condition, bool[K], holds for every arm.

    The text has a placeholder for each of the values ``[K]``; those of the first arm
    that fails are shown.
    """
    wrong = np.flatnonzero(~np.asarray(holds))
    if wrong.size:
        words = says.format(*(value[wrong[0]] for value in values))
        raise AssertionError(f"{law.name}, arm {wrong[0]}: {words}")


def _check_average(
    law: Law | JointLaw, what: str, x: np.ndarray, mean: np.ndarray, width: Any
) -> None:
    """Require averages of draws f64[K, n] near means f64[K].

    What `x` holds lies in an interval of a width, f64[K]; infinite where the tail is
    heavy, and has no standard error to speak of.
    """
    size = x.shape[1]
    average, error = x.mean(axis=1), x.std(axis=1) / np.sqrt(size)
    # Some draws more or less: what is rarer than a draw may not have come at all.
    slack = SCORE * error + SCORE**2 * width / size + 1e-6 * (1 + np.abs(mean))
    _require(
        law,
        np.abs(average - mean) <= slack,
        f"{what} is {{:.6g}}, that of {size} draws {{:.6g}} (up to {{:.2g}} away is "
        "chance)",
        *(mean, average, slack),
    )


# Univariate laws.

Cdf = Callable[[Any, np.ndarray], np.ndarray]


def _check_univariate(law: Law, params: Any, noise: np.ndarray) -> None:
    x = _drawn(law, params, noise)
    lowest, highest = (
        np.broadcast_to(np.asarray(end, np.float64), len(x))
        for end in law.support(params)
    )
    slack = 4 * np.spacing(np.abs(x).max(axis=1).astype(np.float32)).astype(np.float64)
    below = x.min(axis=1) >= lowest - slack
    _require(law, below, "draws must not lie below the support")
    above = x.max(axis=1) <= highest + slack
    _require(law, above, "draws must not lie above the support")
    cdf, exact = law.cdf, None
    if law.atoms is not None:
        values, probabilities = (np.asarray(a, np.float64) for a in law.atoms(params))
        exact = np.sum(values * probabilities, axis=1)
        require(
            np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-6),
            f"{law.name}: the atoms' probabilities do not sum to 1",
        )

        def cdf(params, points):
            inside = ~exceeds(values[:, :, None], np.ravel(points)[None, None])
            below = np.sum(probabilities[:, :, None] * inside, axis=1)
            return below.reshape(len(x), *np.shape(points))

    if cdf is not None:
        _check_cdf(law, cdf, params, x)
        _check_beyond(law, cdf, params, lowest, highest)
    if law.quantile is not None:
        _check_quantile(law, params, len(x))
    if law.mean is not None:
        _check_mean(law, params, x, exact, highest - lowest)
    if law.monotone:
        _check_monotone(law, params, x, noise)


def _own(cdf: Cdf, params: Any, points: np.ndarray) -> np.ndarray:
    """The cdf of every arm at its own points, f64[K, n]."""
    return np.stack([np.asarray(cdf(params, x))[k] for k, x in enumerate(points)])


def _check_cdf(law: Law, cdf: Cdf, params: Any, x: np.ndarray) -> None:
    """Compare draws and cdf by the Dvoretzky-Kiefer-Wolfowitz inequality."""
    # What is next to nothing may be drawn as 0.
    values, size = np.sort(np.where(np.abs(x) < TINY, 0.0, x), axis=1), x.shape[1]
    gap = np.where(values == 0, TINY, np.spacing(np.abs(values).astype(np.float32)))
    low, high = (_own(cdf, params, values + sign * gap) for sign in (-1.0, 1.0))
    for end in (low, high):
        rises = (np.diff(end) >= -1e-12).all(axis=1)
        inside = ((end >= 0) & (end <= 1)).all(axis=1)
        _require(law, rises & inside, "the cdf is not one: it falls or leaves [0, 1]")
    before, upto = (
        np.stack([np.searchsorted(row, row, side) for row in values]) / size
        for side in ("left", "right")
    )
    # With atoms, `low` is the probability before a value and `high` that up to it.
    distance = np.max([low - upto, upto - high, before - low], axis=(0, 2))
    bound = np.sqrt(np.log(2 / ALARM) / (2 * size))
    _require(
        law,
        distance < bound,
        "the draws do not follow the cdf: their distribution function is {:.3g} away "
        f"(up to {bound:.3g} is chance)",
        distance,
    )


def _check_beyond(
    law: Law, cdf: Cdf, params: Any, lowest: np.ndarray, highest: np.ndarray
) -> None:
    """Require a cdf of 0 below a support and of 1 above: limits may lie there."""
    for end, beyond, value in ((lowest, -1.0, 0.0), (highest, 1.0, 1.0)):
        points = np.where(np.isfinite(end), end + beyond * (1 + np.abs(end)), beyond)
        given = _own(cdf, params, points[:, None])[:, 0]
        _require(
            law,
            ~np.isfinite(end) | (np.abs(given - value) < 1e-9),
            f"the cdf beyond the support must be {value:g}, and at {{:g}} is {{:g}}",
            *(points, given),
        )


def _check_quantile(law: Law, params: Any, num_arms: int) -> None:
    p = np.asarray(PROBABILITIES)
    x = np.asarray(law.quantile(params, np.tile(p, (num_arms, 1))))  # type: ignore[misc]
    require(np.all(np.diff(x, axis=1) >= 0), f"{law.name}: the quantiles fall")
    if law.cdf is None:
        return
    # At an atom the cdf jumps over p; just below the atom it is at most p.
    upto = _own(law.cdf, params, x + TINY)
    before = _own(law.cdf, params, x - 1e-6 * np.abs(x) - 1e-30)
    near = 1e-5 * np.minimum(p, 1 - p) + 1e-9
    wrong = (upto < p - near) | (before > p + near)
    says = "the quantile at {} has a cdf of {}"
    at, reached = (
        [x[w] for w, x in zip(wrong, y, strict=True)] for y in (x * 0 + p, upto)
    )
    _require(law, ~wrong.any(axis=1), says, at, reached)


def _check_mean(
    law: Law, params: Any, x: np.ndarray, exact: np.ndarray | None, width: np.ndarray
) -> None:
    """Compare the mean with that of the atoms, of the quantiles or of the cdf."""
    mean = np.asarray(law.mean(params), np.float64)
    if exact is None and law.quantile is not None:
        # Over u with p = u**2 (3 - 2 u): ends that are infinite weigh nothing.
        def integrand(u):
            p = np.full((len(x), 1), u * u * (3 - 2 * u))
            return np.asarray(law.quantile(params, p))[:, 0] * 6 * u * (1 - u)

        exact = integrate.quad_vec(integrand, 1e-9, 1 - 1e-9, epsrel=1e-7)[0]
    elif exact is None:
        exact = _means_of_cdf(law, params, x)
        unknown = ~np.isfinite(exact)
        if np.any(unknown & ~np.isfinite(width)):
            warn(
                f"{law.name}: the mean has not been compared with anything: without "
                "quantile, atoms, a cdf whose tail is light or a bounded support it is "
                "not known"
            )
        exact = np.where(unknown, mean, exact)
    _require(
        law,
        np.isclose(mean, exact, rtol=1e-4, atol=1e-7),
        "the mean is {}, and must be that of the law's own quantiles, atoms or cdf, {}",
        *(mean, exact),
    )
    _check_average(law, "the mean", x, mean, width)


def _means_of_cdf(law: Law, params: Any, x: np.ndarray) -> np.ndarray:
    """Means f64[K] by the tails above and below the median; NaN where not known."""
    if law.cdf is None:
        return np.full(len(x), np.nan)
    middle, scale = np.median(x, axis=1), np.std(x, axis=1) + 1e-9

    def tails(distance):
        """Probabilities beyond a distance from the median, both sides, f64[2, K]."""
        ends = np.stack([middle - distance, middle + distance], axis=1)
        below, upto = _own(law.cdf, params, ends).T  # type: ignore[arg-type]
        return np.array([below, 1 - upto])

    def integrand(u):
        return tails(scale * u / (1 - u)) * scale / (1 - u) ** 2

    below, above = integrate.quad_vec(integrand, 0, 1 - 1e-7, epsrel=1e-7)[0]
    mean = middle + above - below
    # What a float64 cannot tell from nothing is 1e7 times as far.
    far = 1e6 * scale
    lost = np.sum(tails(far), axis=0) * far
    return np.where(lost > 1e-5 * (np.abs(mean) + scale), np.nan, mean)


def _check_monotone(law: Law, params: Any, x: np.ndarray, noise: np.ndarray) -> None:
    require(
        law.words == 2,
        f"{law.name}: a monotone draw is one of two words, but it takes {law.words}",
    )
    ordered = x[:, np.lexsort(noise.T[::-1])]
    steps = law.monotone * np.diff(ordered, axis=1)
    slack = 1e-6 * (1 + np.abs(ordered[:, 1:]))
    require(np.all(steps >= -slack), f"{law.name}: a draw is not monotone as it says")
    if law.quantile is None:
        return
    u = np.array([*TAILS, *(1 - tail for tail in TAILS)])
    # Pairs of words that spell these numbers: those of the upper ones are mirrored.
    numbers = [int(tail * 2**64) for tail in TAILS]
    pairs = np.array([(n >> 32, n & (2**32 - 1)) for n in numbers], np.uint32)
    x = _drawn(law, params, np.concatenate([pairs, ~pairs]))
    p = u if law.monotone > 0 else 1 - u
    exact = np.asarray(law.quantile(params, np.tile(p, (len(x), 1))))
    far = ~np.isclose(x, exact, rtol=1e-2, atol=1e-6)
    _require(
        law,
        ~far.any(axis=1),
        f"in the tail, at the numbers {u}, the draws are {{}} and the quantiles {{}}",
        *(x, exact),
    )


# Joint laws.


def _check_joint(
    law: JointLaw, params: Any, reward: np.ndarray, consumption: np.ndarray
) -> None:
    pair, names = (reward, consumption), ("reward", "consumption")
    widths = np.ptp(pair, axis=2)  # those of the draws, where others are not known
    if law.sigma is None:
        inside = ((reward >= 0) & (reward <= 1)).all(axis=1)
        _require(law, inside, "a reward lies outside [0, 1]")
        widths[0] = 1
    else:
        _check_noise(law, reward, np.broadcast_to(law.sigma(params), len(reward)))
    _require(law, consumption.min(axis=1) >= 0, "a consumption is negative")
    if law.highest is not None:
        highest = np.broadcast_to(np.asarray(law.highest(params)), len(reward))
        widths[1] = np.where(np.isfinite(highest), highest, widths[1])
        exceeding = exceeds(consumption.max(axis=1), highest)
        _require(law, ~exceeding, "a consumption exceeds highest")
    if law.supports is not None:
        for name, x, (low, high) in zip(names, pair, law.supports(params), strict=True):
            beyond = exceeds(x.max(axis=1), np.asarray(high))
            beyond = beyond | exceeds(np.asarray(low), x.min(axis=1))
            _require(law, ~beyond, f"a {name} lies outside supports")
    if law.means is not None:
        given = law.means(params)
        for name, x, mean, width in zip(names, pair, given, widths, strict=True):
            mean = np.asarray(mean, np.float64)
            _check_average(law, f"the mean {name}", x, mean, width)
    if law.moments is not None:
        limits = np.unique(np.quantile(consumption, [0.1, 0.5, 0.9]))
        limits = limits[limits > 0] if np.any(limits > 0) else np.ones(1)
        for cost in (_half, np.square):
            _check_moments(law, params, reward, consumption, limits, cost)


def _half(x: Any) -> Any:
    return 0.5 * x


def _check_noise(law: JointLaw, x: np.ndarray, sigma: np.ndarray) -> None:
    """Rewards with means in [0, 1] and sigma-sub-Gaussian noise around them."""
    # The farthest of n: P(|noise| > r) <= 2 exp(-r**2 / (2 sigma**2)) for each.
    farthest = sigma * np.sqrt(2 * np.log(2 * x.shape[1] / ALARM))
    _require(
        law,
        (x.min(axis=1) >= -farthest) & (x.max(axis=1) <= 1 + farthest),
        "a reward lies farther than {:.3g} outside [0, 1], which noise with sigma = "
        "{:.3g} does not",
        *(farthest, sigma),
    )
    # A mean in [0, 1] adds at most 1/4 to the variance, which is at most sigma**2.
    square = (x - x.mean(axis=1, keepdims=True)) ** 2
    variance = square.mean(axis=1)
    slack = SCORE * square.std(axis=1) / np.sqrt(x.shape[1]) + 1e-6
    _require(
        law,
        variance <= sigma**2 + 0.25 + slack,
        "the variance of rewards is {:.3g}, more than noise with sigma = {:.3g} has",
        *(variance, sigma),
    )


def _check_moments(
    law: JointLaw,
    params: Any,
    reward: np.ndarray,
    consumption: np.ndarray,
    limits: np.ndarray,
    cost: Any,
) -> None:
    """Moments below limits, of one function of costs."""
    sampled = {
        "reward": reward,
        "cost": cost(consumption),
        "probability": np.ones_like(reward),
    }
    moments = law.moments(params, limits, cost)  # type: ignore[misc]
    for name, table in moments._asdict().items():
        x = sampled[name]
        for limit, column in zip(limits, table.T, strict=True):
            kept = np.where(exceeds(consumption, limit), 0.0, x)
            widest = np.maximum(1.0, np.ptp(x, axis=1))
            of = f"(of cost {cost.__name__.strip('_')})"
            what = f"moments.{name} below {limit:.4g} {of}"
            width = cost(limit) if name == "cost" else widest
            _check_average(law, what, kept, column, width)
