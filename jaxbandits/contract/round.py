"""A trace of one round, before anything is compiled: errors name what is wrong.

JAX would complain about the carry of a loop and not name the function that is wrong. It
would accept a number read beyond the noise, or NumPy's randomness frozen in the trace.
`jaxbandits.testing` checks indices that a round computes.
"""

import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from numbers import Number
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import named, shown, whole
from jaxbandits.contract import reads
from jaxbandits.protocol import Actions, Environment, Game, Policy, PolicyFunctions
from jaxbandits.results.names import check_variable

ITS = "the environment's "
# Arguments of the functions, which errors show.
TAKES = {
    "init": "(params)",
    "act": "(noise, view, state, params)",
    "update": "(noise, view, state, action, feedback, params)",
    "recommend": "(state, params)",
    "report": "(state, params)",
    f"{ITS}sample": "(key, setup)",
    f"{ITS}init": "(instance)",
    f"{ITS}view": "(round, instance, env_state)",
    f"{ITS}step": "(noise, instance, env_state, action)",
    f"{ITS}record": "(instance, env_state, budget)",
    f"{ITS}spent": "(instance, env_state)",
    f"{ITS}allowed": "(instance, action)",
    f"{ITS}counted": "(instance, record)",
    f"{ITS}metrics": "(tables, instance, record)",
}
OF_NOISE = (
    "it is random 32-bit words, of which numbers must be made first: "
    "jaxbandits.arrays.unit_interval(noise) makes uniforms in (0, 1) of them, "
    "occurs(noise[0], noise[1], p) an event, position(noise[0], n) a choice"
)

VALUES_WANTED = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
)
MOST_WORDS = 2**20  # of noise of a round
MOST_TRACES = 12  # that are compared: fewer of a long program, but at least two
MOST_LINES = 500  # of all traces together
# JAX's error about an index that is known while it traces.
BEYOND = re.compile(r"index (-?\d+) out of bounds for axis \d+ with size (\d+)")
ONE_AT_A_TIME = threading.RLock()  # All threads share the configuration of JAX.
# Arguments of which random numbers may be made.
SEEDS = {"noise", "key", "setup", "instance"}


def check_round(
    name: str, policy: Policy, environment: Environment, *, compared: str = ""
) -> None:
    """Trace a round of a policy in an environment, and refuse what cannot be played.

    Args:
      name: of the policy, for errors.
      policy: the policy.
      environment: the environment.
      compared: ``"policy"`` or ``"environment"``: the functions of that owner are
        traced several times and compared, which finds any randomness beside the noise.
        Other functions are compared only if NumPy's or Python's global generators were
        used meanwhile, which another thread may have done.

    Raises:
      ValueError, TypeError: naming both, the function, and the leaf that is wrong.
    """
    with named(f"policy {name!r} in environment {environment.name!r}"):
        functions = _functions(policy)
        leaves, structure = jax.tree.flatten(environment.setup)
        leaves = tuple((np.shape(x), _played(x)) for x in leaves)
        kind = type(policy.params), len(policy.params)
        x64 = bool(jax.config.jax_enable_x64)
        key = functions, environment.game, kind, leaves, structure
        passed = _passed(*key, x64)
        if compared not in passed and (compared or not passed):
            _check(*key, compared)
            passed.add(compared)


def _functions(policy: Policy) -> PolicyFunctions:
    """The functions of a policy that are traced, and its numbers of words, checked."""
    widths = policy.words
    if not isinstance(widths, tuple) or len(widths) != 2:
        raise TypeError(
            f"words must be two integers >= 0 in a tuple, got {shown(widths)}"
        )
    for function in ("init", "act", "update"):
        if not callable(getattr(policy, function)):
            raise TypeError(
                f"{function} must be a function, got {shown(getattr(policy, function))}"
            )
    words = tuple(whole("words", width, 0, MOST_WORDS) for width in widths)
    return policy.functions._replace(words=words)


def _played(x) -> Any:
    """The dtype in which a number of `setup` is played."""
    dtype = np.asarray(x).dtype
    whole = np.dtype(np.int32)
    return whole if dtype.kind == "i" else jax.dtypes.canonicalize_dtype(dtype)


