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
    alike,
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
    of_id,
    play,
    reasons,
    verdicts_in,
)
from tests.results.samples import dataset
from tests.tables import naming


def test_every_statement_is_whole():
    assert len(STATEMENTS) >= 319
    for name, each in STATEMENTS.items():
        assert name == each.id and each.experiment in REGISTRY
        assert each.text and each.source
        assert each.find(Outcome({}, [], lambda: figure()[0])).verdict == "undecided"
        assert not each.cause or each.cause in CAUSES
        assert not each.stands_on or each.stands_on in STANDS_ON
        assert name[0] == {"c": "C", "a": "A", "b": "B", "f": "D"}[each.experiment[0]]
    assert not CAUSES.keys() & STANDS_ON.keys()
    assert len({(each.text, each.source) for each in STATEMENTS.values()}) == len(
        STATEMENTS
    )


def test_statements_of_an_entry():
    assert [each.id for each in of_id("B2")] == [f"B2.{i}" for i in range(1, 7)]
    assert [each.id for each in of_id("B2.3")] == ["B2.3"]
    assert of_id("B") == of_id("Z9") == []


def test_only_full_runs_decide():
    for name, options, full in [
        ("censored-fig4", Options(100, 100_000), True),
        ("censored-fig4", Options(200, 100_000), True),
        ("censored-fig4", Options(99, 100_000), False),
        ("censored-fig4", Options(100, 99_999), False),
        ("censored-fig4", REGISTRY["censored-fig4"].quick, False),
        ("farewell-fig1", Options(10, 10_000_000, quick=True), False),
        ("budgeted-example2", Options(1, 1), True),
        ("budgeted-example2", REGISTRY["budgeted-example2"].quick, False),
    ]:
        with naming((name, options, full)):
            assert is_full(REGISTRY[name], options) is full


def played(**finals):
    """An outcome with final regrets by policy, preceded by their opposite."""
    pairs = {name: np.stack([-np.array(v), v], -1) for name, v in finals.items()}
    return curves([1, 2], **pairs)


def recorded(*, seeds=9, **metrics):
    """An outcome that has records of policies in one environment, and no runs."""
    records = [
        make_record("x", "E", name, each, seeds=seeds, horizon=1)
        for name, each in metrics.items()
    ]
    return Outcome({}, records, lambda: figure()[0])


@pytest.mark.filterwarnings("ignore:.* are NaN")  # of a single seed
def test_a_policy_below_another():
    for ours, theirs, lower, higher in [
        ([1, 2, 3], [11, 12, 14], "holds", "fails"),
        ([11, 12, 14], [1, 2, 3], "fails", "holds"),
        ([1, 12, 3], [11, 2, 4], "undecided", "undecided"),
        # Only the differences seed by seed are of one size.
        ([1, 100, 1_000], [2, 101.1, 1_001.2], "holds", "fails"),
        ([7], [700], "undecided", "undecided"),
    ]:
        with naming((ours, theirs, lower, higher)):
            outcome = played(A=ours, B=theirs)
            found = below("E", "A", ("B",))(outcome)
            assert found == (lower, {"A": np.mean(ours), "B": np.mean(theirs)})
            assert below("E", "A", ("B",), above=True)(outcome).verdict == higher
            assert below("another", "A", ("B",))(outcome) == Found("undecided", {})


def test_below_so_many_times():
    """A is a half of B, more or less."""
    for times, lower, higher in [
        (0.4, "fails", "holds"),
        (0.5, "undecided", "undecided"),
        (0.6, "holds", "fails"),
    ]:
        with naming((times, lower, higher)):
            outcome = played(A=[51, 49, 52, 48], B=[100, 101, 102, 99])
            check = below("E", "A", ("B",), times=times)
            assert check(outcome) == (lower, {"A": 50.0, "B": 100.5})
            assert (
                below("E", "A", ("B",), times=times, above=True)(outcome).verdict
                == higher
            )
            # What is ours is not multiplied, also where it is among the rivals.
            assert below("E", "B", ("A",), times=2.5)(outcome).verdict == "holds"


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
    return Outcome({"E": made}, [], lambda: figure()[0])


