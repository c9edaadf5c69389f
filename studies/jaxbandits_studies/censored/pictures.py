"""Figures 1 and 2 of the censored paper: the laws of Example 1 and what they are worth.

No policy plays here; the numbers are exact or drawn from the laws.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import censored
from jaxbandits.laws import truncated_gaussian
from jaxbandits.plots import draw_legend, figure, line_style
from jaxbandits.plots.ticks import tick_locator
from jaxbandits.stats import make_record
from jaxbandits_studies.common.drawing import draw_lines
from jaxbandits_studies.common.experiment import Options, Outcome

MODELS = ("complex model", "medium model", "simple model")
DRAWS = 20_000
LIMITS = tuple(np.linspace(0.01, 1.0, 100).tolist())
STRICT, SOFT = "strict: L = 10 beyond 0.5", "soft: L = 5 beyond 0.99"
NOTE = (
    "Example 1 is reconstructed: the paper shows its laws as pictures only, without "
    "parameters.",
)


def joint_laws(options: Options) -> Outcome:
    """Figure 1: histograms of reward, consumption and both, one row per model."""
    del options
    arms = censored.example1().setup
    noise = jax.random.bits(jax.random.key(0), (DRAWS, 2))
    draw = jax.jit(jax.vmap(truncated_gaussian.sample, (0, None, None)))
    single = jax.tree.map(lambda x: jnp.asarray(x, jnp.float32), arms)
    drawn = [
        [np.asarray(x) for x in draw(noise, single, arm)] for arm in range(len(MODELS))
    ]
    rewards, consumptions = zip(*drawn, strict=True)

    def picture() -> Figure:
        fig, axes = figure(3, 3)
        for arm, model in enumerate(MODELS):
            reward, consumption = drawn[arm]
            left, middle, right = axes[3 * arm : 3 * arm + 3]
            color = line_style(arm).color
            for ax, values, label in (
                (left, reward, "reward"),
                (middle, consumption, "consumption"),
            ):
                ax.hist(values, bins=40, range=(0, 1), density=True, color=color)
                ax.set(xlabel=label, ylabel="density", xlim=(0, 1))
            shades = right.hexbin(
                consumption, reward, gridsize=30, extent=(0, 1, 0, 1), cmap="Greys"
            )
            fig.colorbar(
                shades, ax=right, label="draws", ticks=tick_locator("linear", 1, 1)
            )
            right.set(xlabel="consumption", ylabel="reward", xlim=(0, 1), ylim=(0, 1))
            for ax in (left, middle, right):
                ax.set_title(model)
        return fig

    dataset = xr.Dataset(
        {
            "reward": (("arm", "draw"), np.stack(rewards)),
            "consumption": (("arm", "draw"), np.stack(consumptions)),
        },
        coords={"arm": list(MODELS)},
    )
    means = {
        model: {"reward": r.mean(), "consumption": c.mean()}
        for model, r, c in zip(MODELS, rewards, consumptions, strict=True)
    }
    records = [
        make_record("censored-fig1", "Example 1", model, values, seeds=DRAWS, horizon=0)
        for model, values in means.items()
    ]
    return Outcome({"Example 1": dataset}, records, picture, NOTE)


def value_curves(options: Options) -> Outcome:
    """Figure 2: nu against the limit, for the strict and the soft promise."""
    del options
    datasets, records, kept = {}, [], {}
    for title in (STRICT, SOFT):
        environment = censored.example1(LIMITS, soft=title == SOFT)
        values = environment.oracle().values
        limits = np.asarray(LIMITS)
        # The paper leaves out the limits beyond a strict promise, where nu < 0.
        shown = limits <= (1.0 if title == SOFT else 0.5)
        kept[title] = limits[shown], values[:, shown]
        for arm, model in enumerate(MODELS):
            best = int(np.argmax(np.where(shown, values[arm], -np.inf)))
            results = {"best_limit": limits[best], "best_value": values[arm, best]}
            records.append(
                make_record("censored-fig2", title, model, results, seeds=1, horizon=0)
            )
        datasets[title] = xr.Dataset(
            {"value": (("arm", "limit"), values)},
            coords={"arm": list(MODELS), "limit": limits},
        )
    return Outcome(datasets, records, partial(_draw_values, kept), NOTE)


def _draw_values(kept: dict[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    """Limits f64[M] and values f64[K, M] by title."""
    fig, axes = figure(1, len(kept))
    for ax, (title, (limits, values)) in zip(axes, kept.items(), strict=True):
        draw_lines(ax, limits, dict(zip(MODELS, values, strict=True)))
        ax.set(title=title, xlabel=r"limit $\tau$")
    axes[0].set_ylabel(r"penalised expected gain $\nu$")
    draw_legend(axes)
    return fig
