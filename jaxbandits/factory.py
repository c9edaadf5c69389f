"""Factories of policies: what every one of them does with its arguments."""

import inspect
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from jaxbandits.checks import MOST, function, instance, shown, whole
from jaxbandits.protocol import Environment, Policy

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made", bound=Policy)


def factory(
    *kinds: type,
) -> Callable[[Callable[Arguments, Made]], Callable[Arguments, Made]]:
    """Decorator of a function that makes a policy for a problem, its first argument.

    The problem must be of one of `kinds`, and the policy remembers it. Equal arguments
    give one and the same policy, so that its programs are compiled once. A problem that
    has a method ``adapt(make)`` is given the function that makes the policy from a
    problem, and returns the policy: so the budgeted setting shows all its policies
    rewards and costs in [0, 1], whatever the money.
    """

    def decorate(make: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
        signature = inspect.signature(make)

        # Typed: else a fraction or a bool would pass for the integer that it equals.
        @lru_cache(maxsize=None, typed=True)
        def built(problem: Any, *args: Any, **options: Any) -> Made:
            def made(its: Any) -> Made:
                return make(its, *args, **options)

            adapt = getattr(problem, "adapt", None)
            policy = made(problem) if adapt is None else adapt(made)
            return policy._replace(problem=problem)

        @wraps(make)
        def checked(*args: Arguments.args, **options: Arguments.kwargs) -> Made:
            given = signature.bind(*args, **options)
            given.apply_defaults()
            check_problem(make.__name__, given.args[0], *kinds)
            names = [*signature.parameters][: len(given.args)]
            for name, value in [
                *zip(names, given.args, strict=True),
                *given.kwargs.items(),
            ]:
                _check_hashable(f"{make.__name__}: {name}", value)
            return built(*given.args, **given.kwargs)

        return checked

    return decorate


def of_size(make: Callable[[int], Made]) -> Callable[[int], Made]:
    """Decorator of a function that makes a policy for a number of plain arms.

    The same number gives one and the same policy; what is no number of arms is refused.
    """
    built = lru_cache(maxsize=None)(make)

    @wraps(make)
    def checked(num_arms: int) -> Made:
        return built(whole("num_arms", num_arms, 1, MOST))

    return checked


def made_by(plain: Callable[[int], Policy], num_arms: int) -> Policy:
    """The policy that a factory of plain policies makes.

    Raises:
      TypeError: if `plain` is no function, or makes no policy.
    """
    made = function("plain", plain)(num_arms)
    source = f"made of {num_arms} arms, as policies.plain.ucb does"
    policy: Policy = instance(f"plain({num_arms})", made, Policy, source)
    return policy


def check_problem(name: str, problem: Any, *kinds: type) -> None:
    """Require a problem of one of some kinds.

    Args:
      name: of the factory, for the error.
      problem: what was given.
      kinds: of problems.

    Raises:
      TypeError: naming what is wanted and what was given.
    """
    if isinstance(problem, kinds):
        return
    hint = ""
    if isinstance(problem, Environment):
        hint = "; give environment.problem in place of the environment"
    raise TypeError(
        f"{name}: problem must be {' or '.join(map(kind_name, kinds))} "
        f"(environment.problem of such a game), got {_named(problem)}{hint}"
    )


def kind_name(kind: type) -> str:
    """A problem's type in words, with its setting: "a Problem of settings.censored"."""
    setting = kind.__module__.removeprefix("jaxbandits.").removesuffix(".types")
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    return f"{article} {kind.__name__} of {setting}"


def _named(value: Any) -> str:
    if isinstance(value, Environment):
        return f"the environment {value.name!r}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind_name(type(value))
    return shown(value)


def _check_hashable(name: str, value: Any) -> None:
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"{name} must be a value that can be hashed (a number, a name, a tuple, a "
            f"function), got {shown(value)}"
        ) from None
