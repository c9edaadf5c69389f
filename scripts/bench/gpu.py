"""What the GPU compiler makes of both engines. No GPU is needed: nothing is run.

XLA compiles for an H100 that it is told about. For the scan engine this gives the
kernels that a round launches; for the fused engine the registers, the stack and, in the
machine code of its loop, the instructions of a round, hence a bound on its speed: no
GPU issues more than one instruction per cycle and scheduler.

Needs the `cuda` extra, and `nvdisasm` (CUDA toolkit, or ``pip install triton``).
"""

import os

# No GPU is looked for.
os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")

import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh

from jaxbandits.engine.fused import Block, block_for, legs
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import LANES, program_for
from jaxbandits.engine.run import to_device
from jaxbandits.engine.tape import root_key
from jaxbandits.policies import REGISTRY

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
runtime_version { major: 12 minor: 9 patch: 0 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""
# Processors, schedulers of each, cycles per second: instructions of a warp per second.
ISSUED = 132 * 4 * 1.755e9
POLICIES = {
    "censored": "censored/rcucb",
    "farewell": "farewell/wait-ucb",
    "budgeted": "budgeted/omega-star-ucb",
    "allocation": "allocation/ra-ucb",
}
# Beside the default: as many lanes as a warp has threads take fewest instructions each
# where a state is small; only a measurement can tell what waiting for memory costs.
BLOCKS = {
    "censored": (Block(1, 1), Block(2, 1), Block(4, 4)),
    "farewell": (Block(4, 1), Block(16, 1), Block(32, 1)),
    "budgeted": (Block(16, 1), Block(32, 1)),
    "allocation": (Block(1, 1), Block(4, 1)),
}


def measure(options) -> Iterator[dict]:
    """Rows ``{policy, engine, lanes, warps, kernels_per_round, registers, ...}``."""
    topology = topologies.get_topology_desc(
        platform="cuda", target_config=H100, topology="1x1x1"
    )
    seeds = options.seeds
    for setting in options.settings:
        library = import_module(f".{setting}.library", __package__)
        game = library.environment(library.Game())
        policy = REGISTRY[POLICIES[setting]](game.problem)
        lowered = partial(_lowered, topology, policy, game, seeds)
        program, carry = lowered(SCAN)
        kernels = kernels_per_round(program.compile().as_text())
        yield {"policy": policy.name, "engine": "scan", "kernels_per_round": kernels}
        for block in (block_for(carry), *BLOCKS[setting]):
            program, _ = lowered(SCAN._replace(legs=partial(legs, block=block)))
            found = {"policy": policy.name, "engine": "fused"} | block._asdict()
            yield found | _in_machine_code(program, block)


def _lowered(topology, policy, environment, seeds: int, engine):
    """The program that plays to two checkpoints, for a GPU, and its carry's shapes."""
    mesh, here = (
        Mesh(np.array(devices[:1]), (LANES,))
        for devices in (topology.devices, jax.devices("cpu"))
    )
    by_budget = environment.game.spent is not None
    uniform = (True,) * len(jax.tree.leaves(policy.params))
    program = program_for(policy, environment, by_budget, mesh, engine, uniform)
    on_cpu = program_for(policy, environment, by_budget, here)
    root, lanes = root_key(0), jnp.arange(seeds, dtype=jnp.uint32)
    params = jax.tree.map(lambda x: to_device(np.full(seeds, x, float)), policy.params)
    setup = jax.tree.map(to_device, environment.setup)
    instance = jax.eval_shape(on_cpu.draw, root, lanes, setup)
    carry = jax.eval_shape(on_cpu.begin, lanes, params, instance)
    targets = to_device(np.array([10.0, 20.0] if by_budget else [10, 20]))
    known, limits = jnp.zeros(carry.round.shape, jnp.int32), jnp.int32([2, 100, 100])
    args = (root, lanes, params, instance, carry, known, targets, *limits)
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    traced = program.advance.trace(*shapes)
    return traced.lower(lowering_platforms=("cuda",)), carry


def kernels_per_round(compiled: str) -> int:
    """Kernels and copies in the body of the innermost loop of a compiled program."""
    bodies = {}
    for name, body in re.findall(
        r"^%([\w.\-]+) \(.*?\{\n(.*?)^\}", compiled, re.M | re.S
    ):
        bodies[name] = body
    loops = set(re.findall(r"while\(.*?body=%([\w.\-]+)", compiled))
    (round_,) = (name for name in loops if " while(" not in bodies[name])
    return len(re.findall(r" (?:fusion|copy|custom-call)\(", bodies[round_]))


def _in_machine_code(program, block: Block) -> dict:
    """What the machine code of the fused kernel says."""
    with tempfile.TemporaryDirectory() as folder:
        program.compile(compiler_options={"xla_dump_to": folder})
        ptx = max(Path(folder).glob("*.ptx"), key=lambda path: path.stat().st_size)
        binary = Path(folder, "kernel.cubin")
        told = _output(_tool("ptxas"), "-v", "-arch=sm_90a", ptx, "-o", binary)
        code = _output(_tool("nvdisasm"), "-c", binary)
    instructions = longest_loop(code)
    per_lane = len(instructions) * block.warps / block.lanes
    return {
        "registers": int(re.search(r"Used (\d+)", told)[1]),
        "stack_bytes": int(re.search(r"(\d+) bytes stack", told)[1]),
        "instructions_per_lane": per_lane,
        "of_memory": sum(i in ("LDL", "STL") for i in instructions) / len(instructions),
        "at_most_per_s": ISSUED / per_lane,
    }


def longest_loop(code: str) -> list[str]:
    """Names of the instructions between a label and the last jump back to it."""
    labels, found, longest = {}, [], slice(0, 0)
    for line in code.splitlines():
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            labels[label[1]] = len(found)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@\S+ )?([A-Z0-9]+)", line)
        if not instruction:
            continue
        found.append(instruction[1])
        target = re.search(r"BRA.*`\((\.L_x_\d+)\)", line)
        start = labels.get(target[1], len(found)) if target else len(found)
        # A jump to itself stands at the end of every program.
        if len(found) - start > max(longest.stop - longest.start, 1):
            longest = slice(start, len(found))
    return found[longest]


def _output(*command) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


def _tool(name: str) -> str:
    """A program of the CUDA toolkit, on the path or in one of its wheels."""
    packages = Path(sysconfig.get_paths()["purelib"])
    places = (f"nvidia/*/bin/{name}", f"triton/backends/nvidia/bin/{name}")
    wheels = (str(path) for place in places for path in packages.glob(place))
    found = shutil.which(name) or next(wheels, None)
    if found is None:
        raise FileNotFoundError(f"{name} not found: install the CUDA toolkit or triton")
    return found
