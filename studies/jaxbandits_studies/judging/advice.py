"""Which policy to play, by `advice.toml`, and what the leaderboard says of it.

Every number of the evidence is read from the leaderboard that came with the package.
"""

import tomllib
from importlib import resources
from typing import Any, NamedTuple

from jaxbandits_studies.judging.board import Board, shipped
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.page import ANY_GOAL, by_horizon, number, seen
from jaxbandits_studies.judging.protocol import Protocol
from jaxbandits_studies.judging.scores import ONE_REWARD, Cell, beside, standings

HARDEST = 3  # cases that are named


class Choice(NamedTuple):
    """A row of a decision table.

    Attributes:
      when: what is known of the game; a condition that follows "If".
      call: what makes the policy then, of ``from jaxbandits import SETTING``.
    """

    when: str
    call: str


class Advice(NamedTuple):
    """What to play in a setting.

    Attributes:
      game: the setting in a sentence.
      policy: the entrant of the leaderboard that the first choice is.
      choices: the decision table, the usual case first.
      caution: what these policies need and cost.
    """

    game: str
    policy: str
    choices: tuple[Choice, ...]
    caution: str


def _advice(row: dict[str, Any]) -> Advice:
    choices = tuple(Choice(*pair) for pair in row["choices"])
    return Advice(row["game"], row["policy"], choices, row["caution"])


_FILE = resources.files(__package__) / "advice.toml"
_TABLE = tomllib.loads(_FILE.read_text(encoding="utf-8"))
ADVICE = {setting: _advice(row) for setting, row in _TABLE.items()}


def proof(setting: str) -> str:
    """What the leaderboard says of the first choice, if one came with the package."""
    board = shipped(setting)
    if board is None:
        return (
            "No leaderboard of this setting came with this version: `jaxbandits "
            f"reproduce leaderboard-{setting}` plays one."
        )
    return evidence(board, PROTOCOLS[setting], ADVICE[setting].policy)


def evidence(board: Board, protocol: Protocol, policy: str) -> str:
    """What a leaderboard says of a policy, in words."""
    goal = protocol.goal or ANY_GOAL
    (result,) = (s for s in standings(board.cells, goal.within) if s.name == policy)
    cells = [cell for cell in board.cells if policy in cell.scores]
    cases = len({cell.case for cell in cells})
    horizons = sorted({cell.horizon for cell in cells})
    wins = sum(cell.ratio(policy) <= 1 for cell in cells)
    worst = hardest(board, policy)
    where = f"It does worst at {_listed(worst, policy)}. " if worst else ""
    unit = "budget" if protocol.by_budget else "horizon"
    reach = f"{unit} {horizons[0]:,} only"
    if len(horizons) > 1:
        reach = f"{unit}s {horizons[0]:,} to {horizons[-1]:,}"
    held = by_horizon(board, policy, goal.within)
    apart = f" ({held})" if held else ""
    return (
        f"Evidence: {cases} cases that were not used for tuning, {reach}, "
        f"{board.seeds} seeds. The mean regret of {policy} is {result.median:.2f} "
        f"times that of the best rival in the median of {result.cells} pairs of a case "
        f"and a horizon, smaller or equal in {wins}, "
        f"and within {goal.within:g} times it, in mean and 95 % quantile, in "
        f"{result.held}{apart}. Regrets below one reward count as one. "
        f"{_beside_papers(cells, policy, protocol)}{where}"
        f"{_largest_loss(cells, policy)}{seen(board, protocol)}"
    )


def _beside_papers(cells: list[Cell], policy: str, protocol: Protocol) -> str:
    """What remains if rivals that are ours are left out."""
    if not protocol.variants:
        return ""
    result, itself = beside(cells, policy, protocol.of_papers), ""
    if policy in protocol.variants:
        best = sum(cell.best == policy for cell in cells)
        itself = f", itself among them (the best in {best})"
    return (
        f"Some rivals are ours{itself}; its mean regret is {result.median:.2f} times "
        f"that of the best policy of a paper, and smaller or equal in {result.below}. "
    )


def hardest(board: Board, policy: str) -> list[Cell]:
    """The cases in which a rival is most ahead, each where the ratio is largest."""
    played = (cell for cell in board.cells if policy in cell.scores)
    cells = [cell for cell in played if cell.ratio(policy) > 1]
    by_case: dict[str, Cell] = {}
    for cell in sorted(cells, key=lambda cell: -cell.ratio(policy)):
        by_case.setdefault(cell.case, cell)
    return [*by_case.values()][:HARDEST]


def _listed(cells: list[Cell], policy: str) -> str:
    """With the rewards: a large ratio may be of few."""
    words = []
    for cell in cells:
        mean, best = cell.scores[policy].mean, cell.scores[cell.best].mean
        times = f"{number(mean)} rewards against less than 1 of {cell.best}"
        if best >= ONE_REWARD:
            times = (
                f"{number(mean / best)} times {cell.best}: {number(mean)} rewards "
                f"against {number(best)}"
            )
        words.append(f"{cell.case}, {cell.horizon:,} ({times})")
    return "; ".join(words)


def _largest_loss(cells: list[Cell], policy: str) -> str:
    """The run that is worst beside the best rival, in rewards, and what others lose."""

    def times(cell: Cell) -> float:
        worst, mean = cell.scores[policy].worst, cell.scores[cell.best].mean
        return max(worst, ONE_REWARD) / max(mean, ONE_REWARD)

    cell = max(cells, key=times)
    mean = cell.scores[cell.best].mean
    worst = max(score.worst for score in cell.scores.values())
    return (
        f"Its worst run, beside the best rival's mean, lost "
        f"{number(cell.scores[policy].worst)} rewards against "
        f"{number(mean) if mean >= ONE_REWARD else 'less than 1'} ({cell.case}, "
        f"{cell.horizon:,}; the worst run of all entrants there lost {number(worst)})."
    )


def as_data(setting: str) -> dict[str, Any]:
    """The advice for programs."""
    advice, board = ADVICE[setting], shipped(setting)
    result: dict[str, Any] = {
        "setting": setting,
        "policy": advice.policy,
        "choices": [choice._asdict() for choice in advice.choices],
        "caution": advice.caution,
        "evidence": proof(setting),
        "standings": [],
    }
    if board is not None:
        goal = PROTOCOLS[setting].goal or ANY_GOAL
        rows = standings(board.cells, goal.within)
        result["standings"] = [s._asdict() | {"within": goal.within} for s in rows]
    return result