def test_below_throughout():
    """At the first checkpoints from the named shares on, and not only at the end."""
    noise = np.array([[0.0], [0.1], [-0.1], [0.2]])
    ours = noise + [9, 9, 1, 1]
    theirs = 2 * noise + [5, 5, 5, 5]
    outcome = curves([10, 50, 51, 100], A=ours, B=theirs)
    assert below("E", "A", ("B",))(outcome).verdict == "holds"
    for at, verdict in (
        ((0.51, 1.0), "holds"),
        ((0.505, 1.0), "holds"),
        ((0.5, 1.0), "fails"),
        ((0.1, 1.0), "fails"),
        ((0.5,), "fails"),
    ):
        found = below("E", "A", ("B",), at=at)(outcome)
        assert found.verdict == verdict, at
        assert found.ours == pytest.approx({"A": 1.05, "B": 5.1})
    # At two checkpoints each holds alone; that one fails is less sure.
    close = curves([1, 2], A=noise[:, [0, 0]], B=noise[:, [0, 0]] + DIFFERENCES)
    for at, verdict in (((1.0,), "fails"), ((0.5, 1.0), "undecided")):
        assert below("E", "A", ("B",), at=at)(close).verdict == "holds"
        assert below("E", "B", ("A",), at=at)(close).verdict == verdict


def test_below_in_what_it_grows_by():
    """A has the higher level at the end, and grows by less over a factor of four."""
    noise = np.array([[0.0], [0.1], [-0.1], [0.2]])
    outcome = curves([10, 25, 100], A=noise + [1, 9, 10], B=2 * noise + [0, 1, 5])
    assert below("E", "A", ("B",))(outcome).verdict == "fails"
    found = below("E", "A", ("B",), since=0.25)(outcome)
    assert found.verdict == "holds" and found.ours == pytest.approx({"A": 1, "B": 4})
    # From the tenth on A has grown by more.
    assert below("E", "A", ("B",), since=0.1)(outcome).verdict == "fails"
    for claim in ("B5.23", "B5.24", "B5.25"):
        assert STATEMENTS[claim].arguments["since"] == 0.25


# Mean 1, deviation .548: an interval at 95 % lies above 0, one at 97.5 % does not.
DIFFERENCES = np.array([[0.4], [1.6], [0.7], [1.3]])


def test_policies_that_are_alike(rng):
    for theirs, verdict in [
        (10.5, "holds"),
        (9.5, "holds"),
        (12.0, "fails"),
        (8.0, "fails"),
        (11.0, ""),
    ]:
        with naming((theirs, verdict)):
            normal = rng.normal(size=(2, 50)) / 10
            outcome = played(A=10 + normal[0], B=theirs + normal[1], C=10 - normal[1])
            found = alike("E", "A", ("C", "B"))(outcome)
            assert found.verdict == (verdict or "undecided")
            assert set(found.ours) == {"A", "B", "C"}
            assert alike("E", "A", ("B",), within=1.4)(outcome).verdict == "holds"
            assert alike("F", "A", ("B",))(outcome) == Found("undecided", {})


def test_how_regret_grows(rng):
    """A logarithm is below every power; on linear checkpoints too."""
    for times in [[10, 250, 1_000, 4_000], range(40, 4_001, 40)]:
        for curve, exponent in [
            (np.log, 0.0),
            (np.sqrt, 0.5),
            (lambda t: t ** (2 / 3), 2 / 3),
            (np.array, 1.0),
        ]:
            with naming((times, curve, exponent)):
                t = np.array(times, float)
                runs = 7 + curve(t) * (1 + 0.001 * rng.normal(size=(30, 1)))
                outcome = curves(times, A=runs)
                for power in (0.0, 0.25, 0.75, 1.0):
                    if power == exponent:
                        continue
                    slow, fast = (
                        grows("E", "A", power, faster=x)(outcome) for x in (False, True)
                    )
                    assert slow.verdict == ("holds" if exponent < power else "fails")
                    assert fast.verdict == ("fails" if exponent < power else "holds")
                    late, early = slow.ours.values()
                    assert late == pytest.approx(
                        np.mean(runs[:, -1]) - curve(1_000) - 7, rel=0.02
                    )
                    assert early > 0
                assert list(slow.ours)[0] == "A, from 1,000 to 4,000"


