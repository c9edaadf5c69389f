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


class PolicyFunctions(NamedTuple):
    """What is traced of a policy: functions, no numbers. Hashable. See `Policy`."""

    init: Callable
    act: Callable
    update: Callable
    recommend: Callable | None
    report: Callable | None
    words: tuple[int, int]


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

    @property
    def functions(self) -> PolicyFunctions:
        """What is traced of it; policies that differ in the rest share a program."""
        return PolicyFunctions(
            self.init, self.act, self.update, self.recommend, self.report, self.words
        )


class Actions(NamedTuple):
    """The actions that a game has, and how its books show that no other was played.

    What a game does with an action that it has not is its own affair, as long as
    `counted` leaves out that round.

    Attributes:
      text: what they are, for errors: "an arm in [0, 3)".
      allowed: ``(instance, action) -> bool[]``, traced; raises a TypeError on what is
        no action at all.
      counted: ``(instance, record) -> int[]``, traced, the rounds on record whose
        action the game has.
    """

    text: str
    allowed: Callable[[Instance, Action], Any]
    counted: Callable[[Instance, Record], Any]


def as_given(key, setup):
    """`Game.sample` of one instance for all seeds, which is the setup itself."""
    del key
    return setup


def round_only(round_, instance, env_state):
    """`Game.view` where a policy may know the round, and nothing else."""
    del instance, env_state
    return View(round_)


def whole_state(instance, env_state, budget):
    """`Game.record` of all that there is."""
    del instance, budget
    return env_state


def no_tables(instance):
    """`Environment.tables` of metrics that need none."""
    del instance
    return ()


class Game(NamedTuple):
    """What is traced of an environment: functions, no numbers. Hashable.

    Environments with one game share one compiled program.

    Attributes:
      init: ``instance -> env_state``.
      step: ``(noise, instance, env_state, action) -> (env_state, feedback)``.
      metrics: ``(tables, instance, record) -> {name: number}``, what is kept at a
        checkpoint, evaluated in float64; `tables` are `Environment.tables`.
      words: how many words of noise `step` consumes per round.
      sample: ``(key, setup) -> instance``; a fixed instance ignores the key (and is
        then not copied per seed).
      view: ``(round, instance, env_state) -> View``.
      record: ``(instance, env_state, budget) -> record``, the books at a checkpoint,
        which `metrics` reads; `budget` is the amount that it stands for, in the dtype
        of `spent` (the largest i32 where the game is played for a number of rounds).
      spent: ``(instance, env_state) -> number``, the consumed budget; None if the game
        has no budget and ends with the horizon.
      by_the_clock: whether the budget is a time in whole units: an amount of it then
        counts what has ended by then, and not the round that reaches it.
      actions: what may be played. None if the game does not say; counts named `pulls`
        in its record are then taken to count every round, which is checked.
    """

    init: Callable[[Instance], State]
    step: Callable[[Noise, Instance, State, Action], tuple[State, Feedback]]
    metrics: Callable[[Any, Instance, Record], dict[str, Any]]
    words: int = 0
    sample: Callable[[Any, Any], Instance] = as_given
    view: Callable[[Any, Instance, State], Any] = round_only
    record: Callable[[Instance, State, Any], Record] = whole_state
    spent: Callable[[Instance, State], Any] | None = None
    by_the_clock: bool = False
    actions: Actions | None = None


class Environment(NamedTuple):
    """An environment: a game, the numbers that it is played with, and its books.

    Attributes:
      name: of the instance family, shown in results.
      game: how instances are drawn and rounds are played.
      setup: pytree of arrays, the numbers behind `Game.sample`.
      tables: host function ``instance -> pytree`` of float64, what `Game.metrics` needs
        to be exact, asked once per instance. Leaves of `instance` are NumPy arrays
        ``[S, ...]``, or ``[1, ...]`` if all seeds share them; so are those of tables.
      oracle: host function ``instance -> pytree`` of float64 facts about instances
        (optimal action, gaps); of a fixed one it needs no argument. None if the
        environment knows none.
      judge: host function ``(instance, action) -> {name: array}``, metrics of what
        policies recommend; leaves of `action` are NumPy arrays ``[S, C, ...]``. None
        if recommendations are not judged.
      problem: what a learner knows before the game; policies are built from it.
      provenance: description of the instance for the results (JSON-able).
    """

    name: str
    game: Game
    setup: Any = ()
    tables: Callable[[Instance], Any] = no_tables
    oracle: Callable | None = None
    judge: Callable[[Instance, Action], dict[str, Any]] | None = None
    problem: Any = None
    provenance: Any = None
