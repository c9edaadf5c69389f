"""A warm call of `simulate`: compiled before, its run seconds are play alone."""

import xarray as xr

from jaxbandits import Machine, simulate
from jaxbandits.protocol import Environment, Policy

QUIET = Machine(progress=False)


def simulated(
    policy: Policy, environment: Environment, *, seed: int, machine=QUIET, **options
) -> tuple[xr.Dataset, float]:
    """Play until the last round or the last coin only.

    Args:
      policy: the policy.
      environment: the environment.
      seed: the root seed.
      machine: to play on.
      **options: of `simulate`: ``horizon`` or ``budget``, ``seeds``, ``grid``.

    Returns:
      The results, and the seconds that compiling took (0 if it had been done before).
    """
    end = options.get("horizon") or options["budget"]

    def play():
        return simulate(
            policy,
            environment,
            root_seed=seed,
            checkpoints=[end],
            machine=machine,
            **options,
        )

    compiling = float(play()["compile_seconds"].sum())
    return play(), compiling
