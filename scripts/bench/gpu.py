"""What the GPU compiler makes of both engines. No GPU is needed: nothing is run.

XLA compiles for an H100 that it is told about. For the scan engine this gives the
kernels that a round launches; for the GPU engine the registers, the stack and, in the
machine code, the instructions that a round executes, hence a bound on its speed: no GPU
issues more than one instruction per cycle and scheduler. What a round loads and stores
gives two more: all of it from first-level cache, and all of it from memory.

Needs the `cuda` extra with JAX 0.10, whose XLA writes down what it assembles (that of
JAX 0.12 does not), and `nvdisasm` (CUDA toolkit, or ``pip install triton``).
"""

import os

# No GPU is looked for.
os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")

import re
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh

from jaxbandits.engine.books import lanes_last
from jaxbandits.engine.gpu import Block, legs
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import LANES, program_for, to_device
from jaxbandits.engine.tape import root_key
from jaxbandits.registry import POLICIES as REGISTRY

from .machine_code import assembled, executed, loops_of, resources
from .visits import measured

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
# Bytes per second: 128 per cycle of each processor from first-level cache; from memory.
CACHE, MEMORY = 132 * 128 * 1.755e9, 3.352e12
POLICIES = {
    "censored": "censored/rcucb",
    "farewell": "farewell/wait-ucb",
    "budgeted": "budgeted/omega-star-ucb",
    "allocation": "allocation/ra-ucb",
}
# More warps wait for one another where a loop goes on until the last run is done.
BLOCKS = (Block(), Block(128, 4))


def measure(options) -> Iterator[dict]:
    """Rows ``{policy, engine, lanes, warps, kernels_per_round, registers, ...}``."""
    if options.all:
        # It imports what is here.
        from .gpu_registry import rows

        yield from rows(options.seeds, options.timeout)
        return
    for setting in options.settings:
        game = import_module(f".{setting}", __package__).environment()
        policy = REGISTRY[POLICIES[setting]](game.problem)
        program = partial(traced, topology(), policy, game, options.seeds)
        compiled = _lowered(program(SCAN)).compile().as_text()
        kernels = kernels_per_round(compiled)
        yield {"policy": policy.name, "engine": "scan", "kernels_per_round": kernels}
        for block in BLOCKS:
            engine = SCAN._replace(legs=partial(legs, block=block))
            found = {"policy": policy.name, "engine": "fused"} | block._asdict()
            plan = program(engine)
            found |= memory_per_run(plan, policy, game)
            yield found | in_machine_code(plan, policy, game, block)


def topology():
    """An H100 that need not be here."""
    return topologies.get_topology_desc(
        platform="cuda", target_config=H100, topology="1x1x1"
    )


def _lowered(traced):
    return traced.lower(lowering_platforms=("cuda",))


