"""Statements as data, and the verdicts on them."""

import json

import numpy as np
import pytest

from jaxbandits.cli import main as cli
from jaxbandits.plots import figure
from jaxbandits.stats import entry, make_record
from jaxbandits_studies import REGISTRY, Options, Outcome
from jaxbandits_studies.cli.verdict import verdict_lines
from jaxbandits_studies.common.checks_of_records import (
    agrees,
    beside,
    best_value,
    beyond,
    bounded,
    falling,
    shares,
    spreads,
)
from jaxbandits_studies.common.checks_of_runs import (
    below,
    grows,
    varies_more,
    wider_gap,
)
from jaxbandits_studies.common.claims import Found, is_full
from jaxbandits_studies.common.overlay import TRIVIAL
from jaxbandits_studies.statements import (
    CAUSES,
    HEADLINES,
    SMALLER,
    STANDS_ON,
    STATEMENTS,
    of_experiment,
    play,
    reasons,
    verdicts_in,
)
from tests.results.samples import dataset
from tests.tables import each_row

NOTHING = Found("undecided", {})
NOISE = np.array([[0.0], [0.1], [-0.1], [0.2]])
# Mean 1, deviation .548: an interval at 95 % lies above 0, one at 97.5 % does not.
DIFFERENCES = np.array([0.4, 1.6, 0.7, 1.3])


def outcome_of(records=(), **datasets):
    return Outcome(datasets, [*records], lambda: figure()[0])


def curves(times, **runs):
    """An outcome with the regrets ``[seed, checkpoint]`` of policies."""
    shapes = {name: np.array(values, float)[None] for name, values in runs.items()}
    _, seeds, checkpoints = next(iter(shapes.values())).shape
    made = dataset(
        num_seeds=seeds,
        metrics={name: {"regret": values} for name, values in shapes.items()},
        rounds={name: np.ones((1, seeds, checkpoints), int) for name in runs},
        checkpoints=times,
        params=dict.fromkeys(runs, {}),
        compile_seconds=dict.fromkeys(runs, 0.0),
        run_seconds=dict.fromkeys(runs, 0.0),
    )
    return outcome_of(E=made)


def played(**finals):
    """An outcome with final regrets by policy, preceded by their opposite."""
    pairs = {name: np.stack([-np.array(v), v], -1) for name, v in finals.items()}
    return curves([1, 2], **pairs)


def record(environment, policy, metrics, **others):
    return make_record(
        "x", environment, policy, metrics, **{"seeds": 9, "horizon": 1} | others
    )


def recorded(seeds=9, **metrics):
    """An outcome that has records of policies in one environment, and no runs."""
    rows = (record("E", name, each, seeds=seeds) for name, each in metrics.items())
    return outcome_of(rows)


def exact(**numbers):
    """An outcome whose record of an environment is a number, or one and its error."""
    return outcome_of(
        record(name, "A", {"m": entry(*np.atleast_1d(v))})
        for name, v in numbers.items()
    )


def finds(check, outcome, expected):
    """A verdict, or a verdict with our numbers."""
    found = check(outcome)
    if isinstance(expected, str):
        assert found.verdict == expected
    else:
        assert found.verdict == expected[0] and found.ours == pytest.approx(expected[1])


def test_every_statement_is_whole():
    assert len(STATEMENTS) >= 319
    for name, each in STATEMENTS.items():
        assert name == each.id and each.experiment in REGISTRY
        assert each.text and each.source
        assert each.find(outcome_of()).verdict == "undecided"
        assert not each.cause or each.cause in CAUSES
        assert not each.stands_on or each.stands_on in STANDS_ON
        assert name[0] == {"c": "C", "a": "A", "b": "B", "f": "D"}[each.experiment[0]]
    assert not CAUSES.keys() & STANDS_ON.keys()
    texts = {(each.text, each.source) for each in STATEMENTS.values()}
    assert len(texts) == len(STATEMENTS)
    for experiment, lines in HEADLINES.items():
        for ids in lines.values():
            assert ids and all(STATEMENTS[x].experiment == experiment for x in ids)