def test_growth_is_not_judged_without_checkpoints():
    assert grows("E", "A", 0.5)(played(A=[1, 2])) == Found("undecided", {})
    assert grows("F", "A", 0.5)(played(A=[1, 2])) == Found("undecided", {})
    one = curves([250, 1_000, 4_000], A=[[1, 2, 3]])
    assert grows("E", "A", 0.5)(one).verdict == "undecided"


def test_which_value_is_best():
    """Errors of both values count."""
    for best, times, verdict in [
        (0.25, 1.0, "fails"),
        (0.25, 1.2, "fails"),
        (0.5, 1.0, "undecided"),  # .1 of 2.1, where three errors of both are .42
        (1.0, 1.3, "holds"),  # .5 of 2.0, where they are .5 with 1.3 times the other's
        (1.0, 1.27, "undecided"),
        (2.0, 1.0, "undecided"),
    ]:
        with naming((best, times, verdict)):
            records = [
                make_record(
                    "x",
                    "E",
                    "A",
                    {"regret": entry(mean, 0.1)},
                    params={"rho": rho},
                    seeds=9,
                    horizon=1,
                )
                for rho, mean in ((0.25, 5.0), (0.5, 2.0), (1.0, 2.1))
            ]
            outcome = Outcome({}, records, lambda: figure()[0])
            ours = {"rho = 0.25": 5.0, "rho = 0.5": 2.0, "rho = 1": 2.1}
            check = best_value("E", "A", "rho", best, times=times)
            assert check(outcome) == Found(verdict, ours)
            assert best_value("F", "A", "rho", best)(outcome) == Found("undecided", {})


def test_where_a_gap_is_wider(rng):
    """Ratios are compared, whatever the sizes."""
    for wide, verdict in [(40.0, "holds"), (2.0, "fails"), (10.0, "undecided")]:
        with naming((wide, verdict)):
            noise = rng.normal(size=(4, 100)) / 10
            near = played(A=1 + noise[0], B=10 + noise[1]).datasets["E"]
            far = played(A=100 + noise[2], B=100 * wide + noise[3]).datasets["E"]
            outcome = Outcome({"near": near, "far": far}, [], lambda: figure()[0])
            found = wider_gap(("far",), "near", "A", ("B",))(outcome)
            assert found.verdict == verdict
            assert found.ours == pytest.approx(
                {"B over A, far": wide, "B over A, near": 10.0}, rel=0.03
            )
            assert wider_gap(("F",), "near", "A", ("B",))(outcome) == Found(
                "undecided", {}
            )


def test_several_gaps_are_wider_by_an_interval_each():
    """B's is by 2.1 standard errors, C's by far, and D's is by far narrower."""
    gaps = {"near": {"C": 10.0, "D": 40.0}, "far": {"C": 40.0, "D": 10.0}}
    gaps["near"]["B"] = 10.0
    gaps["far"]["B"] = 10 * np.exp(0.0575) * (0.9 + 0.1 * DIFFERENCES[:, 0])
    games = {
        name: played(A=np.ones(4), **{k: v * np.ones(4) for k, v in each.items()})
        for name, each in gaps.items()
    }
    datasets = {name: each.datasets["E"] for name, each in games.items()}
    outcome = Outcome(datasets, [], lambda: figure()[0])
    for wide, than, rivals, verdict in [
        ("far", "near", "B", "holds"),
        ("far", "near", "BC", "holds"),
        ("near", "far", "B", "fails"),
        ("near", "far", "BD", "undecided"),
    ]:
        with naming((wide, rivals)):
            found = wider_gap((wide,), than, "A", tuple(rivals))(outcome)
            assert found.verdict == verdict


