"""The contract of a law: its sampler against everything that it says of itself.

A law whose exact moments are not those of its sampler gives a wrong regret without a
word. `check_law` looks at one's own law before it is played.
"""

import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import integrate, stats

from jaxbandits.arrays import constant
from jaxbandits.checks import Numbers, instance, require, shown, whole
from jaxbandits.contract import reads
from jaxbandits.contract.round import static_indices
from jaxbandits.laws.form import check_fields, num_arms_of, with_named_errors
from jaxbandits.laws.law import JointLaw, Law, exact_params, exceeds
from jaxbandits.laws.thresholds import Threshold, check_family
from jaxbandits.testing._clauses import check_entries, indexes, refused
from jaxbandits.testing._trace import MOST_LOOKED_AT

ALARM = 1e-6  # chance that a check of draws fails for a law that is right
SCORE = stats.norm.isf(ALARM / 2)
TAILS = (1e-9, 1e-7, 1e-5, 1e-3)  # probabilities at which monotone laws are compared
PROBABILITIES = (1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1 - 1e-6)


def check_law(
    law: Law | JointLaw | Threshold, params: Any, draws: int = 20_000, seed: int = 0
) -> None:
    """Check that a law's sampler has the law that its other functions describe.

    * the parameters pass the law's own check, which returns nothing; draws are finite
      floats, one per arm;
    * a draw reads its own words and no others, and makes numbers of them first;
    * draws lie in the support and follow the cdf (or the atoms), tails included;
    * the quantile function inverts the cdf, and the mean is that of the quantiles,
      atoms or cdf, and of the draws where the support is bounded (a warning says where
      there is nothing to compare it with);
    * a draw moves with its uniform as `monotone` says;
    * of a joint law: rewards lie in [0, 1] (or, with a `sigma`, are no farther from
      their mean than sigma-sub-Gaussian ones), consumptions in [0, highest], both in
      `supports`, and means and moments below limits, of linear and squared costs, are
      those of the draws.

    Args:
      law: a univariate law, a joint law, or a family of thresholds.
      params: its parameters, leaves ``[K, ...]``; of a family ``(rate f64[K], shape
        f64[K] or None)``.
      draws: how many per arm. Errors below some ``3 / sqrt(draws)`` in probability are
        not seen in draws.
      seed: of the draws.

    Raises:
      AssertionError: saying which clause is broken, and for which arm.
      TypeError, ValueError: on arguments out of range, parameters included.
    """
    instance("law", law, (Law, JointLaw, Threshold), "of jaxbandits.laws or your own")
    whole("draws", draws, 100, 10**7)
    random = np.random.default_rng(whole("seed", seed, 0))
    if isinstance(law, Threshold):
        law, params = _of_family(law, params)
    else:
        check_fields(law)
    returned = law.check(params)
    require(
        returned is None,
        f"{law.name}: check must raise a ValueError for parameters out of range, and "
        f"return None, got {shown(returned)}",
    )
    law = with_named_errors(
        law, num_arms_of(law.rows(params) if isinstance(law, JointLaw) else params)
    )
    params = exact_params(law, params)
    noise = random.integers(0, 2**32, (draws, law.words), np.uint32)
    if isinstance(law, JointLaw):
        _check_joint(law, params, noise)
    else:
        _check_univariate(law, params, noise)


def _of_family(
    family: Threshold, params: tuple[Numbers, Numbers | None]
) -> tuple[Law, dict[str, np.ndarray]]:
    """A family of thresholds as a univariate law on [0, inf)."""
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
            return np.asarray(family.cdf(x, *columns))

    def support(params):
        del params
        return np.asarray(0.0), np.asarray(np.inf)

    law = Law(
        family.name,
        family.words,
        lambda noise, p: family.sample(noise, p["rate"], p.get("shape")),
        lambda params: None,
        mean=None,  # type: ignore[arg-type]
        support=support,
        cdf=cdf,
    )
    return law, params


