"""Files of a store that are not as they were: all found, named and mended?

    python -m scripts.damage [FLIPS] [OTHERS]

One file at a time of a small store: by default 200 flipped bits, and 20 files each that
are deleted, truncated, exchanged with another and put there from another sweep. Prints
what became of it; the exit status is 1 if a number was wrong or a store not mended.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from tests.simulation import walk
from tests.simulation.damage import (
    delete,
    exchange,
    files_of,
    flip,
    foreign,
    outcome,
    truncate,
)
from tests.simulation.runs import run


def main(flips: int = 200, others: int = 20) -> int:
    """Damage a small store in all ways; 1 if anything went wrong."""
    rng = np.random.default_rng(0)
    spec = walk.spec(points=3, seeds=40)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
        whole, copy, other = (
            Path(folder) / name for name in ("whole", "copy", "other")
        )
        run(spec, whole, block=24, progress=False)
        run(spec._replace(root_seed=1), other, block=24, progress=False)
        names = files_of(whole)
        blocks = [name for name in names if name.startswith("blocks")]
        print(f"a store of {len(names)} files")
        harms = [(flip, flips, names), (delete, others, names)]
        harms += [(truncate, others, names), (exchange, others, blocks)]
        harms += [(foreign(other), others, blocks)]
        for harm, count, among in harms:
            found = Counter()
            for name in rng.choice(among, count):
                got = outcome(spec, whole, copy, harm, [str(name)], rng)
                found[got] += 1
                if got.read not in ("refused", "right") or not all(got[1:]):
                    bad += 1
                    print(f"  {harm.__name__} {name}: {got}")
            print(f"{harm.__name__}, {count} times:", flush=True)
            for got, times in found.most_common():
                print(f"  {times:4d}  read: {got.read}; mended: {got.mended}")
    print(f"not mended, or wrong: {bad}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