def test_a_gap_has_the_errors_of_both_games(rng):
    """A tenth more, of which ten seeds that differ by a half say nothing."""
    for noisy in ["far", "near"]:
        with naming(noisy):
            found = {}
            for name, ratio in (("far", 11.0), ("near", 10.0)):
                size = 0.5 if name == noisy else 1e-3
                runs = rng.normal(1.0, size, (2, 10))
                runs /= runs.mean(axis=1, keepdims=True)
                found[name] = played(A=runs[0], B=ratio * runs[1]).datasets["E"]
            outcome = Outcome(found, [], lambda: figure()[0])
            verdict = wider_gap(("far",), "near", "A", ("B",))(outcome).verdict
            assert verdict == "undecided"


def test_below_in_another_metric():
    outcome = played(A=[1, 2, 3], B=[11, 12, 14])
    found = outcome.datasets["E"].rename(regret="reward")
    outcome = outcome._replace(datasets={"E": found})
    check = below("E", "B", ("A",), metric="reward", above=True)
    assert check(outcome) == ("holds", {"B": np.mean([11, 12, 14]), "A": 2.0})


def test_what_varies_more(rng):
    """Whatever the means are."""
    for loose, verdict in [(10.0, "holds"), (0.1, "fails"), (1.1, "undecided")]:
        with naming((loose, verdict)):
            normal = rng.normal(size=(2, 50))
            runs = {"A": 100 + loose * normal[0], "B": normal[1]}
            found = varies_more("E", "A", ("B",))(played(**runs))
            assert found.verdict == verdict
            assert found.ours == pytest.approx(
                {k: v.std(ddof=1) for k, v in runs.items()}
            )


def test_what_varies_more_than_several_does_so_than_each(rng):
    normal = rng.normal(size=(3, 50)) * np.array([[10.0], [1.0], [100.0]])
    outcome = played(**dict(zip("ABC", normal, strict=True)))
    assert varies_more("E", "A", ("B",))(outcome).verdict == "holds"
    assert varies_more("E", "A", ("B", "C"))(outcome).verdict == "fails"
    assert varies_more("X", "A", ("B",))(outcome) == Found("undecided", {})
    assert varies_more("E", "A", ("B",))(played(A=[1], B=[2])).verdict == "undecided"


def test_several_that_vary_less_do_so_by_an_interval_each():
    """Distances of A and B differ by .47, 2.6 errors: p is between .025 and .05."""
    away = np.concatenate([1 + DIFFERENCES[:, 0], -1 - DIFFERENCES[:, 0]])
    even = np.repeat([1.0, -1.0], 4) * np.tile([0.99, 1.01], 4)
    outcome = played(A=away, B=1.53 * even, C=0.1 * even)
    for loose, steady, verdict in [
        ("A", "B", "holds"),
        ("A", "BC", "holds"),
        ("B", "A", "fails"),
        ("B", "AC", "undecided"),
    ]:
        with naming((loose, steady)):
            found = varies_more("E", loose, tuple(steady))(outcome)
            assert found.verdict == verdict


def test_what_varies_so_many_times_more(rng):
    for times, verdict in [(5.0, "holds"), (20.0, "fails"), (10.0, "undecided")]:
        with naming((times, verdict)):
            normal = rng.normal(size=(2, 200))
            outcome = played(A=10 * normal[0], B=normal[1])
            assert (
                varies_more("E", "A", ("B",), times=times)(outcome).verdict == verdict
            )


