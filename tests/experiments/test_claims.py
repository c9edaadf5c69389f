"""Statements as data, and the verdicts on them."""

import json

import numpy as np
import pytest

from jaxbandits import cli
from jaxbandits.experiments import REGISTRY, Options, Outcome
from jaxbandits.experiments.common.claims import (
    Found,
    Statement,
    agrees,
    below,
    bounded,
    is_full,
    shares,
    varies_more,
)
from jaxbandits.experiments.statements import (
    SMALLER,
    STATEMENTS,
    of_id,
    play,
    verdicts_in,
)
from jaxbandits.plots import figure
from jaxbandits.stats import entry, make_record
from tests.results.samples import dataset


def test_every_statement_is_whole():
    assert len(STATEMENTS) >= 90
    for name, each in STATEMENTS.items():
        assert name == each.id and each.experiment in REGISTRY
        assert each.text and each.source
        assert each.published is None or all(
            isinstance(value, float) for value in each.published.values()
        )
        assert name[0] == {"c": "C", "a": "A", "b": "B", "f": "D"}[each.experiment[0]]
    assert len({(each.text, each.source) for each in STATEMENTS.values()}) == len(
        STATEMENTS
    )


def test_statements_of_an_entry():
    assert [each.id for each in of_id("B2")] == [f"B2.{i}" for i in range(1, 7)]
    assert [each.id for each in of_id("B2.3")] == ["B2.3"]
    assert of_id("B") == of_id("Z9") == []


@pytest.mark.parametrize(
    ("name", "options", "full"),
    [
        ("censored-fig4", Options(100, 100_000), True),
        ("censored-fig4", Options(200, 100_000), True),
        ("censored-fig4", Options(99, 100_000), False),
        ("censored-fig4", Options(100, 99_999), False),
        ("censored-fig4", REGISTRY["censored-fig4"].quick, False),
        ("farewell-fig1", Options(10, 10_000_000, quick=True), False),
        ("budgeted-example2", Options(1, 1), True),
        ("budgeted-example2", REGISTRY["budgeted-example2"].quick, False),
    ],
)
def test_only_full_runs_decide(name, options, full):
    assert is_full(REGISTRY[name], options) is full


def played(**finals):
    """An outcome with final regrets by policy, preceded by their opposite."""
    seeds = len(next(iter(finals.values())))
    made = dataset(
        num_seeds=seeds,
        metrics={
            name: {"regret": np.stack([-np.array(v), v], -1)[None].astype(float)}
            for name, v in finals.items()
        },
        rounds={name: np.ones((1, seeds, 2), int) for name in finals},
        checkpoints=[1, 2],
        params=dict.fromkeys(finals, {}),
        compile_seconds=dict.fromkeys(finals, 0.0),
        run_seconds=dict.fromkeys(finals, 0.0),
    )
    return Outcome({"E": made}, [], figure()[0])


@pytest.mark.parametrize(
    ("ours", "theirs", "lower", "higher"),
    [
        ([1, 2, 3], [11, 12, 14], "holds", "fails"),
        ([11, 12, 14], [1, 2, 3], "fails", "holds"),
        ([1, 12, 3], [11, 2, 4], "undecided", "undecided"),
        # Only the differences seed by seed are of one size.
        ([1, 100, 1_000], [2, 101.1, 1_001.2], "holds", "fails"),
        ([7], [700], "undecided", "undecided"),
    ],
    ids=["below", "above", "mixed", "paired", "one seed"],
)
def test_below(ours, theirs, lower, higher):
    outcome = played(A=ours, B=theirs)
    found = below("E", "A", ("B",))(outcome)
    assert found == (lower, {"A": np.mean(ours), "B": np.mean(theirs)})
    assert below("E", "A", ("B",), above=True)(outcome).verdict == higher
    assert below("another", "A", ("B",))(outcome) == Found("undecided", {})


def test_below_in_another_metric():
    outcome = played(A=[1, 2, 3], B=[11, 12, 14])
    found = outcome.datasets["E"].rename(regret="reward")
    outcome = outcome._replace(datasets={"E": found})
    check = below("E", "B", ("A",), metric="reward", above=True)
    assert check(outcome) == ("holds", {"B": np.mean([11, 12, 14]), "A": 2.0})


