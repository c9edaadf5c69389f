"""Train random forests on AmesHousing and record what each run earned and cost.

The arms of the algorithm-configuration problem of the censored paper (section 5.2): 672
configurations of a random forest for regression. One run trains one of them on a fresh
random 70:30 split and gives a row of the output,

    reward   1 - RMSE on the test part / (largest - smallest price of the data set)
    seconds  CPU time of the training, on one thread

    python studies/collect_forest_runs.py ames_modeldata.csv.gz runs.csv --runs 3

Needs scikit-learn (`pip install -e '.[forest]'`). Hours for the full set; interrupt it
when you like: rows are written one by one, and the same command goes on where it was.
Beside OUT, a JSON file of the same name tells the machine, the versions and the data.

How the paper's parameters (R package ranger) are said in scikit-learn: `mtry` is
max_features; `sample.fraction` is max_samples, drawn with replacement as by default;
ranger does not split nodes of at most `min.node.size`, so min_samples_split is one
more; factors are coded by the order of their levels, ranger's default for regression.
"""

import argparse
import csv
import hashlib
import itertools
import json
import os
import platform
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pandas as pd

TARGET = "Sale_Price"
COLUMNS = [
    "run",
    "trees",
    "candidates",
    "node_size",
    "sample_fraction",
    "reward",
    "seconds",
]
# Section 5.2, in its order.
GRID = list(
    itertools.product(
        range(100, 701, 100), range(20, 31, 2), (3, 5, 7, 9), (0.55, 0.632, 0.75, 0.8)
    )
)


def load(path):
    """Features f32[n, d] and prices f64[n].

    Raises:
      ValueError: if the table has no price column, or prices that are not numbers.
    """
    # A blank is the level "None" there, not a missing value.
    table = pd.read_csv(path, keep_default_na=False, index_col=0)
    if TARGET not in table:
        raise ValueError(f"{path} has no column {TARGET}")
    prices = pd.to_numeric(table.pop(TARGET)).to_numpy(np.float64)
    columns = [
        c if pd.api.types.is_numeric_dtype(c) else c.astype("category").cat.codes
        for _, c in table.items()
    ]
    return np.column_stack(columns).astype(np.float32), prices


def train(data, arm, run, seed):
    """One run: reward and CPU seconds of a configuration on a split of its own."""
    from sklearn.ensemble import RandomForestRegressor

    features, prices = data
    trees, candidates, node_size, fraction = GRID[arm]
    source = np.random.default_rng([seed, run, arm])
    order = source.permutation(len(prices))
    train, test = np.split(order, [round(0.7 * len(order))])
    forest = RandomForestRegressor(
        trees,
        max_features=min(candidates, features.shape[1]),
        min_samples_split=node_size + 1,
        max_samples=fraction,
        n_jobs=1,
        random_state=int(source.integers(2**31)),
    )
    begin = time.process_time()
    forest.fit(features[train], prices[train])
    seconds = time.process_time() - begin
    error = forest.predict(features[test]) - prices[test]
    rmse = np.sqrt(np.mean(error**2))
    return 1 - rmse / np.ptp(prices), seconds


_DATA = None


def _open(path):
    global _DATA
    _DATA = load(path)


def _job(arm, run, seed):
    return arm, run, *train(_DATA, arm, run, seed)


def finished(out):
    """The (run, arm) pairs of a file under way; a last line cut short is cut off.

    Raises:
      ValueError: if the file is not one of ours.
    """
    if not out.exists():
        with out.open("w", newline="") as file:
            csv.writer(file).writerow(COLUMNS)
        return set()
    text = out.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        out.write_text(whole)
    head, *rows = csv.reader(whole.splitlines())
    if head != COLUMNS:
        raise ValueError(f"{out} has columns {head}, not {COLUMNS}")
    arms = {arm: i for i, arm in enumerate(GRID)}
    return {
        (int(run), arms[int(trees), int(candidates), int(node_size), float(fraction)])
        for run, trees, candidates, node_size, fraction, _, _ in rows
    }


def describe(path, prices, seed):
    """What the rows depend on."""
    import sklearn

    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(x.split(": ")[1] for x in lines if x.startswith("model name"))
    return {
        "data": {
            "file": Path(path).name,
            "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest(),
            "rows": len(prices),
            "price_range": float(np.ptp(prices)),
        },
        "seed": seed,
        "machine": f"{model}, {os.cpu_count()} CPUs, {platform.system()}",
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "reward": "1 - RMSE / price_range, on a random 30 % of the rows",
        "seconds": "CPU time of the training on one thread",
    }


def check_same(path, facts):
    """Write the facts, or compare with those of the rows that are there.

    Raises:
      ValueError: if the rows were made from other data, seeds, machine or versions.
    """
    if path.exists():
        before = json.loads(path.read_text())
        changed = [k for k in facts if before.get(k) != facts[k]]
        if changed:
            raise ValueError(f"{path}: the rows were made with another {changed}")
    path.write_text(json.dumps(facts, indent=1) + "\n")


def collect(data, out, runs, jobs, seed):
    """Run what is missing; see the module's docstring."""
    from rich.progress import Progress

    out.parent.mkdir(parents=True, exist_ok=True)
    _, prices = load(data)
    check_same(out.with_suffix(".json"), describe(data, prices, seed))
    done = finished(out)
    # Run by run, each in an order of its own: a drift of the machine's speed then
    # looks like noise, not like an effect of the configuration.
    orders = [np.random.default_rng([seed, r]).permutation(len(GRID)) for r in runs]
    todo = [
        (int(a), r)
        for r, order in zip(runs, orders, strict=True)
        for a in order
        if (r, int(a)) not in done
    ]
    pool = ProcessPoolExecutor(jobs, initializer=_open, initargs=(data,))
    with pool, out.open("a", newline="") as file, Progress() as progress:
        writer = csv.writer(file)
        task = progress.add_task("forests", total=len(todo))
        results = [pool.submit(_job, arm, run, seed) for arm, run in todo]
        try:
            for future in as_completed(results):
                arm, run, reward, seconds = future.result()
                row = [run, *GRID[arm], f"{reward:.6f}", f"{seconds:.4f}"]
                writer.writerow(row)
                file.flush()
                progress.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="AmesHousing as CSV, may be gzipped")
    parser.add_argument("out", type=Path, help="CSV to write or to go on with")
    parser.add_argument("--runs", type=int, default=3, help="of each configuration")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if not options.data.exists():
        parser.error(f"data: {options.data} does not exist")
    for name in ("runs", "jobs"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    try:
        runs = range(options.runs)
        collect(options.data, options.out, runs, options.jobs, options.seed)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
