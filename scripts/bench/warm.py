"""A warm call of `simulate`: compiled before, its run seconds are play alone."""

import xarray as xr

from jaxbandits import simulate
from jaxbandits.protocol import Environment, Policy


def simulated(
    policy: Policy, environment: Environment, *, seed: int, **options
) -> tuple[xr.Dataset, float]:
    """Play until the last round or the last coin only.

    Args:
      policy: the policy.
      environment: the environment.
      seed: the root seed.
      **options: of `simulate`: ``horizon`` or ``budget``, ``seeds``, ``params``.

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
            progress=False,
            **options,
        )

    compiling = float(play()["compile_seconds"].sum())
    return play(), compiling
