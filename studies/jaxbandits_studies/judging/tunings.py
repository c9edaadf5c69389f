"""What policies lose with other parameters, on the tuning sets alone: `tunings.toml`.

The mean of the runs says what is saved by a choice, the worst run who is trapped by it.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from typing import Any, NamedTuple

from jaxbandits import budgeted, censored
from jaxbandits_studies.budgeted.changing import ARMS, PHASES
from jaxbandits_studies.budgeted.joint import CORRELATIONS, coupled
from jaxbandits_studies.budgeted.weighed import weighed
from jaxbandits_studies.common.casts import contestant
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.protocol import Case, Protocol
from jaxbandits_studies.judging.protocols import PROTOCOLS


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
        return censored.duels(case.make())

    return {
        title: case._replace(make=partial(duels, case))
        for title, case in PROTOCOLS["censored"].tuning.items()
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
            partial(budgeted.s_br_changing, ARMS, phases, length), "drawn"
        )
        for phases in (PHASES, 1)
    }


CASES = {"duels": _as_duels, "coupled": _coupled, "phases": _phases}


def _subject(setting: str, row: Mapping[str, Any]) -> Subject:
    values = dict(row)
    vary = {leaf: tuple(each) for leaf, each in values.pop("vary").items()}
    return Subject(contestant(setting, values, {"weighed": weighed}).factory, vary)


_FILE = resources.files(__package__) / "tunings.toml"
TUNINGS = {
    name: Tuning(
        PROTOCOLS[row["setting"]],
        {label: _subject(row["setting"], x) for label, x in row["subjects"].items()},
        CASES.get(row.get("cases", "")),
    )
    for name, row in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
