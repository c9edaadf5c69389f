"""Factories of policies: what every one of them does with its arguments."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

from jaxbandits.checks import MOST, function, hint, instance, shown, whole
from jaxbandits.checks.annotations import bound
from jaxbandits.protocol import Environment, Policy

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made", bound=Policy)
Makes = TypeVar("Makes", bound=Policy, covariant=True)


class Factory(Protocol[Arguments, Makes]):
    """A function that makes a policy for a problem."""

    @overload
    def __call__(self, *args: Arguments.args, **options: Arguments.kwargs) -> Makes: ...
    @overload
    def __call__(self, problem: Any, /, **options_and_parameters: Any) -> Makes: ...


def factory(
    *kinds: type,
) -> Callable[[Callable[Arguments, Made]], Factory[Arguments, Made]]:
    """Decorator of a function that makes a policy for a problem, its first argument.

    The problem must be of one of `kinds`, and the policy remembers it. Equal arguments
    give one and the same policy, so that its programs are compiled once. Its method
    ``check`` raises where its fields are wrong. A problem that has a method
    ``adapt(make)`` is given the function that makes the policy from a problem, and
    returns the policy: so the budgeted setting shows all its policies rewards and costs
    in [0, 1], whatever the money.

    A problem of another game of the setting is refused with what its property
    `other_games`, if it has one, says of the policies of that game.

    Beside its own arguments the factory takes parameters of the policy by name:
    ``rcucb(problem, alpha=2.0)`` is ``rcucb(problem).with_params(alpha=2.0)``. Its
    attribute `kinds` has the types of problems.
    """

    def decorate(make: Callable[Arguments, Made]) -> Factory[Arguments, Made]:
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
        def checked(*args: Any, **options: Any) -> Made:
            options, numbers = split(signature, options)
            given = bound(make.__name__, signature, args, options)
            given.apply_defaults()
            check_problem(make.__name__, given.args[0], *kinds)
            _check_hashable(f"{make.__name__}: problem", given.args[0])
            _check_fields(given.args[0], (*map(type, given.args[0]),))
            names = [*signature.parameters][: len(given.args)]
            for name, value in [
                *zip(names, given.args, strict=True),
                *given.kwargs.items(),
            ]:
                _check_hashable(f"{make.__name__}: {name}", value)
            policy = built(*given.args, **given.kwargs)
            return with_numbers(policy, make.__name__, signature, numbers)

        checked.kinds = kinds  # type: ignore[attr-defined]
        return checked

    return decorate


def split(
    signature: inspect.Signature, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keyword arguments that a factory has, and those that it has not."""
    parameters = signature.parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return dict(given), {}
    own = {name: value for name, value in given.items() if name in signature.parameters}
    return own, {name: value for name, value in given.items() if name not in own}


def with_numbers(
    policy: Made, name: str, signature: inspect.Signature, numbers: Mapping[str, Any]
) -> Made:
    """The policy with its parameters as they were given to its factory.

    Raises:
      TypeError: if one is no parameter of the policy, naming all that there are.
    """
    known = policy.params._asdict() if policy.params else {}
    if unknown := [number for number in numbers if number not in known]:
        first, *options = signature.parameters
        has = ", ".join(f"{leaf} = {value}" for leaf, value in known.items()) or "none"
        raise TypeError(
            f"{name}: there is no argument {unknown[0]!r}; beside {first} it has the "
            f"options {', '.join(options) or 'none'} and the parameters {has}"
            f"{hint(unknown[0], [*options, *known])}"
        )
    return cast(Made, policy.with_params(**numbers)) if numbers else policy


def of_size(make: Callable[[int], Made]) -> Callable[[int], Made]:
    """Decorator of a function that makes a policy for a number of plain arms.

    The same number gives one and the same policy; what is no number of arms is refused.
    The policy's parameters are taken by name, as by `factory`.
    """
    built = lru_cache(maxsize=None)(make)
    signature = inspect.signature(make)

    @wraps(make)
    def checked(num_arms: int, **numbers: Any) -> Made:
        policy = built(whole("num_arms", num_arms, 1, MOST))
        return with_numbers(policy, make.__name__, signature, numbers)

    return checked


def made_by(plain: Callable[[int], Policy], num_arms: int) -> Policy:
    """The policy that a factory of plain policies makes.

    Raises:
      TypeError: if `plain` is no function, or makes no policy.
      ValueError: if it makes a policy that was built for a problem.
    """
    made = function("plain", plain)(num_arms)
    source = f"made of {num_arms} arms, as plain.ucb does"
    return built_for(f"plain({num_arms})", made, None, source)


def built_for(name: str, policy: Any, problem: Any, source: str) -> Policy:
    """Require a policy that was built for a problem, or for none; return it.

    Args:
      name: of the argument that is the policy, or makes it.
      policy: what was given.
      problem: of the game that the policy will be shown; None if that is a game of
        plain arms.
      source: where one gets such a policy, for errors.

    Raises:
      TypeError: if it is no policy.
      ValueError: if it was built for another problem.
    """
    given: Policy = instance(name, policy, Policy, source)
    if given.problem is None or given.problem == problem:
        return given
    kind, wanted = kind_name(type(given.problem)), type(problem)
    other = f"another {wanted.__name__}" if type(given.problem) is wanted else kind
    raise ValueError(f"{name} must be {source}; {given.name!r} was built for {other}")


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
    elif type(problem).__module__ in {kind.__module__ for kind in kinds}:
        hint = getattr(problem, "other_games", "")
    raise TypeError(
        f"{name}: problem must be {' or '.join(map(kind_name, kinds))} "
        f"(environment.problem of such a game), got {_named(problem)}{hint}"
    )


@cache
def _check_fields(problem: Any, types: tuple[type, ...]) -> None:
    """Require a problem whose fields an environment's may have: one may be made by
    hand, or with ``_replace``. Its fields' types tell 1 from the equal True."""
    problem.check()


def check_positions(name: str, given: Any, count: int, most: int) -> None:
    """Require a tuple of `count` whole numbers in [0, most]."""
    if not isinstance(given, tuple):
        raise TypeError(f"{name} must be a tuple of integers, got {shown(given)}")
    if len(given) != count:
        raise ValueError(f"{name} must have {count} entries, got {shown(given)}")
    for one in given:
        whole(f"{name}: each", one, 0, most)


def kind_name(kind: type) -> str:
    """A problem's type in words, with its setting: "a Problem of censored"."""
    setting = kind.__module__.removeprefix("jaxbandits.").rpartition(".")[0]
    article = "an" if kind.__name__[0].upper() in "AEIOU" else "a"
    return f"{article} {kind.__name__}" + (f" of {setting}" if setting else "")


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