def test_between_bounds():
    """By three standard errors; bounds may stand in another policy's record."""
    for regret, verdict in [
        (50.0, "holds"),
        (98.0, "undecided"),
        (102.0, "undecided"),
        (104.0, "fails"),
    ] + [(12.0, "undecided"), (6.0, "fails")]:
        with naming((regret, verdict)):
            found = {"regret": entry(regret, 1.0)}
            bounds = {"upper": entry(100.0), "lower": entry(10.0)}
            outcome = recorded(A=found, B=bounds)
            ours = {"A": regret, "upper": 100.0, "lower": 10.0}
            check = bounded("E", "A", above="upper", below="lower")
            assert check(outcome) == Found(verdict, ours)
            alone = bounded("E", "A", above="upper")(outcome)
            assert alone.verdict == (verdict if regret > 20 else "holds")
            assert bounded("E", "C", above="upper")(outcome) == Found("undecided", {})
            over = bounded("E", "A", below="lower")(outcome)
            assert over.verdict == (verdict if regret < 20 else "holds")
            assert over.ours == {"A": regret, "lower": 10.0}


def test_below_a_bound_that_says_nothing():
    for regret, trivial, verdict in [
        (50.0, 99.0, "vacuous"),
        (50.0, 101.0, "holds"),
        (98.0, 99.0, "undecided"),
        (104.0, 99.0, "fails"),
    ]:
        with naming((regret, trivial, verdict)):
            found = {
                "regret": entry(regret, 1.0),
                "upper": entry(100.0),
                "lower": entry(10.0),
            }
            found[TRIVIAL] = entry(trivial)
            outcome = recorded(A=found)
            said = bounded("E", "A", above="upper")(outcome)
            assert said.verdict == verdict
            assert (TRIVIAL in said.ours) == (trivial < 100)
            assert TRIVIAL not in bounded("E", "A", below="lower")(outcome).ours


def test_what_a_regret_is_compared_with_has_an_error_too():
    """A bound, the mean over instances, and the number of another policy."""
    for error, verdict in [(None, "holds"), (1.0, "holds"), (1.6, "undecided")]:
        with naming((error, verdict)):
            found = {"regret": entry(95.0, 1.0), "upper": entry(100.0, error)}
            other = {"regret": entry(100.0, error)}
            outcome = recorded(A=found, B=other)
            assert bounded("E", "A", above="upper")(outcome).verdict == verdict
            assert (
                beside("regret", "E", ("A",), "B", most=1.0)(outcome).verdict == verdict
            )


def test_below_several_is_below_all():
    """That it is so takes an interval for each, that it is not one for all together."""
    ours = np.array([1.0, 2, 3, 4])
    just = ours + DIFFERENCES[:, 0]
    outcome = played(A=ours, B=just, C=ours + 9, D=ours - [5, 5.1, 5, 4.9])
    for policy, rivals, above, verdict in [
        ("A", "B", False, "holds"),
        ("A", "BC", False, "holds"),
        ("A", "BD", False, "fails"),
        ("B", "A", False, "fails"),
        ("B", "AC", False, "undecided"),
        ("B", "AD", True, "holds"),
        ("A", "B", True, "fails"),
        ("A", "BD", True, "undecided"),
    ]:
        with naming((policy, rivals, above)):
            check = below("E", policy, tuple(rivals), above=above)
            assert check(outcome).verdict == verdict


def test_a_printed_number_has_an_error_of_its_own():
    for mean, sem, printed, verdict in [
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
    ]:
        with naming((mean, sem, printed, verdict)):
            check = agrees("censored", {"E": ("E", "A")}, 0.6399, 1e-4, **printed)
            outcome = recorded(A={"censored": entry(mean, sem)})
            assert check(outcome) == Found(verdict, {} if mean is None else {"E": mean})


