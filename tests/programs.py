"""How programs are compiled in tests: quickly, and each of them once.

Half of the time of a run is XLA's. Half of that is LLVM's, which makes fast programs of
what is played for a few rounds; tests of what may depend on that (bits, barriers) ask
for `OPTIMISED`.
"""

import os
import shutil
import sys

import jax

CACHE = "JAX_COMPILATION_CACHE_DIR"
MOST_BYTES = 2 * 10**9  # that are kept; a short run needs a twentieth
QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
    "xla_cpu_parallel_codegen_split_count": 1,  # small ones are faster in one piece
}
QUICKLY = " ".join(f"--{name}={value}".lower() for name, value in QUICK.items())
# Compiler options that undo it: XLA's defaults.
OPTIMISED = {
    "xla_backend_optimization_level": 3,
    "xla_llvm_disable_expensive_passes": False,
    "xla_cpu_parallel_codegen_split_count": 32,
}


def keep_programs(config) -> None:
    """Have JAX keep programs in a folder, for this process and those that it starts.

    The folder is one of pytest's cache (``--cache-clear`` begins anew), unless the
    caller has named another. Python's own programs are kept as well, which every
    process would compile anew.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # What somebody else is still writing is compiled instead.
    config.addinivalue_line(
        "filterwarnings", "ignore:Error (reading|writing) persistent compilation cache"
    )
    if CACHE not in os.environ:
        folder = config.cache.mkdir("programs")
        if sum(program.stat().st_size for program in folder.iterdir()) > MOST_BYTES:
            shutil.rmtree(folder)
        os.environ[CACHE] = str(config.cache.mkdir("programs"))
        config.add_cleanup(lambda: os.environ.pop(CACHE))
    jax.config.update("jax_compilation_cache_dir", os.environ[CACHE])
    for name, value in {
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }.items():
        os.environ[name.upper()] = str(value)
        jax.config.update(name, value)
