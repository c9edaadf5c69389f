"""`jaxbandits reproduce leaderboard-SETTING`: play, score, write."""

from functools import partial

import xarray as xr

from jaxbandits.console.printing import Table
from jaxbandits.results import provenance
from jaxbandits.simulation.processes import stop_at_sigterm
from jaxbandits.stats import Record, entry, make_record
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.board import Board, dumped
from jaxbandits_studies.judging.figure import dot_plot
from jaxbandits_studies.judging.page import ANY_GOAL, number, page, verdicts
from jaxbandits_studies.judging.playing import METRIC, horizons_of, play_case
from jaxbandits_studies.judging.protocol import FINAL_SEED, JUDGING_SEED, Protocol
from jaxbandits_studies.judging.protocols import PROTOCOLS
from jaxbandits_studies.judging.scores import cell_of, standings
from jaxbandits_studies.judging.speed import microseconds

_NO_DATA = "Not played without its data: {}."


def leaderboard(
    protocol: Protocol, name: str, root_seed: int, options: Options
) -> Outcome:
    """Regret of all entrants on the judging set, and what becomes of the goal.

    Short horizons first, so that an interrupted run has them for all cases.
    """
    cases, entrants = protocol.judging, protocol.entrants
    if options.quick:
        cases = dict([next(iter(cases.items()))])
        entrants = {each: entrants[each] for each in protocol.quick}
    made = {title: case.environment() for title, case in cases.items()}
    played = {title: each for title, each in made.items() if each is not None}
    horizons = {title: horizons_of(protocol, cases[title], options) for title in played}
    results = {}
    with stop_at_sigterm() as stop:
        for horizon in sorted({h for listed in horizons.values() for h in listed}):
            for title in (t for t in played if horizon in horizons[t]):
                where = title, played[title], horizon
                results[title, horizon] = play_case(
                    protocol, *where, entrants, options, root_seed, stop
                )
    cells = tuple(
        cell_of(title, horizon, results[title, horizon], entrants)
        for title in played
        for horizon in horizons[title]
    )
    first = next(iter(played.values()))
    # These are compiled once more, for which a first look has no time.
    timed = {} if options.quick else entrants
    speeds = microseconds(protocol, first, timed, options)
    seeds, setting = options.seeds, protocol.setting
    board = Board(setting, seeds, root_seed, cells, speeds, provenance())
    command = f"jaxbandits reproduce {name} --seeds {seeds} --horizon {options.horizon}"
    absent = [title for title in made if title not in played]
    return Outcome(
        {t: _joined([results[t, h] for h in horizons[t]]) for t in played},
        _records(name, board),
        partial(dot_plot, board, protocol),
        (*verdicts(board, protocol), *(_NO_DATA.format(title) for title in absent)),
        pages={
            "leaderboard.md": page(board, protocol, command, f"{name}.png"),
            "leaderboard.json": dumped(board),
        },
        table=standings_table(board, protocol),
        root_seed=root_seed,
    )


def _joined(at_horizons: list[xr.Dataset]) -> xr.Dataset:
    """The horizons of a case as checkpoints; what differs between them is dropped."""
    kept = [each[[METRIC, "rounds"]] for each in at_horizons]
    plain = [each.drop_vars(set(each.coords) - set(each.dims)) for each in kept]
    joined = xr.concat(plain, "checkpoint", join="exact")
    return joined.assign_attrs(at_horizons[-1].attrs)


def _records(name: str, board: Board) -> list[Record]:
    """One per cell and entrant."""
    return [
        make_record(
            name,
            cell.case,
            policy,
            {
                METRIC: entry(score.mean, score.error),
                f"{METRIC}_median": entry(score.median),
                f"{METRIC}_q95": entry(score.high),
                f"{METRIC}_worst": entry(score.worst),
                f"{METRIC}_minus_best_rival": entry(score.minus, score.minus_error),
                "ratio": entry(cell.ratio(policy)),
                "ratio_q95": entry(cell.high_ratio(policy)),
            },
            seeds=board.seeds,
            horizon=cell.horizon,
        )
        for cell in board.cells
        for policy, score in cell.scores.items()
    ]


def standings_table(board: Board, protocol: Protocol) -> Table:
    """The standings, for a terminal."""
    goal = protocol.goal or ANY_GOAL
    table = Table(title=f"{board.setting}: ratios to the best rival")
    table.add_column("entrant")
    for head in (f"within {goal.within:g}", "median", "largest", "largest, 95 %"):
        table.add_column(head, justify="right")
    for s in standings(board.cells, goal.within):
        ratios = (number(x) for x in (s.median, s.worst, s.worst_high))
        table.add_row(s.name, f"{s.held} of {s.cells}", *ratios)
    return table


def leaderboard_of(setting: str, final: bool, options: Options) -> Outcome:
    """`leaderboard` of a setting; `final`: on the seeds that are played last."""
    name = f"leaderboard-{setting}{'-final' if final else ''}"
    root_seed = FINAL_SEED if final else JUDGING_SEED
    return leaderboard(PROTOCOLS[setting], name, root_seed, options)
