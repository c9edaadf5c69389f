"""What scripts/every_policy.py plays: every policy, somewhere."""

from pathlib import Path
from runpy import run_path

import pytest

from tests.registered import POLICIES

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


@pytest.mark.slow  # 7 s for the optima of the games
def test_every_policy_has_a_game():
    made = run_path(SCRIPTS / "every_policy.py")
    games = made["games"](300)
    for name in POLICIES:
        # Where a policy cannot be built for a game, `policy_of` says so.
        built = [made["policy_of"](name, game) for game in games[name.split("/")[0]]]
        assert any(policy is not None for policy in built), name
