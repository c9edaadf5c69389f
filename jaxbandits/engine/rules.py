"""The rules of a program: a policy, a game, and how their rounds are played."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.cpu.lanes import fill
from jaxbandits.engine.tape import KEYS, Stream, draw_words
from jaxbandits.protocol import Game, PolicyFunctions

NO_BUDGET = 2**31 - 1  # stands for the budget of a game played for rounds


class Carry(NamedTuple):
    """The state of play between two rounds; lane axis last.

    Attributes:
      round: i32[L], the round to be played next.
      policy: the policy's state.
      environment: the environment's state.
    """

    round: Any
    policy: Any
    environment: Any


class Engine(NamedTuple):
    """How functions of a lane are mapped over lanes, and how rounds are played.

    Attributes:
      legs: plays rounds between checkpoints, a function like `legs.scan_legs`.
      lanes: a function like `engine.cpu.lanes.lanes`.
      scratch: ``(policy, environment) -> int``, the bytes of a lane that `legs` needs
        beside the states; None if it needs next to none.
    """

    legs: Any
    lanes: Any
    scratch: Any = None


class Notes(NamedTuple):
    """Results of a policy at a checkpoint, of its `recommend` and its `report`."""

    recommended: Any
    report: Any


class Rules(NamedTuple):
    """All that a program depends on but data; hashable."""

    policy: PolicyFunctions
    game: Game
    by_budget: bool
    uniform: tuple[bool, ...] = ()  # see `choice.rules_for`
    engine: Engine | None = None
    platform: str = "cpu"
    keep: tuple[str, ...] = ()

    def lanes(self, fn, in_lanes, num_lanes, going=None):
        """`fn` mapped over lanes by the engine; all leaves have the lane axis."""
        mapped = self.engine.lanes(fn, in_lanes, num_lanes, self.platform, going)
        return lambda *args: fill(*mapped(*args), num_lanes)


def first_state(game: Game, setup):
    """An instance, drawn from some key, and the state a game begins with."""
    instance = game.sample(jax.random.key(0, impl=KEYS), setup)
    return instance, game.init(instance)


def flagged(instance):
    """An instance for `lanes`: shared leaves without the lane axis, and the flags."""
    flags = jax.tree.map(lambda x: x.shape[-1] > 1, instance)
    return jax.tree.map(lambda x, f: x if f else x[..., 0], instance, flags), flags


def spending(rules: Rules, instance, num_lanes):
    """``carry -> [L]``, what lanes have spent of a budget; zeros where there is none.

    It has the same bits wherever it is computed. A leg plays until no lane has spent
    less than its target, and then the lanes that have reached it are counted: if the
    two differed in the last digit, a game that ends exactly at its budget would never
    end. XLA multiplies by the reciprocal of a divisor that all lanes share in one
    place, and divides in another; so here no lane shares a number.
    """
    if not rules.by_budget:
        return lambda carry: jnp.zeros_like(carry.round)

    def own(x):
        return lax.optimization_barrier(jnp.broadcast_to(x, (*x.shape[:-1], num_lanes)))

    instance = jax.tree.map(own, instance)
    spent = rules.lanes(rules.game.spent, (True, True), num_lanes)
    return lambda carry: spent(instance, carry.environment)


def notes_of(policy: PolicyFunctions, state, params) -> Notes:
    """The notes of a policy on its state, in one lane."""
    functions = (policy.recommend, policy.report)
    return Notes(*(say(state, params) if say else {} for say in functions))


def play_round(rules: Rules, round_, keys, instance, params, states, draw=draw_words):
    """The states of the policy and of the environment after a round of one lane.

    Barriers keep XLA from computing a stage again for each of its readers.
    """
    policy, (policy_state, env_state) = rules.policy, states
    act_width, update_width = policy.words
    view = rules.game.view(round_, instance, env_state)
    noise = _drawn(draw, keys[Stream.ACT], round_, act_width)
    action = policy.act(noise, view, policy_state, params)
    action = lax.optimization_barrier(action)
    noise = _drawn(draw, keys[Stream.ENVIRONMENT], round_, rules.game.words)
    env_state, feedback = rules.game.step(noise, instance, env_state, action)
    feedback = lax.optimization_barrier(feedback)
    noise = _drawn(draw, keys[Stream.UPDATE], round_, update_width)
    policy_state = policy.update(noise, view, policy_state, action, feedback, params)
    return policy_state, env_state


def _drawn(draw, key, round_, width):
    noise = draw(key, round_, width)
    return lax.optimization_barrier(noise) if width else noise
