"""The problem settings: actions, feedback, instances and environments.

`REGISTRY` maps ``setting/name`` to the `Maker` of an environment; ``continuum`` stands
for the censored setting with arbitrary limits, ``combinatorial`` for it with several
arms in a round, ``dueling`` for it with preferences in place of rewards, ``ordered``
for the allocation setting with arms that are served in turn. What an entry `needs` only
the caller has: `PARTS` says, by setting, what such arguments are made of. `dealt`
shuffles the arms of an environment for every seed.
"""

from jaxbandits.checks import kinds
from jaxbandits.maker import Maker
from jaxbandits.settings import allocation, budgeted, censored, farewell
from jaxbandits.settings.dealing import Dealt, dealt
from jaxbandits.settings.parts import PARTS

_GAME = ("name", "problem", "law", "arms")  # what `censored.censored` needs
_ARMS = ("name", "family", "probability", "rate", "budgets", "lowest", "highest")
_ANY = {"limits": censored.ANY}

REGISTRY: dict[str, Maker] = {
    "censored/poscorr": Maker(censored.poscorr),
    "censored/negcorr": Maker(censored.negcorr),
    "censored/indep": Maker(censored.indep),
    "censored/many-arms": Maker(censored.many_arms, {"num_arms": 20}),
    "censored/low-censoring": Maker(censored.low_censoring),
    "censored/example1": Maker(censored.example1),
    "censored/example1-soft": Maker(censored.example1, {"soft": True}),
    "censored/trap": Maker(censored.trap),
    "censored/trap-steep": Maker(censored.trap, {"steep": True}),
    "censored/forest": Maker(censored.forest),
    "censored/solver": Maker(censored.solver),
    "censored/recorded": Maker(censored.recorded, needs=("name", "runs", "limits")),
    "censored/plain": Maker(censored.plain, needs=("name", "rewards", "params")),
    "censored/censored": Maker(censored.censored, needs=_GAME),
    "continuum/poscorr": Maker(censored.poscorr, _ANY),
    "continuum/negcorr": Maker(censored.negcorr, _ANY),
    "continuum/indep": Maker(censored.indep, _ANY),
    "continuum/example1": Maker(censored.example1, _ANY),
    "continuum/overtime": Maker(censored.overtime),
    "continuum/solver": Maker(censored.solver, _ANY),
    "continuum/recorded": Maker(censored.recorded, _ANY, needs=("name", "runs")),
    "combinatorial/combinatorial": Maker(
        censored.combinatorial, needs=("environment", "size")
    ),
    "dueling/duels": Maker(censored.duels, needs=("environment",)),
    "budgeted/s-br": Maker(budgeted.s_br, {"num_arms": 10}),
    "budgeted/s-gbr": Maker(budgeted.s_gbr, {"num_arms": 10}),
    "budgeted/s-bt": Maker(budgeted.s_bt, {"num_arms": 10}),
    "budgeted/s-br-changing": Maker(budgeted.s_br_changing),
    "budgeted/fb-br": Maker(budgeted.fb_br, needs=("groups",)),
    "budgeted/fb-bt": Maker(budgeted.fb_bt, needs=("groups",)),
    "budgeted/from-table": Maker(
        budgeted.from_table, needs=("path", "arm", "cost", "reward")
    ),
    "budgeted/fixed": Maker(budgeted.fixed, needs=("name", "law", "params")),
    "budgeted/changing": Maker(
        budgeted.changing, needs=("name", "law", "params", "ends")
    ),
    "farewell/figure-1a": Maker(farewell.figure_1a),
    "farewell/figure-1a-ii": Maker(farewell.figure_1a, {"reading": "ii"}),
    "farewell/figure-1a-iii": Maker(farewell.figure_1a, {"reading": "iii"}),
    "farewell/optimum-in-the-middle": Maker(farewell.optimum_in_the_middle),
    "farewell/optimum-at-one": Maker(farewell.optimum_at_one),
    "farewell/macro-arms-only": Maker(farewell.macro_arms_only),
    "farewell/display-advertising": Maker(farewell.display_advertising),
    "farewell/display-advertising-2": Maker(farewell.display_advertising, {"case": 2}),
    "farewell/second-price-auction": Maker(farewell.second_price_auction),
    "farewell/cross-validation": Maker(farewell.cross_validation),
    "farewell/farewell": Maker(farewell.farewell, needs=("name", "delay", "reward")),
    "allocation/simulation": Maker(allocation.simulation),
    "allocation/simulation-cascade": Maker(
        allocation.simulation, {"m": 1.0, "M": 4.0, "cascade": True}
    ),
    "allocation/ednet": Maker(allocation.ednet, needs=("data",)),
    "allocation/ednet-like": Maker(allocation.ednet_like),
    "allocation/criteo": Maker(allocation.criteo, needs=("log",)),
    "allocation/criteo-like": Maker(allocation.criteo_like),
    "allocation/allocation": Maker(allocation.allocation, needs=_ARMS),
    "allocation/cascade": Maker(allocation.cascade, needs=_ARMS),
    "ordered/ordered": Maker(allocation.ordered, needs=("environment",)),
}


_OTHER_ROOMS = {
    "continuum": "censored",
    "combinatorial": "censored",
    "dueling": "censored",
    "ordered": "allocation",
}


@kinds
def setting_of(name: str) -> str:
    """The setting of an entry of this registry, or of that of policies, by its name."""
    room = name.split("/")[0]
    return _OTHER_ROOMS.get(room, room)


__all__ = [
    "PARTS",
    "REGISTRY",
    "Dealt",
    "allocation",
    "budgeted",
    "censored",
    "dealt",
    "farewell",
    "setting_of",
]
