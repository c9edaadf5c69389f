"""Which policy to play: a decision table per setting, and what the leaderboard says.

Every number of the evidence is read from the leaderboard that came with the package.
"""

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


ADVICE = {
    "censored": Advice(
        "You choose an arm and a limit on what the round may consume.",
        "cell TS",
        (
            Choice("you know nothing else", "censored.cell_thompson(problem)"),
            Choice(
                "the best limit surely has a small penalty",
                "censored.rcucb(problem, penalty_radius=0.0)",
            ),
            Choice(
                "you want the paper's policy with its printed radius",
                "censored.rcucb(problem)",
            ),
        ),
        "Rewards must lie in [0, 1]; the policies know costs and penalties, as you do. "
        "Keep the default prior of cell TS: a prior that expects overruns saves regret "
        "when large limits are bad, but may never discover that they are good. Cell TS "
        "keeps trying large limits, and takes some microseconds per round. RCUCB "
        "without a penalty radius does not return to a limit after early bad luck.",
    ),
    "budgeted": Advice(
        "You pull arms with random costs until the money is spent.",
        "share-UCB, anytime",
        (
            Choice(
                "you know nothing else", 'budgeted.share_ucb(problem, clock="spent")'
            ),
            Choice("you know the budget in advance", "budgeted.share_ucb(problem)"),
            Choice(
                "a pull that costs nothing brings nothing (pay per click)",
                'budgeted.share_ucb(problem, clock="spent", joint=True)',
            ),
            Choice(
                "rewards are 0 or 1 and there are many arms",
                'budgeted.omega_star_ucb(problem, "log_share", variance="shrunk", '
                "rho=0.5)",
            ),
            Choice(
                "the best arm nearly always pays, or no run may fail",
                "budgeted.price_thompson(problem)",
            ),
            Choice(
                "the same, and reward and cost of a pull are independent",
                "budgeted.ratio_thompson(problem)",
            ),
        ),
        "Give `make_problem` the largest reward and cost that can occur: policies see "
        "rewards and costs as shares of these. In a few runs share-UCB stays with a "
        "bad arm, most often when many arms pay 0 or 1; the policies of the last three "
        "rows do so less often, but explore for longer. Policies with narrow intervals "
        "(m-UCB, c-UCB, i-UCB) look better in most runs and lose much of the money in "
        "one run of five. A budget of a few thousand pulls leaves little time to "
        "learn: rank the policies on your own records with `jaxbandits compare`.",
    ),
    "farewell": Advice(
        "You choose an arm and how long to wait for its reward.",
        "hazard TS",
        (
            Choice("you know nothing else", "farewell.hazard_thompson(problem)"),
            Choice(
                "your waits are not consecutive and late rewards are smaller",
                "farewell.hazard_thompson(problem, joint=True)",
            ),
            Choice(
                "several long waits are nearly as good as the best, a short one",
                'farewell.omega_star_ucb(problem, variance="shrunk", '
                'observe="shorter")',
            ),
            Choice("you want the paper's policy", "farewell.wait_ucb(problem)"),
        ),
        "Hazard TS needs neither horizon nor budget, and every pull informs it about "
        "all shorter waits. Keep its default prior. Without `joint=True`, in the "
        "second case, some runs never recover. Keep rho = 1 in omega*-UCB: with 1/4 "
        "some runs never recover. Wait-UCB explores for very long.",
    ),
    "allocation": Advice(
        "You split a divisible budget over the arms in every round.",
        "Thompson, mean of 8, feasible",
        (
            Choice(
                "the first bit of resource is worth most (concave thresholds)",
                "allocation.thompson(problem, draws=8, feasible=True)",
            ),
            Choice(
                "thresholds are sigmoids or whole units",
                "allocation.thompson(problem)",
            ),
            Choice(
                "a round's budget is known only when it is used up",
                "allocation.thompson(problem)",
            ),
            Choice("you want the paper's policy", "allocation.ra_ucb(problem)"),
        ),
        "The policies must know the family of the thresholds, and the first and the "
        "last row every round's budget in advance. Thompson sampling has no radius to "
        "tune and needs no horizon. With concave families it has a ninth to a half of "
        "the regret of RA-UCB with radii tuned for the family, in 1,000 rounds "
        "(`jaxbandits reproduce allocation-families`). Without `feasible` it starves "
        "an arm in a few runs when arms and rounds are many. The one-draw form plays "
        "every game of the setting, and has less regret than RA-UCB with tuned radii.",
    ),
}


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
