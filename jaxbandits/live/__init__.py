"""Ask and tell: play a policy against a real process, for example your own solver.

    session = live.start(policy, root_seed=1)
    while True:
        action = live.ask(session)
        ... carry out the action and observe its feedback ...
        session = live.tell(session, action, feedback)

A session is an immutable value: keep it, go back to it, or pickle its `round` and
`state` and continue later. With the same seed and the same feedback, it plays the same
actions as a run of `simulate`.

Views and feedback must have the `types` of the policy's problem, and pass its
`check_view`, `check_action` and `check_feedback`. If your own problem does not define
one of these, the check is skipped.
"""

from jaxbandits.live.ask_and_tell import ask, recommend, start, tell
from jaxbandits.live.session import Session

__all__ = ["Session", "ask", "recommend", "start", "tell"]
