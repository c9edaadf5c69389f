"""The censored setting: choose an arm and a resource limit."""

from jaxbandits.settings.censored._combinatorial import SuperArmOracle, combinatorial
from jaxbandits.settings.censored._forest import forest, forest_runs
from jaxbandits.settings.censored._plain import plain
from jaxbandits.settings.censored._recorded import Runs, load_runs, recorded
from jaxbandits.settings.censored._solver import solver, solver_runs
from jaxbandits.settings.censored.continuum import any_limit, pair_values
from jaxbandits.settings.censored.costs import fast_track, late_fee, scaled
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
    overtime,
    poscorr,
    running_example,
    trap,
)
from jaxbandits.settings.censored.types import (
    ANY,
    Action,
    Combinatorial,
    Continuum,
    Feedback,
    Problem,
    RealAction,
    SemiBanditFeedback,
    SuperArm,
    censor,
    check_bounded,
    check_continuum,
    check_grid,
    make_continuum,
    make_problem,
)

__all__ = [
    "ANY",
    "Action",
    "Combinatorial",
    "Continuum",
    "Feedback",
    "M1",
    "Oracle",
    "Problem",
    "RealAction",
    "Runs",
    "SemiBanditFeedback",
    "SuperArm",
    "SuperArmOracle",
    "any_limit",
    "censor",
    "censored",
    "check_bounded",
    "check_continuum",
    "check_grid",
    "combinatorial",
    "equidistant",
    "exact_oracle",
    "example1",
    "fast_track",
    "forest",
    "forest_runs",
    "gaussian_covariance",
    "indep",
    "late_fee",
    "load_runs",
    "low_censoring",
    "make_continuum",
    "make_problem",
    "many_arms",
    "negcorr",
    "overtime",
    "pair_values",
    "plain",
    "poscorr",
    "recorded",
    "running_example",
    "scaled",
    "solver",
    "solver_runs",
    "trap",
]
