"""What the studies add to the registry of jaxbandits: slips, and games of data sets."""

from jaxbandits.censored import ANY
from jaxbandits.registry import Maker
from jaxbandits_studies import datasets
from jaxbandits_studies.slips import allocation, budgeted, censored, farewell

POLICIES: dict[str, Maker] = {
    "censored/thompson-copied": Maker(censored.thompson_copied),
    "censored/thompson-strict": Maker(censored.thompson_strict),
    "budgeted/ucb-b2-code": Maker(budgeted.ucb_b2_code),
    "budgeted/b-greedy-code": Maker(budgeted.b_greedy_code),
    "allocation/ra-ucb-printed": Maker(allocation.ra_ucb_printed),
    "allocation/ra-ucb-printed-radii": Maker(
        allocation.ra_ucb_printed, {"estimator": "truncated", "radii": "printed"}
    ),
    "allocation/ra-ucb-authors": Maker(allocation.ra_ucb_authors),
    "farewell/wait-ucb-naive": Maker(farewell.wait_ucb_naive),
}
ENVIRONMENTS: dict[str, Maker] = {
    "censored/forest": Maker(datasets.forest),
    "censored/solver": Maker(datasets.solver),
    "continuum/solver": Maker(datasets.solver, {"limits": ANY}),
    "budgeted/from-table": Maker(
        datasets.from_table, needs=("path", "arm", "cost", "reward")
    ),
    "budgeted/fb-br": Maker(datasets.fb_br, needs=("groups",)),
    "budgeted/fb-bt": Maker(datasets.fb_bt, needs=("groups",)),
    "allocation/ednet-like": Maker(datasets.ednet_like),
    "allocation/criteo-like": Maker(datasets.criteo_like),
    "allocation/ednet": Maker(datasets.ednet, needs=("data",)),
    "allocation/criteo": Maker(datasets.criteo, needs=("log",)),
}