def _drawn(law: Law | JointLaw, params: Any, noise: np.ndarray) -> Any:
    """Draws, leaves f64[K, n], and the error of rounding them."""
    with jax.enable_x64(False):
        params = constant(params)
        if isinstance(law, JointLaw):
            arms = jnp.arange(len(law.rows(params)[0]), dtype=jnp.int32)

            def each(arm):
                return jax.vmap(lambda words: law.sample(words, params, arm))(noise)

            sampled = jax.jit(jax.vmap(each))(arms)
        else:

            def each(p):
                return jax.vmap(lambda words: law.sample(words, p))(noise)

            sampled = jax.jit(jax.vmap(each))(params)
        _check_reads(law, params, noise)
    require(
        jax.tree.leaves(sampled), f"{law.name}: a draw must be a number, got {sampled}"
    )
    for x in jax.tree.leaves(sampled):
        require(x.ndim == 2, f"{law.name}: a draw must be a number, got {x.shape[2:]}")
        require(
            jnp.issubdtype(x.dtype, jnp.floating),
            f"{law.name}: a draw must be a float, got {x.dtype}",
        )
        require(np.all(np.isfinite(x)), f"{law.name}: a draw is not finite")
    return jax.tree.map(lambda x: np.asarray(x, np.float64), sampled)


def _check_reads(law: Law | JointLaw, params: Any, words: np.ndarray) -> None:
    """Require that a draw takes its words, u32[n, words], and takes them for words."""
    width = words.shape[1]
    noise = jax.ShapeDtypeStruct((width,), jnp.uint32)
    if isinstance(law, JointLaw):
        given = params, jnp.int32(0)
    else:
        given = (jax.tree.map(lambda p: p[0], params),)
    with refused(f"{law.name}: a draw reads beyond an array: "), static_indices():
        program = jax.make_jaxpr(law.sample)(noise, *given)
    if indexes(law.sample, noise, *given):
        calls = [(row, *given) for row in words[:MOST_LOOKED_AT]]
        check_entries(f"{law.name}: a draw", law.sample, calls)
    beyond = reads.read_beyond(law.sample, program, width, *given)
    require(
        beyond is None,
        f"{law.name}: a draw reads beyond its noise, which has {width} words, at index "
        f"{beyond}",
    )
    require(
        not reads.takes_words_for_numbers(program),
        f"{law.name}: a draw takes its noise for numbers, which are to be made of it "
        "first: jaxbandits.arrays.unit_interval makes uniforms in (0, 1)",
    )
    leaves = [True, *(False for _ in jax.tree.leaves(given))]
    require(
        not reads.makes_its_own(program.jaxpr, leaves),
        f"{law.name}: a draw must make its random numbers of its noise, not by "
        "jax.random or the host",
    )


def _check_univariate(law: Law, params: Any, noise: np.ndarray) -> None:
    x = _drawn(law, params, noise)
    num_arms = len(x)
    lowest, highest = (
        np.broadcast_to(np.asarray(end, np.float64), num_arms)
        for end in law.support(params)
    )
    slack = 4 * np.spacing(np.abs(x).max(axis=1).astype(np.float32)).astype(np.float64)
    for arm in range(num_arms):
        here = f"{law.name}, arm {arm}"
        require(
            np.all(x[arm] >= lowest[arm] - slack[arm]),
            f"{here}: draws must not lie below the support",
        )
        require(
            np.all(x[arm] <= highest[arm] + slack[arm]),
            f"{here}: draws must not lie above the support",
        )
    cdf = law.cdf
    if law.atoms is not None:
        values, probabilities = (np.asarray(a, np.float64) for a in law.atoms(params))
        require(
            np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-6),
            f"{law.name}: the atoms' probabilities do not sum to 1",
        )

        def cdf(params, points):
            points = np.asarray(points, np.float64)
            inside = ~exceeds(values[:, :, None], points.ravel()[None, None])
            below = np.sum(probabilities[:, :, None] * inside, axis=1)
            return below.reshape(num_arms, *points.shape)

    for arm in range(num_arms):
        if cdf is not None:
            _check_cdf(law, cdf, params, x[arm], arm)
    if law.quantile is not None:
        _check_quantile(law, params)
    if law.mean is not None:
        _check_mean(law, params, x, lowest, highest)
    if law.monotone:
        _check_monotone(law, params, x, noise)


