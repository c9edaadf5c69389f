"""The censored setting: choose an arm and a resource limit."""

from jaxbandits.settings.censored.costs import fast_track, scaled
from jaxbandits.settings.censored.environment import Oracle, censored, exact_oracle
from jaxbandits.settings.censored.instances import (
    M1,
    equidistant,
    example1,
    gaussian_covariance,
    indep,
    low_censoring,
    many_arms,
    negcorr,
    poscorr,
    running_example,
)
from jaxbandits.settings.censored.types import Action, Feedback, Problem, make_problem

__all__ = [
    "M1",
    "Action",
    "Feedback",
    "Oracle",
    "Problem",
    "censored",
    "equidistant",
    "example1",
    "exact_oracle",
    "fast_track",
    "gaussian_covariance",
    "indep",
    "low_censoring",
    "make_problem",
    "many_arms",
    "negcorr",
    "poscorr",
    "running_example",
    "scaled",
]
