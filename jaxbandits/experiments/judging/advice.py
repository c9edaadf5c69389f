"""Which policy to play: a paragraph per setting, and what the leaderboard says of it.

The words are ours; every number is read from the leaderboard that came with the
package.
"""

from typing import Any, NamedTuple

from jaxbandits.experiments.judging.board import Board, shipped
from jaxbandits.experiments.judging.leaderboard import PROTOCOLS
from jaxbandits.experiments.judging.page import ANY_GOAL, by_horizon, fresh, number
from jaxbandits.experiments.judging.protocol import Protocol
from jaxbandits.experiments.judging.scores import Cell, standings

HARDEST = 3  # cells that are named


class Advice(NamedTuple):
    """What to play.

    Attributes:
      policy: the entrant.
      code: what makes it.
      text: for somebody who has read no paper.
    """

    policy: str
    code: str
    text: str


ADVICE = {
    "censored": Advice(
        "cell TS",
        "policies.censored.cell_thompson(problem)",
        "Limits on what a round may consume: play `cell_thompson(problem)`. It has to "
        "be told nothing but the costs and penalties, which you know; rewards must lie "
        "in [0, 1]. Leave its prior as it is: one that expects rounds to exceed their "
        "limits saves most of the regret where large limits are bad, and never finds "
        "out where they are good. Play RCUCB without a penalty radius only if you know "
        "that the best limit is one with a small penalty: it does not look at the "
        "others again after bad luck. What cell TS costs you is that it keeps looking "
        "at large limits, and some microseconds per round.",
    ),
    "budgeted": Advice(
        "omega*-UCB, shrunk, rho = 1/4",
        'policies.budgeted.omega_star_ucb(problem, variance="shrunk")',
        "Money to spend on arms with random costs: play "
        '`omega_star_ucb(problem, variance="shrunk")`, which is told nothing. It loses '
        "a run now and then; where that is too much, let it explore by log(t/n): "
        '`omega_star_ucb(problem, "log_share", variance="shrunk")` with `rho=0.5`. If '
        "you know the budget beforehand, try `share_ucb(problem)` beside it, which "
        "makes use of it. Where the best arm nearly always pays, all of these give it "
        "up in some runs, and `bts(problem)` does not. Scale costs and rewards to [0, "
        "1] by the largest that can occur. Policies with narrow intervals (m-UCB) look "
        "better in most runs and lose much of the money in some. With a few thousand "
        "pulls' money there is hardly time to learn: ask your own records "
        "(`jaxbandits compare`).",
    ),
    "farewell": Advice(
        "hazard TS",
        "policies.farewell.hazard_thompson(problem)",
        "Choosing an arm and how long to wait for it: play `hazard_thompson(problem)`. "
        "It is told nothing, and an epoch teaches it of every unit of waiting that it "
        "has entered. Leave its prior as it is. Where a short wait is only a little "
        "better than several long ones that are alike, it tries these for longer than "
        '`omega_star_ucb(problem, variance="shrunk", observe="shorter")` does; leave '
        "that one's rho at 1, as with 1/4 it loses some runs for good. Wait-UCB is the "
        "paper's policy, and explores for very long.",
    ),
    "allocation": Advice(
        "Thompson, mean of 8",
        "policies.allocation.thompson_allocation(problem, draws=8)",
        "Splitting a divisible budget over arms: play `thompson_allocation(problem, "
        "draws=8)`, which has no radius to tune and is told no horizon. It has to know "
        "the family of the thresholds, which must be concave (the first bit of "
        "resource is worth most), and every round's budget before the round. For "
        "sigmoids and whole units leave `draws` out: one draw still has less regret "
        "than RA-UCB with tuned radii. Leave it out, too, where budgets are found out "
        "as they end: one draw plays all of these games, sigmoids, whole units and "
        "rounds that pay once among them, which `mg_ucb(problem)` does not, and loses "
        "no more where that one plays, its radii tuned. With many arms and many rounds "
        "the mean of eight starves an arm now and then, and loses much in that run: "
        "`feasible=True` was made against it, and has not been judged yet.",
    ),
}


def paragraphs(setting: str) -> tuple[str, ...]:
    """The advice, and the evidence if a leaderboard came with the package."""
    advice, board = ADVICE[setting], shipped(setting)
    if board is None:
        missing = (
            "No leaderboard of this setting came with this version: `jaxbandits "
            f"reproduce leaderboard-{setting}` plays one."
        )
        return advice.text, missing
    return advice.text, evidence(board, PROTOCOLS[setting], advice.policy)


def evidence(board: Board, protocol: Protocol, policy: str) -> str:
    """What a leaderboard says of a policy, in words."""
    goal = protocol.goal or ANY_GOAL
    (found,) = (s for s in standings(board.cells, goal.within) if s.name == policy)
    cells = [cell for cell in board.cells if policy in cell.scores]
    cases = len({cell.case for cell in cells})
    horizons = sorted({cell.horizon for cell in cells})
    wins = sum(cell.ratio(policy) <= 1 for cell in cells)
    worst = hardest(board, policy)
    where = f"It does worst at {_listed(worst, policy)}. " if worst else ""
    lost = max(cells, key=lambda cell: _worst_run(cell, policy))
    unit = "budget" if protocol.by_budget else "horizon"
    reach = f"{unit} {horizons[0]:,} only"
    if len(horizons) > 1:
        reach = f"{unit}s {horizons[0]:,} to {horizons[-1]:,}"
    held = by_horizon(board, policy, goal.within)
    apart = f" ({held})" if held else ""
    return (
        f"Evidence: {cases} cases on which nothing was tuned, {reach}, {board.seeds} "
        f"seeds{fresh(board)}. The mean regret of {policy} is {found.median:.2f} times "
        f"that of the best rival in the median of {found.cells} pairs of a case and a "
        f"horizon, smaller or equal in {wins}, "
        f"and within {goal.within:g} times it, in mean and 95 % quantile, in "
        f"{found.held}{apart}. {where}"
        f"Its worst run lost {number(_worst_run(lost, policy))} times the mean of the "
        f"best rival ({lost.case}, {lost.horizon:,})."
    )


def hardest(board: Board, policy: str) -> list[Cell]:
    """The cells with the largest ratios of means, of those where a rival is better."""
    played = (cell for cell in board.cells if policy in cell.scores)
    cells = [cell for cell in played if cell.ratio(policy) > 1]
    return sorted(cells, key=lambda cell: -cell.ratio(policy))[:HARDEST]


def _listed(cells: list[Cell], policy: str) -> str:
    return ", ".join(
        f"{cell.case}, {cell.horizon:,} ({number(cell.ratio(policy))} times "
        f"{cell.best})"
        for cell in cells
    )


def _worst_run(cell: Cell, policy: str) -> float:
    """The worst run over the mean of the best rival, both at least a reward."""
    return max(cell.scores[policy].worst, 1.0) / max(cell.scores[cell.best].mean, 1.0)


def as_data(setting: str) -> dict[str, Any]:
    """The advice for programs."""
    advice, board = ADVICE[setting], shipped(setting)
    text = " ".join(paragraphs(setting))
    found: dict[str, Any] = {
        "setting": setting,
        "policy": advice.policy,
        "code": advice.code,
        "text": text,
        "standings": [],
    }
    if board is not None:
        goal = PROTOCOLS[setting].goal or ANY_GOAL
        rows = standings(board.cells, goal.within)
        found["standings"] = [s._asdict() | {"within": goal.within} for s in rows]
    return found
