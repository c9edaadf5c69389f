"""Bad input over the whole public surface: ``python scripts/attack.py``.

Each case calls something wrongly, in a process of its own with a time limit, and its
answer is judged:

    clear    a ValueError, TypeError, OSError (or exit 2 of the command line) that names
             the argument and says what is allowed
    fine     it ran, and the case says that this result is right
    cryptic  any other error
    silent   it ran, and no result would be right
    hang     no answer in time, or the process died

Prints a table by group and every case that is not clear or fine. Exits with 1 if
anything is silent or hangs, or if fewer than 95 % of the refused are refused clearly.
"""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("JAX_NUM_CPU_DEVICES", "2")
os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # this very tree

from attack import workers
from attack.case import CLEAR, CRYPTIC, FINE, HANG, KINDS, SILENT, judge
from attack.groups import NAMES, all_cases

LEAST_CLEAR = 0.95


def main(arguments=None) -> int:
    """Run the cases; the exit status."""
    options = _parser().parse_args(arguments)
    if options.worker:
        workers.work()
        return 0
    cases = all_cases()
    places = [
        i
        for i, case in enumerate(cases)
        if (not options.group or case.group in options.group)
        and not (options.light and case.heavy)
        and options.match in case.name
    ]
    if options.here:
        found = {place: judge(cases[place]) for place in places}
    else:
        found = workers.run(places, options.jobs, options.limit_s, _progress(places))
    _report({place: found[place] for place in places}, cases)
    return _status(found)


def _parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--group", action="append", choices=NAMES)
    parser.add_argument("--match", default="", help="part of the name of a case")
    parser.add_argument("--light", action="store_true", help="nothing that compiles")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--limit-s", type=float, default=40.0, help="for each case")
    parser.add_argument("--here", action="store_true", help="in this very process")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


def _progress(places):
    seen = Counter()

    def told(place, verdict):
        seen[verdict.kind] += 1
        if sum(seen.values()) % 100 == 0:
            print(f"{sum(seen.values())} of {len(places)}: {dict(seen)}", flush=True)

    return told


def _report(found, cases):
    for kind in (HANG, SILENT, CRYPTIC):
        for place, verdict in found.items():
            if verdict.kind == kind:
                case = cases[place]
                print(f"{kind}\t{case.group}\t{case.name}\t{verdict.words}")
    print(f"\n{'group':<22}{'n':>6}" + "".join(f"{kind:>9}" for kind in KINDS))
    rows = {name: [] for name in NAMES} | {"all": []}
    for place, verdict in found.items():
        rows[cases[place].group].append(verdict.kind)
        rows["all"].append(verdict.kind)
    for name, kinds in rows.items():
        if kinds:
            counts = "".join(f"{kinds.count(kind):>9}" for kind in KINDS)
            print(f"{name:<22}{len(kinds):>6}{counts}")


def _status(found) -> int:
    kinds = Counter(verdict.kind for verdict in found.values())
    clear = kinds[CLEAR] / max(kinds.total() - kinds[FINE], 1)
    print(f"\nclear: {clear:.1%} of {kinds.total() - kinds[FINE]} that must be refused")
    return int(kinds[SILENT] + kinds[HANG] > 0 or clear < LEAST_CLEAR)


if __name__ == "__main__":
    sys.exit(main())
