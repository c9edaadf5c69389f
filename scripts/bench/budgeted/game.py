"""The game of the budgeted setting: what is played, and how it is scored."""

from typing import NamedTuple


class Game(NamedTuple):
    """omega*-UCB with rho = 1/4 on S-Br-K: Bernoulli rewards and costs.

    Every run draws arms of its own: mean rewards from U(0, 1), mean costs from U(0.01,
    1). It pulls every arm once and then the arm with the largest index of Heyden et al.
    (2023), eq. (2), with the variances of section 5.2; ties are broken at random. The
    policy does not know that the data are Bernoulli.

    The `horizon` of a contestant is the budget, in units of the smallest mean cost of
    the run's arms. The pull that reaches it counts in full. The rounds of a run are its
    pulls, its score is their pseudo-regret, sum n mu_c (g* - mu_r / mu_c).

    Attributes:
      arms: K.
    """

    arms: int = 10


COST_FLOOR = 0.01
RHO = 0.25
LEAST_PULLS = 30  # before a variance is trusted
