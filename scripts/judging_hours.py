"""How long a leaderboard takes, from what the package's own boards say.

    python scripts/judging_hours.py

Hours of one core: the runs of every case and horizon times its rounds times each
entrant's microseconds, added up. Where a budget ends the game its rounds are those of
the policy that is advised, which mostly plays the best arm, at the smallest budget, and
grow with it. Microseconds are those of the first case on a busy machine, compilation
left out.
"""

from jaxbandits import simulate
from jaxbandits.experiments.judging.advice import ADVICE
from jaxbandits.experiments.judging.board import shipped
from jaxbandits.experiments.judging.leaderboard import PROTOCOLS
from jaxbandits.machine import Machine

SEEDS = 16


def rounds_per_unit(setting: str, title: str) -> float:
    """Rounds that a unit of the budget pays for, or a round itself."""
    protocol = PROTOCOLS[setting]
    if not protocol.by_budget:
        return 1.0
    environment = protocol.judging[title].environment()
    if environment is None:
        raise SystemExit(f"{title} needs its data: set JAXBANDITS_DATA")
    entrant, budget = protocol.entrants[ADVICE[setting].policy], protocol.horizons[0]
    found = simulate(
        entrant.factory(environment.problem),
        environment,
        budget=budget,
        seeds=SEEDS,
        checkpoints=[budget],
        machine=Machine(progress=False),
    )
    return float(found["rounds"].mean()) / budget


def main() -> None:
    print("| setting | hours of a core | at the longest horizon | million rounds |")
    print("|---|---|---|---|", flush=True)
    for setting in ADVICE:
        board = shipped(setting)
        if board is None:
            continue
        rates = {title: rounds_per_unit(setting, title) for title in cases(board)}
        hours, longest, rounds = 0.0, 0.0, 0.0
        last = max(cell.horizon for cell in board.cells)
        for cell in board.cells:
            each = board.seeds * cell.horizon * rates[cell.case]
            spent = sum(board.microseconds[name] for name in cell.scores) * each / 3.6e9
            hours, rounds = hours + spent, rounds + each * len(cell.scores) / 1e6
            longest += spent if cell.horizon == last else 0.0
        row = f"| {setting} | {hours:.1f} | {longest:.1f} | {rounds:,.0f} |"
        print(row, flush=True)


def cases(board) -> list[str]:
    """Titles."""
    return list(dict.fromkeys(cell.case for cell in board.cells))


if __name__ == "__main__":
    main()
