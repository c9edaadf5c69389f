"""The protocol: what a policy and an environment are.

Both are values, NamedTuples of pure functions written for *one* seed and *one* round.
The engine maps them over seeds and rounds, draws their random numbers and keeps the
accounts. A policy sees a view and feedback, nothing else; the instance stays with the
environment.

Every function gets its random numbers as ``noise``: a vector of independent random
32-bit words, as long as declared. `jaxbandits.kernels` makes of them what a draw needs:
``unit_interval(noise)`` uniforms in (0, 1), ``occurs(noise[0], noise[1], p)`` an event
that is exactly as rare as p, ``position(noise[0], n)`` one of n. This makes a run a
pure function of its seed, lets all policies meet the same environment noise, and lets a
NumPy program replay it (see `jaxbandits.engine.tape`).

A function is traced once, and what it closes over is read then: a table, a list or an
attribute that is changed later is not seen, and the old program is played without a
word. Numbers that change belong in `params` or `setup`; another table takes another
function, as a factory makes one.

`Init`, `Act`, `Update`, ... say for type checkers what these functions take, by
position, and return. All that is generic is so in pytrees of arrays; where their types
are left out they are `Any`.
"""

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Generic, NamedTuple, cast

from jax import Array
from jaxtyping import Int32, UInt32
from typing_extensions import TypeVar

from jaxbandits import checks
from jaxbandits.checks.points import crossed_with, points_from

Noise = UInt32[Array, "words"]

# An action goes where one of a wider type may; the other types are the very same.
S = TypeVar("S", default=Any)  # a policy's state, or an environment's
P = TypeVar("P", default=Any)  # a policy's parameters
A = TypeVar("A", default=Any)
Played = TypeVar("Played", covariant=True, default=Any)  # actions that a policy plays
Taken = TypeVar("Taken", contravariant=True, default=Any)  # actions that a game takes
I = TypeVar("I", default=Any)  # an instance

Init = Callable[[P], S]
"""``params -> state``, a pytree of arrays of fixed shapes and dtypes."""

Act = Callable[[Noise, Any, S, P], A]
"""``(noise, view, state, params) -> action``; a view has the fields of `View`."""

Update = Callable[[Noise, Any, S, A, Any, P], S]
"""``(noise, view, state, action, feedback, params) -> state``, after a round."""

Recommend = Callable[[S, P], A]
"""``(state, params) -> action``, the answer if the game ended now."""

Report = Callable[[S, P], dict[str, Any]]
"""``(state, params) -> {name: array}``, what the results shall hold of a state."""

Sample = Callable[[Any, Any], I]
"""``(key, setup) -> instance``; the key is one of ``jax.random``."""

Start = Callable[[I], S]
"""``instance -> env_state``, before the first round."""

Step = Callable[[Noise, I, S, A], tuple[S, Any]]
"""``(noise, instance, env_state, action) -> (env_state, feedback)``, a round."""

See = Callable[[Int32[Array, ""], I, S], Any]
"""``(round, instance, env_state) -> view``, what a policy may know of a round."""

Book = Callable[[I, S, Any], Any]
"""``(instance, env_state, budget) -> record``, the accounts at a checkpoint."""


class View(NamedTuple):
    """What every policy may know before it acts. Settings may add fields.

    Attributes:
      round: i32[], the round about to be played; the first is 1.
    """

    round: Int32[Array, ""]


class PolicyFunctions(NamedTuple):
    """What is traced of a policy: functions, no numbers. Hashable. See `Policy`."""

    init: Init
    act: Act
    update: Update
    recommend: Recommend | None
    report: Report | None
    words: tuple[int, int]