def _check_cdf(
    law: Law,
    cdf: Callable[[Any, np.ndarray], np.ndarray],
    params: Any,
    x: np.ndarray,
    arm: int,
) -> None:
    """Dvoretzky, Kiefer and Wolfowitz: the draws' distribution function is near."""
    values = np.sort(x)
    gap = np.maximum(np.spacing(np.abs(values).astype(np.float32)), 1e-37)
    low, high = (
        np.asarray(cdf(params, values + sign * gap))[arm] for sign in (-1.0, 1.0)
    )
    for end in (low, high):
        require(
            np.all(np.diff(end) >= -1e-12) and np.all((end >= 0) & (end <= 1)),
            f"{law.name}, arm {arm}: the cdf is not one: it falls or leaves [0, 1]",
        )
    before, upto = (
        np.searchsorted(values, values, side) / x.size for side in ("left", "right")
    )
    # With atoms, `low` is the probability before a value and `high` that up to it.
    distance = max(np.max(low - upto), np.max(upto - high), np.max(before - low))
    bound = np.sqrt(np.log(2 / ALARM) / (2 * x.size))
    require(
        distance < bound,
        f"{law.name}, arm {arm}: the draws do not follow the cdf: their distribution "
        f"function is {distance:.3g} away (up to {bound:.3g} is chance)",
    )


def _check_quantile(law: Law, params: Any) -> None:
    p = np.asarray(PROBABILITIES)
    rows = len(np.asarray(law.quantile(params, p[None])))  # type: ignore[misc]
    x = np.asarray(law.quantile(params, np.tile(p, (rows, 1))))  # type: ignore[misc]
    require(np.all(np.diff(x, axis=1) >= 0), f"{law.name}: the quantiles fall")
    if law.cdf is None:
        return
    for arm in range(rows):
        # At an atom the cdf jumps over p: what lies just below is not beyond it.
        upto = np.asarray(law.cdf(params, x[arm]))[arm]
        before = np.asarray(law.cdf(params, x[arm] - 1e-6 * np.abs(x[arm]) - 1e-30))[
            arm
        ]
        near = 1e-5 * np.minimum(p, 1 - p) + 1e-9
        wrong = (upto < p - near) | (before > p + near)
        require(
            not np.any(wrong),
            f"{law.name}, arm {arm}: the quantile at {p[wrong]} has a cdf of "
            f"{upto[wrong]}",
        )


def _check_mean(
    law: Law, params: Any, x: np.ndarray, lowest: np.ndarray, highest: np.ndarray
) -> None:
    mean = np.asarray(law.mean(params), np.float64)
    require(
        mean.shape == (len(x),),
        f"{law.name}: mean must give one number per arm, got shape {mean.shape}",
    )
    if law.atoms is not None:
        values, probabilities = (np.asarray(a, np.float64) for a in law.atoms(params))
        exact = np.sum(values * probabilities, axis=1)
    elif law.quantile is not None:
        # Over u with p = u**2 (3 - 2 u): ends that are infinite weigh nothing.
        def integrand(u):
            p = np.full((len(x), 1), u * u * (3 - 2 * u))
            return np.asarray(law.quantile(params, p))[:, 0] * 6 * u * (1 - u)

        exact = integrate.quad_vec(integrand, 1e-9, 1 - 1e-9, epsrel=1e-7)[0]
    else:
        exact = _means_of_cdf(law, params, x)
        unknown = ~np.isfinite(exact)
        if np.any(unknown & ~np.isfinite(highest)):
            warnings.warn(
                f"{law.name}: the mean has not been compared with anything: without "
                "quantile, atoms, a cdf whose tail is light or a bounded support it is "
                "not known",
                stacklevel=4,
            )
        exact = np.where(unknown, mean, exact)
    for arm in range(len(x)):
        require(
            np.isclose(mean[arm], exact[arm], rtol=1e-4, atol=1e-7),
            f"{law.name}, arm {arm}: the mean is {mean[arm]}, and must be that of the "
            f"law's own quantiles, atoms or cdf, {exact[arm]}",
        )
        # A heavy tail has no standard error to speak of.
        if np.isfinite(highest[arm]):
            what = f"{law.name}, arm {arm}: the mean"
            _check_average(what, x[arm], mean[arm], highest[arm] - lowest[arm])


