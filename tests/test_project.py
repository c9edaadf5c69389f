"""What the project's files say twice agrees, and what they name is there."""

import pydoc
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import jaxbandits

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = ("constraints.txt", "constraints-3.11.txt")


def text(name):
    return (ROOT / name).read_text()


def pins(name):
    """Package -> version, names as pip compares them."""
    lines = [line for line in text(name).splitlines() if not line.startswith("#")]
    pairs = (line.split("==") for line in lines)
    return {normal(package): version for package, version in pairs}


def normal(package):
    return re.sub("[-_.]+", "-", package).lower()


def test_the_version_is_the_same_everywhere():
    version = PROJECT["project"]["version"]
    assert jaxbandits.__version__ == version
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version


def test_the_address_is_the_same_everywhere():
    """One address stands for the repository, until there is one."""
    home = PROJECT["project"]["urls"]["Homepage"]
    assert yaml.safe_load(text("CITATION.cff"))["repository-code"] == home
    for line in text("pyproject.toml").splitlines():
        assert line.count("https://") == line.count(home), line


def test_the_license_is_the_same_everywhere():
    said = yaml.safe_load(text("CITATION.cff"))["license"]
    assert said == PROJECT["project"]["license"]


@pytest.mark.parametrize("name", PINS)
def test_all_that_is_asked_for_is_pinned(name):
    groups = [PROJECT["project"]["dependencies"]]
    groups += PROJECT["dependency-groups"].values()
    groups += [PROJECT["build-system"]["requires"]]
    asked = {normal(re.match(r"[\w.-]+", x)[0]) for group in groups for x in group}
    assert not asked - pins(name).keys()


def test_what_builds_is_installed_for_development():
    build = PROJECT["build-system"]["requires"]
    assert set(build) <= set(PROJECT["dependency-groups"]["dev"])


def test_a_commit_is_formatted_as_ci_asks():
    ruff, _ = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    assert {ruff["rev"]} == {f"v{pins(name)['ruff']}" for name in PINS}


def test_the_workflow_has_every_python_that_is_named():
    jobs = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]
    job = jobs["run"]
    named = "Programming Language :: Python :: 3."
    classifiers = PROJECT["project"]["classifiers"]
    known = [x.removeprefix(named) for x in classifiers if x.startswith(named)]
    matrix = job["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in known]
    assert matrix["python"][0] == PROJECT["project"]["requires-python"][2:]
    # What it asks of scripts/setup.sh is known there.
    asked = {*matrix["dependencies"], *(x["dependencies"] for x in matrix["include"])}
    assert asked == {"pinned", "newest", "oldest"}
    assert "pinned | newest | oldest) ;;" in text("scripts/setup.sh")
    for name in ("run", "build"):
        assert any(f".ci/{name}" in x.get("run", "") for x in jobs[name]["steps"])


def pages():
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for folder in ("docs", "studies"):
        found += sorted((ROOT / folder).rglob("*.md"))
    return found


def test_links_lead_somewhere(subtests):
    for page in pages():
        with subtests.test(page=page):
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                # The sdist has no pictures.
                left_out = (ROOT / "PKG-INFO").exists() and target.endswith(
                    (".png", ".webp")
                )
                if not target.startswith(("http://", "https://")) and not left_out:
                    path, _, place = target.partition("#")
                    aim = page.parent / path if path else page
                    assert aim.is_file(), target
                    assert not place or place in anchors(aim), target


def anchors(page):
    """Of the headings of a page, as a web page of it has them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


def test_what_things_are_called_now_is_there():
    for line in text("docs/renamed.md").splitlines():
        if line.startswith("| `"):
            new = line.rstrip("| ").rpartition(" | ")[2]
            for name in re.findall(r"`(jaxbandits\w*(?:\.\w+)+)", new):
                assert pydoc.locate(name) is not None, name