FULL_RUNS = [
    ("censored-fig4", Options(100, 100_000), True),
    ("censored-fig4", Options(200, 100_000), True),
    ("censored-fig4", Options(99, 100_000), False),
    ("censored-fig4", Options(100, 99_999), False),
    ("farewell-fig1", Options(10, 10_000_000, quick=True), False),
    ("budgeted-example2", Options(1, 1), True),
    ("budgeted-example2", REGISTRY["budgeted-example2"].quick, False),
]


@each_row("name, options, full", FULL_RUNS)
def test_only_full_runs_decide(name, options, full):
    assert is_full(REGISTRY[name], options) is full


BELOW = [
    ([1, 2, 3], [11, 12, 14], "holds", "fails"),
    ([11, 12, 14], [1, 2, 3], "fails", "holds"),
    ([1, 12, 3], [11, 2, 4], "undecided", "undecided"),
    # Only the differences seed by seed are of one size.
    ([1, 100, 1_000], [2, 101.1, 1_001.2], "holds", "fails"),
    ([7], [700], "undecided", "undecided"),
]


@pytest.mark.filterwarnings("ignore:.* are NaN")  # of a single seed
@each_row("ours, theirs, lower, higher", BELOW)
def test_a_policy_below_another(ours, theirs, lower, higher):
    outcome = played(A=ours, B=theirs)
    numbers = {"A": np.mean(ours), "B": np.mean(theirs)}
    finds(below("E", "A", "B"), outcome, (lower, numbers))
    finds(below("E", "A", "B", above=True), outcome, higher)
    finds(below("another", "A", "B"), outcome, NOTHING)
    gained = outcome.datasets["E"].rename(regret="reward")
    check = below("E", "A", "B", metric="reward", above=True)
    finds(check, outcome_of(E=gained), (higher, numbers))


@each_row(
    "times, lower, higher",
    [(0.4, "fails", "holds"), (0.5, "undecided", "undecided"), (0.6, "holds", "fails")],
)
def test_below_so_many_times(times, lower, higher):
    """A is a half of B, more or less."""
    outcome = played(A=[51, 49, 52, 48], B=[100, 101, 102, 99])
    check = below("E", "A", "B", times=times)
    finds(check, outcome, (lower, {"A": 50.0, "B": 100.5}))
    finds(below("E", "A", "B", times=times, above=True), outcome, higher)
    # What is ours is not multiplied, also where it is among the rivals.
    finds(below("E", "B", "A", times=2.5), outcome, "holds")


@each_row(
    "at, verdict",
    [
        ((0.51, 1.0), "holds"),
        ((0.505, 1.0), "holds"),
        ((0.5, 1.0), "fails"),
        ((0.1, 1.0), "fails"),
        ((0.5,), "fails"),
    ],
)
def test_below_throughout(at, verdict):
    """At the first checkpoints from the named shares on, and not only at the end."""
    outcome = curves([10, 50, 51, 100], A=NOISE + [9, 9, 1, 1], B=2 * NOISE + [5] * 4)
    finds(below("E", "A", "B"), outcome, "holds")
    check = below("E", "A", "B", at=at)
    finds(check, outcome, (verdict, {"A": 1.05, "B": 5.1}))


def test_at_two_checkpoints_each_holds_alone_and_that_one_fails_is_less_sure():
    level = NOISE[:, [0, 0]]
    close = curves([1, 2], A=level, B=level + DIFFERENCES[:, None])
    for at, verdict in (((1.0,), "fails"), ((0.5, 1.0), "undecided")):
        finds(below("E", "A", "B", at=at), close, "holds")
        finds(below("E", "B", "A", at=at), close, verdict)


