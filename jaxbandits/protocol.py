"""The protocol: what a policy and an environment are.

Both are values, NamedTuples of pure functions written for *one* seed and *one* round.
The engine maps them over seeds and rounds, draws their random numbers and keeps the
books. A policy sees a view and feedback, nothing else; the instance stays with the
environment.

Every function gets its random numbers as ``noise``: a vector of independent random
32-bit words, as long as declared. `jaxbandits.kernels` makes of them what a draw needs:
``unit_interval(noise)`` uniforms in (0, 1), ``occurs(noise[0], noise[1], p)`` an event
that is exactly as rare as p, ``position(noise[0], n)`` one of n. This makes a run a
pure function of its seed, lets all policies meet the same environment noise, and lets a
NumPy program replay it (see `jaxbandits.engine.tape`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

# Pytrees of arrays. Aliases for signatures; nothing checks them.
State = Any
Params = Any
Action = Any
Feedback = Any
Instance = Any
Record = Any
Noise = Any  # u32[words]


class View(NamedTuple):
    """What every policy may know before it acts. Settings may add fields.

    Attributes:
      round: i32[], the round about to be played; the first is 1.
    """

    round: Any


class Policy(NamedTuple):
    """A policy: pure functions, default parameters, and its appetite for noise.

    Attributes:
      name: shown in results; simulate()'s mapping keys take its place.
      init: ``params -> state``, a pytree of arrays of fixed shapes and dtypes.
      act: ``(noise, view, state, params) -> action``.
      update: ``(noise, view, state, action, feedback, params) -> state``.
      params: NamedTuple of numbers. Every leaf can be swept.
      words: how many words of noise `act` and `update` consume per round.
      check: host function ``params -> None`` that raises a ValueError naming the
        parameter if one is out of range; leaves are arrays of points.
      recommend: ``(state, params) -> action``, the answer if the game ended now; the
        environment judges it at every checkpoint. None if the policy has none.
      report: ``(state, params) -> {name: array}``, what the results shall hold of the
        state at every checkpoint: numbers (an overflow flag, say) or arrays of fixed
        shapes. None for nothing.
      problem: what it was built for; it plays environments with an equal `problem` only
        (see `jaxbandits.fit`). None for a policy that plays anything.
      told: which parameters are the game's ``horizon`` or ``budget``: while they have
        their class's default, `simulate` and `sweep` put the game's own in its place.
    """

    name: str
    init: Callable[[Params], State]
    act: Callable[[Noise, View, State, Params], Action]
    update: Callable[[Noise, View, State, Action, Feedback, Params], State]
    params: Params = ()
    words: tuple[int, int] = (0, 0)
    check: Callable[[Params], None] | None = None
    recommend: Callable[[State, Params], Action] | None = None
    report: Callable[[State, Params], dict[str, Any]] | None = None
    problem: Any = None
    told: tuple[str, ...] = ()


class Actions(NamedTuple):
    """The actions that a game has, and how its books show that no other was played.

    What a game does with an action that it has not is its own affair, as long as
    `counted` leaves out that round.

    Attributes:
      text: what they are, for errors: "an arm in [0, 3)".
      allowed: ``(instance, action) -> bool[]``, traced; raises a TypeError on what is
        no action at all.
      counted: host function ``(setup, instance, record) -> int[S, C]``, the rounds on
        record whose action the game has; arguments as for `Environment.metrics`.
    """

    text: str
    allowed: Callable[[Instance, Action], Any]
    counted: Callable[[Any, Instance, Record], Any]


class Environment(NamedTuple):
    """An environment: how instances are drawn, rounds are played and books are kept.

    Environments that differ in `setup` only share one compiled program.

    Attributes:
      name: of the instance family, shown in results.
      setup: pytree of arrays, the numbers behind `sample`.
      sample: ``(key, setup) -> instance``; a fixed instance ignores the key (and is
        then not copied per seed).
      init: ``instance -> env_state``.
      view: ``(round, instance, env_state) -> View``.
      step: ``(noise, instance, env_state, action) -> (env_state, feedback)``.
      record: ``(instance, env_state, budget) -> record``, what is kept at a checkpoint;
        `budget` is the amount that it stands for, in the dtype of `spent` (the largest
        i32 where the game is played for a number of rounds).
      spent: ``(instance, env_state) -> number``, the consumed budget; None if the game
        has no budget and ends with the horizon.
      metrics: host function ``(setup, instance, record) -> {name: array}``; the
        leaves of `record` are NumPy arrays ``[S, C, ...]`` and those of `instance`
        ``[S, ...]``; every metric is float64 ``[S, C]``.
      oracle: host function ``setup, instance -> pytree`` of float64 facts about the
        instance (optimal action, gaps).
      judge: host function ``(setup, instance, action) -> {name: array}``, metrics of
        what policies recommend; leaves of `action` are NumPy arrays ``[S, C, ...]``.
        None if recommendations are not judged.
      words: how many words of noise `step` consumes per round.
      problem: what a learner knows before the game; policies are built from it.
      provenance: description of the instance for the results (JSON-able).
      by_the_clock: whether the budget is a time in whole units: an amount of it then
        counts what has ended by then, and not the round that reaches it.
      actions: what may be played. None if the game does not say; counts named `pulls`
        in its record are then taken to count every round, which is checked.
    """

    name: str
    setup: Any
    sample: Callable
    init: Callable
    view: Callable
    step: Callable
    record: Callable
    metrics: Callable
    oracle: Callable
    spent: Callable | None = None
    judge: Callable | None = None
    words: int = 0
    problem: Any = None
    provenance: Any = None
    actions: Actions | None = None
    by_the_clock: bool = False
