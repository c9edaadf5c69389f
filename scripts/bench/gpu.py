"""What compilers make of the GPU engine. No GPU is needed: nothing is run there.

The text of a policy's round goes through NVRTC, `ptxas` and `nvdisasm` for an H100, and
the machine code says what a round takes: registers, stack, spilled bytes, and the
instructions of a warp per run and round, hence a bound on its speed: no GPU issues more
than one instruction per cycle and scheduler. With ``--ahead`` XLA compiles the whole
program, on one and on two H100 that are described to it, with the plugin that is here.

Needs NVRTC (``jax[cuda13]``), `ptxas` and `nvdisasm` (CUDA toolkit or its wheels).
"""

import os

# No GPU is looked for.
os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")

import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh

from jaxbandits.engine.gpu import FUSED, build
from jaxbandits.engine.rollout import LANES
from jaxbandits.registry import POLICIES
from tests.engine.gpu_cases import GAMES
from tests.engine.legs import text_of, traced

from .machine_code import assembled, executed, loops_of, resources

H100 = """
gpu_device_info {
  threads_per_block_limit: 1024  threads_per_warp: 32
  shared_memory_per_block: 49152  shared_memory_per_core: 233472
  threads_per_core_limit: 2048  core_count: 132  fpus_per_core: 128
  block_dim_limit_x: 2147483647  block_dim_limit_y: 65535  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000  l2_cache_size: 52428800  clock_rate_ghz: 1.755
  device_memory_size: 84929347584  shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 feature_extension: ACCELERATED_FEATURES }
  registers_per_core_limit: 65536  registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 7 }
runtime_version { major: CUDA minor: 0 patch: 0 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""
# Processors, schedulers of each, cycles per second: instructions of a warp per second.
ISSUED = 132 * 4 * 1.755e9
WARP = 32


def measure(options) -> Iterator[dict]:
    """Rows ``{policy, registers, instructions, ...}``, of an H100."""
    if options.all:
        cases = ((name, GAMES[name.split("/")[0]]()) for name in POLICIES)
    else:
        games = (import_module(f".{each}", __package__) for each in options.settings)
        cases = ((game.LIBRARY.policy, game.environment()) for game in games)
    for name, game in cases:
        policy = POLICIES[name](game.problem)
        row = {"policy": name}
        yield row | in_machine_code(policy, game, options.seeds)
        if options.ahead:
            yield from (row | each for each in ahead(policy, game, options.seeds))


def in_machine_code(policy, game, seeds: int) -> dict:
    """What the machine code of a policy's kernel says."""
    text = text_of(policy, game, seeds)
    began = time.process_time()
    ptx = build.ptx(text.source)
    compiling = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "leg.ptx")
        path.write_text(ptx)
        report, code = assembled(path)
    loops = loops_of(code)
    instructions, known = executed(loops)
    return resources(report) | {
        "instructions_per_run": instructions / WARP,
        "static_per_run": max(loop.stop - loop.start for loop in loops) / WARP,
        "trips_known": known,
        "scratch_bytes": 4 * text.words,
        "lines": text.source.count("\n"),
        "nvrtc_s": compiling,
        "at_most_per_s": ISSUED / (instructions / WARP),
    }


def ahead(policy, game, seeds: int) -> Iterator[dict]:
    """The whole program, compiled by XLA for one H100 and for two."""
    for number in (1, 2):
        mesh = Mesh(np.array(topology(number).devices), (LANES,))
        began = time.process_time()
        lowered = traced(policy, game, FUSED, mesh, seeds).lower(
            lowering_platforms=("cuda",)
        )
        compiled = lowered.compile()
        memory = compiled.memory_analysis()
        yield {
            "devices": number,
            "kernels": compiled.as_text().count(f'"{build.PTX_CALL}"'),
            "aliased_bytes": memory.alias_size_in_bytes,
            "argument_bytes": memory.argument_size_in_bytes,
            "temporary_bytes": memory.temp_size_in_bytes,
            "xla_s": time.process_time() - began,
        }


def topology(number: int):
    """H100 that need not be here."""
    try:
        import_module("jax_plugins.xla_cuda13")
        version = "13"
    except ImportError:
        version = "12"
    return topologies.get_topology_desc(
        platform="cuda",
        target_config=H100.replace("major: CUDA", f"major: {version}"),
        topology=f"{number}x1x1",
    )
