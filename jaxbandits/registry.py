"""The registry: what there is, by name.

`POLICIES` and `ENVIRONMENTS` map ``setting/name`` to a `Maker`, `make` makes one. A
policy of a setting's `__init__.pyi` is here under its own name. In names,
``continuum`` stands for the censored setting with arbitrary limits, ``combinatorial``
for it with several arms in a round, ``dueling`` for it with preferences in place of
rewards, ``ordered`` for the allocation setting with arms that are served in turn:
policies of these take a `Continuum`, a `Combinatorial`, a `Dueling` and an `Ordered`,
the others the `Problem` of their setting. Installed packages add
names by entry points of the group ``jaxbandits.registry``; the functions `policies` and
`environments` have these, too.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from inspect import signature
from types import MappingProxyType
from typing import Any, NamedTuple

from jaxbandits import allocation, budgeted, censored, farewell, plain
from jaxbandits.checks import kinds, one_of
from jaxbandits.checks.annotations import bound
from jaxbandits.checks.factory import kind_name

SETTINGS = ("censored", "allocation", "budgeted", "farewell")
_PACKAGES = (censored, allocation, budgeted, farewell)


class Maker(NamedTuple):
    """A function and what it is called with. ``maker(...)`` calls it.

    Attributes:
      factory: a function that a module defines under its own name.
      arguments: fixed keyword arguments; those of a call go before them.
      needs: keyword arguments that a call must give, as only the caller has them: a
        name, numbers, a file of data. (Of a policy's, besides the problem.)
    """

    factory: Callable[..., Any]
    arguments: Mapping[str, Any] = MappingProxyType({})
    needs: tuple[str, ...] = ()

    def __call__(self, /, *args: Any, **arguments: Any) -> Any:
        return self.factory(*args, **{**self.arguments, **arguments})

    def __hash__(self) -> int:
        """Policies made of others are cached by these; the values need no hash."""
        return hash((self.factory, *sorted(self.arguments), self.needs))


class Names(dict[str, Maker]):
    """Makers by name; an unknown one is refused with those that are near."""

    def __missing__(self, name: Any) -> Maker:
        one_of("name", name, self)
        raise AssertionError


# Games whose names are not those of their settings.
_GAMES = {
    "continuum": "censored",
    "combinatorial": "censored",
    "dueling": "censored",
    "ordered": "allocation",
}
_PROBLEMS = {
    censored.Continuum: "continuum",
    censored.Combinatorial: "combinatorial",
    censored.Dueling: "dueling",
    allocation.Ordered: "ordered",
}
# Policies that another name says better than their function's, and forms by options.
_FORMS: dict[str, Maker] = {
    "censored/rcucb-kaplan-meier": Maker(censored.rcucb, {"survival": "kaplan_meier"}),
    "censored/ucb": Maker(censored.ucb_reduction),
    "censored/moss": Maker(censored.moss_reduction),
    "censored/kl-ucb": Maker(censored.kl_ucb_reduction),
    "censored/thompson-shared": Maker(censored.thompson, {"update": "shared"}),
    "censored/fixed": Maker(censored.fixed, {"arm": 0, "limit": 0}),
    "continuum/z-rcucb-inherit": Maker(censored.z_rcucb, {"history": "inherit"}),
    "continuum/z-rcucb-kaplan-meier": Maker(
        censored.z_rcucb, {"history": "whole", "survival": "kaplan_meier"}
    ),
    "continuum/z-rcucb-doubling": Maker(plain.doubled, {"make": censored.z_rcucb}),
    "continuum/rcucb-uniform": Maker(
        censored.on_grid, {"limits": 10, "make": censored.rcucb}
    ),
    "combinatorial/rcucb": Maker(censored.combinatorial_rcucb),
    "combinatorial/cell-thompson": Maker(censored.combinatorial_cell_thompson),
    "combinatorial/super-arms-as-arms": Maker(
        censored.super_arms_as_arms, {"plain": plain.ucb}
    ),
    "combinatorial/uniform": Maker(censored.uniform_super_arms),
    "dueling/cell-self-sparring-apart": Maker(
        censored.cell_self_sparring, {"limits": "apart"}
    ),
    "dueling/self-sparring": Maker(censored.self_sparring_on_pairs),
    "dueling/rucb": Maker(censored.rucb_on_pairs),
    "dueling/rucb-preferences": Maker(
        censored.rucb_on_pairs, {"signal": "preferences"}
    ),
    "dueling/uniform": Maker(censored.uniform_duels),
    "budgeted/omega-ucb-log-share": Maker(
        budgeted.omega_ucb, {"exploration": "log_share"}
    ),
    "budgeted/omega-star-ucb-log-share": Maker(
        budgeted.omega_star_ucb, {"exploration": "log_share"}
    ),
    "budgeted/omega-star-ucb-shrunk": Maker(
        budgeted.omega_star_ucb, {"variance": "shrunk"}
    ),
    "budgeted/omega-star-ucb-log-share-shrunk": Maker(
        budgeted.omega_star_ucb, {"exploration": "log_share", "variance": "shrunk"}
    ),
    "budgeted/share-ucb-anytime": Maker(budgeted.share_ucb, {"clock": "spent"}),
    "budgeted/share-ucb-own-variances": Maker(budgeted.share_ucb, {"pooled": False}),
    "budgeted/share-ucb-anytime-own-variances": Maker(
        budgeted.share_ucb, {"clock": "spent", "pooled": False}
    ),
    "budgeted/share-ucb-anytime-joint": Maker(
        budgeted.share_ucb, {"clock": "spent", "joint": True}
    ),
    "budgeted/fixed": Maker(budgeted.fixed, {"arm": 0}),
    "farewell/wait-ucb-shorter": Maker(farewell.wait_ucb, {"observe": "shorter"}),
    "farewell/omega-ucb-shorter": Maker(farewell.omega_ucb, {"observe": "shorter"}),
    "farewell/omega-star-ucb-shrunk": Maker(
        farewell.omega_star_ucb, {"variance": "shrunk"}
    ),
    "farewell/omega-star-ucb-shorter": Maker(
        farewell.omega_star_ucb, {"observe": "shorter"}
    ),
    "farewell/omega-star-ucb-shorter-shrunk": Maker(
        farewell.omega_star_ucb, {"observe": "shorter", "variance": "shrunk"}
    ),
    "farewell/omega-star-ucb-product-limit": Maker(farewell.product_limit_omega),
    "farewell/omega-star-ucb-product-limit-shrunk": Maker(
        farewell.product_limit_omega, {"variance": "shrunk"}
    ),
    "farewell/hazard-thompson-joint": Maker(farewell.hazard_thompson, {"joint": True}),
    "farewell/fixed": Maker(farewell.fixed, {"arm": 0, "wait": 0}),
    "allocation/ra-ucb-all": Maker(
        allocation.ra_ucb,
        {"update": "all", "others": "point", "start": "uniform_split"},
    ),
    "allocation/ra-ucb-delta": Maker(allocation.ra_ucb, {"radii": "delta"}),
    "allocation/mg-ucb-delta-difference": Maker(
        allocation.mg_ucb_delta, {"greedy": "difference"}
    ),
    "allocation/mg-ucb-delta-envelope": Maker(
        allocation.mg_ucb_delta, {"greedy": "envelope"}
    ),
    "allocation/ra-etc-per-arm": Maker(allocation.ra_etc, {"count": "per_arm"}),
    "allocation/thompson-mean": Maker(allocation.thompson, {"draws": 8}),
    "allocation/thompson-mean-feasible": Maker(
        allocation.thompson, {"draws": 8, "feasible": True}
    ),
    "ordered/thompson": Maker(allocation.ordered_thompson),
    "ordered/thompson-mean": Maker(allocation.ordered_thompson, {"plan": "mean"}),
    "ordered/thompson-greedy": Maker(allocation.ordered_thompson, {"plan": "greedy"}),
    "ordered/ucb": Maker(allocation.ordered_ucb),
    "ordered/uniform": Maker(allocation.uniform_turns),
}


def _by_their_own_names() -> Iterator[tuple[str, Maker]]:
    """Policies that need a problem and nothing else: ``ucb_b2`` is ``ucb-b2``."""
    named = {maker.factory for maker in _FORMS.values() if not maker.arguments}
    for setting, package in zip(SETTINGS, _PACKAGES, strict=True):
        for name in sorted(package.__all__):
            make = getattr(package, name)
            if make not in named and _needs_a_problem_only(make):
                game = _PROBLEMS.get(make.kinds[0], setting)
                yield f"{game}/{name.replace('_', '-')}", Maker(make)


def _needs_a_problem_only(make: Any) -> bool:
    if not hasattr(make, "kinds"):  # which factories of policies have
        return False
    others = [*signature(make).parameters.values()][1:]
    return all(x.default is not x.empty or x.kind is x.VAR_KEYWORD for x in others)


POLICIES = Names({**dict(_by_their_own_names()), **_FORMS})

_GAME = ("name", "problem", "law", "arms")  # what `censored.make_environment` needs
_ARMS = ("name", "problem", "probability", "rate")
_ANY = {"limits": censored.ANY}

ENVIRONMENTS: dict[str, Maker] = {
    "censored/poscorr": Maker(censored.poscorr),
    "censored/negcorr": Maker(censored.negcorr),
    "censored/indep": Maker(censored.indep),
    "censored/many-arms": Maker(censored.many_arms, {"num_arms": 20}),
    "censored/low-censoring": Maker(censored.low_censoring),
    "censored/example1": Maker(censored.example1),
    "censored/example1-soft": Maker(censored.example1, {"soft": True}),
    "censored/trap": Maker(censored.trap),
    "censored/trap-steep": Maker(censored.trap, {"steep": True}),
    "censored/recorded": Maker(censored.recorded, needs=("name", "runs", "limits")),
    "censored/plain": Maker(censored.plain, needs=("name", "rewards", "params")),
    "censored/environment": Maker(censored.make_environment, needs=_GAME),
    "continuum/poscorr": Maker(censored.poscorr, _ANY),
    "continuum/negcorr": Maker(censored.negcorr, _ANY),
    "continuum/indep": Maker(censored.indep, _ANY),
    "continuum/example1": Maker(censored.example1, _ANY),
    "continuum/overtime": Maker(censored.overtime),
    "continuum/recorded": Maker(censored.recorded, _ANY, needs=("name", "runs")),
    "combinatorial/combinatorial": Maker(
        censored.combinatorial, needs=("environment", "size")
    ),
    "dueling/duels": Maker(censored.duels, needs=("environment",)),
    "budgeted/s-br": Maker(budgeted.s_br, {"num_arms": 10}),
    "budgeted/s-gbr": Maker(budgeted.s_gbr, {"num_arms": 10}),
    "budgeted/s-bt": Maker(budgeted.s_bt, {"num_arms": 10}),
    "budgeted/s-br-changing": Maker(budgeted.s_br_changing),
    "budgeted/environment": Maker(
        budgeted.make_environment, needs=("name", "law", "params")
    ),
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
    "farewell/environment": Maker(
        farewell.make_environment, needs=("name", "delay", "reward")
    ),
    "allocation/simulation": Maker(allocation.simulation),
    "allocation/simulation-cascade": Maker(
        allocation.simulation, {"m": 1.0, "M": 4.0, "cascade": True}
    ),
    "allocation/environment": Maker(allocation.make_environment, needs=_ARMS),
    "ordered/ordered": Maker(allocation.ordered, needs=("environment",)),
}
ENVIRONMENTS = Names(ENVIRONMENTS)


GROUP = "jaxbandits.registry"


def policies() -> Names:
    """All policies by name: `POLICIES`, and those of installed packages."""
    return Names(POLICIES | _added()["policies"])


def environments() -> Names:
    """All environments by name: `ENVIRONMENTS`, and those of installed packages."""
    return Names(ENVIRONMENTS | _added()["environments"])


@kinds
def make(name: str, *arguments: Any, **options: Any) -> Any:
    """A policy or an environment, by its name.

    ``make("censored/indep")`` is an environment, ``make("censored/rcucb", problem)`` a
    policy for its problem.

    Args:
      name: as ``jaxbandits list`` shows it.
      arguments: of the entry's factory; a policy's first one is the problem.
      options: arguments of the factory by name, in place of the entry's own.

    Raises:
      ValueError: if there is no such name.
      TypeError: if the factory does not take these arguments.
    """
    maker = Names(policies() | environments())[name]
    if name in environments():
        for argument in arguments:
            if hasattr(argument, "_fields") and hasattr(argument, "num_arms"):
                raise TypeError(
                    f"{name} is an environment and takes no problem, as a policy does, "
                    f"got {kind_name(type(argument))}"
                )
        given = {**maker.arguments, **options}
        bound(name, signature(maker.factory), arguments, given)
    return maker(*arguments, **options)


@kinds
def setting_of(name: str) -> str:
    """The setting of an entry, by its name.

    Raises:
      ValueError: if the name begins as no name of the registry does.
    """
    game = name.split("/")[0]
    known = {each.split("/")[0] for each in [*policies(), *environments()]}
    one_of("name: its first part", game, sorted(known))
    return _GAMES.get(game, game)


@cache
def _added() -> dict[str, dict[str, Any]]:
    """What entry points bring: modules with dicts of the same names as here."""
    added: dict[str, Any] = {"policies": {}, "environments": {}}
    for each in entry_points(group=GROUP):
        module = each.load()
        added["policies"] |= module.POLICIES
        added["environments"] |= module.ENVIRONMENTS
    return added
