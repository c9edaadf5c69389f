"""Bounds for RA-UCB in the allocation game with a known budget.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback": Theorem 3.1 and Appendix B (lower bound), Theorems 4.8 and 4.11 with
Appendices E and F (upper bounds), Appendix H (exponential thresholds). Thresholds are
exponential, ``G(x, lambda) = 1 - exp(-lambda x)``, unless a function says otherwise.

Where a proof gives something else than the formula after it, the functions follow the
proof and say so. Three things to know before laying a curve over a plot:

- The upper bounds say nothing at any horizon one can play: with the numbers of Appendix
  A.1 (K = 10, B = 40, m = 1, M = 80) `sqrt_bound` exceeds ``K T`` up to some T = 1e17,
  `log_bound` up to some 1e95. They warn (`VacuousBound`).
- Appendix E adds up the errors ``alpha = u^-3`` of the rounds u < t as if they were
  ``t^-3``. The theorems need radii with log T in place of log t.
- They need the estimates to be consistent; the paper's are not when x < B, for it takes
  a threshold seen at x < B for one truncated to [0, B].
"""

from jaxbandits_studies.theory.allocation.exponential import (
    LipschitzConstants,
    Radii,
    best_allocation,
    g,
    g_slope,
    lipschitz_constants,
    printed_radii,
)
from jaxbandits_studies.theory.allocation.lower import (
    LowerBoundInstance,
    is_vacuous,
    lower_bound,
    lower_bound_instance,
    proved_lower_bound,
    trivial_bound,
)
from jaxbandits_studies.theory.allocation.upper import (
    EtcRate,
    etc_rate,
    log_bound,
    log_constant,
    problem_independent_bound,
    sqrt_bound,
    sqrt_constant,
)
from jaxbandits_studies.theory.vacuous import VacuousBound

__all__ = [
    "EtcRate",
    "LipschitzConstants",
    "LowerBoundInstance",
    "Radii",
    "VacuousBound",
    "etc_rate",
    "g",
    "g_slope",
    "is_vacuous",
    "lipschitz_constants",
    "log_bound",
    "log_constant",
    "lower_bound",
    "lower_bound_instance",
    "best_allocation",
    "printed_radii",
    "problem_independent_bound",
    "proved_lower_bound",
    "sqrt_bound",
    "sqrt_constant",
    "trivial_bound",
]
