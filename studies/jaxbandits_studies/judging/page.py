"""A leaderboard as a page of Markdown."""

import statistics
from collections.abc import Iterator

from jaxbandits_studies.judging import scores
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.protocol import (
    FINAL_SEED,
    KNOWN_TO_ALL,
    Goal,
    Margin,
    Protocol,
)

ANY_GOAL = Goal((), within=1.1, share=0.8)  # what is counted where there is none
ORIGIN = {
    "paper": "the paper's",
    "drawn": "ours, drawn at random",
    "trap": "ours, a trap",
    "recorded": "recorded",
}


def page(board: Board, protocol: Protocol, command: str, figure: str) -> str:
    """The page.

    Args:
      board: the scores.
      protocol: of the setting.
      command: that plays it.
      figure: path of the picture, as seen from the page.
    """
    goal = protocol.goal or ANY_GOAL
    blocks = [
        f"# Leaderboard: {board.setting}",
        f"    {command}",
        _what_is_shown(board, protocol),
        f"![Regret over that of the best rival]({figure})",
        "## Goal" if protocol.goal or protocol.margins else "",
        "\n".join(verdicts(board, protocol)),
        "\n".join(_beside_papers(board, protocol)),
        "## Standings",
        f"Known to all: {KNOWN_TO_ALL[board.setting]}.",
        "\n".join(_standings_table(board, protocol, goal)),
        "\n".join(_flaws(board, protocol)),
        "## Case by case",
        *_cases(board, protocol),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _what_is_shown(board: Board, protocol: Protocol) -> str:
    unit = "budget" if protocol.by_budget else "rounds"
    horizons = sorted({cell.horizon for cell in board.cells})
    listed = ", ".join(f"{h:,}" for h in horizons)
    cases = {cell.case for cell in board.cells}
    absent = [title for title in protocol.judging if title not in cases]
    left_out = f" Not played: {', '.join(absent)}." if absent else ""
    left_out += _not_yet(board, protocol, horizons)
    left_out += _not_so_long(protocol, horizons[-1])
    made = board.played.get("versions", {})
    return (
        "*Made by the command above; not edited by hand.* The judging set was fixed "
        f"on {protocol.fixed}; policies of ours are tuned on another one. "
        f"{board.seeds} seeds of root seed {board.root_seed} per case, the same for "
        f"all entrants; {unit}: {listed}.{left_out}{seen(board, protocol)} "
        f"Last played on {board.played.get('created', '?')[:10]} with JAX "
        f"{made.get('jax', '?')}.\n\n"
        "A *rival* is any entrant of which no linear regret is known, but for those in "
        f"bold, which are ours and held against the rivals.{_ours_too(protocol)} "
        "Ratios are to the best rival of a case and horizon, chosen by the "
        "same runs (which is to its advantage). Regrets below 1, one reward, count "
        "as 1."
    )


def _ours_too(protocol: Protocol) -> str:
    """Rivals that no paper has."""
    if not protocol.variants:
        return ""
    *most, last = protocol.variants
    names = f"{'; '.join(most)}; and {last} are" if most else f"{last} is"
    return f" Not all rivals are of papers: {names} ours as well."


def _not_yet(board: Board, protocol: Protocol, horizons: list[int]) -> str:
    """Which cases of the board lack a horizon of theirs that others have."""
    played = {(cell.case, cell.horizon) for cell in board.cells}
    titles = {cell.case for cell in board.cells}
    words = ""
    for horizon in horizons:
        missing = [
            title
            for title, case in protocol.judging.items()
            if title in titles and (title, horizon) not in played
            if horizon in (case.horizons or protocol.horizons)
        ]
        if missing:
            words += f" Not played at {horizon:,}: {', '.join(missing)}."
    return words


def _not_so_long(protocol: Protocol, longest: int) -> str:
    """Who is too slow for the longest horizons of the board."""
    beyond: dict[int, list[str]] = {}
    for name, entrant in protocol.entrants.items():
        if entrant.longest is not None and entrant.longest < longest:
            beyond.setdefault(entrant.longest, []).append(name)
    listed = ((f"{each:,}", ", ".join(names)) for each, names in beyond.items())
    return "".join(f" Not played beyond {each}: {names}." for each, names in listed)


def seen(board: Board, protocol: Protocol) -> str:
    """What had been looked at of a board's seeds before which choice."""
    if board.root_seed != FINAL_SEED or not protocol.seen:
        return ""
    return f" The seeds are those that are played last. {protocol.seen}"


def verdicts(board: Board, protocol: Protocol) -> Iterator[str]:
    """What has become of the goals, a paragraph per candidate."""
    if protocol.goal is not None:
        yield from _near_the_best(board, protocol, protocol.goal)
    for margin in protocol.margins:
        yield from _below(board, margin)


def _near_the_best(board: Board, protocol: Protocol, goal: Goal) -> Iterator[str]:
    results = {s.name: s for s in scores.standings(board.cells, goal.within)}
    for name in goal.candidates:
        standing, held = results[name], by_horizon(board, name, goal.within)
        apart = f": {held}" if held else ""
        met = "met" if standing.share >= goal.share else "**not met**"
        yield (
            f"{name}: at most {goal.within:g} times the best rival's mean *and* the "
            f"smallest 95 % quantile, in {goal.share:.0%} of the pairs of a case and a "
            f"horizon. It holds in {standing.held} of {standing.cells} "
            f"({standing.share:.0%}{apart}): {met}. Its "
            f"median ratio of means is {standing.median:.2f}."
        )
        yield from _beside_steady(board, protocol, goal, name)
        short = scores.missed(board.cells, name, goal)
        if short:
            yield (
                "\n| falls short in | at | mean over the best rival's | 95 % quantile "
                "over the smallest | best rival |"
            )
            yield "|---|---|---|---|---|"
        for cell in short:
            score, best = cell.scores[name], cell.scores[cell.best]
            yield (
                f"| {cell.case} | {cell.horizon:,} | {over(score.mean, best.mean)} | "
                f"{over(score.high, cell.best_high)} | {cell.best} |"
            )


def _beside_steady(
    board: Board, protocol: Protocol, goal: Goal, name: str
) -> Iterator[str]:
    """The same without the rivals that lose runs, if there are any."""
    losing = [x for x, each in protocol.entrants.items() if each.rival and each.loses]
    if losing:
        results = scores.beside(board.cells, name, protocol.steady, goal.within)
        yield (
            "\nWithout the rivals that lose more than one run in twenty on the tuning "
            f"set ({', '.join(losing)}) it holds in {results.held} of {results.cells} "
            f"({results.share:.0%}), with a median ratio of "
            f"{results.median:.2f}."
        )


def by_horizon(board: Board, name: str, within: float) -> str:
    """In how many cells of each horizon an entrant is within a factor, if several."""
    horizons = sorted({cell.horizon for cell in board.cells})
    words = []
    for horizon in horizons:
        at = [cell for cell in board.cells if cell.horizon == horizon]
        words += [
            f"{standing.held} of {standing.cells} at {horizon:,}"
            for standing in scores.standings(at, within)
            if standing.name == name
        ]
    return ", ".join(words) if len(horizons) > 1 else ""


def _below(board: Board, margin: Margin) -> Iterator[str]:
    median_too = f", and at most {margin.median:.2f} times as much in the median"
    asked = median_too if margin.median < 1 else ""
    for name in margin.candidates:
        pairs = [
            (cell.times(name, margin.rival), cell)
            for cell in board.cells
            if name in cell.scores
        ]
        if not pairs:
            continue  # A first look is at few entrants.
        times, cells = zip(*pairs, strict=True)
        below, median = sum(x < 1 for x in times), statistics.median(times)
        met = below == len(times) and median <= margin.median
        nearest = cells[max(range(len(times)), key=times.__getitem__)]
        mean, other = (nearest.scores[x].mean for x in (name, margin.rival))
        yield (
            f"- {name}: a smaller mean regret than that of {margin.rival} in every "
            f"pair of a case and a horizon{asked}. Smaller in {below} of {len(times)}, "
            f"{median:.2f} times in the median: {'met' if met else '**not met**'}. The "
            f"largest ratio is {over(mean, other)} ({nearest.case}, "
            f"{nearest.horizon:,})."
        )


def _beside_papers(board: Board, protocol: Protocol) -> Iterator[str]:
    """What is ours, when the rivals that are ours as well are left out."""
    if not protocol.variants:
        return
    shown = {name for cell in board.cells for name in cell.scores}
    yield "Beside the policies of papers alone, the best of them in every pair:\n"
    for name, entrant in protocol.entrants.items():
        if name in shown and (entrant.ours or name in protocol.variants):
            results = scores.beside(board.cells, name, protocol.of_papers)
            yield (
                f"- {_shown(name, protocol)}: {results.median:.2f} times its mean "
                f"regret in the median, smaller or equal in {results.below} of "
                f"{results.cells}."
            )


def _standings_table(board: Board, protocol: Protocol, goal: Goal) -> Iterator[str]:
    yield (
        f"| entrant | knows | within {goal.within:g} | median ratio | largest | "
        "largest, of quantiles | µs per round |"
    )
    yield "|---|---|---|---|---|---|---|"
    for s in scores.standings(board.cells, goal.within):
        entrant = protocol.entrants[s.name]
        knows = ", ".join(entrant.knows) or "nothing: anytime"
        speed = board.microseconds.get(s.name)
        yield (
            f"| {_shown(s.name, protocol)} | {knows} | {s.held} of {s.cells} | "
            f"{s.median:.2f} | {_times(s.worst)} | {_times(s.worst_high)} | "
            f"{'' if speed is None else f'{speed:.2g}'} |"
        )


def _shown(name: str, protocol: Protocol) -> str:
    """Ours in bold, the flawed in brackets."""
    entrant = protocol.entrants[name]
    if entrant.ours:
        return f"**{name}**"
    return f"({name})" if entrant.flaw else name


def _flaws(board: Board, protocol: Protocol) -> Iterator[str]:
    shown = {name for cell in board.cells for name in cell.scores}
    flawed = {n: e.flaw for n, e in protocol.entrants.items() if e.flaw and n in shown}
    if flawed:
        yield "In brackets, and no rivals:\n"
    for name, flaw in flawed.items():
        yield f"- {name}: {flaw}."
    losing = {
        n: e.loses for n, e in protocol.entrants.items() if e.loses and n in shown
    }
    if losing:
        yield "\nRivals, and yet:\n"
    for name, loses in losing.items():
        yield f"- {name}: {loses}."


def _cases(board: Board, protocol: Protocol) -> Iterator[str]:
    for title, case in protocol.judging.items():
        cells = [cell for cell in board.cells if cell.case == title]
        if not cells:
            continue
        data = f", needs {case.data}" if case.data else ""
        yield f"### {title} ({ORIGIN[case.origin]}{data})"
        yield "\n".join(_case_table(cells, protocol))


def _case_table(cells: list[scores.Cell], protocol: Protocol) -> Iterator[str]:
    """Rows of entrants, best first at the longest horizon that they have played."""
    names = dict.fromkeys(name for cell in reversed(cells) for name in cell.scores)
    heads = [
        f"{c.horizon:,}: mean ± s.e. (median; 95 %; worst) | minus best" for c in cells
    ]
    yield f"| entrant | {' | '.join(heads)} |"
    yield "|---" * (1 + 2 * len(cells)) + "|"
    for name in sorted(names, key=lambda name: _rank(cells, name)):
        entries = [_score(cell, name) for cell in cells]
        yield f"| {_shown(name, protocol)} | {' | '.join(entries)} |"


def _rank(cells: list[scores.Cell], name: str) -> tuple[int, float]:
    """By the mean at the longest horizon; who has not played there goes last."""
    horizon, mean = max(
        (x.horizon, x.scores[name].mean) for x in cells if name in x.scores
    )
    return -horizon, mean


def _score(cell: scores.Cell, name: str) -> str:
    if name not in cell.scores:
        return " | "
    score = cell.scores[name]
    runs = "; ".join(map(number, (score.median, score.high, score.worst)))
    text = f"{number(score.mean)} ± {number(score.error)} ({runs}) | "
    if name == cell.best:
        return text + "*best rival*"
    sign = "+" if score.minus > 0 else ""
    return text + f"{sign}{number(score.minus)} ± {number(score.minus_error)}"


def number(value: float) -> str:
    """A regret with three digits, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def over(value: float, other: float) -> str:
    """A regret over another's, and both; no ratio where the other is of no reward."""
    if other < scores.ONE_REWARD:
        return f"{number(value)} against less than 1"
    return f"{number(value / other)}: {number(value)} against {number(other)}"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