# Bounded, since a notebook makes ever new policies.
@lru_cache(maxsize=512)
def _passed(*key: Any) -> set[str]:
    """Owners whose functions were compared; "" after a round without comparison."""
    return set()


def _check(
    policy: PolicyFunctions, game: Game, kind, leaves, structure, compared
) -> None:
    def shapes(what: str, function: Callable, *args, trace: Callable = program_of):
        """Shapes of a function's result."""
        own = what.startswith(ITS) == (compared == "environment") and compared != ""
        return trace(what, function, *args, compared=own)[1]

    draws = partial(shapes, trace=drawn)
    make, count = kind
    number = jax.ShapeDtypeStruct((), jnp.zeros(()).dtype)
    params = make(*[number] * count) if count else ()
    setup = jax.tree.unflatten(structure, [jax.ShapeDtypeStruct(*x) for x in leaves])
    noise = [
        jax.ShapeDtypeStruct((width,), jnp.uint32)
        for width in (*policy.words, game.words)
    ]
    key = jax.eval_shape(lambda: jax.random.key(0))
    instance = shapes(f"{ITS}sample", game.sample, key, setup)
    its = shapes(f"{ITS}init", game.init, instance)
    round_ = jax.ShapeDtypeStruct((), jnp.int32)
    view = shapes(f"{ITS}view", game.view, round_, instance, its)
    if not hasattr(view, "_fields") or not hasattr(view, "round"):
        raise TypeError(
            f"{ITS}view must give a View, or another NamedTuple with the field round, "
            f"and gives {shapes_of(view)} ({_kind(view)})"
        )
    if shapes_of(view.round) != "int32[]":
        raise TypeError(
            f"{ITS}view must have the round as int32[], and has {shapes_of(view.round)}"
        )
    mine = shapes("init", _arrays_only(policy.init), params)
    action = draws("act", policy.act, noise[0], view, mine, params)
    _check_action("act", game.actions, instance, action)
    played = draws(f"{ITS}step", game.step, noise[2], instance, its, action)
    if not isinstance(played, tuple) or hasattr(played, "_fields") or len(played) != 2:
        raise TypeError(
            f"{ITS}step must give a pair, (env_state, feedback), and gives "
            f"{shapes_of(played)} ({_kind(played)})"
        )
    after, feedback = played
    _check_same(f"{ITS}step", "its state", its, after)
    known = view, mine, action, feedback, params
    after = draws("update", policy.update, noise[1], *known)
    _check_same("update", "the state", mine, after)
    record = shapes(f"{ITS}record", game.record, instance, its, round_)
    if game.actions is not None:
        for part, given in (("allowed", action), ("counted", record)):
            shapes(ITS + part, getattr(game.actions, part), instance, given)
    if game.spent is not None:
        spent = shapes_of(shapes(f"{ITS}spent", game.spent, instance, its))
        if spent not in ("float32[]", "int32[]", "float64[]", "int64[]"):
            raise TypeError(
                f"{ITS}spent must be a number, float32[] or int32[], got {spent}"
            )
    if policy.recommend is not None:
        answer = shapes("recommend", policy.recommend, mine, params)
        _check_action("recommend", game.actions, instance, answer)
        if shapes_of(answer) != shapes_of(action):
            raise TypeError(
                f"recommend gives {shapes_of(answer)}, an action is {shapes_of(action)}"
            )
    if policy.report is not None:
        _check_report(shapes("report", _named_only(policy.report), mine, params))


def drawn(what: str, function: Callable, noise: Any, *args: Any, **options: Any) -> Any:
    """`program_of` a function of noise, which may read only the words that it has.

    Raises:
      ValueError, TypeError: as `program_of`; also if the function reads words beyond
        its noise, or takes words for numbers.
    """
    program, shapes = program_of(what, function, noise, *args, **options)
    width = noise.shape[0]
    beyond = reads.read_beyond(function, program, width, *args)
    if beyond is not None:
        raise ValueError(
            f"{what} reads beyond its noise, which has {width} words, at index "
            f"{beyond}: declare more in `words`"
        )
    if reads.takes_words_for_numbers(program):
        raise TypeError(f"{what} takes its noise for numbers, but {OF_NOISE}")
    return program, shapes


