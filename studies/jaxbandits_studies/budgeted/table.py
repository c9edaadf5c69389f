"""Table 1 of the budgeted paper, and how hard its settings are; nothing is played."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.tape import instance_key, root_key
from jaxbandits.plots.labels import padded_number, short_number
from jaxbandits.stats import entry, make_record
from jaxbandits_studies.budgeted.instances import NO_DATA, facebook, synthetic
from jaxbandits_studies.common.experiment import ROOT_SEED, Options, Outcome
from jaxbandits_studies.common.tables import table_figure

DRAWS = 1_000
COLUMNS = {
    "arms": "arms",
    "best_ratio": "best ratio",
    "cheapest_cost": "least mean cost",
    "cost_of_best_over_cheapest": "cost of the best over it",
}


def settings_table(options: Options) -> Outcome:
    """Arms, costs and gaps of every setting, over the instances of the first seeds."""
    environments = synthetic(sizes=(10,)) if options.quick else synthetic()
    environments |= facebook()
    datasets, records, rows = {}, [], []
    for title, environment in environments.items():
        facts = _facts(environment)
        spread = np.quantile(facts["relative_gap"], [0.1, 0.5, 0.9])
        rows.append([title, *(_shown(facts[name]) for name in COLUMNS), _of(spread)])
        datasets[title] = xr.Dataset({k: ("seed", v) for k, v in facts.items()})
        metrics = {
            name: entry(np.mean(values), np.std(values, ddof=1) / np.sqrt(DRAWS))
            for name, values in facts.items()
        }
        records.append(
            make_record(
                "budgeted-table1",
                title,
                "(instances)",
                metrics,
                seeds=DRAWS,
                horizon=0,
            )
        )
    heads = ["setting", *COLUMNS.values(), "relative gap: 10 %, 50 %, 90 % quantile"]
    draw = partial(table_figure, heads, rows, f"Means of {DRAWS:,} instances")
    notes = () if "FB-Br" in datasets else (NO_DATA,)
    return Outcome(datasets, records, draw, notes)


def _shown(values: np.ndarray) -> str:
    mean = float(np.mean(values))
    return short_number(mean) if mean.is_integer() else padded_number(mean)


def _of(spread: np.ndarray) -> str:
    return ", ".join(padded_number(float(value)) for value in spread)


def first_instances(environment, count: int, root_seed: int = ROOT_SEED):
    """The instances that `simulate` gives the seeds 0, ..., count - 1."""
    setup = jax.tree.map(to_device, environment.setup)
    root = root_key(root_seed)

    def draw(seed):
        return environment.game.sample(instance_key(root, seed), setup)

    return jax.jit(jax.vmap(draw))(jnp.arange(count, dtype=jnp.uint32))


def _facts(environment) -> dict[str, np.ndarray]:
    """Facts of the instances that `simulate` gives the first seeds, f64[DRAWS] each."""
    instance = first_instances(environment, DRAWS)
    oracle = environment.oracle(jax.tree.map(np.asarray, instance))
    gaps = np.sort(oracle.gaps, axis=-1)
    best = np.take_along_axis(oracle.ratios, oracle.best[:, None], -1)[:, 0]
    cost = np.take_along_axis(oracle.mean_cost, oracle.best[:, None], -1)[:, 0]
    cheapest = np.nanmin(oracle.mean_cost, axis=-1)
    return {
        "arms": np.sum(~np.isnan(oracle.gaps), axis=-1).astype(np.float64),
        "best_ratio": best,
        "cheapest_cost": cheapest,
        "cost_of_best_over_cheapest": cost / cheapest,
        "relative_gap": gaps[:, 1] / best,
    }
