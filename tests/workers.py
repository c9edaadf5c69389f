"""What the workers of a run do: which tests each gets, and the programs they share.

Half of the time of a run is XLA's, so what is compiled is compiled once: tests that
share programs go to one worker, and a program that another worker, a child process, a
rebuilt policy or the run before has had compiled is read from a folder. And it is
compiled as quickly as can be: half of XLA's time is LLVM's, which makes fast programs
of what is played for a few rounds. Tests of what may depend on that (bits, barriers)
ask for `OPTIMISED`.
"""

import os
import shutil
import sys
from pathlib import Path, PurePosixPath

import jax
from xdist.scheduler import LoadScopeScheduling

PROGRAMS = "JAX_COMPILATION_CACHE_DIR"
SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}
MOST_BYTES = 2 * 10**9  # that are kept; a run of all short tests needs a twentieth
QUICKLY = " ".join(
    [
        "--xla_backend_optimization_level=0",
        "--xla_llvm_disable_expensive_passes=true",
        # Small programs are compiled faster in one piece.
        "--xla_cpu_parallel_codegen_split_count=1",
    ]
)
# Compiler options that undo it: XLA's defaults.
OPTIMISED = {
    "xla_backend_optimization_level": 3,
    "xla_llvm_disable_expensive_passes": False,
    "xla_cpu_parallel_codegen_split_count": 32,
}
# What takes longest, so that no worker is left with it at the end.
FIRST = [
    "policies",
    "tests/policies/test_all_play.py",
    "allocation",
    "tests/settings/test_allocation.py",
    "tests/engine/test_invariance.py",
    "tests/sweeps/test_killed.py",
]


def group_of(nodeid: str) -> str:
    """What goes to one worker: a file; of tests/policies, whose twins, contracts and
    margins share programs, what is about allocation, and the rest."""
    file = nodeid.split("::")[0]
    path = PurePosixPath(file)
    if path.parent.name != "policies" or path.name == "test_all_play.py":
        return file
    return "allocation" if "allocation" in nodeid else "policies"


def place(nodeid: str) -> int:
    """By which the tests are sorted."""
    group = group_of(nodeid)
    return FIRST.index(group) if group in FIRST else len(FIRST)


class Groups(LoadScopeScheduling):
    """A worker that is free gets the next group."""

    def __init__(self, config, log):
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid):
        return group_of(nodeid)


def is_short(config) -> bool:
    """Whether the long tests are not asked for."""
    return config.option.markexpr in ("not slow", "not slow or each_jax")


def compile_quickly(config) -> None:
    """Unless long tests are asked for, which play more than they compile."""
    if is_short(config):
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{QUICKLY} {flags}"


def share_programs(config) -> None:
    """Have JAX keep programs in a folder, for this process and those that it starts.

    It is one of pytest's cache (``--cache-clear`` begins anew), unless the caller has
    named another. JAX knows a program by its text, its flags, its own version and the
    processor. Python's own programs are kept as well, which every process would
    compile anew.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # What somebody else is still writing is compiled instead.
    config.addinivalue_line(
        "filterwarnings", "ignore:Error (reading|writing) persistent compilation cache"
    )
    if PROGRAMS not in os.environ:
        os.environ[PROGRAMS] = str(_kept(config))
        config.add_cleanup(lambda: os.environ.pop(PROGRAMS))
    jax.config.update("jax_compilation_cache_dir", os.environ[PROGRAMS])
    for name, value in SETTINGS.items():
        os.environ[name.upper()] = str(value)
        jax.config.update(name, value)


def _kept(config) -> Path:
    """The folder of programs that runs have kept, emptied once it is large."""
    folder = config.cache.mkdir("programs")
    if sum(program.stat().st_size for program in folder.iterdir()) > MOST_BYTES:
        shutil.rmtree(folder)
        folder = config.cache.mkdir("programs")
    return folder
