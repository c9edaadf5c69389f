"""CONTRIBUTING.md and its pages are followed to the letter, in a copy of the sources.

What they add is linted, keeps the layers and passes the tests that they say it must.
"""

import os
import shutil
import subprocess
import sys

import pytest

from tests.heavy import in_short
from tests.pages import ROOT, apply, commands, steps

# Every page, in the order in which they build on one another, and tests that must be
# among those that its commands run.
PAGES = {
    "CONTRIBUTING.md": (
        "test_policy_plays_and_keeps_the_contract[budgeted/ucb-bwk]",
        "test_a_round_of_a_policy_keeps_the_contract[budgeted/ucb-bwk]",
        "test_policy_chooses_as_its_twin[budgeted/ucb-bwk]",
        "test_policy_chooses_as_its_twin_in_all_games[budgeted/ucb-bwk]",
        "test_policies_beat_uniform_play[budgeted]",
        "test_every_policy_has_a_margin",
        "test_every_policy_of_the_setting_has_a_twin",
        "test_imports_point_down",
        "test_signatures_are_annotated",
    ),
    "docs/new-environment.md": (
        "test_environment_keeps_the_contract[budgeted/needle]",
        "test_uniform_play_loses_what_the_gap_says",
        "test_what_is_no_needle_is_refused",
        "test_imports_point_down",
    ),
    "docs/new-law.md": (
        "test_a_law_of_the_package_keeps_the_contract[power]",
        "test_signatures_are_annotated",
        "test_against_scipy",
        "test_what_is_no_exponent_is_refused",
        "test_imports_point_down",
    ),
    "docs/new-figure.md": (
        "test_needle.py::test_needle",
        "test_full_is_the_papers_size_and_quick_no_larger[budgeted-needle]",
        "test_imports_point_down",
    ),
}
COPIED = "jaxbandits tests scripts studies docs conftest.py pyproject.toml".split()
LINES = 120  # of a policy's file


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository with everything added that the pages add."""
    root = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, root / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, root)
    for page in PAGES:
        for step in steps(page):
            apply(step, root)
    return root


def run(root, *words):
    """A command's output; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=root,
        env=os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{root / 'studies'}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("page", in_short(PAGES, PAGES))
def test_the_commands_of_a_page_pass(copy, page):
    lines = commands(page)
    assert lines
    for program, *words in lines:
        if program == "scripts/test.sh":
            tests = run(copy, "pytest", "-n", "0", "-v", *words)
            missing = [
                name for name in PAGES[page] if not passed(name, tests.splitlines())
            ]
            assert not missing, tests
        else:
            run(copy, "jaxbandits", *words)
            (picture,) = (copy / words[-1]).glob("*.png")
            assert picture.stat().st_size > 10_000


def passed(name, lines):
    """Whether a test, or all cases of it, are reported to have passed."""
    found = [line for line in lines if f"::{name}" in line or f"/{name}" in line]
    return found and all("PASSED" in line for line in found)


def test_what_is_added_is_formatted(copy):
    files = sorted({step.path for page in PAGES for step in steps(page)})
    run(copy, "ruff", "check", *files)
    # An entry may stand anywhere in its table, and is read as it stands in the page.
    new = [s.path for page in PAGES for s in steps(page) if s.place == "file"]
    run(copy, "ruff", "format", "--check", *new)


def test_a_policy_is_a_short_file_and_one_line():
    """All else that its page adds is a twin and tests."""
    added = [s for s in steps("CONTRIBUTING.md") if not s.path.startswith("tests/")]
    file, line = added
    assert file.place == "file"
    assert file.path == "jaxbandits/budgeted/policies/ucb_bwk.py"
    assert file.code.count("\n") < LINES and line.code.count("\n") == 1
    assert line.path == "jaxbandits/budgeted/__init__.pyi"


def test_every_page_is_linked():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("new-*.md")}
    assert pages | {"CONTRIBUTING.md"} == set(PAGES)
    assert all(f"]({page})" in text for page in pages)