@pytest.mark.parametrize(
    ("loose", "verdict"),
    [(10.0, "holds"), (0.1, "fails"), (1.1, "undecided")],
)
def test_what_varies_more(rng, loose, verdict):
    """Whatever the means are."""
    normal = rng.normal(size=(2, 50))
    runs = {"A": 100 + loose * normal[0], "B": normal[1]}
    found = varies_more("E", "A", ("B",))(played(**runs))
    assert found.verdict == verdict
    assert found.ours == pytest.approx({k: v.std(ddof=1) for k, v in runs.items()})


def test_what_varies_more_than_several_does_so_than_each(rng):
    normal = rng.normal(size=(3, 50)) * np.array([[10.0], [1.0], [100.0]])
    outcome = played(**dict(zip("ABC", normal, strict=True)))
    assert varies_more("E", "A", ("B",))(outcome).verdict == "holds"
    assert varies_more("E", "A", ("B", "C"))(outcome).verdict == "fails"
    assert varies_more("X", "A", ("B",))(outcome) == Found("undecided", {})
    assert varies_more("E", "A", ("B",))(played(A=[1], B=[2])).verdict == "undecided"


@pytest.mark.parametrize(
    ("regret", "verdict"),
    [(50.0, "holds"), (98.0, "undecided"), (102.0, "undecided"), (104.0, "fails")]
    + [(12.0, "undecided"), (6.0, "fails")],
)
def test_between_bounds(regret, verdict):
    """By three standard errors; bounds may stand in another policy's record."""
    found = {"regret": entry(regret, 1.0)}
    bounds = {"upper": entry(100.0), "lower": entry(10.0)}
    records = [
        make_record("x", "E", name, metrics, seeds=9, horizon=1)
        for name, metrics in {"A": found, "B": bounds}.items()
    ]
    outcome = Outcome({}, records, figure()[0])
    ours = {"A": regret, "upper": 100.0, "lower": 10.0}
    check = bounded("E", "A", above="upper", below="lower")
    assert check(outcome) == Found(verdict, ours)
    alone = bounded("E", "A", above="upper")(outcome)
    assert alone.verdict == (verdict if regret > 20 else "holds")
    assert bounded("E", "C", above="upper")(outcome) == Found("undecided", {})


def test_below_several_is_below_all():
    """And less sure: the intervals hold together."""
    ours = np.array([1.0, 2, 3, 4])
    # Mean 1, deviation .548: one interval at 95 % lies above 0, one at 97.5 % does not.
    just = ours + [0.4, 1.6, 0.7, 1.3]
    outcome = played(A=ours, B=just, C=ours + 9, D=ours - [5, 5.1, 5, 4.9])
    assert below("E", "A", ("B",))(outcome).verdict == "holds"
    assert below("E", "A", ("B", "D"))(outcome).verdict == "fails"
    assert below("E", "A", ("C",))(outcome).verdict == "holds"
    assert below("E", "A", ("B", "C"))(outcome).verdict == "undecided"


@pytest.mark.parametrize(
    ("mean", "sem", "verdict"),
    [
        (0.6399, 0.001, "holds"),
        (0.64294, 0.001, "holds"),  # half a unit and three errors
        (0.64296, 0.001, "fails"),
        (0.63995, None, "holds"),
        (0.63996, None, "fails"),
        (None, None, "undecided"),
    ],
)
def test_printed_numbers(mean, sem, verdict):
    check = agrees("censored", {"E": ("E", "A")}, {"E": 0.6399}, 1e-4)
    record = make_record(
        "x", "E", "A", {"censored": entry(mean, sem)}, seeds=9, horizon=1
    )
    outcome = Outcome({}, [record], figure()[0])
    assert check(outcome) == Found(verdict, {} if mean is None else {"E": mean})


@pytest.mark.parametrize(
    ("share", "verdict", "above"),
    [
        (0.0, "holds", "fails"),
        (0.1, "holds", "fails"),
        (0.189, "undecided", "undecided"),  # sqrt(.1 * .9 / 100) = .03
        (0.191, "fails", "holds"),
        (None, "undecided", "undecided"),
    ],
)
def test_shares_of_cases(share, verdict, above):
    record = make_record("x", "E", "A", {"bad": entry(share)}, seeds=100, horizon=1)
    outcome = Outcome({}, [record], figure()[0])
    ours = {} if share is None else {"E": share}
    where = {"E": ("E", "A")}
    assert shares("bad", where, 0.1)(outcome) == Found(verdict, ours)
    assert shares("bad", where, 0.1, above=True)(outcome) == Found(above, ours)
    other = shares("bad", {"F": ("F", "A")}, 0.1)(outcome)
    assert other == Found("undecided", {})


