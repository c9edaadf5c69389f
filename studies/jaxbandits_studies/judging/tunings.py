"""What policies lose with other parameters, on the tuning sets alone: a table.

The mean of the runs says what is saved by a choice, the worst run who is trapped by it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from jaxbandits import budgeted as money
from jaxbandits import censored as limits
from jaxbandits import farewell as waits
from jaxbandits_studies.budgeted.changing import ARMS, PHASES
from jaxbandits_studies.budgeted.joint import CORRELATIONS, coupled
from jaxbandits_studies.budgeted.weighed import weighed
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging import budgeted, censored, farewell
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.protocol import Case, Protocol


class Tuning(NamedTuple):
    """An experiment that varies one parameter at a time.

    Attributes:
      protocol: of the setting.
      subjects: policies and their values, by the name that results show.
      cases: what is played in place of the protocol's tuning set, by title.
    """

    protocol: Protocol
    subjects: Mapping[str, Subject]
    cases: Callable[[Options], Mapping[str, Case]] | None = None


def tune(name: str, options: Options) -> Outcome:
    """Play the tuning of a name; see `choices`."""
    protocol, subjects, cases = TUNINGS[name]
    if cases is not None:
        protocol = protocol._replace(tuning=cases(options))
    return choices(name, protocol, subjects, options)


def _as_duels(options: Options) -> dict[str, Case]:
    """The same arms and limits, by preferences."""

    def duels(case):
        return limits.duels(case.make())

    return {
        title: case._replace(make=partial(duels, case))
        for title, case in censored.PROTOCOL.tuning.items()
    }


def _coupled(options: Options) -> dict[str, Case]:
    """Coins for reward and cost that are not independent."""
    return {
        f"correlation {each:g}": Case(partial(coupled, each), "drawn")
        for each in CORRELATIONS
    }


def _phases(options: Options) -> dict[str, Case]:
    """Arms that change and arms that do not, as in `budgeted-changing`."""
    length = options.horizon / PHASES
    return {
        f"{phases} phase{'s' if phases > 1 else ''}": Case(
            partial(money.s_br_changing, ARMS, phases, length), "drawn"
        )
        for phases in (PHASES, 1)
    }


_RHO = {"rho": (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0)}
_PULLS = {"prior_pulls": (1.0, 3.0, 10.0, 30.0, 100.0)}
_SHARES = {
    "rho": (0.1, 0.25, 0.5, 1.0, 2.0),
    "power": (0.0, 0.5, 1.0, 1.5),
} | _PULLS
_COUPLED = {"rho": (0.25, 0.5, 0.75, 1.0, 2.0)}
_anytime = partial(money.share_ucb, clock="spent")
_star = partial(waits.omega_star_ucb, variance="shrunk")
TUNINGS = {
    "censored-prior": Tuning(
        censored.PROTOCOL,
        {
            "cell TS": Subject(
                limits.cell_thompson,
                {
                    # Of a grid of M = 5: to M / 2, M, 2 M.
                    "prior_passed": (1.0, 1.5, 2.5, 5.0, 10.0),
                    "prior_ended": (1.0, 1.5, 2.0, 4.0),
                    "gain_spread": (0.25, 0.5, 1.0, 2.0),
                },
            )
        },
    ),
    "censored-spread": Tuning(
        censored.PROTOCOL,
        {
            "self-sparring on cells": Subject(
                limits.cell_self_sparring,
                {"reward_spread": (0.25, 0.5, 1.0, 2**0.5, 2.0)},
            )
        },
        _as_duels,
    ),
    "budgeted-share": Tuning(
        budgeted.PROTOCOL,
        {
            "share-UCB": Subject(money.share_ucb, _SHARES),
            "share-UCB, anytime": Subject(_anytime, _SHARES),
        },
    ),
    "budgeted-joint": Tuning(
        budgeted.PROTOCOL,
        {
            "share-UCB, anytime": Subject(_anytime, _COUPLED),
            "share-UCB, anytime, joint": Subject(
                partial(_anytime, joint=True), _COUPLED
            ),
        },
        _coupled,
    ),
    # Of the form with log(t/n) the dots are at rho = 1/2, which is advised.
    "budgeted-shrunk": Tuning(
        budgeted.PROTOCOL,
        {
            "omega*-UCB, shrunk": Subject(weighed, _RHO | _PULLS),
            "omega*-UCB, shrunk, log(t/n)": Subject(
                partial(weighed, exploration="log_share"), _RHO | _PULLS
            ),
        },
    ),
    "budgeted-forgetting": Tuning(
        budgeted.PROTOCOL,
        {
            "discounted omega-UCB": Subject(
                money.discounted_omega_ucb,
                _RHO | {"memory": (1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0)},
            )
        },
        _phases,
    ),
    "farewell-prior": Tuning(
        farewell.PROTOCOL,
        {
            "hazard TS": Subject(
                waits.hazard_thompson,
                {
                    "prior_passed": (1.0, 2.0, 3.0, 10.0, 30.0),
                    "prior_ended": (1.0, 1.5, 2.0, 4.0),
                },
            )
        },
    ),
    "farewell-radius": Tuning(
        farewell.PROTOCOL,
        {
            "omega*, shrunk": Subject(_star, _RHO),
            "omega*, shrunk, shorter waits": Subject(
                partial(_star, observe="shorter"), _RHO
            ),
            "omega*, shrunk, product-limit": Subject(
                partial(waits.product_limit_omega, variance="shrunk"), _RHO
            ),
        },
    ),
}