def test_below_in_what_it_grows_by():
    """A has the higher level at the end, and grows by less over a factor of four."""
    outcome = curves([10, 25, 100], A=NOISE + [1, 9, 10], B=2 * NOISE + [0, 1, 5])
    finds(below("E", "A", "B"), outcome, "fails")
    finds(below("E", "A", "B", since=0.25), outcome, ("holds", {"A": 1, "B": 4}))
    # From the tenth on A has grown by more.
    finds(below("E", "A", "B", since=0.1), outcome, "fails")
    for claim in ("B5.23", "B5.24", "B5.25"):
        assert STATEMENTS[claim].arguments["since"] == 0.25


@each_row(
    "policy, rivals, above, verdict",
    [
        ("A", "B", False, "holds"),
        ("A", "BC", False, "holds"),
        ("A", "BD", False, "fails"),
        ("B", "A", False, "fails"),
        ("B", "AC", False, "undecided"),
        ("B", "AD", True, "holds"),
        ("A", "B", True, "fails"),
        ("A", "BD", True, "undecided"),
    ],
)
def test_below_several_is_below_all(policy, rivals, above, verdict):
    """That it is so takes an interval for each, that it is not one for all together."""
    ours = np.array([1.0, 2, 3, 4])
    outcome = played(
        A=ours, B=ours + DIFFERENCES, C=ours + 9, D=ours - [5, 5.1, 5, 4.9]
    )
    finds(below("E", policy, rivals, above=above), outcome, verdict)


GROWTH = [
    (np.log, 0.0),
    (np.sqrt, 0.5),
    (lambda t: t ** (2 / 3), 2 / 3),
    (np.array, 1.0),
]


@each_row("times", [[10, 250, 1_000, 4_000], range(40, 4_001, 40)])
@each_row("curve, exponent", GROWTH)
def test_how_regret_grows(rng, times, curve, exponent):
    """A logarithm is below every power; on linear checkpoints too."""
    runs = 7 + curve(np.array(times, float)) * (1 + 0.001 * rng.normal(size=(30, 1)))
    outcome = curves(times, A=runs)
    for power in {0.0, 0.25, 0.75, 1.0} - {exponent}:
        slower = exponent < power
        slow, fast = (grows("E", "A", power, faster=x)(outcome) for x in (False, True))
        assert slow.verdict == ("holds" if slower else "fails")
        assert fast.verdict == ("fails" if slower else "holds")
        late, early = slow.ours.values()
        expected = np.mean(runs[:, -1]) - curve(1_000) - 7
        assert late == pytest.approx(expected, rel=0.02) and early > 0
    assert list(slow.ours)[0] == "A, from 1,000 to 4,000"


def test_growth_is_not_judged_without_checkpoints():
    finds(grows("E", "A", 0.5), played(A=[1, 2]), NOTHING)
    finds(grows("F", "A", 0.5), played(A=[1, 2]), NOTHING)
    finds(grows("E", "A", 0.5), curves([250, 1_000, 4_000], A=[[1, 2, 3]]), "undecided")


@each_row(
    "best, times, verdict",
    [
        (0.25, 1.0, "fails"),
        (0.25, 1.2, "fails"),
        (0.5, 1.0, "undecided"),  # .1 of 2.1, where three errors of both are .42
        (1.0, 1.3, "holds"),  # .5 of 2.0, where they are .5 with 1.3 times the other's
        (1.0, 1.27, "undecided"),
        (2.0, 1.0, "undecided"),
    ],
)
def test_which_value_is_best(best, times, verdict):
    """Errors of both values count."""
    means = {0.25: 5.0, 0.5: 2.0, 1.0: 2.1}
    outcome = outcome_of(
        record("E", "A", {"regret": entry(mean, 0.1)}, params={"rho": rho})
        for rho, mean in means.items()
    )
    ours = {f"rho = {rho:g}": mean for rho, mean in means.items()}
    finds(best_value("E", "A", "rho", best, times=times), outcome, (verdict, ours))
    finds(best_value("F", "A", "rho", best), outcome, NOTHING)


def two_games(near, far):
    """Outcomes of one environment as two, near and far."""
    return outcome_of(near=near.datasets["E"], far=far.datasets["E"])


