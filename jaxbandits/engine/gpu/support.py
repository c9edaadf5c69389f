"""What the kernel can play, and the name of what it cannot."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.gpu.draws import tape_row
from jaxbandits.engine.gpu.values import Value, literal
from jaxbandits.engine.gpu.writer import Writer
from jaxbandits.engine.rules import Rules
from jaxbandits.engine.tape import Key


class UnsupportedError(ValueError):
    """A policy or an environment does something that the kernel cannot do."""


def unsupported(policy, environment) -> list[str]:
    """Why a policy cannot be played in an environment by the kernel; nothing if it can.

    Args:
      policy: the policy.
      environment: the environment.

    Returns:
      Texts such as ``"act of 'RCUCB': sort (rcucb.py:110)"``: the function, whose it
      is, the operation that has no rule, and the line that asks for it.
    """
    rules = Rules(
        policy.functions, environment.game, environment.game.spent is not None
    )
    shapes = jax.tree.map(_shape, (policy.params, environment.setup))
    leaves, structure = jax.tree.flatten(shapes)
    found = _missing(rules, tuple((x.shape, x.dtype) for x in leaves), structure)
    whose = {"environment": environment.name, "policy": policy.name}
    return [f"{part} of {whose[owner]!r}: {what}" for owner, part, what in found]


def check_supported(policy, environment) -> None:
    """Require that the kernel can play a policy in an environment.

    Raises:
      UnsupportedError: naming what it cannot do, and the engines that can.
    """
    if reasons := unsupported(policy, environment):
        raise UnsupportedError(
            f"engine = 'fused' cannot play {policy.name!r} in "
            f"{environment.name!r}: {'; '.join(reasons)}; 'scan' and 'vmap' can"
        )


def _shape(x):
    x = np.asarray(x)
    dtype = jnp.int32 if x.dtype.kind == "i" else jnp.asarray(x[..., None][:0]).dtype
    return jax.ShapeDtypeStruct(x.shape, dtype)


@cache
def _missing(rules: Rules, shapes, structure) -> list[tuple[str, str, str]]:
    """What is missing: (``policy`` or ``environment``, function, what) each."""
    made = [jax.ShapeDtypeStruct(*each) for each in shapes]
    params, setup = jax.tree.unflatten(structure, made)
    game, policy = rules.game, rules.policy
    instance = jax.eval_shape(game.sample, jax.random.key(0), setup)
    its, mine = jax.eval_shape(game.init, instance), jax.eval_shape(policy.init, params)
    found = [
        ("policy", "numbers", f"{x.dtype} is not a 32-bit type")
        for x in jax.tree.leaves((params, instance, mine, its))
        if x.dtype.itemsize == 8
    ]
    if found:
        return found

    def check(owner: str, part: str, fn, *args) -> Any:
        """Note what is missing in a function, and return its outputs' shapes."""
        whats = dict.fromkeys(_without_rule(fn, *args))
        found.extend((owner, part, what) for what in whats)
        return jax.eval_shape(fn, *args)

    word = jax.ShapeDtypeStruct((), jnp.uint32)
    round_ = jax.ShapeDtypeStruct((), jnp.int32)
    draw = Key(word, word), round_

    def with_noise(fn, width):
        return lambda key, t, *args: fn(tape_row(key, t, width), *args)

    act, update = map(with_noise, (policy.act, policy.update), policy.words)
    step = with_noise(game.step, game.words)
    view = check("environment", "view", game.view, round_, instance, its)
    action = check("policy", "act", act, *draw, view, mine, params)
    _, feedback = check("environment", "step", step, *draw, instance, its, action)
    given = view, mine, action, feedback, params
    check("policy", "update", update, *draw, *given)
    if rules.by_budget:
        check("environment", "spent", game.spent, instance, its)
    return found


def _without_rule(fn, *args) -> list[str]:
    """What in a function has no rule."""
    missing: list[str] = []
    writer = Writer(missing)

    def given(x):
        zero = literal(np.zeros((), x.dtype))
        return Value(x.shape, x.dtype, lambda index: zero)

    leaves = jax.tree.leaves(args)
    writer.run(jax.make_jaxpr(fn)(*args), [given(x) for x in leaves])
    return missing