def test_what_the_censored_paper_prints():
    for claim, mean, sem, verdict in [
        ("C5.23", 0.41462, 0.00032, "holds"),  # .4158 [.0052] of 100 runs
        ("C5.23", 0.41362, 0.00032, "fails"),
        ("C5.70", 0.00242, 0.000172, "holds"),  # .0030, itself off by .0030 / sqrt(200)
        ("C5.71", 0.00228, 0.000162, "holds"),
        ("C5.71", 0.00208, 0.000148, "fails"),
        ("C1.5", 0.71856, None, "holds"),  # .7189 of a law without a closed form
        ("C1.8", 0.74050, None, "fails"),  # .7559 likewise
        ("C1.9", 0.42227, None, "holds"),  # .4222, cut
    ]:
        with naming((claim, mean, sem, verdict)):
            statement = STATEMENTS[claim]
            ((environment, policy),) = statement.arguments["where"].values()
            metrics = {statement.arguments["metric"]: entry(mean, sem)}
            record = make_record(
                "x", environment, policy, metrics, seeds=100, horizon=1
            )
            assert (
                statement.find(Outcome({}, [record], lambda: figure()[0])).verdict
                == verdict
            )


def test_shares_of_cases():
    for share, verdict, above in [
        (0.0, "holds", "fails"),
        (0.1, "holds", "fails"),
        (0.189, "undecided", "undecided"),  # sqrt(.1 * .9 / 100) = .03
        (0.191, "fails", "holds"),
        (None, "undecided", "undecided"),
    ]:
        with naming((share, verdict, above)):
            outcome = recorded(seeds=100, A={"bad": entry(share)})
            ours = {} if share is None else {"E": share}
            where = {"E": ("E", "A")}
            assert shares("bad", where, 0.1)(outcome) == Found(verdict, ours)
            assert shares("bad", where, 0.1, above=True)(outcome) == Found(above, ours)
            other = shares("bad", {"F": ("F", "A")}, 0.1)(outcome)
            assert other == Found("undecided", {})


def exact(**numbers):
    """An outcome whose record of the environment is a number, or a number and its
    error."""
    records = [
        make_record("x", name, "A", {"m": entry(*np.atleast_1d(v))}, seeds=9, horizon=1)
        for name, v in numbers.items()
    ]
    return Outcome({}, records, lambda: figure()[0])


def test_beyond_a_number():
    for value, verdict, other in [
        (2.1, "holds", "fails"),
        ((2.1, 0.03), "holds", "fails"),
        ((2.1, 0.04), "undecided", "undecided"),  # three errors
        (1.9, "fails", "holds"),
        ((1.9, 0.03), "fails", "holds"),
    ]:
        with naming((value, verdict, other)):
            where = {"first": ("E", "A"), "second": ("F", "A")}
            ours = {"first": 5.0, "second": np.atleast_1d(value)[0]}
            outcome = exact(E=5.0, F=value)
            assert beyond("m", where, 2.0)(outcome) == Found(verdict, ours)
            low = exact(E=-5.0, F=value)
            assert beyond("m", where, 2.0, below=True)(low).verdict == other
            assert beyond("m", where, 2.0)(exact(E=5.0)) == Found("undecided", {})


def test_beside_another_policy():
    """Within 10 %, of 10; and another one that is there in any case."""
    for value, error, verdict in [
        (10.5, 0.1, "holds"),
        (10.5, 0.2, "undecided"),  # three errors from 11
        (11.5, 0.1, "fails"),
        (9.5, 0.1, "holds"),
        (8.5, 0.1, "fails"),
        (9.2, 0.1, "undecided"),  # three errors from 9.09
        (9.2, None, "holds"),
        (9.0, None, "fails"),
    ]:
        with naming((value, error, verdict)):
            numbers = {"A": (value, error), "B": (10.0, 0.0), "C": (10.2, 0.1)}
            found = {name: {"m": entry(*number)} for name, number in numbers.items()}
            outcome = recorded(**found)
            ours = {"C": 10.2, "A": value, "B": 10.0}
            check = beside("m", "E", ("C", "A"), "B", least=1 / 1.1, most=1.1)
            assert check(outcome) == Found(verdict, ours)
            assert beside("m", "E", ("A",), "B", least=0.5)(outcome).verdict == "holds"
            assert beside("m", "E", ("A",), "B", most=0.5)(outcome).verdict == "fails"
            assert beside("m", "E", ("A",), "D", most=2.0)(outcome) == Found(
                "undecided", {}
            )


