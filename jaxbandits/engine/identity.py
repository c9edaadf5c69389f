"""Digests of what a policy and an environment compute, short texts to compare.

Two runs with the same digests, numbers and versions give the same results. A policy
with changed code has another digest, also under the same name.
"""

import hashlib
import re
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.console.faults import warn
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.rules import NO_BUDGET, Rules, notes_of, play_round
from jaxbandits.engine.tape import instance_key, root_key, stream_keys
from jaxbandits.protocol import Environment, Policy

DIGITS = 16
SYMBOL = r'(?:"[^"]+"|[\w.$-]+)'  # a name in MLIR
_CALLBACK = re.compile(r"= stablehlo\.custom_call @\w*python\w*callback")


def program_digest(policy: Policy, environment: Environment) -> str:
    """Digest of the program of a round, before compilation.

    Constants in the code and the precision change the digest. Parameters and `setup`,
    which are arguments of the program, do not; nor do names (of functions and of the
    fields of records), nor functions of a record (`metrics`, `tables`, `judge`). A
    warning says that the program calls Python, which no digest sees.
    """
    rules, params = Rules(policy.functions, environment.game, False), policy.params
    word, setup = jnp.uint32(0), jax.tree.map(to_device, environment.setup)
    numbers = params and type(params)(*[to_device(0.0)] * len(params))
    leaves, structure = jax.tree.flatten((word, word, numbers, setup))
    shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves)
    x64 = bool(jax.config.jax_enable_x64)
    digest, calls = _program_digest(rules, structure, shapes, x64)
    if calls:
        warn(
            f"policy {policy.name!r} in {environment.name!r} calls Python (as by "
            "jax.pure_callback): after a change of what it calls give another store, "
            "which cannot see that"
        )
    return digest


@cache
def _program_digest(rules, structure, shapes, x64):
    del x64  # part of the key
    given = jax.tree.unflatten(structure, shapes)
    text = jax.jit(partial(_first_round, rules)).lower(*given).as_text()
    return _digest(without_names(text).encode()), bool(_CALLBACK.search(text))


def without_names(program: str) -> str:
    """The text of a program in which functions are named by their order.

    Names of results, which are those of a record's fields, are left out.
    """
    program = re.sub(r'jax\.result_info = "[^"]*"', "", program)
    names = re.findall(rf"^ *(?:module|func\.func .*?) (@{SYMBOL})", program, re.M)
    order = {name: f"@{number}" for number, name in enumerate(names)}
    return re.sub(f"@{SYMBOL}", lambda result: order.get(result[0], result[0]), program)


def _first_round(rules: Rules, seed, round_, params, setup):
    root = root_key(0)
    keys = stream_keys(root, seed)
    instance = rules.game.sample(instance_key(root, seed), setup)
    states = rules.policy.init(params), rules.game.init(instance)
    # So that all operations on them are in the program: NumPy would compute its own.
    states = jax.lax.optimization_barrier(states)
    round_ = round_.astype(jnp.int32)
    mine, its = play_round(rules, round_, keys, instance, params, states)
    spent = rules.game.spent(instance, its) if rules.game.spent else ()
    record = rules.game.record(instance, its, jnp.int32(NO_BUDGET))
    # The new states too: of what is not returned, nothing stays in the program.
    return record, spent, notes_of(rules.policy, mine, params), mine, its


def numbers_digest(environment: Environment) -> str:
    """Digest of the numbers behind an environment's instances."""
    arrays = [np.asarray(x) for x in jax.tree.leaves(environment.setup)]
    parts = [f"{x.dtype.str}{x.shape}".encode() + x.tobytes() for x in arrays]
    return _digest(b"".join(parts))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGITS]
