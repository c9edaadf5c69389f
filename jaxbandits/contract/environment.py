"""Checks of an environment: its name, functions, numbers and provenance."""

from typing import Any

from jaxbandits import checks
from jaxbandits.checks.factory import kind_name
from jaxbandits.protocol import Environment, Policy
from jaxbandits.results.plain import plain


def environment_of(environment: Any) -> Environment:
    """The environment, with checked name, functions, numbers and provenance.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    if not isinstance(environment, Environment):
        hint = "; call the factory" if callable(environment) else ""
        raise TypeError(
            "environment must be an Environment (censored.indep(), for "
            f"example), got {in_words(environment)}{hint}"
        )
    checks.label("environment.name", environment.name)
    owner = f"environment {environment.name!r}"
    checks.check_fields(owner, environment)
    checks.check_fields(f"{owner}: game", environment.game)
    if environment.provenance is not None:
        checks.mapping(f"{owner}: provenance", environment.provenance)
    checks.check_setup(f"{owner}: setup", environment.setup, optional=True)
    plain(environment.provenance or {}, f"{owner}: provenance")
    return environment


def in_words(value: Any) -> str:
    """A value in a few words, for errors."""
    if isinstance(value, Policy | Environment):
        return f"the {type(value).__name__} {value.name!r}"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}"
    if hasattr(value, "_fields") and hasattr(value, "num_arms"):
        return f"{kind_name(type(value))}; give the environment that it is of"
    return checks.shown(value)