class Policy(NamedTuple, Generic[S, P, Played]):
    """A policy: pure functions, default parameters, and its appetite for noise.

    ``Policy[State, Params, Action]`` to a type checker; plain ``Policy`` is any.

    Attributes:
      name: shown in results; simulate()'s mapping keys take its place.
      init: ``params -> state``, a pytree of arrays of fixed shapes and dtypes.
      act: ``(noise, view, state, params) -> action``.
      update: ``(noise, view, state, action, feedback, params) -> state``.
      params: NamedTuple of numbers. Every leaf can be swept. Its type says its range:
        ``alpha: Positive = 1.0`` (see `jaxbandits.checks`), or ``float`` for any.
      words: how many words of noise `act` and `update` consume per round.
      check: host function ``params -> None`` that raises a ValueError naming the
        parameter if one is out of a range that no type says; leaves are arrays of
        points.
      recommend: ``(state, params) -> action``, the answer if the game ended now; the
        environment judges it at every checkpoint. None if the policy has none.
      report: ``(state, params) -> {name: array}``, what the results shall hold of the
        state at every checkpoint: numbers (an overflow flag, say) or arrays of fixed
        shapes. None for nothing.
      problem: what it was built for; it plays environments with an equal `problem` only
        (see `jaxbandits.checks.fit`). None for a policy that plays anything.
      game_params: which parameters are the game's ``horizon`` or ``budget``: while they
        have their class's default, `simulate` puts the game's own in its place.
    """

    name: str
    init: Init[P, S]
    act: Act[S, P, Played]
    update: Update[S, Any, P]  # any, so that fewer actions fit where more may go
    params: P = ()  # type: ignore[assignment]
    words: tuple[int, int] = (0, 0)
    check: Callable[[P], None] | None = None
    recommend: Recommend[S, P, Played] | None = None
    report: Report[S, P] | None = None
    problem: Any = None
    game_params: tuple[str, ...] = ()

    @property
    def functions(self) -> PolicyFunctions:
        """What is traced of it; policies that differ in the rest share a program."""
        return PolicyFunctions(
            self.init, self.act, self.update, self.recommend, self.report, self.words
        )

    def with_params(self, **values: float) -> "Policy[S, P, Played]":
        """The policy with other parameters: ``policy.with_params(alpha=0.5)``.

        Args:
          **values: a number by leaf of `params`; the other leaves stay.

        Raises:
          TypeError: if it has no such parameter, naming those that it has.
          ValueError: if a number is out of range, naming the range (see `check`).
        """
        self._check_leaves("with_params", values)
        for leaf, value in values.items():
            if math.isnan(checks.number(leaf, value)):
                raise ValueError(f"{leaf} must be a number, got NaN")
        params: Any = self.params
        if values:
            params = params._replace(**values)
        self.check_params(params)
        return self._replace(params=params)

    def check_params(self, params: P) -> None:
        """Look at ranges: those of the types of `params`, and what `check` says.

        Raises:
          TypeError, ValueError: as `check` does, and if it returns anything: what it
            does not raise would refuse nothing.
        """
        checks.in_ranges(cast(Any, params))
        result = None if self.check is None else self.check(params)
        if result is not None:
            raise TypeError(
                f"check of policy {self.name!r} must raise a ValueError for parameters "
                f"out of range, and return None, got {checks.shown(result)}"
            )

    def over(self, design: Any = None, /, **values: Any) -> "Entry":
        """The policy at many parameter points, for `jaxbandits.simulate`.

        ``policy.over(alpha=[0.5, 1.0], epsilon=[0.1, 0.2])`` crosses all values, which
        makes four points; ``policy.over(jaxbandits.zipped({...}), alpha=[0.5, 1.0])``
        crosses the rows of a design with them.

        Args:
          design: rows of values that belong together: what `jaxbandits.zipped` or
            `jaxbandits.sampled` gives.
          **values: a number or a list of them by leaf of `params`.

        Raises:
          TypeError, ValueError: naming a parameter that it has not, a list that is
            empty or holds no numbers, or equal points. The range of every number is
            looked at where the game is known, before anything is compiled.
        """
        name = f"{self.name}: over"
        self._check_leaves("over", values)
        points = points_from(crossed_with(design, values, name), name)
        self._check_leaves("over", points.columns)
        return Entry(self, points)

    def _check_leaves(self, method: str, given: Iterable[str]) -> None:
        params: Any = self.params
        if params and not hasattr(params, "_asdict"):
            raise TypeError(
                f"{self.name}: params must be a NamedTuple, got {checks.shown(params)}"
            )
        known = params._asdict() if params else {}
        if unknown := [leaf for leaf in given if leaf not in known]:
            has = ", ".join(f"{leaf} = {value}" for leaf, value in known.items())
            raise TypeError(
                f"{self.name}: {method} got {unknown}, which are no parameters of it; "
                f"it has {has or 'none'}{checks.hint(unknown[0], known)}"
            )