def test_whose_index_is_larger():
    records = [
        make_record(
            "x", arm, "m-UCB, alpha = 1", {"index": entry(i)}, seeds=1, horizon=1
        )
        for arm, i in (("arm 1", 8.6), ("arm 2", 48.6))
    ]
    outcome = Outcome({}, records, figure()[0])
    assert STATEMENTS["B2.6"].judge(outcome).verdict == "holds"
    assert STATEMENTS["B2.5"].judge(outcome).verdict == "undecided"
    records[1]["metrics"]["index"] = entry(8.0)
    assert STATEMENTS["B2.6"].judge(outcome).verdict == "fails"


def test_a_quick_run_has_no_verdict():
    experiment = REGISTRY["budgeted-example2"]
    quick = play(experiment, experiment.quick)
    assert quick.claims == () and quick.notes[-1] == SMALLER
    full = play(experiment, experiment.full)
    assert [claim.id for claim in full.claims] == [f"B2.{i}" for i in range(1, 7)]
    assert SMALLER not in full.notes
    verdicts = {claim.id: claim.verdict for claim in full.claims}
    # 2.95 is a slip, docs/errata.md (B2).
    assert verdicts == {
        "B2.1": "holds",
        "B2.2": "holds",
        "B2.3": "fails",
        "B2.4": "holds",
        "B2.5": "holds",
        "B2.6": "holds",
    }
    assert full.claims[2].published == {"arm 1": 2.95}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (["claims", "--results", ""], "--results must be a path"),
        (["claims", "--results", "nowhere"], "--results: there is no folder nowhere"),
        (["claims", "--results", "file"], "--results: there is no folder file"),
        (["claims", "--results", "https://a.b/c"], "--results must be a path"),
        (["verify", "B2.1", "--results", ""], "--results must be a path"),
        (["verify", "b2.1"], "no claim of that name (did you mean 'B2.1'?)"),
        (["verify", "B2.1 "], "no claim of that name (did you mean 'B2.1'?)"),
        (["verify", "file", "--spec", "a.toml"], "--spec says how blocks are played"),
    ],
    ids=str,
)
def test_mistakes_in_commands_of_claims(capsys, monkeypatch, tmp_path, line, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    try:
        status = cli.main(line)
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert named in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_claims_and_verify(capsys, tmp_path):
    results = ["--results", str(tmp_path)]
    assert cli.main(["claims", *results, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in listed] == list(STATEMENTS)
    assert not any(each["verdict"] for each in listed)
    assert listed[0]["command"] == f"jaxbandits verify {listed[0]['id']}"

    assert cli.main(["verify", "B2.1", *results]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("B2.1: The index of omega-UCB") and ": holds (" in out
    assert out.count("\n") == 1 and "playing budgeted-example2" in err
    assert cli.main(["verify", "B2", *results]) == 1  # One fails.
    assert capsys.readouterr().out.count("\n") == 6

    assert verdicts_in(tmp_path)["B2.3"] == "fails"
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "summary.json").write_text("[]")
    assert cli.main(["claims", *results]) == 0
    out = capsys.readouterr().out
    assert f"6 of {len(STATEMENTS)} have a verdict, of which 5 (83%) hold." in out
    assert cli.main(["verify", "B22", *results]) == 2
    assert "there is no claim 'B22' (did you mean 'B2" in capsys.readouterr().err
    assert cli.main(["verify", "B2", "--blocks", "3", *results]) == 2
    assert "--blocks and --spec are of a store" in capsys.readouterr().err


def test_a_statement_is_judged():
    said = Statement(
        "X1.1", "A", "here", "e", lambda outcome: Found("holds", {"a": 1.0})
    )
    claim = said.judge(Outcome({}, [], figure()[0]))
    assert claim.sentence == "X1.1: A (here): holds (a 1)."
