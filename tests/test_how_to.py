"""The code of the how-to pages runs as it stands there, at a small size."""

import re
from pathlib import Path

import pytest

from tests.heavy import in_short

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = ("own-instance", "own-policy", "own-loop", "own-log", "on-a-gpu", "print")
# What makes a page's runs small: its end and its seeds.
END, SEEDS = re.compile(r"(horizon|budget)=[\d_]+"), re.compile(r"seeds=[\d_]+")


def code_of(page):
    """The blocks of a page, one after another, with small runs."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(BLOCK.findall(text))
    return SEEDS.sub("seeds=2", END.sub(r"\1=30", code))


# That of four games compiles eight policies.
@pytest.mark.parametrize("page", in_short(PAGES, {"own-instance"}))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = code_of(page)
    assert code, page
    exec(compile(code, f"{page}.md", "exec"), {"__name__": page})