def traced(target, policy, environment, seeds: int, engine):
    """The program that plays to two checkpoints, for a GPU."""
    mesh, here = (
        Mesh(np.array(devices[:1]), (LANES,))
        for devices in (target.devices, jax.devices("cpu"))
    )
    by_budget = environment.game.spent is not None
    uniform = (True,) * len(jax.tree.leaves(policy.params))
    program = program_for(policy, environment, by_budget, mesh, engine, uniform)
    on_cpu = program_for(policy, environment, by_budget, here)
    root, lanes = root_key(0), jnp.arange(seeds, dtype=jnp.uint32)
    params = jax.tree.map(lambda x: to_device(np.full(seeds, x, float)), policy.params)
    setup = jax.tree.map(to_device, environment.setup)
    instance = on_cpu.draw(root, lanes, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    carry = jax.eval_shape(on_cpu.begin, lanes, params, instance)
    targets = to_device(np.array([10.0, 20.0] if by_budget else [10, 20]))
    known, limits = jnp.zeros(carry.round.shape, jnp.int32), jnp.int32([2, 100, 100])
    args = (root, lanes, params, instance, carry, known, targets, *limits)
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    return program.advance.trace(*shapes[:3], tables, *shapes[3:])


def kernels_per_round(compiled: str) -> int:
    """Kernels and copies in the body of the innermost loop of a compiled program."""
    bodies = {}
    for name, body in re.findall(
        r"^%([\w.\-]+) \(.*?\{\n(.*?)^\}", compiled, re.M | re.S
    ):
        bodies[name] = body
    loops = set(re.findall(r"while\(.*?body=%([\w.\-]+)", compiled))
    # The longest of the innermost ones: the drawing of a word may be a loop of its own.
    rounds = [bodies[name] for name in loops if " while(" not in bodies[name]]
    return max(len(re.findall(r" (?:fusion|copy|custom-call)\(", x)) for x in rounds)


def in_machine_code(traced, policy, environment, block: Block) -> dict:
    """What the machine code of the GPU engine's kernel says."""
    round_ = round_of(traced.jaxpr.jaxpr)
    number = sum(1 for _ in _equations(round_, {"while"}))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        _lowered(traced).compile(compiler_options={"xla_dump_to": folder})
        seconds = time.perf_counter() - began
        dumped = [*Path(folder).glob("*.ptx")]
        if not dumped:
            return {"compile_s": seconds, "note": "this JAX's XLA writes down no PTX"}
        told, code = assembled(max(dumped, key=lambda path: path.stat().st_size))
    visits = measured(policy, environment, number)
    loops, per_run = loops_of(code), block.warps / block.lanes
    instructions, known = executed(loops, visits)
    static = max(loop.stop - loop.start for loop in loops)
    size = traffic(round_, visits)
    return resources(told) | {
        "instructions_per_run": instructions * per_run,
        "static_per_run": static * per_run,
        "trips_known": known,
        "bytes_per_run": size,
        "at_most_per_s": ISSUED / (instructions * per_run),
        "from_cache_per_s": CACHE / size,
        "from_memory_per_s": MEMORY / size,
        "compile_s": seconds,
    }


def round_of(jaxpr):
    """The body of the loop over rounds in the kernel of a program."""
    kernel = kernel_of(jaxpr).params["jaxpr"]
    loops = _equations(kernel, {"while"})
    return max((eqn.params["body_jaxpr"].jaxpr for eqn in loops), key=_size)


def memory_per_run(traced, policy, environment) -> dict:
    """Bytes of a run: its state, and what the kernel works in beside it."""
    game = environment.game
    setup = jax.tree.map(to_device, environment.setup)

    def init():
        instance = game.sample(jax.random.key(0), setup)
        return policy.init(policy.params), game.init(instance)

    written = [x.aval for x in kernel_of(traced.jaxpr.jaxpr).outvars]
    sizes = [x.shape[0] * x.dtype.itemsize for x in written]
    # The round comes first, then the state.
    last = 1 + len(jax.tree.leaves(jax.eval_shape(init)))
    return {"state_bytes": sum(sizes[:last]), "scratch_bytes": sum(sizes[last:])}


def traffic(jaxpr, visits: list[float]) -> float:
    """Bytes that a run loads and stores in a round."""
    left = iter(visits)

    def walk(jaxpr, times) -> float:
        total = 0.0
        for eqn in jaxpr.eqns:
            name, inside = eqn.primitive.name, times
            if name == "scan":
                inside = times * eqn.params["length"]
            elif name == "while":
                inside = next(left)
            total += sum(walk(inner, inside) for inner in _inside(eqn))
            if name in ACCESSES and eqn.outvars[0].aval.ndim:
                total += times * eqn.outvars[0].aval.dtype.itemsize
        return total

    return walk(jaxpr, 1.0)


# Primitives that load (also what a store puts aside) from memory.
ACCESSES = {"masked_load", "masked_swap", "get", "swap"}


def _inside(eqn) -> list:
    """The programs in an equation."""
    found = []
    for value in eqn.params.values():
        each = value if isinstance(value, tuple | list) else (value,)
        found += [getattr(x, "jaxpr", x) for x in each]
    return [x for x in found if hasattr(x, "eqns")]


def _equations(jaxpr, names):
    for eqn in jaxpr.eqns:
        if eqn.primitive.name in names:
            yield eqn
        for inner in _inside(eqn):
            yield from _equations(inner, names)


def kernel_of(jaxpr):
    """The equation of the kernel in a program."""
    return next(_equations(jaxpr, {"pallas_call"}))


def _size(jaxpr) -> int:
    return sum(1 + sum(map(_size, _inside(eqn))) for eqn in jaxpr.eqns)
