"""Shared parts of the checks of policies and environments."""

import re
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from jaxbandits.checks import require, shown
from jaxbandits.contract.accounts import checked_accounts
from jaxbandits.engine.accounting import accounts_of
from jaxbandits.engine.jaxprs import CALLS
from jaxbandits.engine.rules import NO_BUDGET, Notes
from jaxbandits.engine.run import Chunk
from jaxbandits.protocol import Environment, Policy
from jaxbandits.testing._trace import (
    MOST_LOOKED_AT,
    Round,
    Trace,
    Watch,
    check_played,
    each_of,
    played,
)

# What JAX does with an index that is beyond an array, it does in these.
PICK = "jaxbandits.pick"  # `arrays.pick`, as programs have it
INDEXED = re.compile(rf"\b(gather|scatter[-\w]*|dynamic_(update_)?slice|{PICK})\[?")
TIMES = 5  # how often functions of the host are called, to compare their results


@contextmanager
def refused(before: str = ""):
    """What is refused in play is a broken clause."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{before}{error}") from error


@contextmanager
def of(owner: str):
    """Broken clauses with what has broken them, unless they say so."""
    try:
        yield
    except AssertionError as error:
        if owner in str(error):
            raise
        raise AssertionError(f"{owner}: {error}") from error


def tried(function: Callable[..., Any], *args: Any) -> Any:
    """The function's result, or None if it fails; `check_round` reports the error."""
    try:
        return function(*args)
    except Exception:  # noqa: BLE001 - whatever a user's function raises
        return None


def indexing(function: Callable[..., Any], *args: Any) -> ClosedJaxpr | None:
    """The program of a function that reads or writes entries of arrays by an index."""
    program = jax.make_jaxpr(function)(*args)
    return program if INDEXED.search(f"{program}") else None


def check_entries(what: str, program: ClosedJaxpr | None, calls: list) -> None:
    """Require that arrays have all entries that a function reads and writes.

    `program` is that of the function, or None if it uses no index; `calls` are
    arguments of some calls, of one structure and shapes.
    """
    from jax.experimental import checkify  # takes a while

    if program is None:
        return
    checked = checkify.checkify(
        lambda *args: _evaluated(program, jax.tree.leaves(args)), checkify.index_checks
    )
    checked = jax.jit(checked)  # no vmap: JAX 0.10 has none of checks in nested loops
    for call in calls:
        beyond = checked(*call)[0].get()
        require(beyond is None, f"{what}: {str(beyond).splitlines()[0]}")


def check_first_rounds(
    functions: Iterable[tuple[str, Callable[..., Any], Callable[..., Any]]],
    first: Round,
) -> None:
    """Require that arrays have all entries that are used in the first rounds.

    Functions come with a name, and with how each is called: ``(generator, Round) ->
    arguments``.
    """
    words, rounds = np.random.default_rng(0), each_of(first)
    for what, function, call in functions:
        calls = [call(words, x) for x in rounds]
        check_entries(what, indexing(function, *calls[0]), calls)


def _evaluated(program: ClosedJaxpr, values: list[Any]) -> list[Any]:
    """The outputs of a program in which `arrays.pick` reads a row by its index."""
    jaxpr = program.jaxpr
    scope = dict(zip(jaxpr.constvars, program.consts, strict=True))
    scope |= dict(zip(jaxpr.invars, values, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else scope[atom]

    for eqn in jaxpr.eqns:
        name, inputs = eqn.primitive.name, [read(x) for x in eqn.invars]
        if eqn.params.get("name") == PICK:
            rows, index = inputs
            rows = jnp.asarray(rows).at[index]
            outputs = [rows.get(mode="clip", wrap_negative_indices=False)]
        elif name in CALLS:
            outputs = _evaluated(eqn.params[CALLS[name]], inputs)
        else:
            outputs = eqn.primitive.bind(*inputs, **eqn.params)
            outputs = outputs if eqn.primitive.multiple_results else [outputs]
        scope |= dict(zip(eqn.outvars, outputs, strict=True))
    return [read(x) for x in jaxpr.outvars]


def require_arrays(what: str, tree: Any) -> None:
    """Require that a function returned JAX arrays only."""
    for leaf in jax.tree.leaves(tree):
        numpys = isinstance(leaf, np.ndarray | np.generic)
        given = "an array of NumPy" if numpys else shown(leaf)
        require(
            isinstance(leaf, jax.Array),
            f"{what} returned {given}, not an array of JAX: make it with jax.numpy",
        )


def always(what: str, function: Callable[[], Any]) -> Any:
    """The result of a host function, which must be equal when it is called again."""
    result = function()
    for _ in range(TIMES - 1):
        require_equal(
            result,
            function(),
            f"the environment's {what} gives something else each time that it is asked",
        )
    return result


def require_equal(left: Any, right: Any, message: str) -> None:
    """Require two trees of one structure with equal numbers (NaN equals NaN)."""
    import chex  # takes as long to import as JAX

    try:
        chex.assert_trees_all_equal(left, right)
    except AssertionError:  # twenty lines of Chex
        raise AssertionError(message) from None


def play_twice(
    policy: Policy,
    environment: Environment,
    rounds: int,
    root_seed: int,
    seed_index: int = 0,
) -> tuple[Trace, Watch]:
    """One run and what was seen in it; a second play must give the same."""
    run = policy, environment, rounds, None, root_seed, seed_index
    runs = [played(*run, looked_at=min(rounds, MOST_LOOKED_AT)) for _ in range(2)]
    require_equal(
        *runs,
        f"policy {policy.name!r} in environment {environment.name!r}: a run is not a "
        "pure function of its seed: played again, it is another, so a callback draws "
        "random numbers or keeps what it has seen",
    )
    return runs[0]  # type: ignore[return-value]


def record_of(environment: Environment, instance: Any, state: Any) -> Any:
    """The environment's record of a state."""
    return _record(environment.game.record, instance, state)


@partial(jax.jit, static_argnums=0)
def _record(record: Callable[..., Any], instance: Any, state: Any) -> Any:
    return record(instance, state, jnp.int32(NO_BUDGET))


def results(
    policy: Policy, environment: Environment, instance: Any, trace: Trace, notes: Notes
) -> dict[str, np.ndarray]:
    """What `simulate` records of a run, by name, given the notes of its end.

    It is checked as there; that all actions are valid, too.
    """
    record = record_of(environment, instance, trace.environment)
    record, last = jax.tree.map(lambda x: np.asarray(x)[None, None], (record, notes))
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    rounds = np.full((1, 1), len(jax.tree.leaves(trace.actions)[0]))
    with refused():
        check_played(policy, environment, instance, trace.actions)
        kept = always("metrics", lambda: accounts_of(environment, batch, record))
        return checked_accounts(
            policy, environment, Chunk(0, rounds, kept, last, batch)
        )
