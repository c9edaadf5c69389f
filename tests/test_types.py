"""Type checkers see what the library's signatures say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = Path(__file__).with_name("typed_script.py")
# What mypy says of each of the three mistakes.
SAYS = {
    "1": 'Unexpected keyword argument "horizn" for "simulate"',
    "2": 'Unexpected keyword argument "alhpa" for "_replace" of "Params"',
    "3": 'Cannot infer value of type parameter "A" of "simulate"',
}


@pytest.mark.slow
def test_three_mistakes_of_a_user_are_found():
    """And nothing else: the rest of the script is well-typed."""
    options = ["--strict", "--no-error-summary", "--no-color-output"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(SCRIPT)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    lines = SCRIPT.read_text().splitlines()
    found = {}
    for said in done.stdout.splitlines():
        if match := re.match(r".*:(\d+): error: (.*)", said):
            line = lines[int(match[1]) - 1]
            found[line.partition("  # ")[2]] = match[2]
    assert found.keys() == SAYS.keys(), done.stdout
    for mark, says in SAYS.items():
        assert says in found[mark]