def test_what_spreads_more_on_several_games_together():
    """On one of them less: A's deviations are 1 and 10, B's 2 and 1, of 9 seeds."""
    sems = {"A": (1 / 3, 10 / 3), "B": (2 / 3, 1 / 3)}
    records = [
        make_record("x", game, name, {"regret": entry(7.0, sem)}, seeds=9, horizon=1)
        for name, both in sems.items()
        for game, sem in zip(("calm", "wild"), both, strict=True)
    ]
    outcome = Outcome({}, records, lambda: figure()[0])
    # Errors are a quarter: 2.51 of A's sum, .56 of B's; three of the difference 7.72.
    for games, times, verdict in [
        (["calm"], 1.0, "undecided"),
        (["wild"], 1.0, "holds"),
        (["calm", "wild"], 1.0, "holds"),
        (["calm", "wild"], 1.2, "undecided"),
        (["calm", "wild"], 20.0, "fails"),
        (["calm", "another"], 1.0, "undecided"),
    ]:
        with naming((games, times, verdict)):
            found = spreads(games, "A", ("B",), times=times)(outcome)
            assert found.verdict == verdict
    both = spreads(["calm", "wild"], "A", ("B",))(outcome)
    assert both.ours == pytest.approx({"A": 11.0, "B": 3.0})


def test_falling_numbers():
    for numbers, verdict in [
        ((3, 2, 1), "holds"),
        ((3, 2, 2), "fails"),
        ((3, 1, 2), "fails"),
    ]:
        with naming((numbers, verdict)):
            where = {name: (name, "A") for name in "EFG"}
            ours = dict(zip("EFG", map(float, numbers), strict=True))
            outcome = exact(**ours)
            assert falling("m", [where])(outcome) == Found(verdict, ours)
            assert falling("m", [where, {"E": ("E", "A")}])(outcome) == Found(
                verdict, ours
            )
            assert falling("n", [where])(outcome).verdict == "undecided"
            assert falling("m", [where, {"F": ("G", "B")}])(outcome).verdict != "holds"


def test_numbers_with_errors_fall_by_more_than_these():
    where = {name: (name, "A") for name in "EF"}
    for second, verdict in ((4.0, "holds"), (4.6, "undecided"), (6.0, "fails")):
        outcome = exact(E=(5.0, 0.1), F=(second, 0.1))  # three of the difference: .42
        assert falling("m", [where])(outcome).verdict == verdict


def test_whose_index_is_larger():
    records = [
        make_record(
            "x", arm, "m-UCB, alpha = 1", {"index": entry(i)}, seeds=1, horizon=1
        )
        for arm, i in (("arm 1", 8.6), ("arm 2", 48.6))
    ]
    outcome = Outcome({}, records, lambda: figure()[0])
    assert STATEMENTS["B2.6"].find(outcome).verdict == "holds"
    assert STATEMENTS["B2.5"].find(outcome).verdict == "undecided"
    records[1]["metrics"]["index"] = entry(8.0)
    assert STATEMENTS["B2.6"].find(outcome).verdict == "fails"


def test_a_quick_run_has_no_verdict():
    experiment = REGISTRY["budgeted-example2"]
    quick = play(experiment, experiment.quick)
    assert quick.claims == () and quick.notes[-1] == SMALLER
    full = play(experiment, experiment.full)
    assert [claim.id for claim in full.claims] == [f"B2.{i}" for i in range(1, 7)]
    assert SMALLER not in full.notes
    verdicts = {claim.id: claim.verdict for claim in full.claims}
    # 2.95 is a slip, errata.md (B2).
    assert verdicts == {
        "B2.1": "holds",
        "B2.2": "holds",
        "B2.3": "fails",
        "B2.4": "holds",
        "B2.5": "holds",
        "B2.6": "holds",
    }
    assert full.claims[2].published == {"arm 1": 2.95}


