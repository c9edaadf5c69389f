"""The games, and who plays each. Numba and the rest are imported when asked for."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .contest import Contestant

LIBRARY = "jaxbandits"
NUMBA = "Numba, per-seed loop"
TUNED = "Numba, tuned"
OBJECTS = "loop over objects (omega-UCB)"
NUMPY = "NumPy, vectorised over seeds"


class Contest(NamedTuple):
    """One policy of one setting, and its rivals.

    Attributes:
      policy: what is played.
      game: the standard size.
      sizes: games from small to large, by the number of indices in a round.
      contestants: by name, the library first.
      agreement: a horizon at which all are compared in distribution.
      start: the horizon of a game by which the policy's first pulls are over.
      other_policies: contestants that play a cheaper policy.
    """

    policy: str
    game: Any
    sizes: dict[int, Any]
    contestants: dict[str, Contestant]
    agreement: int
    start: Callable[[Any], int]
    other_policies: tuple[str, ...] = ()


def censored() -> Contest:
    """RCUCB, 10 arms x 10 limits."""
    from .censored import (
        c_loop,
        game,
        library,
        numba_cached,
        numba_loop,
        numpy_plain,
        numpy_seeds,
        plain_vmap,
    )

    shapes = ((5, 2), (10, 10), (25, 40), (100, 100))
    return Contest(
        "RCUCB",
        game.Game(),
        {k * m: game.Game(k, m) for k, m in shapes},
        {
            LIBRARY: library.timed,
            NUMBA: numba_loop.timed,
            TUNED: numba_cached.timed,
            NUMPY: numpy_seeds.timed,
            "NumPy, straightforward": numpy_plain.timed,
            "JAX, plain vmap": plain_vmap.timed,
            "C, -O3 -march=native": c_loop.timed,
            "C, AVX-512 intrinsics": c_loop.timed_intrinsics,
        },
        agreement=1_000,
        start=lambda game: game.arms,  # every arm once
    )


def farewell() -> Contest:
    """Wait-UCB, 3 arms x 5 waits."""
    from .farewell import game, library, numba_loop, numba_tuned, numpy_seeds

    shapes = ((3, 5), (10, 10), (25, 40))
    return Contest(
        "Wait-UCB",
        game.Game(),
        {k * d: game.Game(k, d) for k, d in shapes},
        {
            LIBRARY: library.timed,
            NUMBA: numba_loop.timed,
            TUNED: numba_tuned.timed,
            NUMPY: numpy_seeds.timed,
        },
        agreement=3_000,
        # Every pair once: waits of some three units.
        start=lambda game: 3 * game.arms * game.waits,
    )


def budgeted() -> Contest:
    """omega*-UCB on S-Br-10."""
    from .budgeted import (
        game,
        library,
        numba_loop,
        numba_tuned,
        numpy_seeds,
        object_loop,
    )

    return Contest(
        "omega*-UCB",
        game.Game(),
        {k: game.Game(k) for k in (10, 32, 100)},
        {
            LIBRARY: library.timed,
            NUMBA: numba_loop.timed,
            TUNED: numba_tuned.timed,
            NUMPY: numpy_seeds.timed,
            OBJECTS: object_loop.timed,
        },
        agreement=500,
        # Every arm once: half a unit of cost each, the cheapest costs 0.01 or more.
        start=lambda game: 50 * game.arms,
        other_policies=(OBJECTS,),
    )


def allocation() -> Contest:
    """RA-UCB on appendix A.1, 10 arms."""
    from .allocation import game, library, numba_loop, numba_tuned, numpy_seeds

    return Contest(
        "RA-UCB",
        game.Game(),
        {k: game.Game(k) for k in (10, 32, 100)},
        {
            LIBRARY: library.timed,
            NUMBA: numba_loop.timed,
            TUNED: numba_tuned.timed,
            NUMPY: numpy_seeds.timed,
        },
        agreement=1_000,
        start=lambda game: game.initial * game.arms,
    )


CONTESTS: dict[str, Callable[[], Contest]] = {
    "censored": censored,
    "farewell": farewell,
    "budgeted": budgeted,
    "allocation": allocation,
}
