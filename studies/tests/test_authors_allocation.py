"""Numbers that the authors of the allocation paper printed themselves.

The output of their notebook ``main_exponential.ipynb`` (github corentinpla/RA-UCB),
eight digits each: the arms of appendix A.1 that Figures 2 to 4 were played on, and the
optimal allocation that their bisection found for them.
"""

import numpy as np

from jaxbandits.allocation import make_environment, make_problem
from jaxbandits.laws.thresholds import exponential

PROBABILITY = [
    *(0.18878059, 0.25196053, 0.57923598, 0.85046495, 0.38295813),
    *(0.05637266, 0.92240291, 0.65092762, 0.20302046, 0.52202613),
]
RATE = [
    *(0.37857501, 1.2667127, 0.40344441, 0.21816188, 1.01066286),
    *(0.17413769, 0.12884267, 1.97271592, 0.46937008, 1.87027172),
]
OPTIMUM = [
    *(2.64135144, 1.9707727, 5.41511688, 8.95651665, 2.66086488),
    *(0.0, 11.70826517, 1.97114795, 2.74335391, 1.93261042),
]


def test_the_optimum_of_their_arms():
    """Their multiplier is good to 1e-8 of budget; the arms are rounded."""
    problem = make_problem(exponential, 10, 40.0, lowest=1 / 40, highest=2)
    game = make_environment("the authors' arms", problem, PROBABILITY, RATE)
    best = game.oracle().allocation
    np.testing.assert_allclose(best[0], OPTIMUM, rtol=0, atol=3e-7)
    assert best[0, 5] == 0
