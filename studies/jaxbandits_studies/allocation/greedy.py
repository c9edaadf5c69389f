"""MG-UCB: its flow against the optimum, and the error of units (section 5)."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from matplotlib.figure import Figure

from jaxbandits import plots
from jaxbandits.kernels import allocation
from jaxbandits.laws.thresholds import (
    exponential,
    lomax,
    pdf,
    weibull,
)
from jaxbandits_studies.allocation import solvers
from jaxbandits_studies.allocation.cases import CASES, LOMAX_SHAPE, TINY
from jaxbandits_studies.common.experiment import Options, Outcome

STEPS = (64, 128, 256, 512, 1024, 2048)
SLOPE_FROM = 256  # coarser units, larger than 1 / rate, are not yet in the limit
GREEDIES = ("derivative", "difference")
EDNET_STEPS = 1024  # units of 0.7 s


def marginal_greedy_errors(options: Options) -> Outcome:
    """Lemma 5.2, and the discretisation error of MG-UCB-Delta (G.2 and G.3).

    Options' seeds are the problems per family: those of appendix A.1 with realised
    budgets ~ U[B/2, B], which the allocations do not know and which are no multiples of
    Delta = B / G. Everything is in float64.
    """
    rng = np.random.default_rng(5)
    share = rng.uniform(0.5, 1, options.seeds)
    datasets, records = {}, []
    families = {"exponential": (exponential, None), "Lomax": (lomax, LOMAX_SHAPE)}
    for title, (family, shape) in families.items():
        reference = CASES[f"{title}, K = 10"].reference
        batch = solvers.simulated(options.seeds, shape or 1.0)
        batch = batch._replace(budget=share * batch.budget)
        data = _discretised(family, shape, reference, batch)
        datasets[title] = data
        records += _greedy_records(title, data, options)
    sigmoid = _sigmoid_losses(solvers.quizzes(options.seeds))
    datasets["Weibull, k > 1"] = sigmoid
    for greedy in GREEDIES:
        lost = sigmoid["loss"].sel(greedy=greedy, steps=EDNET_STEPS).values
        records.append(
            solvers.solver_record(
                "allocation-mg",
                "Weibull, k > 1",
                f"{greedy} greedy, G = {EDNET_STEPS}",
                options,
                loss=solvers.mean_and_error(lost),
            )
        )
    notes = (
        "Errors are of order Delta squared, while Proposition G.2 and Lemma G.3 bound "
        "them by multiples of Delta.",
        "For Weibull laws with k > 1 all marginals are 0 at 0: by derivatives "
        "(Algorithm 4) the first arm gets the first unit and, being the only one with "
        "a slope, all others; by differences (Lemma G.1) it depends on Delta.",
    )
    return Outcome(datasets, records, partial(_picture, datasets), notes)


def _picture(datasets: dict[str, xr.Dataset]) -> Figure:
    """Errors of two families, and losses of what is not concave."""
    fig, axes = plots.figure(1, len(datasets))
    *errors, (_, losses) = datasets.items()
    for ax, (title, data) in zip(axes, errors, strict=False):
        _draw_errors(ax, title, data)
    _draw_losses(axes[-1], losses)
    plots.share_names(axes)
    plots.draw_legend(axes)
    return fig


def flow(log_marginal, inverse, budget) -> np.ndarray:
    """Where MG-UCB's flow (Algorithm 3) stands when the budget is gone, f64[K].

    Resource goes to the arms with the largest marginal value, which keeps these equal.
    As it falls, further arms join in. For exponential arms, and for Lomax arms of one
    shape, the shares of the flow do not change in between: what an arm has is piecewise
    linear in what was spent, with knots where an arm joins in.

    Args:
      log_marginal: f64[K], of the arms at 0.
      inverse: ``drop f64[K] -> f64[K]``, what an arm has when its log marginal has
        fallen by so much.
      budget: number > 0.
    """
    levels = np.sort(log_marginal)[::-1]
    low = levels[-1] - 1.0
    while np.sum(_at_level(low, log_marginal, inverse)) < budget:
        low -= 1.0
    knots = [_at_level(level, log_marginal, inverse) for level in (*levels, low)]
    spent = np.sum(knots, axis=1)
    return np.array([np.interp(budget, spent, x) for x in np.transpose(knots)])


def _at_level(level, log_marginal, inverse):
    return inverse(np.maximum(log_marginal - level, 0.0))


def _inverse(shape, rate):
    """The `inverse` of `flow`: exponential arms, or Lomax arms of that shape."""
    if shape is None:
        return lambda drop: drop / rate
    return lambda drop: np.expm1(drop / (shape + 1)) / rate


def _discretised(family, shape, reference, batch):
    """Errors f64[greedy, steps, problem], bounds f64[steps, problem], Lemma 5.2."""
    steepest = batch.weight * batch.rate * (shape or 1.0)
    largest = 40.0
    with jax.enable_x64(True):
        best, _ = solvers.timed(solvers.Solver(reference), batch, np.float64, repeats=0)
        values = _greedy_values(family, largest, batch)
    flows = np.array(
        [
            flow(np.log(top), _inverse(shape, rate), budget)
            for top, rate, budget in zip(
                steepest, batch.rate, batch.budget, strict=True
            )
        ]
    )
    apart = np.max(np.abs(flows - best.allocation), axis=1) / batch.budget
    num_arms = batch.rate.shape[1]
    units = largest / np.array(STEPS)
    # f' is largest at 0 for concave f.
    bound = (num_arms + 1) * units[:, None] * steepest.max(axis=1)
    return xr.Dataset(
        {
            "error": (("greedy", "steps", "problem"), best.value - values),
            "bound": (("steps", "problem"), bound),
            "flow_difference": ("problem", apart),
        },
        coords={
            "greedy": list(GREEDIES),
            "steps": list(STEPS),
            "unit": ("steps", units),
            "problem": np.arange(batch.budget.size),
        },
    )


def _greedy_values(family, largest, batch):
    """What MG-UCB-Delta's allocations are worth, f64[greedy, steps, N].

    To be called in float64.
    """

    def one(by_difference, unit, weight, rate, shape, budget):
        def value(x):
            return weight * family.cdf(x, rate, shape)

        def slope(x):
            at_least = weight * pdf(family, jnp.maximum(x, TINY), rate, shape)
            # The density of a sigmoid is 0 at 0, and not quite at the least number.
            flat = (x <= 0) & (shape > 1) if family is weibull else False
            return jnp.where(flat, 0.0, at_least)

        def gain(x):
            return lax.cond(
                by_difference, lambda: value(x + unit) - value(x), partial(slope, x)
            )

        # Enough units of any size; those beyond the budget are not spent.
        order = allocation.marginal_greedy(gain, weight.size, unit, max(STEPS))
        return jnp.sum(
            value(allocation.fill_in_order(order, weight.size, unit, budget))
        )

    problems = jax.vmap(one, in_axes=(None, None, 0, 0, 0, 0))
    run = jax.jit(
        lambda kinds, columns: lax.map(lambda k: problems(*k, *columns), kinds)
    )
    by_difference = np.repeat([g == "difference" for g in GREEDIES], len(STEPS))
    units = np.tile(largest / np.array(STEPS), len(GREEDIES))
    result = run((by_difference, units), tuple(map(jnp.asarray, batch)))
    return np.asarray(result).reshape(len(GREEDIES), len(STEPS), -1)


def _greedy_records(title, data, options):
    """The largest deviation from Lemma 5.2; slope and slack of either greedy.

    The slack is how many times the error goes into the bound of Lemma G.3: the least of
    all problems and steps, and the largest of the steps in the mean over problems.
    """
    apart = float(data["flow_difference"].max())
    yield solvers.solver_record(
        "allocation-mg",
        title,
        "flow (Algorithm 3)",
        options,
        largest_difference=(apart, None),
    )
    bound = data["bound"].mean("problem")
    for greedy in GREEDIES:
        errors = data["error"].sel(greedy=greedy)
        error = errors.mean("problem")
        # An error that is rounded to 0 or below leaves all of the bound.
        slacks = (data["bound"] / errors).where(errors > 0)
        yield solvers.solver_record(
            "allocation-mg",
            title,
            f"{greedy} greedy",
            options,
            slope=(_slope(error), None),
            least_slack=(slacks.min(), None),
            largest_slack=((bound / error).max(), None),
        )


def _slope(error):
    """Of log error against log Delta, where Delta is small enough."""
    fine = error.sel(steps=slice(SLOPE_FROM, None))
    return np.polyfit(np.log(fine["unit"].values), np.log(fine.values), 1)[0]


def _sigmoid_losses(batch):
    """Relative losses of either greedy on EdNet-like problems, by number of units."""
    case = CASES["Weibull, k > 1, K = 20"]
    largest = float(batch.budget[0])
    with jax.enable_x64(True):
        best, _ = solvers.timed(
            solvers.Solver(case.reference), batch, np.float64, repeats=0
        )
        values = _greedy_values(weibull, largest, batch)
    return xr.Dataset(
        {"loss": (("greedy", "steps", "problem"), 1 - values / best.bound)},
        coords={
            "greedy": list(GREEDIES),
            "steps": list(STEPS),
            "unit": ("steps", largest / np.array(STEPS)),
            "problem": np.arange(batch.budget.size),
        },
    )


def _draw_errors(ax, title, data):
    unit = data["unit"].values
    for i, greedy in enumerate(GREEDIES):
        error = data["error"].sel(greedy=greedy).mean("problem")
        style = plots.line_style(i)._asdict()
        ax.plot(unit, error, marker="o", label=f"by {greedy}", **style)
    bound = data["bound"].mean("problem")
    label = "bound, $(K+1)\\,G_{max}\\,\\Delta$"
    ax.plot(unit, bound, label=label, **plots.line_style(2)._asdict())
    # Below the curves, so that it hides none of them.
    guide = 0.2 * float(data["error"].mean("problem").isel(steps=-1).min())
    ax.plot(unit, guide * (unit / unit[-1]) ** 2, color="0.4", label="slope 2")
    ax.set(title=title, xlabel="unit $\\Delta$ ($B$ = 40)")
    ax.set_ylabel("mean error")
    plots.readable_ticks(ax.xaxis, "log", unit[-1], unit[0])
    plots.readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)


def _draw_losses(ax, data):
    for i, greedy in enumerate(GREEDIES):
        loss = 100 * data["loss"].sel(greedy=greedy).mean("problem")
        style = plots.line_style(i)._asdict()
        ax.plot(data["unit"], loss, marker="o", **style)
    ax.set(title="Weibull, k > 1", ylim=(0, 100))
    ax.set(xlabel="unit $\\Delta$, s ($B$ = 700 s)", ylabel="mean loss, %")
    unit = data["unit"].values
    plots.readable_ticks(ax.xaxis, "log", unit[-1], unit[0])