@each_row("wide, verdict", [(40.0, "holds"), (2.0, "fails"), (10.0, "undecided")])
def test_where_a_gap_is_wider(rng, wide, verdict):
    """Ratios are compared, whatever the sizes."""
    noise = rng.normal(size=(4, 100)) / 10
    outcome = two_games(
        played(A=1 + noise[0], B=10 + noise[1]),
        played(A=100 + noise[2], B=100 * wide + noise[3]),
    )
    found = wider_gap(("far",), "near", "A", "B")(outcome)
    numbers = {"B over A, far": wide, "B over A, near": 10.0}
    assert found == (verdict, pytest.approx(numbers, rel=0.03))
    finds(wider_gap(("F",), "near", "A", "B"), outcome, NOTHING)


@each_row(
    "wide, than, rivals, verdict",
    [
        ("far", "near", "B", "holds"),
        ("far", "near", "BC", "holds"),
        ("near", "far", "B", "fails"),
        ("near", "far", "BD", "undecided"),
    ],
)
def test_several_gaps_are_wider_by_an_interval_each(wide, than, rivals, verdict):
    """B's is by 2.1 standard errors, C's by far, and D's is by far narrower."""
    one = np.ones(4)
    most = 10 * np.exp(0.0575) * (0.9 + 0.1 * DIFFERENCES)
    outcome = two_games(
        played(A=one, B=10 * one, C=10 * one, D=40 * one),
        played(A=one, B=most, C=40 * one, D=10 * one),
    )
    finds(wider_gap((wide,), than, "A", rivals), outcome, verdict)


@each_row("noisy", ["far", "near"])
def test_a_gap_has_the_errors_of_both_games(rng, noisy):
    """A tenth more, of which ten seeds that differ by a half say nothing."""
    games = {}
    for name, ratio in (("near", 10.0), ("far", 11.0)):
        runs = rng.normal(1.0, 0.5 if name == noisy else 1e-3, (2, 10))
        runs /= runs.mean(axis=1, keepdims=True)
        games[name] = played(A=runs[0], B=ratio * runs[1])
    finds(wider_gap(("far",), "near", "A", "B"), two_games(**games), "undecided")


@each_row(
    "loose, times, verdict",
    [
        (10.0, 1.0, "holds"),
        (0.1, 1.0, "fails"),
        (1.1, 1.0, "undecided"),
        (10.0, 5.0, "holds"),
        (10.0, 20.0, "fails"),
        (10.0, 8.5, "undecided"),
    ],
)
def test_what_varies_more(rng, loose, times, verdict):
    """Whatever the means are."""
    normal = rng.normal(size=(2, 200 if times > 1 else 50))
    runs = {"A": 100 + loose * normal[0], "B": normal[1]}
    spread = {k: v.std(ddof=1) for k, v in runs.items()}
    check = varies_more("E", "A", "B", times=times)
    finds(check, played(**runs), (verdict, spread))


def test_what_varies_more_than_several_does_so_by_an_interval_each():
    """Distances of A and B differ by .47, 2.6 errors: p is between .025 and .05."""
    away = np.concatenate([1 + DIFFERENCES, -1 - DIFFERENCES])
    even = np.repeat([1.0, -1.0], 4) * np.tile([0.99, 1.01], 4)
    outcome = played(A=away, B=1.53 * even, C=0.1 * even, D=100 * even)
    for loose, steady, verdict in [
        ("A", "B", "holds"),
        ("A", "BC", "holds"),
        ("A", "BD", "fails"),
        ("B", "A", "fails"),
        ("B", "AC", "undecided"),
    ]:
        finds(varies_more("E", loose, steady), outcome, verdict)
    finds(varies_more("X", "A", "B"), outcome, NOTHING)
    finds(varies_more("E", "A", "B"), played(A=[1], B=[2]), "undecided")


