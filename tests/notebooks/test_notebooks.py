"""The notebooks run, and their committed outputs belong to their text form."""

import os
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
# What each shows at its full size only.
FULL = {
    "00_start": "'seed': 100",
    "01_sweeps": "'seed': 5000",
    "02_kernels": "2,000 runs of 2,000 rounds",
    "03_extend": "'seed': 200",
    "04_your_data": "'seed': 200",
    "10_censored": "'seed': 100",
    "20_allocation": "'seed': 100",
    "30_budgeted": "'seed': 200",
    "40_farewell": "'seed': 100",
}
LARGEST = 600_000  # bytes, so that a web page shows it at once

by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def committed(path):
    return nbformat.read(path.with_suffix(".ipynb"), as_version=4)


def outputs(path):
    return [o for cell in committed(path).cells for o in cell.get("outputs", [])]


def test_every_notebook_is_committed_in_both_forms():
    executed = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert [path.stem for path in executed] == [path.stem for path in NOTEBOOKS] != []
    page = (ROOT / "docs" / "features.md").read_text()
    rows = re.findall(r"^\| N\d\d .*python (notebooks/.+)`", page, re.M)
    assert rows == [f"notebooks/{path.name}" for path in NOTEBOOKS]


@pytest.mark.slow
@by_name
def test_it_runs(path, tmp_path):
    """As a script, which shows nothing but fails where the notebook would.

    So few seeds as here support no interval, which the library warns of.
    """
    environment = os.environ | {
        "JAXBANDITS_TINY": "1",
        "MPLBACKEND": "Agg",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:coverage of the", path],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []  # It cleans up after itself.


@by_name
def test_both_forms_have_the_same_cells(path):
    text = [(cell.cell_type, cell.source) for cell in jupytext.read(path).cells]
    assert [(cell.cell_type, cell.source) for cell in committed(path).cells] == text


@by_name
def test_it_was_executed_from_top_to_bottom_without_an_error(path):
    cells = [cell for cell in committed(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert outputs(path)
    assert {o.output_type for o in outputs(path)} <= {
        "stream",
        "display_data",
        "execute_result",
    }
    assert not [o.text for o in outputs(path) if o.get("name") == "stderr"]


@by_name
def test_what_a_reader_sees_is_small_and_full_size(path):
    assert path.with_suffix(".ipynb").stat().st_size < LARGEST
    pictures = [o for o in outputs(path) if "image/png" in o.get("data", {})]
    assert pictures
    text = "".join(o.get("text", "") for o in outputs(path))
    assert FULL[path.stem] in text
