"""The protocol of judging: what is fixed before a policy is tuned.

A setting has two lists of cases. Parameters and priors are chosen on the *tuning* set;
the *judging* set is for the leaderboard alone. Each has a root seed of its own, and a
third one is for numbers that are given last. What had been seen of these before which
choice a protocol says in `seen`, and so does whatever shows its numbers.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from jaxbandits.protocol import Environment
from jaxbandits_studies.common.data import data_file

TUNING_SEED, JUDGING_SEED, FINAL_SEED = 20_261_124, 41_121_062, 62_411_202
ORIGINS = ("paper", "drawn", "trap", "recorded")
# What every entrant of a setting knows, as it is part of the problem.
KNOWN_TO_ALL = {
    "censored": "the limits, what they cost and what exceeding them costs, and that "
    "rewards lie in [0, 1]",
    "budgeted": "the number of arms, and that rewards and costs lie in [0, 1]",
    "farewell": "the waits, what giving up costs, and that rewards lie in [0, 1]",
    "allocation": "the family of the thresholds with its shapes, the range of its "
    "rates, and the budget of a round before the round",
}


class Case(NamedTuple):
    """An environment to be judged on.

    Attributes:
      make: makes it; with a data file, of the file's path.
      origin: one of `ORIGINS`: of a paper, ours and drawn at random, ours and made to
        trap a policy, or recorded.
      horizons: rounds or budgets, if not those of the setting.
      data: file that it needs and the package does not contain.
    """

    make: Callable[..., Environment]
    origin: str
    horizons: tuple[int, ...] = ()
    data: str | None = None

    def environment(self) -> Environment | None:
        """The environment, or None without its data."""
        if self.data is None:
            return self.make()
        path = data_file(self.data, needed=False)
        return None if path is None else self.make(path)


class Entrant(NamedTuple):
    """A policy that is judged.

    Attributes:
      factory: makes it from what the learner knows.
      params: parameters that are not default, by leaf: a number, or a function of the
        options (of their horizon).
      knows: what it is told of the game beside the problem (`KNOWN_TO_ALL`):
        ``horizon`` or ``budget``. One that is told nothing is anytime.
      flaw: where its regret is known to be linear, or to be made of lost runs. Such a
        policy is shown, but nobody is measured by it.
      loses: how many runs of a tuning case it loses, if that is more than one in
        twenty: its 95 % quantile is then the budget's. A rival all the same, but a goal
        is also counted without it.
      ours: whether it is a policy of ours that is held against the rivals, and so
        none. (Of the rivals, the protocol's `variants` are ours as well.)
      longest: the longest horizon that it is played at, if it is too slow for all.
    """

    factory: Callable[[Any], Any]
    params: Mapping[str, Any] = {}
    knows: tuple[str, ...] = ()
    flaw: str = ""
    loses: str = ""
    ours: bool = False
    longest: int | None = None

    @property
    def rival(self) -> bool:
        """Whether others are measured by it."""
        return not (self.ours or self.flaw)


class Goal(NamedTuple):
    """What a leaderboard is held against.

    Attributes:
      candidates: entrants, one of which is to reach it.
      within: times the best rival's regret, in mean and in 95 % quantile.
      share: of the pairs of a case and a horizon, in which that is to hold.
    """

    candidates: tuple[str, ...]
    within: float
    share: float


class Margin(NamedTuple):
    """How far policies are to stay below one that is named.

    Attributes:
      candidates: entrants, one of which is to do so.
      rival: the entrant whose mean regret is to be larger in every pair of a case and
        a horizon.
      median: times its mean regret, at most, in the median of these pairs; 1 asks for
        no more than every pair does.
    """

    candidates: tuple[str, ...]
    rival: str
    median: float = 1.0


class Protocol(NamedTuple):
    """What a setting's policies are judged by.

    Attributes:
      setting: its name.
      fixed: date on which the lists were fixed.
      by_budget: whether horizons are budgets, in the units of `simulate`.
      horizons: small, middle and long.
      tuning, judging: cases by title.
      entrants: by the name that is shown.
      quick: entrants of a first look, on the first case.
      goal: None where no policy of ours is to reach one yet.
      margins: goals of another kind.
      seen: which choices were made after the seeds that are played last had been
        looked at: whole sentences, whose "they" are these seeds.
      variants: the rivals that are ours.
    """

    setting: str
    fixed: str
    by_budget: bool
    horizons: tuple[int, ...]
    tuning: Mapping[str, Case]
    judging: Mapping[str, Case]
    entrants: Mapping[str, Entrant]
    quick: tuple[str, ...]
    goal: Goal | None = None
    margins: tuple[Margin, ...] = ()
    seen: str = ""
    variants: tuple[str, ...] = ()

    @property
    def steady(self) -> tuple[str, ...]:
        """The rivals that do not lose one run in twenty."""
        listed = self.entrants.items()
        return tuple(name for name, each in listed if each.rival and not each.loses)

    @property
    def of_papers(self) -> tuple[str, ...]:
        """The other rivals: the policies of papers."""
        rivals = (name for name, entrant in self.entrants.items() if entrant.rival)
        return tuple(name for name in rivals if name not in self.variants)
