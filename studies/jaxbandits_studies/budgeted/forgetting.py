"""What discounted omega-UCB loses with another rho, where arms change and do not."""

from functools import partial

from jaxbandits import budgeted
from jaxbandits.budgeted import s_br_changing
from jaxbandits_studies.budgeted.changing import ARMS, PHASES
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.budgeted import PROTOCOL
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.protocol import Case

NAME = "budgeted-forgetting"
SUBJECTS = {
    "discounted omega-UCB": Subject(
        budgeted.discounted_omega_ucb,
        {
            "rho": (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0),
            "memory": (1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0),
        },
    )
}


def forgetting(options: Options) -> Outcome:
    """Regret against rho and the memory, in five phases and in one.

    The setting's tuning set has no arms that change: these are those of
    `budgeted-changing`, on the seeds of tuning.
    """
    length = options.horizon / PHASES
    games = {
        f"{phases} phase{'s' if phases > 1 else ''}": Case(
            partial(s_br_changing, ARMS, phases, length), "drawn"
        )
        for phases in (PHASES, 1)
    }
    return choices(NAME, PROTOCOL._replace(tuning=games), SUBJECTS, options)
