"""The command line: ``jaxbandits list | sweep``, and commands of other packages.

A package adds commands by an entry point of the group ``jaxbandits.commands``: a module
with three functions,

    add_commands(commands)      adds parsers to those of the command line
    experiments() -> [{...}]    facts about experiments, for ``list``
    words() -> {name: [word]}   words that a shell completes, by name of the argument

A command imports modules when it runs, so that help and errors are printed at once.
"""

import argparse
import contextlib
import json
import sys
import warnings
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

import jaxbandits
from jaxbandits import checks
from jaxbandits.cli.listing import KINDS, list_
from jaxbandits.cli.sweeps import add_sweeps
from jaxbandits.console.faults import EXPECTED, is_users
from jaxbandits.console.texts import visible

LINES = "\n"  # Errors and warnings may have several lines.
GROUP = "jaxbandits.commands"
_STUDIES = ("compare", "paper", "recommend", "reproduce")  # of jaxbandits-studies


def main(arguments: list[str] | None = None) -> int:
    """Run a command; the exit status is 0, or 2 after an error in the input.

    An error in the input is printed in one line. Other errors are faults of this
    package or of a user's file: they are raised, with their traceback.
    """
    options = _parsed(sys.argv[1:] if arguments is None else arguments)
    from jaxbandits.console.printing import say  # which is not needed for help

    try:
        with _plain_warnings():
            return options.command(options)
    except EXPECTED as error:
        if options.traceback or not is_users(error):
            raise
        say(f"jaxbandits: {error}")
        return _exit_status(2)
    except KeyboardInterrupt:
        say("jaxbandits: interrupted")
        return _exit_status(130)


def _exit_status(status: int) -> int:
    """`processes.exit_status`, imported when it is needed."""
    from jaxbandits.simulation.processes import exit_status

    return exit_status(status)


@contextlib.contextmanager
def _plain_warnings():
    """Print warnings as sentences, without the line of the source."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: (
        f"jaxbandits: {visible(str(message), keep=LINES)}\n"
    )
    try:
        yield
    finally:
        warnings.formatwarning = before


@cache  # to read what is installed takes longer than to parse a line
def added_modules() -> list[ModuleType]:
    """Modules of installed packages that add commands."""
    return [each.load() for each in entry_points(group=GROUP)]


def _parsed(arguments: list[str]) -> argparse.Namespace:
    """The options of a command; the program ends if they cannot be read."""
    parser, commands = parsers()
    first, second = [*arguments, "", ""][:2]
    if f"{first} {second}" in commands:
        arguments = [f"{first} {second}", *arguments[2:]]
    elif first and not first.startswith("-") and first not in commands:
        known, absent = [*commands], ""
        if not added_modules():
            known += _STUDIES
            absent = f"; install jaxbandits-studies for {', '.join(_STUDIES)}"
        hint = "" if first in known else checks.hint(first, known)
        parser.error(f"COMMAND: there is no command {first!r}{hint}{absent}")
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.error("COMMAND is missing; `jaxbandits --help` shows the commands")
    return options


def parsers() -> tuple[argparse.ArgumentParser, dict[str, Any]]:
    """The parser, and the parsers of the commands by name (``sweep status`` is one).

    The help leaves out the command ``completion``, which is called once, to set up a
    shell.
    """
    parser = argparse.ArgumentParser(
        prog="jaxbandits",
        description="Simulate resource-constrained bandits with censored feedback.",
    )
    parser.set_defaults(command=None, traceback=False)
    parser.add_argument(
        "--version",
        dest="command",
        action="store_const",
        const=_version,
        help="print the version of jaxbandits",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="with --version: also print the versions of all packages, and the devices",
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    listing = commands.add_parser(
        "list", help="list policies, environments and experiments, or describe one"
    )
    listing.add_argument(
        "words",
        metavar="WORD",
        nargs="*",
        help=f"{', '.join(KINDS)}, or a setting, to list only these; or the name of "
        "one entry, to show its source, and its parameters with defaults and ranges",
    )
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(command=_list)
    add_sweeps(commands)
    for module in added_modules():
        module.add_commands(commands)
    completion = commands.add_parser("completion")
    completion.add_argument("shell", metavar="SHELL", help="bash, zsh, fish, ...")
    completion.set_defaults(command=_completion)
    for command in commands.choices.values():
        command.add_argument(
            "--traceback", action="store_true", help="show where an error was raised"
        )
    return parser, commands.choices


def _experiments() -> list[dict[str, Any]]:
    return [each for module in added_modules() for each in module.experiments()]


def _list(options) -> int:
    return list_(options.words, _experiments(), as_json=options.json)


def _version(options) -> int:
    if not options.verbose:
        from jaxbandits.console.printing import Printer

        Printer().print(f"jaxbandits {jaxbandits.__version__}")
        return 0
    import jax

    from jaxbandits.results import provenance

    facts = provenance(devices=[str(device) for device in jax.devices()])
    print(json.dumps(facts, indent=2))
    return 0


def _completion(options) -> int:
    from jaxbandits.registry import SETTINGS

    checks.installed("SHELL: completion", "shtab", "completion")
    import shtab

    checks.one_of("SHELL", options.shell, shtab.SUPPORTED_SHELLS)
    parser, commands = parsers()
    names = {"shell": [*shtab.SUPPORTED_SHELLS], "words": [*KINDS, *SETTINGS]}
    for module in added_modules():
        names |= module.words()
    for command in commands.values():
        for action in command._actions:
            action.choices = names.get(action.dest, action.choices)
            if action.dest in ("spec", "csv"):
                action.complete = shtab.FILE
    print(shtab.complete(parser, options.shell))
    return 0
