"""What the games of the censored setting share: a fixed instance, played for rounds."""

from collections.abc import Callable

from jaxbandits.laws.law import JointLaw
from jaxbandits.protocol import Actions, Environment, View


def game(
    problem, law: JointLaw, init: Callable, step: Callable, actions: Actions
) -> Environment:
    """The traced functions of a game; name, setup and metrics are filled in later.

    Args:
      problem: what the learner knows.
      law: joint law of reward and consumption, for its appetite for noise.
      init: ``instance -> State``, the books, which are also the record.
      step: as in `Environment`.
      actions: likewise.
    """
    return Environment(
        name="",
        setup=None,
        sample=lambda key, setup: setup,
        init=init,
        view=lambda round_, instance, state: View(round_),
        step=step,
        record=lambda instance, state, budget: state,
        metrics=None,
        oracle=None,
        words=law.words,
        problem=problem,
        actions=actions,
    )
