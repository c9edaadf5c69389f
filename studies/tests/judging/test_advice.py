"""`jaxbandits recommend`, and the docs that say the same."""

import json
from pathlib import Path
from runpy import run_path

import pytest

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.cli import main as cli
from jaxbandits.protocol import Policy
from jaxbandits_studies.judging import advice
from jaxbandits_studies.judging.advice import ADVICE, evidence, hardest, proof
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.page import page
from jaxbandits_studies.judging.protocol import FINAL_SEED
from studies.tests.judging.boards import PROTOCOL, RUNS, board, cell
from tests.tables import naming

ROOT = Path(__file__).parents[3]
PAGES = ("docs/which-policy.md", "studies/results/recommendation.md")
FOLDERS = {
    m.__name__.split(".")[-1]: m for m in (allocation, budgeted, censored, farewell)
}


def test_the_first_choice_of_every_setting_is_the_entrant_that_was_judged(no_data):
    assert set(ADVICE) == set(PROTOCOLS)
    for setting, one in ADVICE.items():
        entrant = PROTOCOLS[setting].entrants[one.policy]
        problem = problem_of(setting)
        made = eval(one.choices[0].call, FOLDERS | {"problem": problem})
        # What is advised is what was judged, with the same parameters.
        assert made is entrant.factory(problem) and not entrant.flaw
        assert made.params == made.params._replace(**entrant.params)


def test_every_call_of_the_decision_tables_makes_a_policy_of_its_setting(no_data):
    for setting, one in ADVICE.items():
        assert 3 <= len(one.choices) <= 8
        for choice in one.choices:
            with naming((setting, choice.call)):
                folder, _, _ = choice.call.partition(".")
                assert folder == setting
                made = eval(choice.call, FOLDERS | {"problem": problem_of(setting)})
                assert isinstance(made, Policy)


def problem_of(setting):
    return next(iter(PROTOCOLS[setting].judging.values())).environment().problem


def test_the_evidence_by_hand():
    text = evidence(board(), PROTOCOL, "new")
    assert "2 cases that were not used for tuning, budgets 20 to 40, 4 seeds." in text
    assert "1.50 times that of the best rival in the median of 3 pairs" in text
    assert "smaller or equal in 1, and within 1.5 times it" in text
    assert "in 2 (1 of 2 at 20, 1 of 1 at 40). Regrets below one reward" in text
    assert "count as one. It does worst at short, 20 (15 times fast: 600 rew" in text
    assert (
        "ards against 40); coins, 40 (1.5 times fast: 60 rewards against 40)." in text
    )
    assert (
        "Its worst run, beside the best rival's mean, lost 600 rewards against" in text
    )
    assert text.endswith(
        " 40 (short, 20; the worst run of all entrants there lost 600)."
    )
    one = board()._replace(cells=board().cells[:1])
    assert "for tuning, budget 20 only, 4 seeds." in evidence(one, PROTOCOL, "new")
    assert [cell.ratio("new") for cell in hardest(board(), "new")] == [15, 1.5]


@pytest.mark.parametrize("told", [page, evidence], ids=["page", "recommend"])
def test_what_had_been_seen_of_the_last_seeds_is_told_with_their_numbers(told):
    """And of other seeds nothing, nor that a choice came before all of them."""
    protocol = PROTOCOL._replace(seen="They had been seen before all.")
    rest = ("x", "x.png") if told is page else ("new",)
    last = told(board()._replace(root_seed=FINAL_SEED), protocol, *rest)
    assert "The seeds are those that are played last. They had been seen" in last
    for text in (last, told(board(), protocol, *rest)):
        assert "after every choice" not in text and "nothing was tuned" not in text
    assert "had been seen" not in told(board(), protocol, *rest)


def test_every_setting_says_what_had_been_seen_before_which_choice():
    for setting in ADVICE:
        with naming(setting):
            assert PROTOCOLS[setting].seen.startswith("They had been seen before ")
            assert PROTOCOLS[setting].seen in proof(setting)


