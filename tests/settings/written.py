"""Small games of the registry's entries that need arguments."""

import numpy as np

from jaxbandits import allocation, censored, laws
from jaxbandits.laws import thresholds
from jaxbandits.registry import environments
from jaxbandits_studies import datasets
from tests.games import coins

FILES = {
    "ednet.csv": """\
pseudo_user_id,question_id,response_time_ms,is_correct
a,q,20000,1
a,r,30000,1
b,q,35000,1
b,r,45000,0
c,q,50000,1
c,r,60000,1
""",
    "criteo.csv": "uid,campaign,exposures_before_click,clicked\n"
    + "".join(f"u{i},c{i % 2},{i // 2 % 4},{int(i < 16)}\n" for i in range(20)),
    "facebook.csv": """\
campaign_id,age,gender,clicks,spent,total_conversion
1,30-34,M,10,5.0,2
1,30-34,M,20,8.0,3
""",
    "runs.csv": "solver,reward,seconds\na,1,2\na,0.5,3\nb,1,4\nb,0.2,1\n",
    "clicks.csv": "ad,kind,cost,revenue\n"
    "red,a,0.5,1\nred,a,0.4,0\nblue,b,0.2,1\nblue,b,0.3,0\n",
}
COINS = laws.Bernoulli(np.array([0.3, 0.7]))
PAIR = laws.product(laws.bernoulli, laws.bernoulli)
PHASE = laws.Product(COINS, COINS)
THREE = {
    "name": "three",
    "problem": allocation.make_problem(
        thresholds.lomax, 3, (3.0, 4.0), shape=1.5, lowest=0.1, highest=3.0
    ),
    "probability": (0.2, 0.5, 0.9),
    "rate": (0.5, 1.0, 2.0),
    "budgets": (3.0, 4.0),
}
# By the name in the registry; what is read from a file is read when it is asked for.
_ARGUMENTS = {
    "budgeted/fb-br": lambda: {"groups": datasets.load_facebook("facebook.csv")},
    "budgeted/from-table": lambda: {
        "path": "clicks.csv",
        "arm": "ad",
        "cost": "cost",
        "reward": "revenue",
    },
    "budgeted/environment": lambda: {
        "name": "two",
        "law": laws.product(laws.bernoulli, laws.beta),
        "params": laws.Product(
            COINS, laws.Beta(np.array([1.0, 2.0]), np.array([3, 4.5]))
        ),
    },
    "budgeted/changing": lambda: {
        "name": "two phases",
        "law": PAIR,
        "params": (PHASE, PHASE),
        "ends": (20,),
    },
    "censored/recorded": lambda: {
        "name": "mine",
        "runs": datasets.load_runs("runs.csv", timeout=4.0),
        "limits": (1.0, 2.5),
        "penalty": censored.scaled(2),
    },
    "combinatorial/combinatorial": lambda: {
        "environment": coins([0.3, 0.5]),
        "size": 2,
    },
    "dueling/duels": lambda: {"environment": coins([0.3, 0.5])},
    "continuum/recorded": lambda: {
        "name": "mine",
        "runs": datasets.load_runs("runs.csv"),
    },
    "censored/plain": lambda: {
        "name": "plain",
        "rewards": laws.bernoulli,
        "params": COINS,
    },
    "censored/environment": lambda: {
        "name": "two",
        "problem": censored.make_problem(
            num_arms=2,
            limits=(0.3, 0.6),
            cost=censored.scaled(0.1),
            penalty=censored.late_fee(fee=3.0, promise=0.4),
        ),
        "law": laws.product(laws.bernoulli, laws.exponential),
        "arms": laws.Product(COINS, laws.Exponential(np.array([2.0, 3.0]))),
    },
    "farewell/environment": lambda: {
        "name": "f",
        "delay": ((0.5, 0.5),),
        "reward": ((0.9, 0.3),),
    },
    "allocation/ednet": lambda: {"data": datasets.load_ednet("ednet.csv")},
    "allocation/criteo": lambda: {
        "log": datasets.load_criteo("criteo.csv"),
        "num_campaigns": 2,
    },
    "allocation/environment": lambda: THREE,
    "ordered/ordered": lambda: {
        "environment": allocation.simulation(num_arms=3, budget=6.0),
        "budgets": (2, 6),
    },
}
_ARGUMENTS["budgeted/fb-bt"] = _ARGUMENTS["budgeted/fb-br"]


def arguments_of(name):
    """Arguments of an entry, in a folder with `FILES`."""
    return _ARGUMENTS[name]() if name in _ARGUMENTS else {}


def game(name):
    """A small game of an entry, in a folder with `FILES`."""
    return environments()[name](**arguments_of(name))


def write_files(folder):
    """What the games are read from."""
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
