"""UCB1 on ten Bernoulli arms: jaxbandits beside other bandit libraries."""

from ..contest import turns, z_score
from . import library, mabwiser, pymab, pymab_core, smpybandits
from .game import Game

CONTESTANTS = {
    "jaxbandits": library.timed,
    "pymab": pymab.timed,
    "pymab, its Rust loop alone": pymab_core.timed,
    "SMPyBandits": smpybandits.timed,
    "MABWiser": mabwiser.timed,
}
SEEDS, AGREEMENT_HORIZON = 128, 500


def measure(options) -> list[dict]:
    """Rows ``{contestant, M rounds/s, jaxbandits is x faster per core, ...}``."""
    game, rows = Game(), []
    done = turns(
        CONTESTANTS,
        game,
        options.seeds or SEEDS,
        seconds=options.seconds,
        repeats=options.repeats,
    )
    first = CONTESTANTS[done[0].name](game, SEEDS, AGREEMENT_HORIZON, 5)
    for turn in done:
        other = CONTESTANTS[turn.name](game, SEEDS, AGREEMENT_HORIZON, 7)
        per_core = done[0].rate / done[0].cores
        rows.append(
            {
                "contestant": turn.name,
                "cores": turn.cores,
                "M rounds/s": turn.rate / 1e6,
                "jaxbandits is x faster per core": per_core / turn.rate * turn.cores,
                "z of its score": z_score(other.played, first.played),
            }
        )
    return rows
