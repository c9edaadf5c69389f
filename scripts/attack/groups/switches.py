"""JAX's own switches, transforms around `simulate`, threads and forks."""

import multiprocessing
import threading

import jax
import jax.numpy as jnp
import numpy as np

from attack.case import Case
from attack.games import GAME, GREEDY, QUIET
from jaxbandits import simulate
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings

# What each may do: give the numbers of the plain run, or say why not.
FLAGS = {
    "jax_debug_infs": True,
    "jax_debug_nans": True,
    "jax_disable_jit": True,
    "jax_numpy_dtype_promotion": "strict",
    "jax_numpy_rank_promotion": "raise",
    "jax_default_prng_impl": "rbg",
    "jax_transfer_guard": "disallow",
    "jax_enable_x64": True,
    "jax_check_tracer_leaks": True,
    "jax_enable_checks": True,
    "jax_threefry_partitionable": False,
    "jax_default_matmul_precision": "bfloat16",
    "jax_softmax_custom_jvp": False,
}
OTHER_PRNG = ("unsafe_rbg",)
FORK_S = 15.0


def play(policy=GREEDY, environment=GAME, seeds=3):
    """A short run, of the small game if no other is given."""
    return simulate(policy, environment, horizon=10, seeds=seeds, machine=QUIET)


def cases() -> list[Case]:
    found = [_flag(name, value) for name, value in FLAGS.items()]
    found += [_flag("jax_default_prng_impl", value) for value in OTHER_PRNG]
    # Its estimates of unpulled pairs are infinite, rightly so.
    game = settings.example1((0.5, 0.9))
    found.append(_flag("jax_debug_infs", True, policies.rcucb(game.problem), game))
    wrappers = {
        "jax.jit": lambda: jax.jit(lambda x: _regret(x))(1.0),
        "jax.vmap": lambda: jax.vmap(lambda x: _regret(x))(jnp.ones(2)),
        "jax.grad": lambda: jax.grad(lambda x: _regret(x))(1.0),
        "jax.disable_jit": lambda: _under_disable_jit(),
        "jax.eval_shape": lambda: jax.eval_shape(lambda x: _regret(x), 1.0),
    }
    words = ("simulate", "params", "jit", "jax_disable_jit", "eps", "trace", "traced")
    found += [
        Case(f"simulate in {name}", call, words, _same_number, heavy=True)
        for name, call in wrappers.items()
    ]
    found.append(Case("simulate in four threads", _threads, words, True, True))
    words = ("fork", "forked", "spawn", "process")
    found.append(Case("simulate in a forked worker", _forked, words, heavy=True))
    return found


def _regret(x):
    grid = {"eps": 0.1 * x}
    data = simulate(GREEDY, GAME, horizon=10, seeds=3, grid=grid, machine=QUIET)
    return jnp.asarray(data["regret"].values.mean())


def _same_number(found) -> bool:
    plain = play()["regret"].values.mean()
    return bool(np.allclose(np.asarray(found), plain))


def _under_disable_jit():
    with jax.disable_jit():
        return _regret(1.0)


def _flag(name, value, *game):
    def call():
        expected = play(*game)
        before = getattr(jax.config, name)
        jax.config.update(name, value)
        try:
            return np.allclose(play(*game)["regret"], expected["regret"], atol=1e-6)
        finally:
            jax.config.update(name, before)

    words = (name, name.removeprefix("jax_"))
    what = f", {game[0].name}" if game else ""
    return Case(f"{name} = {value!r}{what}", call, words, lambda same: same, heavy=True)


def _threads():
    expected = play()["regret"].values
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(play()["regret"].values))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(found) != 4 or any(np.any(x != expected) for x in found):
        raise RuntimeError("threads give other numbers")
    return "equal"


def _forked():
    play()
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_child, args=(theirs,))
    child.start()
    try:
        if not ours.poll(FORK_S):
            raise TimeoutError("the forked worker hangs")
        error = ours.recv()
    finally:
        child.kill()
        child.join()
    if error is None:
        return "ran"
    raise RuntimeError(error) if not error.startswith("fork") else ValueError(error)


def _child(answers):
    try:
        play(seeds=5)
        answers.send(None)
    except Exception as error:
        text = str(error)
        answers.send(f"fork: {text}" if "fork" in text else f"{type(error)}: {text}")