@each_row(
    "regret, verdict",
    [
        (50.0, "holds"),
        (98.0, "undecided"),
        (102.0, "undecided"),
        (104.0, "fails"),
        (12.0, "undecided"),
        (6.0, "fails"),
    ],
)
def test_between_bounds(regret, verdict):
    """By three standard errors; bounds may stand in another policy's record."""
    bounds = {"upper": entry(100.0), "lower": entry(10.0)}
    outcome = recorded(A={"regret": entry(regret, 1.0)}, B=bounds)
    ours = {"A": regret, "upper": 100.0, "lower": 10.0}
    check = bounded("E", "A", above="upper", below="lower")
    finds(check, outcome, (verdict, ours))
    alone = verdict if regret > 20 else "holds"
    finds(bounded("E", "A", above="upper"), outcome, alone)
    finds(bounded("E", "C", above="upper"), outcome, NOTHING)
    over = verdict if regret < 20 else "holds"
    numbers = {"A": regret, "lower": 10.0}
    finds(bounded("E", "A", below="lower"), outcome, (over, numbers))


@each_row(
    "regret, trivial, verdict",
    [
        (50.0, 99.0, "vacuous"),
        (50.0, 101.0, "holds"),
        (98.0, 99.0, "undecided"),
        (104.0, 99.0, "fails"),
    ],
)
def test_below_a_bound_that_says_nothing(regret, trivial, verdict):
    entries = {"regret": entry(regret, 1.0), TRIVIAL: entry(trivial)}
    entries |= {"upper": entry(100.0), "lower": entry(10.0)}
    outcome = recorded(A=entries)
    said = bounded("E", "A", above="upper")(outcome)
    assert said.verdict == verdict and (TRIVIAL in said.ours) == (trivial < 100)
    assert TRIVIAL not in bounded("E", "A", below="lower")(outcome).ours


@each_row("error, verdict", [(None, "holds"), (1.0, "holds"), (1.6, "undecided")])
def test_what_a_regret_is_compared_with_has_an_error_too(error, verdict):
    """A bound, the mean over instances, and the number of another policy."""
    found = {"regret": entry(95.0, 1.0), "upper": entry(100.0, error)}
    outcome = recorded(A=found, B={"regret": entry(100.0, error)})
    finds(bounded("E", "A", above="upper"), outcome, verdict)
    finds(beside("regret", "E", "A", "B", most=1.0), outcome, verdict)


@each_row(
    "mean, sem, printed, verdict",
    [
        (0.6429, 0.001, {}, "holds"),  # a unit and three errors are .0031
        (0.6431, 0.001, {}, "fails"),
        (0.6400, None, {}, "holds"),
        (0.6401, None, {}, "fails"),
        (None, None, {}, "undecided"),
        # With a printed error of .04 / 10 = .004 three of the difference are .01237.
        (0.6523, 0.001, {"runs": 100, "deviation": 0.04}, "holds"),
        (0.6525, 0.001, {"runs": 100, "deviation": 0.04}, "fails"),
        # Without a deviation theirs is ours, of 9 seeds: 36 runs have half its error.
        (0.6433, 0.001, {"runs": 36}, "holds"),  # .0001 + 3 * .001118
        (0.6434, 0.001, {"runs": 36}, "fails"),
        (0.6400, None, {"runs": 36}, "holds"),
        (0.6401, None, {"runs": 36}, "fails"),
    ],
)
def test_a_printed_number_has_an_error_of_its_own(mean, sem, printed, verdict):
    check = agrees("censored", {"E": ("E", "A")}, 0.6399, 1e-4, **printed)
    ours = {} if mean is None else {"E": mean}
    finds(check, recorded(A={"censored": entry(mean, sem)}), (verdict, ours))


