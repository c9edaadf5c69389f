"""Which engine plays a policy in an environment."""

from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.plain import VMAP
from jaxbandits.engine.rules import Engine

ENGINES = ("scan", "vmap", "fused", "fused-interpret", "auto")


def engine_for(name: str, policy, environment, platform: str) -> Engine:
    """The engine of a name.

    Args:
      name: ``scan``; ``vmap``, the same by ``jax.vmap``; ``fused``, one kernel per leg
        on a GPU; ``fused-interpret``, that kernel as an ordinary program, for tests; or
        ``auto``: ``fused`` on a GPU if the kernel can play the two, else ``scan``.
      policy: the policy.
      environment: the environment.
      platform: of the devices.

    Raises:
      gpu.UnsupportedError: naming what the kernel cannot do, unless it is ``auto``.
      ValueError: if there is no such engine, or ``fused`` is asked for without a GPU.
    """
    if name not in ENGINES:
        raise ValueError(f"engine must be one of {ENGINES}, got {name!r}")
    on_gpu = platform in ("gpu", "cuda")
    if name == "vmap":
        return VMAP
    if name == "scan" or (name == "auto" and not on_gpu):
        return SCAN
    if name == "fused" and not on_gpu:
        raise ValueError(f"engine = 'fused' needs a GPU, got devices of {platform!r}")
    # It imports Pallas, which nobody else needs.
    from jaxbandits.engine import gpu

    if name == "auto" and gpu.unsupported(policy, environment):
        return SCAN
    gpu.check_supported(policy, environment)
    return gpu.INTERPRETED if name == "fused-interpret" else gpu.FUSED
