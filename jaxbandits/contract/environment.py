"""Checks of an environment: its name, functions, numbers and provenance."""

from collections.abc import Mapping
from typing import Any

from jaxbandits import checks
from jaxbandits.checks.factory import kind_name
from jaxbandits.protocol import Actions, Environment, Game, Policy
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
    if not isinstance(environment.name, str) or not environment.name:
        raise TypeError(
            f"environment.name must be a string, got {checks.shown(environment.name)}"
        )
    checks.label("environment.name", environment.name)
    owner = f"environment {environment.name!r}"
    game = environment.game
    checks.instance(f"{owner}: game", game, Game, "of jaxbandits")
    checks.whole(f"{owner}: words", game.words, 0)
    checks.flag(f"{owner}: by_the_clock", game.by_the_clock)
    needed = "sample", "init", "view", "step", "record", "metrics"
    parts = {part: getattr(game, part) for part in needed}
    parts["tables"] = environment.tables
    optional = {"spent": game.spent}
    optional |= {"judge": environment.judge, "oracle": environment.oracle}
    parts |= {part: each for part, each in optional.items() if each is not None}
    for part, function in parts.items():
        checks.function(f"{owner}: {part}", function)
    if game.actions is not None:
        source = "of jaxbandits.protocol"
        checks.instance(f"{owner}: actions", game.actions, Actions, source)
    if not isinstance(environment.provenance, Mapping | None):
        raise TypeError(
            f"{owner}: provenance must be a mapping or None, got "
            f"{checks.shown(environment.provenance)}"
        )
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
