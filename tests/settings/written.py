"""Small games of the registry's entries: with the arguments of docs/features.md."""

from contextlib import chdir

from jaxbandits.registry import environments
from tests.features import folder, right_arguments


def arguments_of(name):
    """What an entry needs; nothing if it needs nothing."""
    entry = environments()[name]
    given = right_arguments(entry.factory) if entry.needs else {}
    return {key: value for key, value in given.items() if key not in entry.arguments}


def game(name):
    """A small game of an entry; what it reads is where the page's files are."""
    with chdir(folder()):
        return environments()[name](**arguments_of(name))
