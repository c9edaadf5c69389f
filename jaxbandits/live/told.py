"""What people may tell a policy, by the problem that it was built for.

A policy that plays the real thing (`jaxbandits.live`) is told by people and programs
what they saw. What no round of its game can be would only show as a strange choice,
many rounds later.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.allocation import told as of_allocation
from jaxbandits.allocation.serving import told as of_turns
from jaxbandits.budgeted import told as of_budgeted
from jaxbandits.censored import told as of_censored
from jaxbandits.censored.dueling import told as of_duels
from jaxbandits.censored.super_arms import told as of_super_arms
from jaxbandits.farewell import told as of_farewell


class Told(NamedTuple):
    """Checks of a round; each raises a TypeError or ValueError that names its argument.

    Attributes:
      check_action: ``(problem, view, action) -> None``.
      feedback_of: ``(problem, view, action, feedback) -> feedback``, in the setting's
        kinds of numbers.
      view_of: ``(problem, view) -> view``; None of a setting whose view is the round.
    """

    check_action: Callable[[Any, Any, Any], None]
    feedback_of: Callable[[Any, Any, Any, Any], Any]
    view_of: Callable[[Any, Any], Any] | None = None


_CENSORED = Told(of_censored.check_action, of_censored.feedback_of)
TOLD: dict[type, Told] = {
    censored.Problem: _CENSORED,
    censored.Continuum: _CENSORED,
    censored.Combinatorial: Told(of_super_arms.check_action, of_super_arms.feedback_of),
    censored.Dueling: Told(of_duels.check_action, of_duels.feedback_of),
    allocation.Ordered: Told(of_turns.check_action, of_turns.feedback_of),
} | {
    setting.Problem: Told(its.check_action, its.feedback_of, its.view_of)
    for setting, its in (
        (budgeted, of_budgeted),
        (farewell, of_farewell),
        (allocation, of_allocation),
    )
}
