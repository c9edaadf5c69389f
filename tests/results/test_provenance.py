"""Provenance: complete, JSON-able, and unable to break a run."""

import json
import os
import subprocess
from datetime import UTC, datetime

import numpy as np
import pytest

from jaxbandits.results import provenance
from jaxbandits.results._provenance import git_state
from jaxbandits.results.plain import plain


def test_entries():
    made = provenance(seeds=np.arange(3), device="cpu", params={"alpha": np.inf})
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["versions"]["numpy"] == np.__version__
    assert made["versions"].keys() >= {"python", "jax", "jaxlib", "xarray"}
    assert made["seeds"] == [0, 1, 2] and made["params"] == {"alpha": "inf"}
    age = datetime.now(UTC) - datetime.fromisoformat(made["created"])
    assert 0 <= age.total_seconds() < 60


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="'versions'"):
        provenance(versions={})
    with pytest.raises(ValueError, match=r"run\.law\[1\]: function has no JSON form"):
        provenance(run={"law": [1, plain]})


@pytest.fixture
def repository(tmp_path):
    """A repository with one committed package, and a function that calls git in it."""

    def git(*arguments):
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(
            ["git", "-C", tmp_path, *identity, *arguments],
            check=True,
            capture_output=True,
            # Whatever the machine's own settings say about signing and hooks.
            env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull},
        )

    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    git("init")
    git("add", ".")
    git("commit", "--no-verify", "-m", "first")
    return tmp_path


def test_git_state(repository):
    state = git_state(repository / "package")
    assert len(state["revision"]) == 40 and state["dirty"] is False
    (repository / "elsewhere.txt").write_text("not the package's")
    assert git_state(repository / "package") == state
    (repository / "package" / "__init__.py").write_text("changed = True")
    assert git_state(repository / "package") == state | {"dirty": True}


def test_an_installed_package_is_not_the_repository_around_it(repository):
    installed = repository / "venv" / "package"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("")
    assert git_state(installed) == {"revision": None, "dirty": None}


def test_a_machine_without_git_knows_no_revision(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert git_state(repository / "package") == {"revision": None, "dirty": None}


def test_git_variables_of_a_hook_do_not_mislead(repository, monkeypatch, tmp_path):
    state = git_state(repository / "package")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    assert git_state(repository / "package") == state
