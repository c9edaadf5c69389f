"""Bits flipped, files deleted and truncated in a store: all found and mended?

    python -m scripts.damage [FLIPS] [DELETED] [TRUNCATED]

One file at a time of a small store, by default 200, 20 and 20 times. Prints what became
of it; the exit status is 1 if a number was wrong or a store was not mended.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from tests.sweeps import walk
from tests.sweeps.damage import delete, files_of, flip, outcome, truncate
from tests.sweeps.runs import run


def main(flips: int = 200, deleted: int = 20, truncated: int = 20) -> int:
    """Damage a small store in all ways; how many went wrong."""
    rng = np.random.default_rng(0)
    spec = walk.spec(points=3, seeds=40)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
        whole, copy = Path(folder) / "whole.zarr", Path(folder) / "copy.zarr"
        run(spec, whole, block=24, progress=False)
        names = files_of(whole)
        print(f"a store of {len(names)} files")
        for harm, count in ((flip, flips), (delete, deleted), (truncate, truncated)):
            found = Counter()
            for name in rng.choice(names, count):
                got = outcome(spec, whole, copy, harm, [str(name)], rng)
                found[got] += 1
                if got.read not in ("refused", "right") or not all(got[1:]):
                    bad += 1
                    print(f"  {harm.__name__} {name}: {got}")
            print(f"{harm.__name__}, {count} times:")
            for got, times in found.most_common():
                print(f"  {times:4d}  read: {got.read}; mended: {got.mended}")
    print(f"not mended, or wrong: {bad}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
