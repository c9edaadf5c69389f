"""The site: links are moved, what leads nowhere is found, and its examples run."""

import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from jaxbandits.registry import ENVIRONMENTS
from jaxbandits_studies import REGISTRY
from tests.heavy import in_short
from tests.registered import POLICIES

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "scripts"))
crawl, gallery, links, policies, commands = (
    import_module(f"pages.{name}")
    for name in ("crawl", "gallery", "links", "policies", "commands")
)
RESULTS = ROOT / "studies" / "results"
SETTINGS = sorted((ROOT / "docs" / "settings").glob("*.md"))
# Whose examples take longest to compile.
DEAR = [page for page in SETTINGS if page.stem != "farewell"]


def place(target):
    return f"<{target}>"


LINKS_OF_A_PAGE_ARE_MOVED = [
    ("[a](b.md)", "[a](<docs/b.md>)"),
    ("[a](../README.md#two-commands)", "[a](<README.md>#two-commands)"),
    ("![a](figures/b.png)", "![a](<docs/figures/b.png>)"),
    ("[a](#here)", "[a](#here)"),
    ("[a](https://example.org/b.md)", "[a](https://example.org/b.md)"),
    ("f(x) and [0, 1](twice)", "f(x) and [0, 1](<docs/twice>)"),
]


def test_links_of_a_page_are_moved(subtests):
    for text, moved in LINKS_OF_A_PAGE_ARE_MOVED:
        with subtests.test(text=text, moved=moved):
            assert links.relink(text, links.MARKDOWN, "docs/a.md", place) == moved


def test_links_of_a_notebook_are_moved():
    text = '<a href="../docs/a.md#b">x</a> <a href="#c">y</a> <a href="mailto:z">z</a>'
    moved = text.replace("../docs/a.md", "<docs/a.md>")
    assert links.relink(text, links.HTML, "notebooks/a.ipynb", place) == moved


def test_what_leads_nowhere_is_found(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text(
        '<h1 id="top">A</h1><a href="../#b">b</a><a href="../#c">c</a>'
        '<img src="x.png"><a href="https://example.org/no">out</a><a href="../d/">d</a>'
    )
    (tmp_path / "index.html").write_text('<p id="b"></p><a href="a/#top">a</a>')
    assert crawl.faults(tmp_path) == [
        "a/index.html: ../#c: the page has no such place",
        "a/index.html: x.png: there is no such file",
        "a/index.html: ../d/: there is no such file",
    ]


def test_a_reference_without_entries_is_found(tmp_path):
    for name, entry in (
        ("a.b", '<h2 id="a.b.f"></h2>'),
        ("a.c", '<h2 id="a.b.f"></h2>'),
    ):
        (tmp_path / "api" / name).mkdir(parents=True)
        (tmp_path / "api" / name / "index.html").write_text(
            f'<p id="{name}"></p>{entry}'
        )
    (tmp_path / "index.html").write_text("")
    expected = ["api/a.c/index.html: the reference has no entry"]
    assert crawl.faults(tmp_path) == expected


@pytest.mark.slow
@pytest.mark.parametrize("page", in_short(SETTINGS, DEAR), ids=lambda page: page.stem)
def test_the_example_of_a_setting_runs(page):
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    code, count = re.subn(
        r"(horizon|budget)=[\d_]+, seeds=\d+", r"\1=30, seeds=2", code
    )
    assert count == 1
    found = {}
    exec(code, found)
    assert found["data"].sizes["policy"] == 2
    assert np.isfinite(found["data"]["regret"]).all()


def test_every_entry_stands_on_the_page_of_its_setting():
    text = "\n".join(policies.tables(page.stem) for page in SETTINGS)
    for name in [*POLICIES, *ENVIRONMENTS]:
        assert f"| `{name}` |" in text


def test_every_experiment_stands_in_the_gallery():
    text = gallery.page(RESULTS)
    for name in REGISTRY:
        assert f"    jaxbandits reproduce {name}\n" in text
    kept = {path.parent.name for path in RESULTS.glob("*/*.webp")} - {"leaderboards"}
    shown = set(re.findall(r"!\[([\w-]+)\]", text))
    assert kept <= shown and "censored-fig4" in shown


def test_a_browser_sees_what_a_reader_would(tmp_path):
    """With the `site` group and a Chromium only; .ci/build has both."""
    pytest.importorskip("playwright", reason="needs scripts/setup.sh site")
    browse = import_module("pages.browse")
    if not (browser := browse.chromium()):
        pytest.skip("needs Chromium")
    head = '<link rel="icon" href="data:,"><meta name="viewport" content="width=390">'
    (tmp_path / "fine.html").write_text(f"{head}<p>fine</p>")
    (tmp_path / "wide.html").write_text(f'{head}<p style="width: 600px">wide</p>')
    (tmp_path / "broken.html").write_text(f'{head}<img src="none.png">')
    (tmp_path / "error.html").write_text(f"{head}<script>none()</script>")
    found = "\n".join(browse.faults(tmp_path, browser, tmp_path / "shots"))
    assert "fine.html" not in found and "wide.html (screen)" not in found
    assert "wide.html (phone): 2" in found and "pixels too wide" in found
    assert "broken.html (phone): no picture none.png" in found
    assert "error.html (screen): none is not defined" in found
    assert (tmp_path / "shots" / "fine.html-phone.png").stat().st_size > 0


def test_the_page_of_policies_has_every_one_with_its_parameters():
    text = links.with_asterisks(policies.page())
    for name in POLICIES:
        assert f" (`{name}`)\n" in text
    entry = text.partition("### RCUCB (`censored/rcucb`)")[2].partition("\n### ")[0]
    assert "entry: censored.rcucb(problem)\n" in entry and "Bengs" in entry
    assert "  alpha           default 1; must be positive and finite\n" in entry
    # A name with an asterisk keeps it, in a heading and in a sentence.
    assert r"### omega\*-UCB (`budgeted/omega-star-ucb`)" in text


def test_the_page_of_commands_has_the_help_of_every_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = commands.page()
    for name in ("list", "sweep status", "reproduce", "recommend"):
        assert f"## {name}\n\n```text\nusage: jaxbandits {name} " in text
    assert max(map(len, text.splitlines())) <= 100


NAMES_WITH_ASTERISKS = [
    ("omega*-UCB and omega*-UCB", r"omega\*-UCB and omega\*-UCB"),
    ("`omega*-UCB`", "`omega*-UCB`"),
    ("    omega*-UCB", "    omega*-UCB"),
    ("```\nomega*-UCB\n```", "```\nomega*-UCB\n```"),
    ("*omega* is Greek", "*omega* is Greek"),
]


def test_names_keep_their_asterisks_outside_code(subtests):
    for text, shown in NAMES_WITH_ASTERISKS:
        with subtests.test(text=text):
            assert links.with_asterisks(text) == shown
