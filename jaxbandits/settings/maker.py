"""Entries of registries: how something is made, as a value."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Maker(NamedTuple):
    """A function and what it is called with. ``maker(...)`` calls it.

    Attributes:
      factory: a function that a module defines under its own name.
      arguments: fixed keyword arguments; those of a call go before them.
      needs: keyword arguments that a call must give, as only the caller has them: a
        name, numbers, a file of data. (Of a policy's, besides the problem.)
    """

    factory: Callable[..., Any]
    arguments: Mapping[str, Any] = MappingProxyType({})
    needs: tuple[str, ...] = ()

    def __call__(self, /, *args, **arguments) -> Any:
        return self.factory(*args, **{**self.arguments, **arguments})

    def __hash__(self) -> int:
        """Policies made of others are cached by these; the values need no hash."""
        return hash((self.factory, *sorted(self.arguments), self.needs))