def program_of(
    what: str,
    function: Callable,
    *args: Any,
    compared: bool = True,
    takes: str | None = None,
) -> tuple[Any, Any]:
    """A function's program and the shapes of its result.

    Args:
      what: name of the function in errors.
      function: the function.
      *args: its arguments, arrays or their shapes.
      compared: whether to trace it again and compare, in any case.
      takes: names of its arguments; by default those of the protocol.

    Raises:
      ValueError, TypeError: the function's own errors, with its name; or if two traces
        differ, or the function makes random numbers of its own.
    """
    takes = TAKES[what] if takes is None else takes
    before = _generators()
    program, shapes = _traced(what, takes, function, *args)
    if compared or before != _generators():
        text, kept = _text(program), []
        traces = min(MOST_TRACES, MOST_LINES // (1 + text.count("\n")))
        for _ in range(max(1, traces - 1)):
            # Kept objects occupy their addresses, so that `id` differs each time.
            kept.append([object() for _ in range(100)])
            if _text(_traced(what, takes, function, *args, kept=kept)[0]) != text:
                raise ValueError(
                    f"{what} is not a pure function: traced twice, it gave two "
                    "programs. Its randomness must come from its noise (in an "
                    "environment's sample, from its key), and nothing else may change"
                )
    if what.endswith("init"):
        refuse_keys(what, "its state" if what.startswith(ITS) else "the state", shapes)
    names = takes.strip("()").split(", ")
    leaves = [len(jax.tree.leaves(arg)) for arg in args]
    given = np.repeat([name in SEEDS for name in names], leaves).tolist()
    if reads.makes_its_own(program.jaxpr, given):
        source = " or ".join(x for x in names if x in SEEDS) or "a round's noise"
        raise ValueError(
            f"{what} {takes} draws random numbers, by jax.random or a callback, that "
            f"are not made of {source}: every seed would have the same ones, or every "
            "run others"
        )
    return program, shapes


def refuse_keys(what: str, state: str, tree: Any) -> None:
    """Refuse keys of `jax.random` in a state: the noise of a round is all randomness.

    Raises:
      TypeError: naming the leaf.
    """
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        if jnp.issubdtype(getattr(leaf, "dtype", np.bool_), jax.dtypes.extended):
            raise TypeError(
                f"{what} must keep keys of jax.random out of {state}{_path(path)}: "
                "randomness is the noise of a round, declare words of it instead"
            )


@contextmanager
def static_indices() -> Iterator[None]:
    """Have JAX refuse an index beyond an array, if it is known while JAX traces."""
    name = "jax_check_static_indices"
    with ONE_AT_A_TIME:
        before = getattr(jax.config, name)
        jax.config.update(name, True)
        try:
            yield
        finally:
            jax.config.update(name, before)


def _traced(what, takes, function, *args, kept=None):
    if not callable(function):
        raise TypeError(f"{what} must be a function, got {shown(function)}")

    def anew(*args):
        """A new function: for one that it knows, JAX returns the trace from memory."""
        if kept is not None:
            kept.append(args)
        result = function(*args)
        for leaf in jax.tree.leaves(result):
            if not hasattr(leaf, "dtype") and not isinstance(leaf, Number):
                raise TypeError(f"it must return arrays or numbers, got {shown(leaf)}")
        return result

    try:
        with static_indices():
            return jax.make_jaxpr(anew, return_shape=True)(*args)
    except Exception as error:  # noqa: BLE001 - whatever a user's function raises
        kind = TypeError if isinstance(error, TypeError) else ValueError
        if isinstance(error, VALUES_WANTED):
            raise kind(
                f"{what} {takes} needs the value of a traced array (by if, int(), a "
                "slice, NumPy), which has none yet: choose by jnp.where or lax.cond"
            ) from error
        words = re.sub(r"\w*Tracer\b", "array", str(error).strip().split("\n")[0])
        words = words.removesuffix(" (normalize_indices=True)")
        if beyond := BEYOND.match(words):
            index, size = beyond.groups()
            noise = "noise" in takes and np.shape(args[0]) == (int(size),)
            array = f"its noise, which has {size} words" if noise else f"{size} entries"
            more = ": declare more in `words`" if noise else " of an array"
            raise ValueError(
                f"{what} reads beyond {array}, at index {index}{more}"
            ) from error
        if "noise" in takes and "PRNG key" in words:
            raise kind(f"{what} takes its noise for a key, but {OF_NOISE}") from error
        step = what == f"{ITS}step"
        given = f", the action is {shapes_of(args[-1])}" if step else ""
        raise kind(
            f"{what} failed: {type(error).__name__}: {words}; it must take {takes} as "
            f"traced arrays{given}"
        ) from error


def _generators():
    """The state of the global generators, which no function should use."""
    name, words, *rest = np.random.get_state()
    return name, words.tobytes(), rest, random.getstate()


def _text(program) -> str:
    """The text of a program and its constants, without addresses in memory."""
    numbers = [np.asarray(x).tobytes() for x in program.consts if _is_plain(x)]
    return re.sub(r"0x[0-9a-f]+", "", f"{program.jaxpr}{numbers}")


def _is_plain(x):
    return isinstance(x, np.ndarray | np.generic | int | float) or (
        isinstance(x, jax.Array)
        and not isinstance(x, jax.core.Tracer)
        and not jnp.issubdtype(x.dtype, jax.dtypes.extended)
    )


def _arrays_only(init: Callable) -> Callable:
    """`init`, which must not return NumPy arrays that JAX would round."""

    def checked(params):
        state = init(params)
        for path, leaf in jax.tree_util.tree_leaves_with_path(state):
            if not isinstance(leaf, np.ndarray | np.generic):
                continue
            dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
            if dtype != leaf.dtype:
                raise TypeError(
                    f"state{_path(path)} is a NumPy array of {leaf.dtype}, which JAX "
                    f"would play in {dtype}: make it with jax.numpy"
                )
        return state

    return checked


def _named_only(report: Callable) -> Callable:
    """`report`, which must return a mapping."""

    def checked(state, params):
        named = report(state, params)
        if not isinstance(named, Mapping):
            raise TypeError(f"it must give names and arrays, got {shown(named)}")
        for name in named:
            if not isinstance(name, str):
                raise TypeError(f"its names must be strings, got {shown(name)}")
        return dict(named)

    return checked


def _check_report(named: Mapping[str, Any]) -> None:
    for name, value in named.items():
        if not hasattr(value, "shape"):
            raise TypeError(f"report {name!r} is not an array: {shapes_of(value)}")
        if jnp.issubdtype(value.dtype, jnp.complexfloating):
            raise TypeError(f"report {name!r} must be real, got {shapes_of(value)}")
        check_variable("report", name)


def _check_action(what: str, actions: Actions | None, instance, action) -> None:
    if not jax.tree.leaves(action):
        raise TypeError(
            f"{what} gives {action!r}, which is no action: it must give "
            + (actions.text if actions else "arrays or numbers")
        )
    if actions is None:
        return
    try:
        jax.eval_shape(actions.allowed, instance, action)
    except TypeError as error:
        raise TypeError(
            f"{what} gives {shapes_of(action)}, and an action is {actions.text}: "
            f"{error}"
        ) from error


def _check_same(what: str, state: str, before, after) -> None:
    """Require that two trees have equal structures, shapes and dtypes."""
    old, new = (jax.tree_util.tree_flatten_with_path(x) for x in (before, after))
    if old[1] != new[1]:
        raise TypeError(
            f"{what} changes the structure of {state}: {shapes_of(before)} became "
            f"{shapes_of(after)}"
        )
    for (path, x), (_, y) in zip(old[0], new[0], strict=True):
        if (x.shape, x.dtype) != (y.shape, y.dtype):
            raise TypeError(
                f"{what} changes {state}{_path(path)}: {shapes_of(x)} became "
                f"{shapes_of(y)}"
            )


def _kind(shapes) -> str:
    """The kind of a result, in a word."""
    return "an array" if hasattr(shapes, "dtype") else f"a {type(shapes).__name__}"


def _path(path) -> str:
    return jax.tree_util.keystr(path)


def shapes_of(tree) -> str:
    """Shapes and dtypes: "Action(arm=int32[], limit=int32[])"."""
    words = jax.tree.map(lambda x: _Word(f"{x.dtype}{[*x.shape]}"), tree)
    return repr(words)


class _Word(str):
    __slots__ = ()

    def __repr__(self):
        return str(self)
