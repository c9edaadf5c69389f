"""Every environment of the registry keeps the protocol's promises."""

import pytest

from jaxbandits.censored import on_grid, uniform
from jaxbandits.registry import POLICIES, environments
from jaxbandits.testing import check_environment
from tests.heavy import in_short
from tests.settings import written

pytestmark = pytest.mark.usefixtures("quickly")

ENVIRONMENTS = environments()
# One with a clock: the books of others are looked at in their own tests.
LONG = set(ENVIRONMENTS) - {"farewell/environment"}


def uniform_play(name, problem):
    room = name.split("/")[0]
    if room == "continuum":
        return on_grid(problem, 10, uniform)
    return POLICIES[f"{room}/uniform"](problem)


@pytest.mark.parametrize("name", in_short(ENVIRONMENTS, LONG))
def test_environment_keeps_the_contract(name):
    game = written.game(name)
    check_environment(game, uniform_play(name, game.problem), rounds=200)