def _means_of_cdf(law: Law, params: Any, x: np.ndarray) -> np.ndarray:
    """f64[K], by what is above the median and below it; NaN where it is not known."""
    arms = np.arange(len(x))
    if law.cdf is None:
        return np.full(len(x), np.nan)
    middle = np.median(x, axis=1)
    scale = np.std(x, axis=1) + 1e-9

    def tails(distance):
        """Of the probabilities beyond a distance from the median, f64[2, K]."""
        below, upto = (
            np.asarray(law.cdf(params, middle + sign * distance))[arms, arms]
            for sign in (-1.0, 1.0)
        )
        return np.array([below, 1 - upto])

    def integrand(u):
        return tails(scale * u / (1 - u)) * scale / (1 - u) ** 2

    below, above = integrate.quad_vec(integrand, 0, 1 - 1e-7, epsrel=1e-7)[0]
    mean = middle + above - below
    # What a float64 cannot tell from nothing is 1e7 times as far.
    far = 1e6 * scale
    lost = np.sum(tails(far), axis=0) * far
    return np.where(lost > 1e-5 * (np.abs(mean) + scale), np.nan, mean)


def _check_average(what: str, x: np.ndarray, mean: float, width: float) -> None:
    """Require an average of draws, which lie in an interval of a width, near a mean."""
    error = np.std(x) / np.sqrt(x.size)
    # Some draws more or less: what is rarer than a draw may not have come at all.
    slack = SCORE * error + SCORE**2 * width / x.size + 1e-6 * (1 + abs(mean))
    require(
        abs(np.mean(x) - mean) <= slack,
        f"{what} is {mean:.6g}, that of {x.size} draws {np.mean(x):.6g} (up to "
        f"{slack:.2g} away is chance)",
    )


def _check_monotone(law: Law, params: Any, x: np.ndarray, noise: np.ndarray) -> None:
    require(
        law.words == 2,
        f"{law.name}: a monotone draw is one of two words, but it takes {law.words}",
    )
    order = np.lexsort(noise.T[::-1])
    steps = law.monotone * np.diff(x[:, order], axis=1)
    slack = 1e-6 * (1 + np.abs(x[:, order][:, 1:]))
    require(np.all(steps >= -slack), f"{law.name}: a draw is not monotone as it says")
    if law.quantile is None:
        return
    u = np.array([*TAILS, *(1 - tail for tail in TAILS)])
    drawn = _drawn(law, params, _words_at(TAILS))
    p = u if law.monotone > 0 else 1 - u
    exact = np.asarray(law.quantile(params, np.tile(p, (len(x), 1))))
    for arm in range(len(x)):
        near = np.isclose(drawn[arm], exact[arm], rtol=1e-2, atol=1e-6)
        require(
            np.all(near),
            f"{law.name}, arm {arm}: in the tail, at the numbers {u[~near]}, the draws "
            f"are {drawn[arm][~near]} and the quantiles {exact[arm][~near]}",
        )


def _words_at(tails: tuple[float, ...]) -> np.ndarray:
    """Pairs of words that spell numbers and their mirrors, u32[2 n, 2]."""
    numbers = [int(tail * 2**64) for tail in tails]
    pairs = np.array([(n >> 32, n & (2**32 - 1)) for n in numbers], np.uint32)
    return np.concatenate([pairs, ~pairs])


