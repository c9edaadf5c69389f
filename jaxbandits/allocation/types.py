"""What passes between a policy and an environment of the allocation setting.

Three kinds of action. `Allocation` needs to know the round's budget. `Plan` and `Order`
do not: they say how resource is handed out until it is gone (section 5 of the paper).
Where an arm that has been left is not returned to (`Ordered`), `Turns` say so.
"""

from typing import NamedTuple

from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.laws.thresholds import Threshold


class Allocation(NamedTuple):
    """What every arm gets, f32[K] >= 0; more than the budget is scaled down to it."""

    amounts: Float[Array, " K"]


class Plan(NamedTuple):
    """Resource goes, bit by bit, to the arm with the largest marginal value.

    The continuous-time process of MG-UCB (Algorithm 3) with the surrogate objective
    ``sum weight_i G(x_i, rate_i)``. For concave families.

    Attributes:
      weight: f32[K] >= 0.
      rate: f32[K] > 0.
    """

    weight: Float[Array, " K"]
    rate: Float[Array, " K"]


class Order(NamedTuple):
    """Resource goes in units to arms in this order (Algorithm 4).

    Attributes:
      arms: i32[G], enough for the largest budget.
      step: f32[], Delta, the size of a unit.
    """

    arms: Int32[Array, " G"]
    step: Float[Array, ""]


Action = Allocation | Plan | Order


class Turns(NamedTuple):
    """Arms are served in turn until the budget is used up, each of them once.

    Attributes:
      arms: i32[K], all arms in the order of their turns.
      amounts: i32[K] >= 0, units of the arm at that place; their sum is at most the
        largest budget, and may be less.
    """

    arms: Int32[Array, " K"]
    amounts: Int32[Array, " K"]


class Feedback(NamedTuple):
    """What a round shows, eq. (5).

    Attributes:
      threshold: f32[K], X where the arm succeeded, else +inf.
      allocation: f32[K], what the arms have got; what they were offered, if they give
        the rest back once they have succeeded.
    """

    threshold: Float[Array, " K"]
    allocation: Float[Array, " K"]


class OracleView(NamedTuple):
    """What no learner knows. Only policies that say so use it.

    Attributes:
      allocation: f32[K], an optimal allocation of the round's budget.
      probability: f32[K].
      rate: f32[K].
    """

    allocation: Float[Array, " K"]
    probability: Float[Array, " K"]
    rate: Float[Array, " K"]


class View(NamedTuple):
    """What a policy may know before it acts.

    Attributes:
      round: i32[], the round about to be played; the first is 1.
      budget: f32[], the round's budget; the largest one if it is not known in advance.
      oracle: what no learner knows.
    """

    round: Int32[Array, ""]
    budget: Float[Array, ""]
    oracle: OracleView


class Problem(NamedTuple):
    """What a learner knows about the game. Hashable: policies are built from it.

    Attributes:
      num_arms: K.
      family: of the thresholds.
      shape: known shape of every arm, or None if the family has none.
      lowest: least rate, m / B in the paper's Assumption 2.1.
      highest: largest rate, M / B.
      budget: the largest budget of a round.
      known: whether a round's budget is known in advance.
      cascade: whether a round pays 1 if at least one arm succeeds, and not for every
        arm that does.
    """

    num_arms: int
    family: Threshold
    shape: tuple[float, ...] | None
    lowest: float
    highest: float
    budget: float
    known: bool = True
    cascade: bool = False


class Ordered(NamedTuple):
    """What a learner knows where arms are served in turn. Hashable.

    Attributes:
      num_arms, family, shape, lowest, highest: as of `Problem`.
      units: N, the largest budget.
      survival: ``P(B >= u)``, u = 1, ..., N; None where it has to be learnt.
    """

    num_arms: int
    family: Threshold
    shape: tuple[float, ...] | None
    lowest: float
    highest: float
    units: int
    survival: tuple[float, ...] | None = None

    @property
    def arms(self) -> Problem:
        """The same arms, where resource may be handed out in any way."""
        return Problem(*self[:5], float(self.units), known=False)
