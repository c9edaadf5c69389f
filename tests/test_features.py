"""docs/features.md, taken at its word: every row is played, and nothing lacks a row."""

import ast
import inspect
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import jax
import pytest

import jaxbandits_studies
from jaxbandits.cli import main as cli
from jaxbandits.registry import ENVIRONMENTS, POLICIES
from tests.data import DATA
from tests.features import (
    BLOCK,
    FILES,
    PAGE,
    PYTHON,
    ROOT,
    ROWS,
    TABLE,
    names,
    public,
    value_of,
)

SHELL = "\n".join(call for kind, call, _ in ROWS.values() if kind == "sh")
NEEDS = {
    "a GPU": lambda: jax.default_backend() == "gpu",
    "the papers' data": DATA.is_dir,
    "Criteo's log": (DATA / "criteo_user_campaign.csv.gz").is_file,
    "JAXBANDITS_FEATURES=all": lambda: os.environ.get("JAXBANDITS_FEATURES") == "all",
}


@pytest.fixture(scope="module")
def preamble(quickly):
    """Names that the preamble defines."""
    return names()


# Notebooks are played by tests/notebooks, which looks for their rows.
ELSEWHERE = [row for row, (_, call, _) in ROWS.items() if "python notebooks/" in call]


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if row not in ELSEWHERE])
def test_a_row_does_what_it_says(row, preamble, tmp_path, monkeypatch):
    kind, call, needs = ROWS[row]
    if needs and not NEEDS[needs]():
        pytest.skip(f"needs {needs}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAXBANDITS_DATA", str(DATA))
    for name, text in FILES:
        Path(name).write_text(text)
    if kind == "python":
        exec(compile(call, row, "exec"), dict(preamble))
    else:
        run(call)


def run(call):
    """By bash, in a folder with links to those of the clone, which is `REPO`."""
    for name in ("docs", "jaxbandits", "notebooks", "scripts", "studies", "tests"):
        Path(name).symlink_to(ROOT / name)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    here = {"PATH": path, "PYTHONPATH": str(ROOT), "REPO": str(ROOT)}
    quick = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "MPLBACKEND": "Agg"}
    options = {"env": os.environ | here | quick, "capture_output": True, "text": True}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", call], **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_row_has_an_id_of_its_own_and_every_block_a_row():
    below = [id_ for id_, how in TABLE.findall(PAGE) if how.startswith("below")]
    assert sorted(["preamble", *below]) == sorted(x[1] for x in BLOCK.findall(PAGE))
    assert len(ROWS) == len(re.findall(r"^\| \w\d\d ", PAGE, re.M))
    assert {needs for *_, needs in ROWS.values()} <= {"", *NEEDS}


def test_every_public_name_and_every_option_of_it_has_a_row():
    given, missing = called(), []
    for name, value in public():
        if name not in given and id(value) not in given:
            missing.append(name)
        record = isinstance(value, type) and hasattr(value, "_fields")
        if record or inspect.isfunction(inspect.unwrap(value)):
            options = inspect.signature(value).parameters.values()
            options = {x.name for x in options if x.default is not x.empty}
            missing += [f"{name}: {x}" for x in sorted(options - given[id(value)])]
    assert missing == []


def called():
    """What rows name, also by id; and by id which arguments they give it."""
    given = defaultdict(set)
    for node in (node for call in PYTHON for node in ast.walk(ast.parse(call))):
        if isinstance(node, ast.Attribute) and (value := value_of(node)) is not None:
            given[f"{value_of(node.value).__name__}.{node.attr}"] |= given[id(value)]
        if isinstance(node, ast.Call) and callable(value := value_of(node.func)):
            signature = inspect.signature(value)
            # The rest are parameters of a policy, which a factory takes by name, too.
            keywords = {x.arg for x in node.keywords} & signature.parameters.keys()
            bound = signature.bind_partial(*node.args, **dict.fromkeys(keywords))
            given[id(value)] |= set(bound.arguments)
    return given


def test_every_entry_of_a_registry_has_a_row():
    words = set(re.findall(r"[\w/.-]+", "\n".join([SHELL, *PYTHON])))
    entries = {*POLICIES, *ENVIRONMENTS, *jaxbandits_studies.REGISTRY}
    assert entries - words == set()


def test_every_word_of_the_command_line_has_a_row():
    calls = re.split(r"[;&|\n]", SHELL.replace("\\\n", " "))
    missing = []
    for name, command in cli.parsers()[1].items():
        words = {x for c in calls if f"jaxbandits {name} " in c for x in c.split()}
        options = {x for action in command._actions for x in action.option_strings}
        options -= {"-h", "--help", "--traceback"}  # rows C03, C21: of all commands
        missing += [f"{name} {x}" for x in {"jaxbandits", *options} - words]
    assert missing == []
