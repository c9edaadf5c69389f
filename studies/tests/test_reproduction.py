"""The pages of the papers say what the summaries of full runs say, and nothing else."""

import json
from pathlib import Path

import pytest
import reproduction_page as pages

from jaxbandits.cli import main as cli
from jaxbandits_studies import REGISTRY, Options, minutes, recorded
from jaxbandits_studies.common.claims import is_full
from jaxbandits_studies.statements import STATEMENTS
from studies.tests import quoted
from tests.tables import naming

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "studies" / "results"
SUMMARIES = pages.summaries_in(KEPT)
QUOTING = [
    KEPT / "errata.md",
    KEPT / "theory" / "discounted-omega.md",
    ROOT / "studies" / "results" / "recommendation.md",
]
AGAIN = "python studies/reproduction.py"


def test_a_page_is_what_its_summaries_make():
    for setting in pages.PAPERS:
        with naming(setting):
            kept = (KEPT / f"{setting}.md").read_text(encoding="utf-8")
            assert kept == pages.page(setting, SUMMARIES), AGAIN


def test_a_summary_is_of_a_full_run_of_known_code():
    for name in SUMMARIES:
        with naming(name):
            found = SUMMARIES[name]
            options = found["options"]
            played = Options(
                options["seeds"], options["horizon"], quick=options["quick"]
            )
            assert found["experiment"] == name and is_full(REGISTRY[name], played)
            assert recorded.judged_again(found) == found, AGAIN
            # Names of environments and policies are those of its outcome.
            assert all(claim["ours"] for claim in found["claims"])
            assert found["provenance"]["git"]["revision"]
            assert not found["provenance"]["git"]["dirty"]
            assert (KEPT / name / f"{name}.webp").stat().st_size > 1_000
            if minutes.is_whole(found):
                row = minutes.measured()[
                    minutes.size_of(REGISTRY[name], REGISTRY[name].full)
                ]
                assert row == minutes.timing_in(found), AGAIN


def test_the_package_has_the_verdicts():
    assert recorded.verdicts() == recorded.verdicts_of(SUMMARIES.values()), AGAIN


def test_what_pages_quote_is_what_the_summaries_say():
    """As far as what they quote was played in full."""
    for page in QUOTING:
        known = [
            quote
            for quote in quoted.quotes(page.read_text(encoding="utf-8"))
            if quote.experiments <= SUMMARIES.keys()
        ]
        strangers = [quote for quote in known if not quoted.is_said(quote, SUMMARIES)]
        assert known and not strangers, page
        wrong = known[0]._replace(mean="12345.6789")
        assert not quoted.is_said(wrong, SUMMARIES)


def test_kept_runs_are_judged_again_without_playing():
    """New words and reasons change what was found by nothing, another check all."""
    kept = json.loads((KEPT / "farewell-fig1" / "summary.json").read_text())
    kept["claims"][0] |= {"text": "Another.", "verdict": "fails", "found": "fails"}
    again = recorded.judged_again(kept)
    first = again["claims"][0]
    assert first["text"] == STATEMENTS["D2.1"].text
    assert (first["verdict"], first["found"]) == ("not comparable", "fails")
    assert first["ours"] == kept["claims"][0]["ours"]
    kept["claims"][2]["check"] = kept["claims"][2]["check"].replace("0.5", "0.6")
    with pytest.raises(ValueError, match=r"fig1: did not ask .* claim D2.3 asks today"):
        recorded.judged_again(kept)
    del kept["claims"][0]
    with pytest.raises(ValueError, match=r"what claim D2.1 asks today; play it again"):
        recorded.judged_again(kept)


def test_records_are_judged_again_by_todays_checks():
    kept = json.loads((KEPT / "budgeted-example2" / "summary.json").read_text())
    stale = kept | {"claims": []}
    assert recorded.judged_again(stale) == kept
    kept["records"][0]["metrics"]["index"]["mean"] *= 2
    changed = recorded.judged_again(kept)["claims"]
    assert changed != kept["claims"]


def test_claims_show_what_is_recorded(capsys, monkeypatch, tmp_path):
    kept = {"found": "fails", "ours": {}, "revision": "a", "date": "b"}
    told = {
        "D2.1": {"verdict": "not comparable"} | kept,
        "B2.3": {"verdict": "fails"} | kept,
    }
    monkeypatch.setattr(recorded, "verdicts", lambda: told)
    results = ["--results", str(tmp_path)]
    assert cli.main(["paper", *results, "--json"]) == 0
    listed = {each["id"]: each for each in json.loads(capsys.readouterr().out)}
    assert listed["D2.1"]["recorded"] == told["D2.1"]
    assert (listed["D2.1"]["stands_on"], listed["B2.3"]["cause"]) == ("D1", "B2")
    assert listed["D2.2"]["recorded"] is None
    assert cli.main(["paper", "budgeted", *results]) == 0
    out = capsys.readouterr().out
    number = sum(each["paper"] == "budgeted" for each in listed.values())
    text = f"{number} claims: 1 fails, {number - 1} not played\n"
    assert " ".join(out.split()).startswith("budgeted " + " ".join(text.split()))
    assert "- 1 fails for one cause: the printed number" in out
    assert cli.main(["paper", "B2.3", *results]) == 0
    assert "B2.3 fails (B2): " in " ".join(capsys.readouterr().out.split())
    assert cli.main(["paper", "farewell", *results]) == 0
    out = capsys.readouterr().out
    assert "- 1 not comparable, played with delays that we reconstructed" in out