def test_a_ratio_to_less_than_a_reward_is_not_printed():
    """Nobody does 40 times worse than a rival that has lost a thousandth."""
    small = {name: [x / 1e3 for x in runs] for name, runs in RUNS.items()}
    one = cell(values=small | {"new": [39.0, 40.0, 41.0, 40.0], "lost": [80.0] * 4})
    text = evidence(board()._replace(cells=(one,)), PROTOCOL, "new")
    assert "worst at coins, 20 (40 rewards against less than 1 of fast). Its" in text
    assert "lost 41 rewards against less than 1 (coins, 20; the worst run of" in text
    assert text.endswith("all entrants there lost 80).")


def test_the_docs_say_what_the_command_prints(capsys):
    tables, proofs = (" ".join((ROOT / page).read_text().split()) for page in PAGES)
    for setting, one in ADVICE.items():
        with naming(setting):
            assert cli.main(["recommend", setting, "--evidence"]) == 0
            printed = " ".join(capsys.readouterr().out.split())
            for text in (one.game, one.caution):
                assert text in printed and text in tables
            assert proof(setting) in printed
            assert proof(setting) in proofs
            for choice in one.choices:
                assert f"If {choice.when}: {choice.call}" in printed
                row = f"| {choice.when} | `{choice.call}` |"
                assert row in tables


def test_the_advice_without_its_evidence_fits_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for setting, one in ADVICE.items():
        with naming(setting):
            assert cli.main(["recommend", setting]) == 0
            lines = capsys.readouterr().out.splitlines()
            assert len(lines) <= 2 * len(one.choices) + 3
            assert max(map(len, lines)) <= 80
            assert lines[-1] == f"Why: jaxbandits recommend {setting} --evidence"
            assert cli.main(["recommend", setting, "--json"]) == 0
            facts = json.loads(capsys.readouterr().out)
            assert facts["policy"] == one.policy
            assert [row["call"] for row in facts["choices"]] == [
                choice.call for choice in one.choices
            ]


def test_the_board_of_the_seeds_that_are_played_last_goes_first(tmp_path):
    folder_of = run_path(str(ROOT / "studies" / "leaderboards.py"))["folder_of"]
    assert folder_of(tmp_path, "budgeted") is None
    for name in ("leaderboard-budgeted", "leaderboard-budgeted-final"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "leaderboard.json").touch()
        assert folder_of(tmp_path, "budgeted") == tmp_path / name
    (tmp_path / "leaderboard-budgeted-final" / "leaderboard.json").unlink()
    assert folder_of(tmp_path, "budgeted") == tmp_path / "leaderboard-budgeted"


def test_a_shipped_board_is_shown(capsys, monkeypatch):
    monkeypatch.setattr(advice, "shipped", lambda setting: board())
    monkeypatch.setattr(
        "jaxbandits_studies.judging.board.shipped", lambda setting: board()
    )
    monkeypatch.setitem(advice.PROTOCOLS, "budgeted", PROTOCOL)
    monkeypatch.setitem(ADVICE, "budgeted", ADVICE["budgeted"]._replace(policy="new"))
    assert cli.main(["recommend", "budgeted", "--evidence"]) == 0
    out = capsys.readouterr().out
    assert "2 of 3" in out and "Evidence: 2 cases" in out
    assert cli.main(["recommend", "budgeted", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["standings"]
    assert [row["name"] for row in rows] == ["lost", "slow", "new", "fast"]
    assert rows[2]["held"] == 2 and rows[2]["within"] == 1.5


def test_an_unknown_setting_is_refused(capsys):
    for setting, hint in [("gambling", ""), ("budgetd", "did you mean 'budgeted'")]:
        with naming(setting):
            assert cli.main(["recommend", setting]) == 2
            err = capsys.readouterr().err
            assert "SETTING must be one of censored, " in err and hint in err


def test_without_a_board_the_command_that_makes_one_is_named(monkeypatch):
    for setting in ADVICE:
        with naming(setting):
            monkeypatch.setattr(advice, "shipped", lambda setting: None)
            assert f"reproduce leaderboard-{setting}`" in proof(setting)
