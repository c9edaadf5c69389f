"""Which policy to play: a paragraph per setting, and what the leaderboard says of it.

The words are ours; every number is read from the leaderboard that came with the
package.
"""

from typing import Any, NamedTuple

from jaxbandits_studies.judging.board import Board, shipped
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.page import ANY_GOAL, by_horizon, number, seen
from jaxbandits_studies.judging.protocol import Protocol
from jaxbandits_studies.judging.scores import ONE_REWARD, Cell, beside, standings

HARDEST = 3  # cases that are named


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
        "censored.cell_thompson(problem)",
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
        "share-UCB, anytime",
        'budgeted.share_ucb(problem, clock="spent")',
        "Money to spend on arms with random costs: play `share_ucb(problem, "
        'clock="spent")`, which is told nothing, or `share_ucb(problem)` if you know '
        "the budget beforehand. Where rewards come with costs (who clicks costs, and "
        "may buy), add `joint=True`. They lose a run now and then, most of all among "
        'many coins; there `omega_star_ucb(problem, "log_share", variance="shrunk")` '
        "with `rho=0.5` loses fewer, and explores for longer. Where the best arm "
        "nearly always pays, all of these give it up in some runs, and lose more in "
        "the mean than Thompson sampling. There, or if no run may be lost, play "
        "`price_thompson(problem)`, or `ratio_thompson(problem)` if rewards and costs "
        "of a pull have nothing to do with each other: they explore for longer than "
        "share-UCB in most runs. Tell `make_problem` the largest cost and reward that "
        "can occur: policies are shown shares of these. "
        "Policies with narrow intervals (m-UCB, c-UCB, i-UCB) look better in most runs "
        "and lose much of the money in one of five. With a few thousand pulls' money "
        "there is hardly time to learn: ask your own records (`jaxbandits compare`).",
    ),
    "farewell": Advice(
        "hazard TS",
        "farewell.hazard_thompson(problem)",
        "Choosing an arm and how long to wait for it: play `hazard_thompson(problem)`. "
        "It is told nothing, and an epoch teaches it of every unit of waiting that it "
        "has entered. Leave its prior as it is. Where waits leave gaps, and what comes "
        "late in one may pay less, add `joint=True`: without it runs are lost there. "
        "Where a short wait is only a little better "
        "than several long ones that are alike, it tries these for longer than "
        '`omega_star_ucb(problem, variance="shrunk", observe="shorter")` does; leave '
        "that one's rho at 1, as with 1/4 it loses some runs for good. Wait-UCB is the "
        "paper's policy, and explores for very long.",
    ),
    "allocation": Advice(
        "Thompson, mean of 8, feasible",
        "allocation.thompson(problem, draws=8, feasible=True)",
        "Splitting a divisible budget over arms: play `allocation.thompson(problem, "
        "draws=8, feasible=True)`, which has no radius to tune and is told no "
        "horizon. (Without `feasible` it starves an arm now and then, where arms and "
        "rounds are many, and loses much in that run.) It has to know the family of "
        "the thresholds, which must be concave (the first bit of resource is worth "
        "most), and every round's budget before the round. On each of the eight "
        "families of that kind it has a ninth to a half of the regret of RA-UCB with "
        "radii tuned for the family, in 1,000 rounds (`jaxbandits reproduce "
        "allocation-families`). For sigmoids and whole units leave both out: one draw "
        "still has less regret than RA-UCB with tuned radii. Leave them out, too, "
        "where budgets are found out as they end: one draw plays all of these games, "
        "sigmoids, whole units and rounds that pay once among them, which "
        "`mg_ucb(problem)` does not, and loses no more where that one plays, its "
        "radii tuned.",
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
        f"Evidence: {cases} cases that are not those of tuning, {reach}, "
        f"{board.seeds} seeds. The mean regret of {policy} is {result.median:.2f} "
        f"times that of the best rival in the median of {result.cells} pairs of a case "
        f"and a horizon, smaller or equal in {wins}, "
        f"and within {goal.within:g} times it, in mean and 95 % quantile, in "
        f"{result.held}{apart}; what is less than a reward counts as one. "
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
    text = " ".join(paragraphs(setting))
    result: dict[str, Any] = {
        "setting": setting,
        "policy": advice.policy,
        "code": advice.code,
        "text": text,
        "standings": [],
    }
    if board is not None:
        goal = PROTOCOLS[setting].goal or ANY_GOAL
        rows = standings(board.cells, goal.within)
        result["standings"] = [s._asdict() | {"within": goal.within} for s in rows]
    return result
