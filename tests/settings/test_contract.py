"""Every environment of the registry keeps the protocol's promises."""

import pytest

from jaxbandits.censored import on_grid, uniform
from jaxbandits.registry import ENVIRONMENTS, POLICIES, setting_of
from jaxbandits.simulation import makers
from jaxbandits.testing import check_environment
from tests.heavy import in_short
from tests.settings.written import ARGUMENTS, write_files

# One game of every kind; the others are the same with other laws, or have a test of
# their own.
SHORT = {
    "allocation/environment",
    "budgeted/s-br",
    "censored/environment",
    "continuum/overtime",
    "farewell/environment",
}
LONG = set(ENVIRONMENTS) - SHORT


def uniform_play(name, problem):
    room = name.split("/")[0]
    if room == "continuum":
        return on_grid(problem, 10, uniform)
    return POLICIES[f"{room}/uniform"](problem)


@pytest.mark.parametrize("name", in_short(ENVIRONMENTS, LONG))
def test_environment_keeps_the_contract(name, tmp_path, monkeypatch):
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    entry = {"make": name, "arguments": ARGUMENTS.get(name, {})}
    game = makers.environment("here", setting_of(name), entry)
    check_environment(game, uniform_play(name, game.problem), rounds=200)
