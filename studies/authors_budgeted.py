"""Plays the published code of the budgeted paper on fixed instances, unchanged.

    git clone https://github.com/heymarco/OmegaUCB    # MIT; commit cfb22de
    python studies/authors_budgeted.py OmegaUCB > tests/reference/authors_budgeted.json
    python studies/authors_budgeted.py OmegaUCB --choices > tests/reference/\
        authors_budgeted_choices.json

The first plays games, the second asks for the arms that the indices choose on one table
of outcomes. The code needs two names that NumPy 2 has dropped, and nothing else:
`np.infty` and `np.alltrue`. Unlike in the authors' experiments, arms and policy draw
from streams of their own: there one seed drives both, which biases whoever breaks ties
at random. studies/tests/test_authors_budgeted.py plays ours on the same instances,
tests/policies/test_authors_budgeted.py on the same table.
"""

import argparse
import json
import sys

import numpy as np

OUTCOMES = [0, 0.25, 0.5, 0.75, 1]


def instances() -> dict:
    """Parameters of the arms: means, weights, or the two shapes; reward, then cost."""
    rng = np.random.default_rng(2024)
    coins = {f"Br-{i}": rng.uniform(size=(2, 10)) for i in range(2)}
    for means in coins.values():
        means[1] = 0.01 + 0.99 * means[1]
    weights = rng.uniform(size=(2, 10, 5))
    weights /= weights.sum(axis=-1, keepdims=True)
    shapes = rng.uniform(0, 5, size=(2, 10, 2))
    # The best of these arms has hardly cost anything when all have been pulled once.
    cheap = coins["Br-0"].copy()
    cheap[:, 3] = 0.7, 0.013
    found = coins | {"Br-cheap": cheap, "Bt": shapes}
    # As many digits as are written down.
    return {k: v.round(6) for k, v in found.items()} | {"GBr": weights}


def means_of(params) -> np.ndarray:
    """Mean rewards and costs, f64[2, K]."""
    if params.ndim == 2:
        return params
    if params.shape[-1] == 2:
        return params[..., 0] / params.sum(axis=-1)
    return params @ np.array(OUTCOMES)


def pull(rng, params) -> float:
    """A reward or a cost of one arm."""
    if np.ndim(params) == 0:
        return float(rng.uniform() < params)
    if len(params) == 2:
        return rng.beta(*params)
    return OUTCOMES[rng.choice(5, p=params)]


def policies() -> dict:
    """``name: seed -> bandit``, of the authors' modules."""
    from components.bandits.b_greedy import BGreedy
    from components.bandits.bts import BudgetedThompsonSampling
    from components.bandits.ucb_b2 import UCBB2
    from components.bandits.ucb_variants import UCB
    from components.bandits.ucbsc import UCBSC
    from components.bandits.w_star_ucb import WStarUCB
    from components.bandits.wucb import WUCB

    k, name = 10, "-"
    return {
        "omega-ucb": lambda s: WUCB(k, name, s, r=0.25, adaptive=True),
        "omega-star-ucb": lambda s: WStarUCB(k, name, s, r=0.25, adaptive=True),
        "m-ucb": lambda s: UCB(k, name, "m", s, adaptive=True),
        "c-ucb": lambda s: UCB(k, name, "c", s, adaptive=True),
        "i-ucb": lambda s: UCB(k, name, "i", s, adaptive=True),
        "budget-ucb": lambda s: UCB(k, name, "b", s),
        "ucb-b2-code": lambda s: UCBB2(k, name, s),
        "ucb-sc-plus": lambda s: UCBSC(k, name, s),
        "bts": lambda s: BudgetedThompsonSampling(k, name, 1000 * s),
        "b-greedy-code": lambda s: BGreedy(k, name, s),
    }


def regret_of(bandit, params, budget, rng) -> float:
    """Pseudo-regret of a game for `budget` cheapest costs, section 2."""
    reward, cost = means_of(params)
    losses = cost * (np.max(reward / cost) - reward / cost)
    left, regret = budget * cost.min(), 0.0
    oracle = hasattr(bandit, "arms") and type(bandit).__name__ in ("UCB", "UCBB2")
    told = {"c_min": cost.min()} if oracle else {}
    while left > 0:
        arm = int(bandit.sample(**told))
        got, paid = (pull(rng, each[arm]) for each in params)
        bandit.update(arm, got, paid)
        left -= paid
        regret += losses[arm]
    return regret


def table() -> np.ndarray:
    """What 10 arms give and take in 2,000 rounds, f64[2, 2000, 10], in 256ths.

    Costs are at least a fifth, so that no index is infinite; the arms differ in how far
    their outcomes lie apart, which is what eta measures.
    """
    rng = np.random.default_rng(2024)
    spread = np.tile([0.1, 0.3, 0.6, 0.8], 5).reshape(2, 1, 10)
    centre = np.stack([np.linspace(0.4, 0.6, 10), np.linspace(0.6, 0.65, 10)])
    drawn = centre[:, None] + spread * (rng.random((2, 2000, 10)) - 0.5)
    return np.round(256 * np.clip(drawn, [[[0]], [[0.2]]], 1)) / 256


# Policy -> where its clock starts. The radii of Table 2 have log(t - 1), t the round to
# come; those of the code have log(t - 2), so that we set its clock forward by 1.
CHOOSERS = {"omega-ucb": 0, "omega-star-ucb": 0} | dict.fromkeys(
    ("m-ucb", "c-ucb", "i-ucb", "budget-ucb"), 1
)


def choices() -> dict:
    """The arms played on the table, a digit each; and the cheapest mean cost."""
    reward, cost = table()
    cheapest = cost.mean(axis=0).min()
    played = {}
    for name, clock in CHOOSERS.items():
        bandit, arms = policies()[name](0), []
        for each in bandit.arms:
            each.t = clock
        for got, paid in zip(reward, cost, strict=True):
            told = {"c_min": cheapest} if name == "budget-ucb" else {}
            arm = int(bandit.sample(**told))
            bandit.update(arm, got[arm], paid[arm])
            arms.append(str(arm))
        played[name] = "".join(arms)
    return {"cheapest": cheapest, "arms": played}


def stream(seed):
    """Of the arms, not that of the policy with the same seed."""
    return np.random.default_rng([seed, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", help="folder of the authors' code")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--budget", type=float, default=5_000)
    parser.add_argument("--choices", action="store_true", help="of arms on one table")
    options = parser.parse_args()
    sys.path.insert(0, options.clone)
    np.infty, np.alltrue = np.inf, np.all
    if options.choices:
        print(json.dumps(choices(), indent=0))
        return
    found = {}
    for title, params in instances().items():
        table = {}
        for name, make in policies().items():
            with np.errstate(all="ignore"):
                runs = [
                    regret_of(make(seed), params, options.budget, stream(seed))
                    for seed in range(options.runs)
                ]
            error = np.std(runs, ddof=1) / len(runs) ** 0.5
            table[name] = [round(float(np.mean(runs)), 2), round(float(error), 2)]
            print(title, name, table[name], file=sys.stderr, flush=True)
        found[title] = {"params": params.tolist(), "regret": table}
    facts = {"budget": options.budget, "runs": options.runs, "instances": found}
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