def _check_joint(law: JointLaw, params: Any, noise: np.ndarray) -> None:
    reward, consumption = _drawn(law, params, noise)
    num_arms = len(reward)
    for arm in range(num_arms):
        here = f"{law.name}, arm {arm}"
        r, c = reward[arm], consumption[arm]
        if law.sigma is None:
            require(
                np.all((r >= 0) & (r <= 1)), f"{here}: a reward lies outside [0, 1]"
            )
        else:
            _check_noise(here, r, np.broadcast_to(law.sigma(params), num_arms)[arm])
        require(np.all(c >= 0), f"{here}: a consumption is negative")
    # Widths that are not known are those of the draws.
    widths = np.ptp([reward, consumption], axis=2)
    if law.sigma is None:
        widths[0] = 1
    if law.highest is not None:
        highest = np.broadcast_to(np.asarray(law.highest(params)), num_arms)
        widths[1] = np.where(np.isfinite(highest), highest, widths[1])
        require(
            not np.any(exceeds(consumption.max(axis=1), highest)),
            f"{law.name}: a consumption exceeds highest",
        )
    if law.supports is not None:
        for name, x, (low, high) in zip(
            ("reward", "consumption"),
            (reward, consumption),
            law.supports(params),
            strict=True,
        ):
            require(
                not np.any(exceeds(x.max(axis=1), np.asarray(high)))
                and not np.any(exceeds(np.asarray(low), x.min(axis=1))),
                f"{law.name}: a {name} lies outside supports",
            )
    if law.means is not None:
        for name, x, mean, width in zip(
            ("reward", "consumption"),
            (reward, consumption),
            law.means(params),
            widths,
            strict=True,
        ):
            mean = np.asarray(mean, np.float64)
            require(mean.shape == (num_arms,), f"{law.name}: means must be [K] each")
            for arm in range(num_arms):
                what = f"{law.name}, arm {arm}: the mean {name}"
                _check_average(what, x[arm], mean[arm], width[arm])
    if law.moments is not None:
        _check_moments(law, params, reward, consumption)


def _check_noise(here: str, x: np.ndarray, sigma: float) -> None:
    """Rewards with means in [0, 1] and sigma-sub-Gaussian noise around them."""
    # The farthest of n: P(|noise| > r) <= 2 exp(-r**2 / (2 sigma**2)) for each.
    farthest = sigma * np.sqrt(2 * np.log(2 * x.size / ALARM))
    require(
        np.all((x >= -farthest) & (x <= 1 + farthest)),
        f"{here}: a reward lies farther than {farthest:.3g} outside [0, 1], which "
        f"noise with sigma = {sigma:.3g} does not",
    )
    # A mean in [0, 1] adds at most 1/4 to the variance, which is at most sigma**2.
    square = (x - x.mean()) ** 2
    slack = SCORE * np.std(square) / np.sqrt(x.size) + 1e-6
    require(
        square.mean() <= sigma**2 + 0.25 + slack,
        f"{here}: the variance of rewards is {square.mean():.3g}, more than that of "
        f"noise with sigma = {sigma:.3g}",
    )


def _check_moments(
    law: JointLaw, params: Any, reward: np.ndarray, consumption: np.ndarray
) -> None:
    limits = np.unique(np.quantile(consumption, [0.1, 0.5, 0.9]))
    limits = limits[limits > 0]
    if not limits.size:
        limits = np.ones(1)

    for cost in (_half, np.square):
        _check_costs(law, params, reward, consumption, limits, cost)


def _half(x: Any) -> Any:
    return 0.5 * x


def _check_costs(
    law: JointLaw,
    params: Any,
    reward: np.ndarray,
    consumption: np.ndarray,
    limits: np.ndarray,
    cost: Any,
) -> None:
    moments = law.moments(params, limits, cost)  # type: ignore[misc]
    for name, table in moments._asdict().items():
        table = np.asarray(table)
        require(
            table.shape == (len(reward), limits.size),
            f"{law.name}: moments.{name} must be [K, M], got shape {table.shape}",
        )
        for arm in range(len(reward)):
            for place, limit in enumerate(limits):
                kept = ~exceeds(consumption[arm], limit)
                x = {
                    "reward": reward[arm],
                    "cost": cost(consumption[arm]),
                    "probability": np.ones_like(reward[arm]),
                }[name]
                width = cost(limit) if name == "cost" else max(1.0, np.ptp(x))
                _check_average(
                    f"{law.name}, arm {arm}: moments.{name} below {limit:.4g} (of cost "
                    f"{cost.__name__.strip('_')})",
                    np.where(kept, x, 0.0),
                    table[arm, place],
                    width,
                )
