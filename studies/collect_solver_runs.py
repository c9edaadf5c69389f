"""Make studies/jaxbandits_studies/datasets/data/solver_runs.csv: runs of a SAT solver.

The solver is WalkSAT (Selman, Kautz & Cohen, 1994) in plain Python, the problems are
random 3-SAT formulas at the threshold, of which some half cannot be satisfied: a local
search never finds that out. A configuration is the noise and the flips between two
restarts. The resource is the number of flips, so that the table depends on no machine.

    python studies/collect_solver_runs.py solver_runs.csv
"""

import argparse
import csv
import itertools
import json
import random
from pathlib import Path

NOISE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RESTARTS = (100, 400, 1600, "never")
VARIABLES, RATIO, TIMEOUT = 50, 4.26, 5_000


def formula(rng: random.Random) -> list[list[int]]:
    """Clauses of three literals (+v or -v, v from 1), no variable twice in one."""
    variables = range(1, VARIABLES + 1)
    return [
        [v if rng.random() < 0.5 else -v for v in rng.sample(variables, 3)]
        for _ in range(round(RATIO * VARIABLES))
    ]


def walksat(clauses, noise: float, restart: int, rng: random.Random) -> int | None:
    """Flips until all clauses hold; None if there are `TIMEOUT` of them."""
    where = {lit: [] for v in range(1, VARIABLES + 1) for lit in (v, -v)}
    for number, clause in enumerate(clauses):
        for literal in clause:
            where[literal].append(number)
    for flips in range(TIMEOUT):
        if flips % restart == 0:
            true = {v if rng.random() < 0.5 else -v for v in range(1, VARIABLES + 1)}
            holds = [sum(lit in true for lit in clause) for clause in clauses]
            broken = [number for number, count in enumerate(holds) if count == 0]
            place = {number: i for i, number in enumerate(broken)}
        if not broken:
            return flips
        clause = clauses[rng.choice(broken)]
        # A flip makes -literal false, and breaks the clauses that it alone keeps.
        breaks = [sum(holds[c] == 1 for c in where[-lit]) for lit in clause]
        least = min(breaks)
        if least > 0 and rng.random() < noise:
            chosen = rng.choice(clause)
        else:
            chosen = rng.choice(
                [lit for lit, b in zip(clause, breaks, strict=True) if b == least]
            )
        true.remove(-chosen)
        true.add(chosen)
        for number in where[chosen]:
            holds[number] += 1
            if holds[number] == 1:
                last, hole = broken.pop(), place.pop(number)
                if last != number:
                    broken[hole], place[last] = last, hole
        for number in where[-chosen]:
            holds[number] -= 1
            if holds[number] == 0:
                place[number] = len(broken)
                broken.append(number)
    return None


def main(arguments=None) -> None:
    """Make the table and the JSON file beside it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="the CSV file")
    parser.add_argument("--runs", type=int, default=100, help="of each configuration")
    chosen = parser.parse_args(arguments)
    with chosen.out.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "noise", "restart", "solved", "flips"])
        for run in range(chosen.runs):
            clauses = formula(random.Random(run))
            for noise, restart in itertools.product(NOISE, RESTARTS):
                rng = random.Random(f"{run} {noise} {restart}")
                every = TIMEOUT if restart == "never" else restart
                flips = walksat(clauses, noise, every, rng)
                result = (0, TIMEOUT) if flips is None else (1, flips)
                rows.writerow([run, noise, restart, *result])
    about = {
        "solver": "WalkSAT, studies/collect_solver_runs.py",
        "problems": f"random 3-SAT, {VARIABLES} variables, {RATIO} clauses of each",
        "solved": "1; 0 of a run that was stopped",
        "timeout": TIMEOUT,
        "unit": "flips",
    }
    chosen.out.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
