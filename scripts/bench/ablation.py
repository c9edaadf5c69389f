"""What each trick of the engine buys: the same games with one of them left out.

The games stay the same, up to rounding.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import lru_cache, partial
from unittest.mock import patch

from jaxbandits import Machine
from jaxbandits.engine import expression, lanes, rollout

from .contest import turns
from .contests import CONTESTS, LIBRARY

# What is left out: (module, name, what it is then).
LEFT_OUT = {
    "nothing": [],
    "options for XLA": [(rollout, "compiler_options", lambda mesh: {})],
    "named kernels": [(lanes, "KERNELS", {})],
    "deferred expressions": [(expression, "CHEAP", frozenset())],
    "trees": [(lanes, "REDUCTIONS", {})],
}


def measure(options) -> Iterator[dict]:
    """Rows ``{policy, without, M rounds/s, times slower, compile_seconds}``."""
    for setting in options.settings:
        contest = CONTESTS[setting]()
        library = contest.contestants[LIBRARY]
        variants = {name: _without(name, library) for name in LEFT_OUT}
        variants["all: engine = 'vmap'"] = partial(
            library, machine=Machine(progress=False, engine="vmap")
        )
        done = turns(
            variants,
            contest.game,
            options.seeds,
            seconds=options.seconds,
            repeats=options.repeats,
        )
        for turn in done:
            yield {
                "policy": contest.policy,
                "without": turn.name,
                "M rounds/s": turn.rate / 1e6,
                "times slower": done[0].rate / turn.rate,
                "compile_seconds": turn.compile_seconds,
            }


def _without(name: str, library):
    """The library without a trick; its programs are its own."""
    programs = lru_cache(rollout._program.__wrapped__)

    def timed(*args):
        with ExitStack() as stack:
            stack.enter_context(patch.object(rollout, "_program", programs))
            for module, attribute, value in LEFT_OUT[name]:
                stack.enter_context(patch.object(module, attribute, value))
            return library(*args)

    return timed