@each_row(
    "claim, mean, sem, verdict",
    [
        ("C5.23", 0.41462, 0.00032, "holds"),  # .4158 [.0052] of 100 runs
        ("C5.23", 0.41362, 0.00032, "fails"),
        ("C5.70", 0.00242, 0.000172, "holds"),  # .0030, itself off by .0030 / sqrt(200)
        ("C5.71", 0.00228, 0.000162, "holds"),
        ("C5.71", 0.00208, 0.000148, "fails"),
        ("C1.5", 0.71856, None, "holds"),  # .7189 of a law without a closed form
        ("C1.8", 0.74050, None, "fails"),  # .7559 likewise
        ("C1.9", 0.42227, None, "holds"),  # .4222, cut
    ],
)
def test_what_the_censored_paper_prints(claim, mean, sem, verdict):
    statement = STATEMENTS[claim]
    ((environment, policy),) = statement.arguments["where"].values()
    metrics = {statement.arguments["metric"]: entry(mean, sem)}
    made = record(environment, policy, metrics, seeds=100)
    assert statement.find(outcome_of([made])).verdict == verdict


@each_row(
    "share, verdict, above",
    [
        (0.0, "holds", "fails"),
        (0.1, "holds", "fails"),
        (0.189, "undecided", "undecided"),  # sqrt(.1 * .9 / 100) = .03
        (0.191, "fails", "holds"),
        (None, "undecided", "undecided"),
    ],
)
def test_shares_of_cases(share, verdict, above):
    outcome = recorded(seeds=100, A={"bad": entry(share)})
    ours, where = {} if share is None else {"E": share}, {"E": ("E", "A")}
    finds(shares("bad", where, 0.1), outcome, (verdict, ours))
    finds(shares("bad", where, 0.1, above=True), outcome, (above, ours))
    finds(shares("bad", {"F": ("F", "A")}, 0.1), outcome, NOTHING)


@each_row(
    "value, verdict, other",
    [
        (2.1, "holds", "fails"),
        ((2.1, 0.03), "holds", "fails"),
        ((2.1, 0.04), "undecided", "undecided"),  # three errors
        (1.9, "fails", "holds"),
        ((1.9, 0.03), "fails", "holds"),
    ],
)
def test_beyond_a_number(value, verdict, other):
    where = {"first": ("E", "A"), "second": ("F", "A")}
    ours = {"first": 5.0, "second": np.atleast_1d(value)[0]}
    finds(beyond("m", where, 2.0), exact(E=5.0, F=value), (verdict, ours))
    finds(beyond("m", where, 2.0, below=True), exact(E=-5.0, F=value), other)
    finds(beyond("m", where, 2.0), exact(E=5.0), NOTHING)


@each_row(
    "value, error, verdict",
    [
        (10.5, 0.1, "holds"),
        (10.5, 0.2, "undecided"),  # three errors from 11
        (11.5, 0.1, "fails"),
        (9.5, 0.1, "holds"),
        (8.5, 0.1, "fails"),
        (9.2, 0.1, "undecided"),  # three errors from 9.09
        (9.2, None, "holds"),
        (9.0, None, "fails"),
    ],
)
def test_beside_another_policy(value, error, verdict):
    """Within 10 %, of 10; and another one that is there in any case."""
    numbers = {"A": (value, error), "B": (10.0, 0.0), "C": (10.2, 0.1)}
    outcome = recorded(**{name: {"m": entry(*x)} for name, x in numbers.items()})
    check = beside("m", "E", "CA", "B", least=1 / 1.1, most=1.1)
    finds(check, outcome, (verdict, {"C": 10.2, "A": value, "B": 10.0}))
    finds(beside("m", "E", "A", "B", least=0.5), outcome, "holds")
    finds(beside("m", "E", "A", "B", most=0.5), outcome, "fails")
    finds(beside("m", "E", "A", "D", most=2.0), outcome, NOTHING)


# Errors are a quarter: 2.51 of A's sum, .56 of B's; three of the difference are 7.72.
SPREADS = [
    (["calm"], 1.0, "undecided"),
    (["wild"], 1.0, "holds"),
    (["calm", "wild"], 1.0, ("holds", {"A": 11.0, "B": 3.0})),
    (["calm", "wild"], 1.2, "undecided"),
    (["calm", "wild"], 20.0, "fails"),
    (["calm", "another"], 1.0, "undecided"),
]


