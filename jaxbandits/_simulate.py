"""`simulate`: policies against an environment, in memory."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jax
import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.arguments import (
    by_name,
    devices_of,
    engine_of,
    environment_of,
    is_policy,
    keep_of,
    points_of,
    root_seed_of,
    runs_per_instance_of,
    schedule_of,
    seeds_of,
)
from jaxbandits.contract import check_round
from jaxbandits.engine.choice import choose, say
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.room import choose_chunk
from jaxbandits.engine.run import Clock
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.fit import check_fit
from jaxbandits.play import lane_params, play
from jaxbandits.progress import reporter
from jaxbandits.protocol import A, Environment, Policy
from jaxbandits.results import build_dataset, provenance
from jaxbandits.results.cuts import warn_of_cuts, with_cuts
from jaxbandits.schedule import Schedule, Terms

DEFAULT_MEMORY = 1 << 30


@in_play()
def simulate(
    policies: Policy[Any, Any, A]
    | Iterable[Policy[Any, Any, A]]
    | Mapping[str, Policy[Any, Any, A]],
    environment: Environment[Any, Any, A],
    *,
    horizon: int | None = None,
    budget: float | None = None,
    seeds: int | Iterable[int] = 100,
    checkpoints: str | Any = "linear",
    params: Mapping[str, Any] | None = None,
    root_seed: int = 0,
    runs_per_instance: int = 1,
    max_rounds: int | None = None,
    engine: str = "scan",
    keep: Iterable[str] = (),
    chunk: int | None = None,
    memory: int = DEFAULT_MEMORY,
    devices: list[jax.Device] | None = None,
    progress: bool | None = None,
) -> xr.Dataset:
    """Play policies against an environment, over many seeds.

    Every policy meets the same noise (common random numbers), and the numbers do not
    depend on `chunk`, `memory`, `devices`, `checkpoints` or the other policies.

    Args:
      policies: one policy, several, or a mapping from names to policies.
      environment: the environment.
      horizon: number of rounds T; this or `budget`.
      budget: play until this much is spent; needs an environment with a budget.
      seeds: how many seeds, or which (integers >= 0).
      checkpoints: when metrics are recorded: ``"linear"`` or ``"log"`` (100 of them;
        fewer where a time is short, as nothing ends before its first unit), or strictly
        increasing rounds (with `budget`: amounts). The end is added.
      params: parameters by policy name: a `Params`, or a mapping from leaf names to
        values. An array ``[P]`` in place of a number makes P parameter points; arrays
        of one policy are zipped. See `sweep` for grids.
      root_seed: of the whole run, an int in [0, 2**64).
      runs_per_instance: where instances are drawn, how many consecutive seeds meet the
        same one; above 1 the coordinate ``instance`` numbers them (see
        `jaxbandits.stats.two_level`).
      max_rounds: with `budget`, the round after which a run is cut off. The dataset
        then has a variable ``cut``: whether a run had come to that round. Where one
        ends there, a `CutOffWarning` says so (also if that round spent the last of the
        budget).
      engine: ``scan``; ``vmap``, the same by ``jax.vmap``, slower, which depends on
        little of JAX; or ``fused``: many rounds in one GPU kernel, a thread to a run
        (docs/fused.md; not measured on a GPU yet). ``auto`` is ``fused`` on a GPU where
        it can be, else ``scan``, for every policy by itself; it prints which and why
        (unless `progress` is False). Engines agree up to rounding.
      keep: arrays of the environment's record that the dataset shall have beside the
        metrics, as ``("pulls",)``: how often every action was played, in dims
        ``pulls_0, ...``. They leave the device at every checkpoint, so few checkpoints
        keep a run small.
      chunk: runs (seeds times parameter points) that are played at a time; chosen to
        fit cache and memory by default.
      memory: cap on the bytes of one chunk.
      devices: JAX devices to share runs over; all local ones by default.
      progress: show a progress bar; by default if stderr is a terminal.

    Returns:
      Dataset with dims ``policy, params, seed, checkpoint`` and the environment's name
      for a coordinate, ``environment``: the environment's metrics
      (float64), what it says of the policies' recommendations, what policies report
      (arrays have further dims ``<name>_0, ...``), ``rounds``, seconds of compiling and
      running per policy, provenance (with the engine of every policy, the reason for
      it, and `chunk`).

    Raises:
      ValueError, TypeError: on bad input, naming the argument, before compilation; a
        policy that was built for another game is bad input (see `jaxbandits.fit`).
      ValueError: after play, if a policy has played or recommended what is no action of
        the game, or a metric is NaN.
    """
    environment_of(environment)
    checks.unforked()
    named = by_name(policies, "policies", is_policy, "a Policy")
    seed_list = seeds_of(seeds)
    terms = Terms(
        schedule_of(environment, horizon, budget, checkpoints, max_rounds),
        root_seed_of(root_seed),
        runs_per_instance_of(runs_per_instance),
        engine_of(engine),
        keep_of(keep, environment),
    )
    schedule = terms.schedule
    if chunk is not None:
        checks.whole("chunk", chunk, 1)
    checks.whole("memory", memory, 1)
    if progress is not None:
        checks.flag("progress", progress)
    devices = devices_of(devices)
    points = _points(named, {} if params is None else params, schedule)
    for name, policy in named.items():
        check_fit(name, policy, environment)
        check_round(name, policy, environment)
    num_points = max(len(rows) for rows in points.values())
    checkpoints = schedule.checkpoints
    metrics, rounds, compile_seconds, run_seconds, facts = {}, {}, {}, {}, {}
    choices = {
        name: choose(terms.engine, policy, environment, devices[0].platform)
        for name, policy in named.items()
    }
    if terms.engine == "auto" and progress is not False:
        say(environment.name, choices)
    total = (
        sum(len(rows) for rows in points.values()) * len(seed_list) * len(checkpoints)
    )
    with reporter(progress, total, environment.name) as report:

        def play_one(
            name: str, share: list[jax.Device], check: Callable[[], None]
        ) -> tuple[Any, Clock]:
            def advanced(done: int) -> None:
                report(done, name)
                check()

            clock, own = Clock([], []), terms._replace(engine=choices[name].engine)
            policy = named[name]._replace(name=name)
            lanes = chunk or choose_chunk(
                policy,
                environment,
                lane_params(policy, points[name][:1], 1),
                len(points[name]) * len(seed_list),
                own,
                memory,
                share,
            )
            played = play(
                policy,
                environment,
                points[name],
                seed_list,
                own,
                chunk=lanes,
                devices=share,
                clock=clock,
                progress=advanced,
            )
            return played, clock, choices[name].facts(lanes)

        shares = device_shares(devices, num_points * len(seed_list))
        results = side_by_side(play_one, named, shares)
        for name, (played, clock, said) in zip(named, results, strict=True):
            facts[name] = said
            # A policy without a sweep of its own stands at every point of the others'.
            metrics[name], rounds[name] = jax.tree.map(
                lambda x: np.broadcast_to(x, (num_points, *x.shape[1:])), played
            )
            compile_seconds[name] = sum(clock.compiling)
            run_seconds[name] = sum(clock.running)
    drawn = {"instance": ("seed", seed_list.astype(np.int64) // runs_per_instance)}
    dataset = build_dataset(
        metrics,
        rounds,
        checkpoints=checkpoints,
        checkpoint_kind=schedule.kind,
        seeds=seed_list,
        params={n: rows * (num_points // len(rows)) for n, rows in points.items()},
        compile_seconds=compile_seconds,
        run_seconds=run_seconds,
        environment=environment.name,
        setting=(environment.provenance or {}).get("setting", ""),
        provenance=provenance(
            root_seed=terms.root_seed,
            environment=environment.provenance,
            devices=[str(d.device_kind) for d in devices],
            backend=devices[0].platform,
            x64=bool(jax.config.jax_enable_x64),
            engines=facts,
        ),
    ).assign_coords(drawn if runs_per_instance > 1 else {})
    if max_rounds is None:
        return dataset
    warn_of_cuts(dataset, max_rounds, stacklevel=3)
    return with_cuts(dataset, max_rounds)


def _points(
    named: Mapping[str, Policy], params: Any, schedule: Schedule
) -> dict[str, list[dict[str, float]]]:
    """Parameter points of every policy: one dict of leaves per point."""
    if not isinstance(params, Mapping):
        raise TypeError(
            "params must be a mapping from policies' names to their parameters, got "
            f"{checks.shown(params)}"
        )
    unknown = set(params) - set(named)
    if unknown:
        raise ValueError(
            f"params names {sorted(map(str, unknown))}; policies are {sorted(named)}"
        )
    points = {
        name: points_of(name, p, params.get(name, {}), schedule)
        for name, p in named.items()
    }
    lengths = {len(rows) for rows in points.values()} - {1}
    if len(lengths) > 1:
        raise ValueError(
            f"params must have one number of points in all policies, got {lengths}"
        )
    return points
