"""Tests are handed out as tests/workers.py says, whatever pytest and xdist are."""

import os
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

from tests.workers import FIRST, QUICKLY, Groups, group_of, place

ROOT = Path(__file__).resolve().parents[1]


def test_a_file_goes_to_one_worker():
    here = "tests/engine/test_run.py"
    assert group_of(f"{here}::test_a") == group_of(f"{here}::test_b[x::y]") == here
    assert group_of("tests/laws/test_run.py::test_a") != here


def test_policies_that_share_programs_go_to_one_worker():
    twin = "tests/policies/test_twins.py::test_policy_chooses_as_its_twin[indep-UCB]"
    contract = "tests/policies/test_contract.py::test_policy_keeps_the_contract[{}]"
    assert group_of(twin) == group_of(contract.format("censored/ucb")) == "policies"
    assert group_of(contract.format("allocation/ra-ucb")) == "allocation"


def test_what_takes_longest_comes_first():
    files = [name for name in FIRST if name.endswith(".py")]
    assert (
        all((ROOT / name).is_file() for name in files) and len(files) >= len(FIRST) - 2
    )
    nodeids = ["tests/test_cli.py::test_list", f"{files[-1]}::test_a"]
    assert sorted(nodeids, key=place) == nodeids[::-1]


def test_what_is_told_is_asked():
    """A scheduler that xdist no longer asks would hand out tests one by one."""
    assert "_split_scope" in vars(LoadScopeScheduling)
    assert (
        Groups._split_scope(None, "tests/test_cli.py::test_list") == "tests/test_cli.py"
    )


def test_short_runs_compile_quickly(pytestconfig):
    short = pytestconfig.option.markexpr == "not slow"
    assert (QUICKLY in os.environ.get("XLA_FLAGS", "")) == short
