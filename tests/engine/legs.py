"""Rounds between two targets, as programs and as texts: `run` is not around them."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.engine.accounting import lanes_last
from jaxbandits.engine.gpu import FUSED, legs
from jaxbandits.engine.rollout import LANES, drawn, first_carry, program_for, to_device
from jaxbandits.engine.rules import Rules
from jaxbandits.engine.tape import root_key, stream_keys
from jaxbandits.engine.xla import compiler_options, platform_of
from tests.programs import QUICK

WIDTH = 96  # runs


def rules_of(policy, environment, engine) -> Rules:
    """The rules of a game that is played for a budget if it can be."""
    by_budget = environment.game.spent is not None
    return Rules(policy.functions, environment.game, by_budget, engine=engine)


def numbers_of(policy, environment, width=WIDTH):
    """Parameters of all lanes, and the setup: arguments of `begin`."""
    params = jax.tree.map(lambda x: np.full(width, x, np.float64), policy.params)
    return jax.tree.map(to_device, (params, environment.setup))


def lanes_of(width=WIDTH):
    """The root key, and the seeds of all lanes."""
    return root_key(0), to_device(np.arange(width, dtype=np.uint32))


def begin(rules: Rules, width, params, setup):
    """What a leg is given, and the rounds and states before the first round."""
    lanes = lanes_of(width)
    instance = drawn(rules.game.sample, "cpu", *lanes, setup)
    given = stream_keys(*lanes), params, instance
    return given, first_carry(rules, width, params, instance)


def play(rules: Rules, given, carry, target):
    """A leg: lanes play to their targets, with a budget some of them at a time."""
    steps = jnp.int32(10**6)
    return rules.engine.legs(rules, *given, steps)(carry, target, steps)[0]


@cache
def compiled(function, *arguments):
    """The program of a function, of which some arguments are known.

    It is compiled quickly in the long run, too.
    """
    options = compiler_options(Mesh(np.array(jax.devices()[:1]), (LANES,))) | QUICK
    return jax.jit(partial(function, *arguments), compiler_options=options)


def text_of(policy, environment, width=WIDTH):
    """The kernel of a leg; nothing is built or run."""
    texts = []

    def call(text, runs):
        texts.append(text)
        return "nowhere", {}

    engine = FUSED._replace(legs=partial(legs, call=call))
    rules = rules_of(policy, environment, engine)

    def leg(*numbers):
        target = jnp.zeros(width, jnp.float32 if rules.by_budget else jnp.int32)
        return play(rules, *begin(rules, width, *numbers), target)

    jax.eval_shape(leg, *numbers_of(policy, environment, width))
    return texts[0]


def traced(policy, environment, engine, mesh, width=WIDTH, last=100, marks=2):
    """`Program.advance` on the devices of a mesh, for at most `last` rounds.

    It has room for `marks` checkpoints, the first of them at the last round.
    """
    rules = rules_of(policy, environment, engine)
    here = Mesh(np.array(jax.devices("cpu")[:1]), (LANES,))
    program, on_cpu = (
        program_for(rules._replace(platform=platform_of(m)), m) for m in (mesh, here)
    )
    root, seeds = lanes_of(width)
    params, setup = numbers_of(policy, environment, width)
    instance = on_cpu.draw(root, seeds, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    end = 1e6 if rules.by_budget else last
    targets = to_device(end * np.arange(1, marks + 1))
    given = seeds, params, tables, instance
    limits = jnp.int32([0, marks, last, last])
    args = (root, *given, on_cpu.begin(*given, targets), targets, *limits)

    def shape(x):
        if x.dtype.itemsize < 8:
            return jax.ShapeDtypeStruct(x.shape, x.dtype)
        with jax.enable_x64(True):  # tables and metrics, whatever the precision of play
            return jnp.zeros(x.shape, x.dtype)

    return program.advance.trace(*jax.tree.map(shape, args))
