"""Speed against the number of lanes that are played at a time.

The engine's own choice (`jaxbandits.engine.room.choose_chunk`) is called "chosen".
"""

from collections.abc import Iterator
from functools import partial

from jaxbandits import Machine

from .contest import turns
from .contests import CONTESTS, LIBRARY

CHUNKS = (None, 128, 256, 512, 1_024, 2_048)
SEEDS = 2_048


def measure(options) -> Iterator[dict]:
    """Rows ``{policy, chunk, M rounds/s}``."""
    for setting in options.settings:
        contest = CONTESTS[setting]()
        library = contest.contestants[LIBRARY]
        sizes = {
            "chosen" if chunk is None else str(chunk): partial(
                library, machine=Machine(chunk=chunk, progress=False)
            )
            for chunk in CHUNKS
        }
        done = turns(
            sizes,
            contest.game,
            SEEDS,
            seconds=options.seconds,
            repeats=options.repeats,
        )
        for turn in done:
            yield {
                "policy": contest.policy,
                "chunk": turn.name,
                "M rounds/s": turn.rate / 1e6,
            }
