"""docs/features.md, taken at its word: every row is played, and nothing lacks a row.

The page is the list. It holds the calls, and says how they are played.
"""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import jax
import matplotlib.pyplot as plt
import pytest

import jaxbandits
from jaxbandits import cli, experiments, policies, settings, theory
from tests.data import DATA

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "features.md").read_text()
TABLE = re.compile(r"^\| ([A-Z]\d\d) \| .+ \| (.+) \|$", re.M)
BLOCK = re.compile(r"^```(python|sh)\n# ([A-Z]\d\d|preamble)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"^```(?:toml|csv)\n# (\S+)\n(.*?)^```$", re.M | re.S)
BLOCKS = {name: (kind, code) for kind, name, code in BLOCK.findall(PAGE)}
CLONE = ("docs", "jaxbandits", "notebooks", "scripts", "tests")
NEEDS = {
    "a GPU": lambda: jax.default_backend() == "gpu",
    "a browser": lambda: "CHROMIUM" in os.environ or shutil.which("chromium"),
    "the papers' data": DATA.is_dir,
    "Criteo's log": (DATA / "criteo_user_campaign.csv.gz").is_file,
    "JAXBANDITS_FEATURES=all": lambda: os.environ.get("JAXBANDITS_FEATURES") == "all",
}
# Their public names are those that they define.
UNLISTED = {"jaxbandits.live", *(f"jaxbandits.theory.{x}" for x in theory.__all__)}


class Row(NamedTuple):
    """A row of the page; `kind` is "python", "sh", or "true" for an expression."""

    id: str
    kind: str
    code: str
    needs: str


def _row(id_: str, how: str) -> Row:
    call, _, needs = how.partition(" needs ")
    if call == "below":
        return Row(id_, *BLOCKS[id_], needs)
    code = call.removeprefix("`").removesuffix("`")
    if code.startswith("$ "):
        return Row(id_, "sh", code[2:], needs)
    return Row(id_, "true", code, needs)


ROWS = [_row(*row) for row in TABLE.findall(PAGE)]
EVERYWHERE = {"", "--help", "--traceback"}  # rows C03 and C21 are about all commands


@pytest.fixture(scope="module")
def preamble():
    """Names that the preamble defines; programs are compiled as quickly as can be."""
    jax.config.update("jax_disable_most_optimizations", True)
    space = {"__name__": "features"}
    exec(BLOCKS["preamble"][1], space)
    yield space
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_does_what_it_says(row, preamble, tmp_path, monkeypatch):
    if row.needs and not NEEDS[row.needs]():
        pytest.skip(f"needs {row.needs}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAXBANDITS_DATA", str(DATA))
    for name, text in FILE.findall(PAGE):
        Path(name).write_text(text)
    if row.kind == "true":
        assert eval(row.code, dict(preamble))
    elif row.kind == "python":
        exec(compile(row.code, row.id, "exec"), dict(preamble))
    else:
        _run(row.code)
    plt.close("all")


def _run(code):
    """By bash, in a folder that has links to the clone's; `REPO` is the clone."""
    for name in CLONE:
        Path(name).symlink_to(ROOT / name)
    environment = os.environ | {
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        "MPLBACKEND": "Agg",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "REPO": str(ROOT),
    }
    command = ["bash", "-euo", "pipefail", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_row_has_an_id_of_its_own_and_every_block_a_row():
    ids = [row.id for row in ROWS]
    assert len(ids) == len(set(ids)) == len(re.findall(r"^\| \w\d\d ", PAGE, re.M))
    assert set(BLOCKS) - {"preamble"} <= set(ids)
    assert len(BLOCKS) == len(BLOCK.findall(PAGE))
    assert {row.needs for row in ROWS} <= {"", *NEEDS}


def test_every_public_name_and_every_option_of_it_has_a_row():
    named, given = _used()
    missing, options = [], []
    for module, name, value in _public():
        if (module, name) not in named and id(value) not in given:
            missing.append(f"{module}.{name}")
        record = isinstance(value, type) and hasattr(value, "_fields")
        if record or inspect.isfunction(inspect.unwrap(value)):
            parameters = inspect.signature(value).parameters.values()
            optional = {x.name for x in parameters if x.default is not x.empty}
            options += [f"{module}.{name}: {x}" for x in optional - given[id(value)]]
    assert (missing, sorted(options)) == ([], [])


def _public():
    """(module, name, value) of all that users may import."""
    walked = pkgutil.walk_packages(jaxbandits.__path__, "jaxbandits.")
    for module_name in ["jaxbandits", *(x.name for x in walked)]:
        if module_name.endswith("__main__"):
            continue
        module = importlib.import_module(module_name)
        names = getattr(module, "__all__", ())
        if not names and module_name in UNLISTED:
            own = [x for x in vars(module) if not x.startswith("_")]
            names = [x for x in own if _home(getattr(module, x)) == module_name]
        for name in names:
            if not isinstance(value := getattr(module, name), ModuleType):
                yield module_name, name, value


def _home(value):
    return getattr(value, "__module__", None)


def _used():
    """(module, name) that rows name, and by id of a value what they give it."""
    tree = ast.parse(BLOCKS["preamble"][1])
    tree.body = [x for x in tree.body if isinstance(x, ast.Import | ast.ImportFrom)]
    space: dict = {}
    exec(compile(tree, "preamble", "exec"), space)

    def value_of(node):
        if isinstance(node, ast.Name):
            return space.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = value_of(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr, None)
        return None

    named, given = set(), defaultdict(set)
    codes = [row.code for row in ROWS if row.kind != "sh"]
    for node in (x for code in codes for x in ast.walk(ast.parse(code.strip()))):
        if isinstance(node, ast.Attribute) and (value := value_of(node)) is not None:
            named.add((value_of(node.value).__name__, node.attr))
            given[id(value)] |= set()
        if isinstance(node, ast.Call) and callable(value := value_of(node.func)):
            keywords = {x.arg: None for x in node.keywords if x.arg}
            signature = inspect.signature(value)
            bound = signature.bind_partial(*[None] * len(node.args), **keywords)
            given[id(value)] |= set(bound.arguments)
    return named, given


def test_every_entry_of_a_registry_has_a_row():
    words = set(re.findall(r"[\w/.-]+", "\n".join(row.code for row in ROWS)))
    entries = {*policies.REGISTRY, *settings.REGISTRY, *experiments.REGISTRY}
    entries |= {name for parts in settings.PARTS.values() for name in parts}
    assert entries - words == set()


def test_every_word_of_the_command_line_has_a_row():
    lines = [row.code.replace("\\\n", " ") for row in ROWS if row.kind == "sh"]
    words = {(*re.split(r"[;&|\n]", line),) for line in lines}
    calls = [call for each in words for call in each if "jaxbandits " in call]
    parser = cli._parser()
    (commands,) = (x for x in parser._actions if hasattr(x, "choices") and x.choices)
    missing = []
    for name, command in commands.choices.items():
        given = " ".join(c for c in calls if re.search(rf"jaxbandits {name}\b", c))
        for action in command._actions:
            option = action.option_strings[-1] if action.option_strings else ""
            if not given or (option not in given.split() and option not in EVERYWHERE):
                missing.append(f"{name} {option}")
    assert missing == []
