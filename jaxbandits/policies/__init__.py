"""The policies, a folder per setting, and the registry.

`REGISTRY` maps ``setting/name`` to a factory; every entry passes the contract check.
``continuum`` stands for the censored setting with arbitrary limits: those factories
take a `Continuum`, the others the `Problem` of their setting.
"""

from jaxbandits.policies import allocation, budgeted, censored, farewell, plain
from jaxbandits.policies._doubling import doubling

REGISTRY = {
    "censored/rcucb": censored.rcucb,
    "censored/rcucb-kaplan-meier": lambda problem: censored.rcucb(
        problem, survival="kaplan_meier"
    ),
    "censored/ucb": censored.ucb_reduction,
    "censored/moss": censored.moss_reduction,
    "censored/kl-ucb": censored.kl_ucb_reduction,
    "censored/thompson": censored.thompson,
    "censored/thompson-shared": lambda problem: censored.thompson(problem, "shared"),
    "censored/thompson-copied": lambda problem: censored.thompson(problem, "copied"),
    "censored/thompson-strict": lambda problem: censored.thompson(problem, "strict"),
    "censored/cell-thompson": censored.cell_thompson,
    "censored/uniform": censored.uniform,
    "censored/fixed": lambda problem: censored.fixed_pair(problem, 0, 0),
    "continuum/z-rcucb": censored.z_rcucb,
    "continuum/z-rcucb-inherit": lambda problem: censored.z_rcucb(
        problem, history="inherit"
    ),
    "continuum/z-rcucb-kaplan-meier": lambda problem: censored.z_rcucb(
        problem, history="whole", survival="kaplan_meier"
    ),
    "continuum/z-rcucb-doubling": lambda problem: doubling(censored.z_rcucb(problem)),
    "continuum/stoo": censored.stoo,
    "continuum/zooming": censored.zooming,
    "continuum/rcucb-uniform": lambda problem: censored.on_grid(
        problem, 10, censored.rcucb
    ),
    "budgeted/omega-ucb": budgeted.omega_ucb,
    "budgeted/omega-star-ucb": budgeted.omega_star_ucb,
    "budgeted/omega-ucb-log-share": lambda problem: budgeted.omega_ucb(
        problem, exploration="log_share"
    ),
    "budgeted/omega-star-ucb-log-share": lambda problem: budgeted.omega_star_ucb(
        problem, "log_share"
    ),
    "budgeted/omega-star-ucb-shrunk": lambda problem: budgeted.omega_star_ucb(
        problem, variance="shrunk"
    ),
    "budgeted/share-ucb": budgeted.share_ucb,
    "budgeted/share-ucb-anytime": lambda problem: budgeted.share_ucb(problem, "spent"),
    "budgeted/share-ucb-own-variances": lambda problem: budgeted.share_ucb(
        problem, pooled=False
    ),
    "budgeted/bts": budgeted.bts,
    "budgeted/m-ucb": budgeted.m_ucb,
    "budgeted/mrcb": budgeted.mrcb,
    "budgeted/c-ucb": budgeted.c_ucb,
    "budgeted/i-ucb": budgeted.i_ucb,
    "budgeted/budget-ucb": budgeted.budget_ucb,
    "budgeted/ucb-bv1": budgeted.ucb_bv1,
    "budgeted/ucb-b2": budgeted.ucb_b2,
    "budgeted/ucb-b2-code": lambda problem: budgeted.ucb_b2(problem, "code"),
    "budgeted/ucb-sc-plus": budgeted.ucb_sc_plus,
    "budgeted/kl-ucb-sc-plus": budgeted.kl_ucb_sc_plus,
    "budgeted/kube": budgeted.kube,
    "budgeted/pd-bwk": budgeted.pd_bwk,
    "budgeted/b-greedy": budgeted.b_greedy,
    "budgeted/b-greedy-code": lambda problem: budgeted.b_greedy(problem, "code"),
    "budgeted/epsilon-first": budgeted.epsilon_first,
    "budgeted/uniform": budgeted.uniform,
    "budgeted/clairvoyant": budgeted.clairvoyant,
    "budgeted/fixed": lambda problem: budgeted.fixed_arm(problem, 0),
    "farewell/wait-ucb": farewell.wait_ucb,
    "farewell/wait-ucb-shorter": lambda problem: farewell.wait_ucb(problem, "shorter"),
    "farewell/wait-ucb-naive": lambda problem: farewell.wait_ucb(problem, "naive"),
    "farewell/product-limit": farewell.product_limit,
    "farewell/ucb-simplex": farewell.ucb_simplex,
    "farewell/budget-ucb": farewell.budget_ucb,
    "farewell/ucb-bv1": farewell.ucb_bv1,
    "farewell/omega-ucb": farewell.omega_ucb,
    "farewell/omega-ucb-shorter": lambda problem: farewell.omega_ucb(
        problem, observe="shorter"
    ),
    "farewell/omega-star-ucb": farewell.omega_star_ucb,
    "farewell/omega-star-ucb-shrunk": lambda problem: farewell.omega_star_ucb(
        problem, variance="shrunk"
    ),
    "farewell/omega-star-ucb-shorter": lambda problem: farewell.omega_star_ucb(
        problem, observe="shorter"
    ),
    "farewell/omega-star-ucb-product-limit": farewell.product_limit_omega,
    "farewell/bts": farewell.bts,
    "farewell/ucb-sc-plus": farewell.ucb_sc_plus,
    "farewell/kube": farewell.kube,
    "farewell/pd-bwk": farewell.pd_bwk,
    "farewell/ucb1": farewell.ucb1,
    "farewell/uniform": farewell.uniform,
    "farewell/fixed": lambda problem: farewell.fixed_pair(problem, 0, 0),
    "allocation/ra-ucb": allocation.ra_ucb,
    "allocation/ra-ucb-all": lambda problem: allocation.ra_ucb(
        problem, update="all", others="point", start="uniform_split"
    ),
    "allocation/ra-ucb-delta": lambda problem: allocation.ra_ucb(
        problem, radii="delta"
    ),
    "allocation/ra-ucb-printed": lambda problem: allocation.ra_ucb(
        problem, estimator="printed"
    ),
    "allocation/ra-ucb-printed-radii": lambda problem: allocation.ra_ucb(
        problem, radii="printed"
    ),
    "allocation/ra-ucb-authors": allocation.ra_ucb_authors,
    "allocation/mg-ucb": allocation.mg_ucb,
    "allocation/mg-ucb-delta": allocation.mg_ucb_delta,
    "allocation/mg-ucb-delta-difference": lambda problem: allocation.mg_ucb_delta(
        problem, greedy="difference"
    ),
    "allocation/mg-ucb-delta-envelope": lambda problem: allocation.mg_ucb_delta(
        problem, greedy="envelope"
    ),
    "allocation/ra-etc": allocation.ra_etc,
    "allocation/ra-etc-per-arm": lambda problem: allocation.ra_etc(problem, "per_arm"),
    "allocation/no-ucb": allocation.no_ucb,
    "allocation/thompson": allocation.thompson_allocation,
    "allocation/uniform": allocation.uniform_split,
    "allocation/clairvoyant": allocation.clairvoyant,
}

__all__ = [
    "REGISTRY",
    "allocation",
    "budgeted",
    "censored",
    "doubling",
    "farewell",
    "plain",
]