class Entry(NamedTuple):
    """A policy at parameter points, as ``policy.over(...)`` makes it.

    Attributes:
      policy: the policy, or a function that makes it from ``environment.problem``.
      grid: parameters that are not default: values by leaf, each combined with each, or
        what `jaxbandits.zipped` gives; None for one point, at the defaults.
    """

    policy: Policy | Callable[[Any], Policy]
    grid: Any = None

    def over(self, *design: Any, **values: Any) -> "Entry":
        """Refused: all values of a policy are given at once.

        Raises:
          TypeError: always.
        """
        raise TypeError(
            f"over got {[*values]} for a policy that has its points already: give all "
            "values in one over(...)"
        )


class Actions(NamedTuple, Generic[I, Taken]):
    """The actions that a game has, and how its accounts show that no other was played.

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
    allowed: Callable[[I, Taken], Any]
    counted: Callable[[I, Any], Any]


def no_state(params: Any) -> tuple[()]:
    """`Policy.init` of a policy without a state."""
    return ()


def no_update(
    noise: Noise, view: Any, state: Any, action: Any, feedback: Any, params: Any
) -> Any:
    """`Policy.update` of a policy that does not learn."""
    return state


def as_given(key: Any, setup: Any) -> Any:
    """`Game.sample` of one instance for all seeds, which is the setup itself."""
    return setup


def round_only(round_: Any, instance: Any, env_state: Any) -> View:
    """`Game.view` where a policy may know the round, and nothing else."""
    return View(round_)


def whole_state(instance: Any, env_state: S, budget: Any) -> S:
    """`Game.record` of all that there is."""
    return env_state


def no_tables(instance: Any) -> Any:
    """`Environment.tables` of metrics that need none."""
    return ()


class Game(NamedTuple, Generic[I, S, Taken]):
    """What is traced of an environment: functions, no numbers. Hashable.

    Environments with one game share one compiled program. ``Game[Instance, State,
    Action]`` to a type checker.

    Attributes:
      init: ``instance -> env_state``.
      step: ``(noise, instance, env_state, action) -> (env_state, feedback)``.
      metrics: ``(tables, instance, record) -> {name: number}``, what is kept at a
        checkpoint, evaluated in float64; `tables` are `Environment.tables`.
      words: how many words of noise `step` consumes per round.
      sample: ``(key, setup) -> instance``; a fixed instance ignores the key (and is
        then not copied per seed).
      view: ``(round, instance, env_state) -> View``.
      record: ``(instance, env_state, budget) -> record``, the accounts at a checkpoint,
        which `metrics` reads; `budget` is the amount that it stands for, in the dtype
        of `spent` (the largest i32 where the game is played for a number of rounds).
      spent: ``(instance, env_state) -> number``, the consumed budget; None if the game
        has no budget and ends with the horizon.
      by_the_clock: whether the budget is a time in whole units: an amount of it then
        counts what has ended by then, and not the round that reaches it.
      actions: what may be played. None if the game does not say; counts named `pulls`
        in its record are then taken to count every round, which is checked.
    """

    init: Start[I, S]
    step: Step[I, S, Taken]
    metrics: Callable[[Any, I, Any], dict[str, Any]]
    words: Annotated[int, checks.non_negative] = 0
    sample: Sample[I] = as_given
    view: See[I, S] = round_only
    record: Book[I, S] = whole_state
    spent: Callable[[I, S], Any] | None = None
    by_the_clock: bool = False
    actions: Actions[I, Taken] | None = None


class Environment(NamedTuple, Generic[I, S, Taken]):
    """An environment: a game, the numbers that it is played with, and its accounts.

    ``Environment[Instance, State, Action]`` to a type checker.

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
    game: Game[I, S, Taken]
    setup: Any = ()
    tables: Callable[[I], Any] = no_tables
    oracle: Callable[..., Any] | None = None
    judge: Callable[[I, Taken], dict[str, Any]] | None = None
    problem: Any = None
    provenance: Any = None
