"""Programs lowered for a GPU that need not be here."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.engine import gpu
from jaxbandits.engine.books import lanes_last
from jaxbandits.engine.rollout import LANES, program_for, to_device
from jaxbandits.engine.tape import root_key

WIDTH = 96  # runs
# JAX 0.12 says that this way to a GPU will go (docs/fused.md).
TRITON = "ignore:The Pallas Triton backend is deprecated:DeprecationWarning"


def an_h100():
    """A GPU that need not be here; newer versions of JAX want to know which."""
    device = jax.sharding.AbstractDevice("NVIDIA H100 80GB HBM3", 132, "gpu")
    kinds = (jax.sharding.AxisType.Auto,)
    return jax.sharding.AbstractMesh((1,), (LANES,), kinds, abstract_device=device)


def lowered(policy, environment, engine=gpu.FUSED):
    """The program that plays a leg, lowered for a GPU."""
    mesh = here() if jax.__version_info__ < (0, 11) else an_h100()
    program = traced(policy, environment, engine, mesh)
    return program.lower(lowering_platforms=("cuda",))


def here():
    """This machine."""
    return Mesh(np.array(jax.devices()[:1]), (LANES,))


def traced(policy, environment, engine, mesh):
    """The program that plays a leg of `WIDTH` runs."""
    by_budget = environment.game.spent is not None
    program, on_cpu = (
        program_for(policy, environment, by_budget, m, engine) for m in (mesh, here())
    )
    seeds, root = jnp.arange(WIDTH, dtype=jnp.uint32), root_key(0)
    params = jax.tree.map(
        lambda x: to_device(np.full(WIDTH, x, np.float64)), policy.params
    )
    setup = jax.tree.map(to_device, environment.setup)
    instance = on_cpu.draw(root, seeds, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    carry = jax.eval_shape(on_cpu.begin, seeds, params, instance)
    targets = to_device(np.array([10.0, 20.0] if by_budget else [10, 20]))
    known, limits = jnp.zeros(carry.round.shape, jnp.int32), jnp.int32([2, 100, 100])
    args = (root, seeds, params, instance, carry, known, targets, *limits)
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    return program.advance.trace(*shapes[:3], tables, *shapes[3:])
