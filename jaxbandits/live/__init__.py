"""Ask and tell: a policy against the real thing, a solver or a process of one's own.

    session = live.start(policy, root_seed=1)
    while True:
        action = live.ask(session)
        ... do it, and see what comes of it ...
        session = live.tell(session, action, feedback)

A session is a value, as everything here: keep it, go back to it, or pickle its `round`
and `state` and go on another day. With the same seed and the same answers it does what
a run of `simulate` does.

Views and feedback must be of the `types` of the policy's problem, and pass its
`check_view`, `check_action` and `check_feedback`.
What a problem of one's own does not have is not looked at.
"""

from jaxbandits.live.ask_and_tell import ask, recommend, start, tell
from jaxbandits.live.session import Session

__all__ = ["Session", "ask", "recommend", "start", "tell"]
