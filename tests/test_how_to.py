"""The code of the how-to pages runs as it stands there, at a small size."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from tests.heavy import in_short
from tests.tables import each_row

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = ("own-instance", "own-policy", "own-loop", "own-log", "on-a-gpu", "print")
# What makes a page's runs small: its end and its seeds.
END, SEEDS = re.compile(r"(horizon|budget)=[\d_]+"), re.compile(r"seeds=[\d_]+")


def code_of(page):
    """The blocks of a page, one after another, with small runs."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(BLOCK.findall(text))
    assert code, page
    return SEEDS.sub("seeds=2", END.sub(r"\1=30", code))


# Each compiles its policies.
@pytest.mark.parametrize("page", in_short(PAGES, set(PAGES) - {"own-loop"}))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code_of(page), f"{page}.md", "exec"), {"__name__": page})


@each_row("page", PAGES)
def test_what_a_page_names_in_a_module_is_there(page):
    nodes, names = [*ast.walk(ast.parse(code_of(page)))], {}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            exec(ast.unparse(node), names)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            module = names.get(getattr(node.value, "id", ""))
            assert not inspect.ismodule(module) or hasattr(module, node.attr), node.attr
