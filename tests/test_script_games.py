"""What scripts/play_all.py and scripts/invariance.py play: every policy, somewhere."""

from pathlib import Path
from runpy import run_path

from jaxbandits.policies import REGISTRY

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def test_every_policy_has_a_game():
    made = run_path(SCRIPTS / "games.py")
    games = made["games"](300)
    none = [
        name
        for name in REGISTRY
        # Where a policy cannot be built for a game, `policy_of` says so and goes on.
        if not any(made["policy_of"](name, game) for game in games[name.split("/")[0]])
    ]
    assert none == []
