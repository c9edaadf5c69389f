"""The policies, a folder per setting, and the registry.

`REGISTRY` maps ``setting/name`` to a factory; every entry passes the contract check.
"""

from jaxbandits.policies import censored, plain

REGISTRY = {
    "censored/rcucb": censored.rcucb,
    "censored/rcucb-kaplan-meier": lambda problem: censored.rcucb(
        problem, survival="kaplan_meier"
    ),
    "censored/ucb": censored.ucb_reduction,
    "censored/moss": censored.moss_reduction,
    "censored/kl-ucb": censored.kl_ucb_reduction,
    "censored/thompson": censored.thompson,
    "censored/thompson-shared": lambda problem: censored.thompson(problem, "shared"),
    "censored/thompson-copied": lambda problem: censored.thompson(problem, "copied"),
    "censored/thompson-strict": lambda problem: censored.thompson(problem, "strict"),
    "censored/uniform": censored.uniform,
    "censored/fixed": lambda problem: censored.fixed_pair(problem, 0, 0),
}

__all__ = ["REGISTRY", "censored", "plain"]
