"""Sweeps in a line, with what `Store`, `Machine` and `HalfWidth` hold as arguments."""

import jax

from jaxbandits import Machine, Store
from jaxbandits.simulation import run_sweep

ONE = jax.local_devices()[:1]
QUIET = Machine(progress=False, devices=ONE)
KEPT = ("extend", "block", "verify", "keep")


def run(spec, store=None, *, until=None, stop=None, **options):
    """`run_sweep`; with `until` the seeds of the spec are the pilot."""
    if until is not None:
        spec = spec._replace(seeds=until._replace(pilot=spec.seeds))
    kept = {name: options.pop(name) for name in KEPT if name in options}
    store = None if store is None else Store(store, **kept)
    return run_sweep(spec, store, Machine(**options), stop=stop)
