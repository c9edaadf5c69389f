from ._forest import forest, forest_runs
from ._plain import plain
from ._recorded import Runs, load_runs, recorded
from ._solver import solver, solver_runs
from .continuum import any_limit, pair_values
from .costs import fast_track, late_fee, scaled
from .dueling.as_arms import duels_as_arms, sparring
from .dueling.cell_self_sparring import cell_self_sparring
from .dueling.environment import duels
from .environment import Oracle, exact_oracle, make_environment
from .instances import (
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
from .policies.cell_thompson import cell_thompson
from .policies.fixed import fixed, fixed_duel, uniform, uniform_duels
from .policies.observed import cells_of, gain_of
from .policies.on_grid import on_grid
from .policies.product_arms import product_arms
from .policies.rcucb import rcucb
from .policies.reductions import (
    kl_ucb_reduction,
    moss_reduction,
    rucb_on_pairs,
    self_sparring_on_pairs,
    sparring_ucb,
    ucb_reduction,
)
from .policies.stoo import stoo
from .policies.survival import (
    CENSORED_EXCEEDS,
    KAPLAN_MEIER,
    Survival,
    eq_12,
    exceeded_share,
    product_limit,
    remark_3,
    sub_gaussian_gain_radius,
)
from .policies.thompson import thompson
from .policies.z_rcucb import grid_capacity, z_rcucb
from .policies.zooming import zooming
from .problem import (
    ANY,
    Action,
    Clocked,
    Combinatorial,
    Continuum,
    Duel,
    DuelFeedback,
    Dueling,
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
from .super_arms.environment import SuperArmOracle, combinatorial
from .super_arms.policies import (
    combinatorial_cell_thompson,
    combinatorial_rcucb,
    cucb,
    fixed_super_arm,
    super_arms_as_arms,
    uniform_super_arms,
)

__all__ = [
    "ANY",
    "Action",
    "CENSORED_EXCEEDS",
    "Clocked",
    "Combinatorial",
    "Continuum",
    "Duel",
    "DuelFeedback",
    "Dueling",
    "Feedback",
    "KAPLAN_MEIER",
    "M1",
    "Oracle",
    "Problem",
    "RealAction",
    "Runs",
    "SemiBanditFeedback",
    "SuperArm",
    "SuperArmOracle",
    "Survival",
    "any_limit",
    "cell_self_sparring",
    "cell_thompson",
    "cells_of",
    "censor",
    "make_environment",
    "check_bounded",
    "check_continuum",
    "check_grid",
    "combinatorial",
    "combinatorial_cell_thompson",
    "combinatorial_rcucb",
    "cucb",
    "duels",
    "duels_as_arms",
    "eq_12",
    "equidistant",
    "exact_oracle",
    "example1",
    "exceeded_share",
    "fast_track",
    "fixed_duel",
    "fixed",
    "fixed_super_arm",
    "forest",
    "forest_runs",
    "gain_of",
    "gaussian_covariance",
    "grid_capacity",
    "indep",
    "kl_ucb_reduction",
    "late_fee",
    "load_runs",
    "low_censoring",
    "make_continuum",
    "make_problem",
    "many_arms",
    "moss_reduction",
    "negcorr",
    "on_grid",
    "overtime",
    "pair_values",
    "plain",
    "poscorr",
    "product_arms",
    "product_limit",
    "rcucb",
    "recorded",
    "remark_3",
    "rucb_on_pairs",
    "running_example",
    "scaled",
    "self_sparring_on_pairs",
    "solver",
    "solver_runs",
    "sparring",
    "sparring_ucb",
    "stoo",
    "sub_gaussian_gain_radius",
    "super_arms_as_arms",
    "thompson",
    "trap",
    "ucb_reduction",
    "uniform",
    "uniform_duels",
    "uniform_super_arms",
    "z_rcucb",
    "zooming",
]