@each_row("games, times, verdict", SPREADS)
def test_what_spreads_more_on_several_games_together(games, times, verdict):
    """On one of them less: A's deviations are 1 and 10, B's 2 and 1, of 9 seeds."""
    sems = {"A": (1 / 3, 10 / 3), "B": (2 / 3, 1 / 3)}
    outcome = outcome_of(
        record(game, name, {"regret": entry(7.0, sem)})
        for name, both in sems.items()
        for game, sem in zip(("calm", "wild"), both, strict=True)
    )
    finds(spreads(games, "A", "B", times=times), outcome, verdict)


@each_row(
    "numbers, verdict",
    [((3, 2, 1), "holds"), ((3, 2, 2), "fails"), ((3, 1, 2), "fails")],
)
def test_falling_numbers(numbers, verdict):
    where = {name: (name, "A") for name in "EFG"}
    ours = dict(zip("EFG", map(float, numbers), strict=True))
    outcome = exact(**ours)
    finds(falling("m", [where]), outcome, (verdict, ours))
    finds(falling("m", [where, {"E": ("E", "A")}]), outcome, (verdict, ours))
    finds(falling("n", [where]), outcome, "undecided")
    assert falling("m", [where, {"F": ("G", "B")}])(outcome).verdict != "holds"


def test_numbers_with_errors_fall_by_more_than_these():
    where = {name: (name, "A") for name in "EF"}
    for second, verdict in ((4.0, "holds"), (4.6, "undecided"), (6.0, "fails")):
        outcome = exact(E=(5.0, 0.1), F=(second, 0.1))  # three of the difference: .42
        finds(falling("m", [where]), outcome, verdict)


def test_a_quick_run_has_no_verdict():
    experiment = REGISTRY["budgeted-example2"]
    quick = play(experiment, experiment.quick)
    assert quick.claims == () and quick.notes[-1] == SMALLER
    full = play(experiment, experiment.full)
    assert SMALLER not in full.notes
    # 2.95 is a slip, errata.md (B2).
    verdicts = {claim.id: claim.verdict for claim in full.claims}
    expected = dict.fromkeys((f"B2.{i}" for i in range(1, 7)), "holds")
    assert verdicts == expected | {"B2.3": "fails"}
    assert full.claims[2].published == {"arm 1": 2.95}


MISTAKES = [
    ("paper --results=", "--results must be a path"),
    ("paper --results nowhere", "--results: there is no folder nowhere"),
    ("paper --results file", "--results: there is no folder file"),
    ("paper --results https://a.b/c", "--results must be a path"),
    ("paper B2.1 --play --results=", "--results must be a path"),
    ("paper b2.1", "or claim 'b2.1' (did you mean 'B2.1'?)"),
    ("paper B22", "or claim 'B22' (did you mean 'B2"),
    ("paper censord", "(did you mean 'censored'?)"),
    ("paper censored-fig44", "(did you mean 'censored-fig4'?)"),
    ("paper allocation-draws", "no claim is judged by allocation-draws"),
    ("paper --play", "--play needs a PAPER, an EXPERIMENT or a CLAIM"),
]


