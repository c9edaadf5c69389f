"""scripts/gpu/check.py, dry: what it asks of a GPU is asked of a CPU."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_a_dry_run_measures_every_step(tmp_path):
    command = [sys.executable, ROOT / "scripts" / "gpu" / "check.py", tmp_path, "--dry"]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert not [row for row in rows if "error" in row]
    assert {row["step"] for row in rows} == {"same", "speed", "checkpoints"}
    same = {row["engine"]: row for row in rows if row["step"] == "same"}
    assert same.keys() == {"fused", "scan", "vmap"}
    assert all(row["runs_apart"] <= 3 for row in same.values())