def test_mistakes_in_commands_of_claims(capsys, monkeypatch, tmp_path):
    for line, named in [
        (["paper", "--results", ""], "--results must be a path"),
        (["paper", "--results", "nowhere"], "--results: there is no folder nowhere"),
        (["paper", "--results", "file"], "--results: there is no folder file"),
        (["paper", "--results", "https://a.b/c"], "--results must be a path"),
        (["paper", "B2.1", "--play", "--results", ""], "--results must be a path"),
        (["paper", "b2.1"], "or claim 'b2.1' (did you mean 'B2.1'?)"),
        (["paper", "B2.1 "], "or claim 'B2.1 ' (did you mean 'B2.1'?)"),
        (["paper", "censord"], "(did you mean 'censored'?)"),
        (["paper", "censored-fig44"], "(did you mean 'censored-fig4'?)"),
        (["paper", "allocation-draws"], "no claim is judged by allocation-draws"),
        (["paper", "--play"], "--play needs a PAPER, an EXPERIMENT or a CLAIM"),
    ]:
        with naming((line, named)):
            monkeypatch.chdir(tmp_path)
            (tmp_path / "file").touch()
            try:
                status = cli.main(line)
            except SystemExit as end:
                status = end.code
            assert status == 2
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
    assert cli.main(["paper", "B22", *results]) == 2
    assert "or claim 'B22' (did you mean 'B2" in capsys.readouterr().err


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


def test_what_stands_on_delays_of_ours_is_not_comparable_whatever_is_found():
    for found in ["holds", "fails", "undecided"]:
        with naming(found):
            claim = STATEMENTS["D2.1"].claim(Found(found, {"Wait-UCB": 1.0}))
            assert (claim.verdict, claim.found) == ("not comparable", found)
            assert (claim.cause, claim.stands_on) == ("", "D1")
            assert claim.sentence.endswith(
                f": not comparable, here {found} (Wait-UCB 1), "
                "studies/results/errata.md, D1."
            )


def test_what_turns_on_something_of_ours_is_not_comparable():
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


def test_a_reason_is_said_once():
    told = reasons(["", "B2", "C3", "", "C3", "D1", "C3", "D1"])
    assert list(told) == ["C3", "D1", "B2"]
    assert (
        told["C3"]
        == f"3 fail for one cause: {CAUSES['C3']} (studies/results/errata.md, C3)."
    )
    assert told["D1"].startswith(f"2 not comparable, played with {STANDS_ON['D1']}")
    assert told["B2"].startswith("1 fails for one cause: the printed number")
    assert reasons([]) == {}


def test_headlines_name_claims_of_their_experiment():
    for experiment, lines in HEADLINES.items():
        for text, ids in lines.items():
            with naming((experiment, text)):
                assert ids and all(STATEMENTS[x].experiment == experiment for x in ids)


def test_a_verdict_says_what_holds_and_why_the_rest_does_not():
    """By headlines where there are some; else by the reasons."""
    statements = of_experiment("censored-fig4")

    def judged(statements, found):
        return [each.claim(Found(found, {})) for each in statements]

    first, *lines, last = verdict_lines("censored-fig4", judged(statements, "fails"))
    assert first == f"Verdict on {len(statements)} claims of the paper: " + (
        f"{len(statements)} fail."
    )
    cause = f"0 of 4 hold (C3: {CAUSES['C3']})."
    assert f"- RCUCB as printed has less regret than UCB and TS: {cause}" in (lines)
    assert last == "One by one, with our numbers: jaxbandits paper censored-fig4"
    first, *lines, _ = verdict_lines("censored-fig4", judged(statements, "holds"))
    assert all(line.endswith(" hold.") for line in lines)
    statements = of_experiment("budgeted-example2")
    assert "budgeted-example2" not in HEADLINES
    _, *lines, _ = verdict_lines("budgeted-example2", judged(statements, "fails"))
    assert any(CAUSES["B2"] in line for line in lines)
    full = "Verdicts of our full runs: jaxbandits paper censored-fig4"
    assert verdict_lines("censored-fig4", []) == [full]
    assert verdict_lines("allocation-draws", []) == []