@each_row("line, named", MISTAKES)
def test_mistakes_in_commands_of_claims(capsys, monkeypatch, tmp_path, line, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert cli.main(line.split()) == 2
    assert named in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_claims_are_listed_and_played(capsys, tmp_path):
    results = ["--results", str(tmp_path)]
    assert cli.main(["paper", *results, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in listed] == list(STATEMENTS)
    assert not any(each["verdict"] for each in listed)
    assert listed[0]["command"] == f"jaxbandits paper {listed[0]['id']} --play"

    assert cli.main(["paper", "B2.1", "--play", *results]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("B2.1: omega-UCB") and ": holds (" in out
    assert out.count("\n") == 1 and "playing budgeted-example2" in err
    assert cli.main(["paper", "B2", "--play", *results]) == 1  # One fails.
    assert capsys.readouterr().out.count("\n") == 6

    assert verdicts_in(tmp_path)["B2.3"] == "fails"
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "summary.json").write_text("[]")
    assert cli.main(["paper", *results]) == 0
    out = capsys.readouterr().out
    assert "; yours: 5 hold, 1 fails" in " ".join(out.split())
    assert cli.main(["paper", "budgeted-example2", *results]) == 0
    lines = " ".join(capsys.readouterr().out.split())
    assert f"B2.3 fails (B2), yours fails: {STATEMENTS['B2.3'].text} [" in lines
    assert all(f"{name} " in lines for name in (f"B2.{i}" for i in range(1, 7)))


def test_a_claim_says_why_it_fails():
    statement = STATEMENTS["B2.3"]
    failed = statement.claim(Found("fails", {"arm 1": 8.0}))
    assert failed.verdict == failed.found == "fails" and failed.reason == "B2"
    assert failed.sentence == (
        f"B2.3: {statement.text} (Example 2): fails (arm 1 8), "
        "studies/results/errata.md, B2."
    )
    held = statement.claim(Found("holds", {"arm 1": 2.95}))
    assert held.reason == "" and held.sentence.endswith("): holds (arm 1 2.95).")


def test_what_turns_on_something_of_ours_is_not_comparable_whatever_is_found():
    """Radii, the computable form of eq. (9), a confidence, forests, delays, a rival."""
    standing = {}
    for each in STATEMENTS.values():
        if each.stands_on:
            standing.setdefault(each.stands_on, []).append(each.id)
    assert standing == {
        "C4": [f"C8.{i}" for i in range(7, 13)],
        "C11": [f"C11.{i}" for i in range(1, 8)],
        "A2": ["A3.1", "A3.2", "A3.5", "A3.6", "A6.14", "A6.15"],
        "B9": ["B3.3", "B3.7"],
        "D1": [f"D2.{i}" for i in (*range(1, 13), *range(16, 20))],
        "D2": ["D2.14", "D2.15"],
    }
    for found in ("holds", "fails", "undecided"):
        claim = STATEMENTS["D2.1"].claim(Found(found, {"Wait-UCB": 1.0}))
        assert (claim.verdict, claim.found) == ("not comparable", found)
        assert (claim.cause, claim.stands_on) == ("", "D1")
        assert claim.sentence.endswith(
            f": not comparable, here {found} (Wait-UCB 1), "
            "studies/results/errata.md, D1."
        )


def test_a_reason_is_said_once():
    told = reasons(["", "B2", "C3", "", "C3", "D1", "C3", "D1"])
    assert list(told) == ["C3", "D1", "B2"]
    one_cause = f"3 fail for one cause: {CAUSES['C3']} (studies/results/errata.md, C3)."
    assert told["C3"] == one_cause
    assert told["D1"].startswith(f"2 not comparable, played with {STANDS_ON['D1']}")
    assert told["B2"].startswith("1 fails for one cause: the printed number")
    assert reasons([]) == {}


def test_a_verdict_says_what_holds_and_why_the_rest_does_not():
    """By headlines where there are some; else by the reasons."""

    def lines_of(experiment, found):
        claims = [each.claim(Found(found, {})) for each in of_experiment(experiment)]
        return verdict_lines(experiment, claims)

    count = len(of_experiment("censored-fig4"))
    first, *lines, last = lines_of("censored-fig4", "fails")
    assert first == f"Verdict on {count} claims of the paper: {count} fail."
    cause = f"0 of 4 hold (C3: {CAUSES['C3']})."
    assert f"- RCUCB as printed has less regret than UCB and TS: {cause}" in lines
    assert last == "One by one, with our numbers: jaxbandits paper censored-fig4"
    assert all(x.endswith(" hold.") for x in lines_of("censored-fig4", "holds")[1:-1])
    assert "budgeted-example2" not in HEADLINES
    assert any(CAUSES["B2"] in line for line in lines_of("budgeted-example2", "fails"))
    full = "Verdicts of our full runs: jaxbandits paper censored-fig4"
    assert verdict_lines("censored-fig4", []) == [full]
    assert verdict_lines("allocation-draws", []) == []
