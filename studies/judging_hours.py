"""How long leaderboards take, from what the package's boards say.

    JAXBANDITS_DATA=/folder python studies/judging_hours.py

Hours of one core: the runs of every case and horizon times their rounds times each
entrant's microseconds, added up. Where a budget ends the game, rounds are those of
always playing what is best. Microseconds are those of the first case on a busy machine,
compilation left out.
"""

import jax
import jax.numpy as jnp
import numpy as np
from forms.playing import row

from jaxbandits.protocol import Environment
from jaxbandits_studies.judging.board import shipped
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.protocol import Case

SEEDS = 256  # of instances that are drawn


def environment_of(title: str, case: Case) -> Environment:
    """The game of a case, with its data."""
    environment = case.environment()
    if environment is None:
        raise SystemExit(f"{title} needs {case.data}: set JAXBANDITS_DATA")
    return environment


def pulls_per_unit(title: str, case: Case) -> float:
    """How many pulls of the best arm a unit of money pays for, in the mean."""
    environment = environment_of(title, case)
    keys = jax.random.split(jax.random.key(0), SEEDS)
    setup = jax.tree.map(jnp.asarray, environment.setup)
    draw = jax.vmap(lambda key: environment.game.sample(key, setup))
    instances = jax.tree.map(np.asarray, draw(keys))
    oracle = environment.oracle(instances)
    costs = np.take_along_axis(oracle.mean_cost, oracle.best[:, None], axis=1)[:, 0]
    return float(np.mean(instances.unit / costs))


def epochs_per_unit(title: str, case: Case) -> float:
    """How many epochs of the best pair end in a unit of time."""
    oracle = environment_of(title, case).oracle()
    return 1 / float(oracle.mean_time[oracle.arm, oracle.wait])


PER_UNIT = {"budgeted": pulls_per_unit, "farewell": epochs_per_unit}


def main() -> None:
    row("setting", "million rounds", "hours of a core", "at the longest horizon")
    row(*["---"] * 4)
    for setting, protocol in PROTOCOLS.items():
        board = shipped(setting)
        if board is None:
            continue
        rates, rounds, hours = {}, 0.0, {}
        for cell in board.cells:
            if cell.case not in rates:
                per_unit = PER_UNIT.get(setting, lambda title, case: 1.0)
                case = protocol.judging[cell.case]
                rates[cell.case] = per_unit(cell.case, case)
            each = board.seeds * cell.horizon * rates[cell.case]
            spent = sum(board.microseconds[name] for name in cell.scores) * each / 3.6e9
            rounds += each * len(cell.scores) / 1e6
            hours[cell.horizon] = hours.get(cell.horizon, 0.0) + spent
        total, longest = sum(hours.values()), hours[max(hours)]
        row(setting, f"{rounds:,.0f}", f"{total:.1f}", f"{longest:.1f}")


if __name__ == "__main__":
    main()
