"""Which engine plays a policy in an environment, and why."""

from collections.abc import Mapping
from typing import NamedTuple

from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rules import Engine, Rules
from jaxbandits.engine.schedule import Terms
from jaxbandits.engine.vmapped import VMAP

ENGINES = ("scan", "vmap", "fused", "fused-interpret", "auto")


class Choice(NamedTuple):
    """An engine.

    Attributes:
      engine: its name, one of `ENGINES` without ``auto``.
      reason: why it is that one.
    """

    engine: str
    reason: str


def choose(name: str, platform: str) -> Choice:
    """The engine of a name, which may be ``auto``.

    For now ``auto`` is ``scan`` everywhere: the GPU engine has not been timed on a GPU,
    and `reason` says so.

    Args:
      name: see `engine_for`.
      platform: of the devices.
    """
    if name != "auto":
        return Choice(name, "asked for")
    lacks = f"needs a GPU, this is a {platform}"
    why = "has not been timed on a GPU" if _is_gpu(platform) else lacks
    return Choice("scan", f"the GPU engine {why}")


def say(environment: str, choices: Mapping[str, Choice]) -> None:
    """Print, on stderr, which engines were chosen and why; a line for each reason."""
    from jaxbandits.console.printing import say as tell  # rich, which few need

    for choice in dict.fromkeys(choices.values()):
        names = ", ".join(name for name, each in choices.items() if each == choice)
        tell(f"{environment}: engine {choice.engine} for {names}: {choice.reason}")


def rules_for(
    policy, environment, terms: Terms, platform: str, uniform: tuple[bool, ...] = ()
) -> Rules:
    """The rules of a program, with the engine that `terms` name; see `engine_for`.

    `uniform` says which leaves of the parameters are the same in all lanes.
    """
    engine = engine_for(terms.engine, policy, environment, platform)
    functions, game = policy.functions, environment.game
    by_budget = terms.schedule.by_budget
    return Rules(functions, game, by_budget, uniform, engine, platform, terms.keep)


def engine_for(name: str, policy, environment, platform: str) -> Engine:
    """The engine of a name.

    Args:
      name: ``scan``; ``vmap``, the same by ``jax.vmap``; ``fused``, one GPU kernel for
        all rounds between two checkpoints; ``fused-interpret``, that kernel built by
        g++ on a CPU, for tests; or ``auto``, see `choose`.
      policy: the policy.
      environment: the environment.
      platform: of the devices.

    Raises:
      gpu.UnsupportedError: naming the operations that the kernel cannot do.
      ValueError: if there is no such engine, for ``fused`` without a GPU or NVRTC, and
        for ``fused-interpret`` on a GPU or without g++.
    """
    if name not in ENGINES:
        raise ValueError(f"engine must be one of {ENGINES}, got {name!r}")
    name, _ = choose(name, platform)
    if name in ("scan", "vmap"):
        return SCAN if name == "scan" else VMAP
    if name == "fused" and not _is_gpu(platform):
        raise ValueError(f"engine = 'fused' needs a GPU, got devices of {platform!r}")
    from jaxbandits.engine import gpu  # few need it

    if name == "fused-interpret" and _is_gpu(platform):
        raise ValueError(f"engine = {name!r} needs CPUs, got devices of {platform!r}")
    if lacking := gpu.lacking(platform):
        raise ValueError(f"engine = {name!r} needs {lacking}")
    if reasons := gpu.unsupported(policy, environment):
        raise gpu.UnsupportedError(
            f"engine = {name!r} cannot play {policy.name!r} in {environment.name!r}: "
            f"{'; '.join(reasons)}; 'scan' and 'vmap' can"
        )
    return gpu.INTERPRETED if name == "fused-interpret" else gpu.FUSED


def _is_gpu(platform: str) -> bool:
    return platform in ("gpu", "cuda")
