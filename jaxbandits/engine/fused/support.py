"""What the kernel can play, and the name of what it cannot."""

import math
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.fused import kernel
from jaxbandits.engine.fused.draws import tape_row
from jaxbandits.engine.fused.padded import Padded, padded_shape
from jaxbandits.engine.fused.transform import Evaluator, apply
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rules import Rules
from jaxbandits.engine.tape import Key

# Numbers of one lane (state, instance, parameters, padded): beyond, they are not held
# in registers.
LARGEST_LANE = 8192


class UnsupportedError(ValueError):
    """A policy or an environment does something that the kernel cannot do."""


def unsupported(policy, environment) -> list[str]:
    """Why a policy cannot be played in an environment by the kernel; nothing if it can.

    Args:
      policy: the policy.
      environment: the environment.

    Returns:
      Texts such as ``"act of 'RCUCB': sort"``: the function, whose it is, and the
      operation that has no rule.
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
      UnsupportedError: naming what it cannot do.
    """
    if reasons := unsupported(policy, environment):
        raise UnsupportedError(
            f"engine = 'fused' cannot play {policy.name!r} in "
            f"{environment.name!r}: {'; '.join(reasons)}"
        )


FUSED = SCAN._replace(legs=kernel.legs)
INTERPRETED = SCAN._replace(legs=partial(kernel.legs, interpret=True))


def _shape(x):
    x = np.asarray(x)
    dtype = jnp.int32 if x.dtype.kind == "i" else jnp.asarray(x[..., None][:0]).dtype
    return jax.ShapeDtypeStruct(x.shape, dtype)


@cache
def _missing(rules: Rules, shapes, structure) -> list[tuple[str, str, str]]:
    """What is missing: (``policy`` or ``environment``, function, name) each."""
    made = [jax.ShapeDtypeStruct(*each) for each in shapes]
    params, setup = jax.tree.unflatten(structure, made)
    game, policy = rules.game, rules.policy
    instance = jax.eval_shape(game.sample, jax.random.key(0), setup)
    its, mine = jax.eval_shape(game.init, instance), jax.eval_shape(policy.init, params)
    leaves = jax.tree.leaves((params, instance, mine, its))
    sizes = [math.prod(padded_shape(x.shape)) for x in leaves]
    found = []
    if sum(sizes) > LARGEST_LANE:
        largest = leaves[sizes.index(max(sizes))]
        what = f"too large for registers: {largest.dtype} {list(largest.shape)}"
        found.append(("environment", "numbers", what))
    found += [
        ("policy", "numbers", f"{x.dtype} is not a 32-bit type")
        for x in leaves
        if x.dtype.itemsize == 8
    ]
    if found:
        return found

    def check(owner: str, part: str, fn, *args) -> Any:
        """Note what is missing in a function, and return its outputs' shapes."""
        missing: set[str] = set()
        jax.eval_shape(partial(_traced, fn, missing), *args)
        found.extend((owner, part, name) for name in sorted(missing))
        return jax.eval_shape(fn, *args)

    word = jax.ShapeDtypeStruct((), jnp.uint32)
    round_ = jax.ShapeDtypeStruct((), jnp.int32)

    def with_noise(fn, width):
        return lambda key, t, *args: fn(tape_row(key, t, width), *args)

    draw = Key(word, word), round_
    act, update = policy.words
    view = check("environment", "view", game.view, round_, instance, its)
    action = check(
        "policy", "act", with_noise(policy.act, act), *draw, view, mine, params
    )
    _, feedback = check(
        "environment",
        "step",
        with_noise(game.step, game.words),
        *draw,
        instance,
        its,
        action,
    )
    check(
        "policy",
        "update",
        with_noise(policy.update, update),
        *draw,
        view,
        mine,
        action,
        feedback,
        params,
    )
    if rules.by_budget:
        check("environment", "spent", game.spent, instance, its)
    return found


def _traced(fn, missing: set[str], *args):
    """The padded form of `fn` for one lane, for its names of what is missing."""
    evaluator = Evaluator(1, missing)
    values = jax.tree.map(
        lambda x: Padded(
            jnp.zeros((*padded_shape(x.shape), 1), x.dtype), x.shape, True
        ),
        args,
    )
    return [x.value for x in jax.tree.leaves(apply(evaluator, fn, *values))]
