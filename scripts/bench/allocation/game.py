"""The game of the allocation contest."""

from typing import NamedTuple


class Game(NamedTuple):
    """RA-UCB with its defaults on appendix A.1 of the allocation paper.

    Every run draws its own arms: rates uniform on [m / B, M / B], probabilities
    uniform on (0, 1]. In a round the budget B is split over the arms; an arm that is
    active and whose exponential threshold is within its share succeeds. After
    `initial` rounds per arm in which it gets all, the arms are boosted in turn: the
    boosted one is taken at its best, the others at their worst, and only the boosted
    one's round is learnt from (truncated likelihood, profile-likelihood bounds with
    z^2 = log t).

    The score of a run is its expected regret at the end, eq. (3).

    Attributes:
      arms: K.
      budget: B.
      m: least rate times budget.
      M: largest rate times budget.
      initial: rounds of the start, per arm.
    """

    arms: int = 10
    budget: float = 40.0
    m: float = 1.0
    M: float = 80.0
    initial: int = 9

    @property
    def lowest(self) -> float:
        """The least possible rate."""
        return self.m / self.budget

    @property
    def highest(self) -> float:
        """The largest possible rate."""
        return self.M / self.budget
