"""Small games of the registry's entries that need arguments, as a file says them."""

BERNOULLI = {"make": "Bernoulli", "probability": [0.3, 0.7]}
PAIR = {"make": "product", "reward": {"make": "bernoulli"}}
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
# By the name in the registry.
ARGUMENTS = {
    "budgeted/fb-br": {"groups": {"make": "load_facebook", "path": "facebook.csv"}},
    "budgeted/from-table": {
        "path": "clicks.csv",
        "arm": "ad",
        "cost": "cost",
        "reward": "revenue",
    },
    "budgeted/environment": {
        "name": "two",
        "law": PAIR | {"consumption": {"make": "beta"}},
        "params": {
            "make": "Product",
            "reward": BERNOULLI,
            "consumption": {"make": "Beta", "a": [1, 2], "b": [3, 4.5]},
        },
    },
    "budgeted/changing": {
        "name": "two phases",
        "law": PAIR | {"consumption": {"make": "bernoulli"}},
        "params": [
            {"make": "Product", "reward": BERNOULLI, "consumption": BERNOULLI},
            {"make": "Product", "reward": BERNOULLI, "consumption": BERNOULLI},
        ],
        "ends": [20],
    },
    "censored/recorded": {
        "name": "mine",
        "runs": {"make": "load_runs", "path": "runs.csv", "timeout": 4.0},
        "limits": [1.0, 2.5],
        "penalty": {"make": "scaled", "factor": 2},
    },
    "combinatorial/combinatorial": {
        "environment": {"make": "poscorr", "limits": [0.3, 0.5]},
        "size": 2,
    },
    "dueling/duels": {"environment": {"make": "poscorr", "limits": [0.3, 0.5]}},
    "continuum/recorded": {
        "name": "mine",
        "runs": {"make": "load_runs", "path": "runs.csv"},
    },
    "censored/plain": {
        "name": "plain",
        "rewards": {"make": "bernoulli"},
        "params": BERNOULLI,
    },
    "censored/environment": {
        "name": "two",
        "problem": {
            "make": "make_problem",
            "num_arms": 2,
            "limits": [0.3, 0.6],
            "cost": {"make": "scaled", "factor": 0.1},
            "penalty": {"make": "late_fee", "fee": 3.0, "promise": 0.4},
        },
        "law": PAIR | {"consumption": {"make": "exponential"}},
        "arms": {
            "make": "Product",
            "reward": BERNOULLI,
            "consumption": {"make": "Exponential", "rate": [2.0, 3.0]},
        },
    },
    "farewell/environment": {
        "name": "f",
        "delay": [[0.5, 0.5]],
        "reward": [[0.9, 0.3]],
    },
    "allocation/ednet": {"data": {"make": "load_ednet", "path": "ednet.csv"}},
    "allocation/criteo": {
        "log": {"make": "load_criteo", "path": "criteo.csv"},
        "num_campaigns": 2,
    },
    "allocation/environment": {
        "name": "three",
        "family": {"make": "lomax"},
        "probability": [0.2, 0.5, 0.9],
        "rate": [0.5, 1.0, 2.0],
        "budgets": [3.0, 4.0],
        "shape": 1.5,
        "lowest": 0.1,
        "highest": 3.0,
    },
}
ARGUMENTS["ordered/ordered"] = {
    "environment": {"make": "simulation", "num_arms": 3, "budget": 6.0},
    "budgets": [2, 6],
}
ARGUMENTS["allocation/cascade"] = ARGUMENTS["allocation/environment"]
ARGUMENTS["budgeted/fb-bt"] = ARGUMENTS["budgeted/fb-br"]


def write_files(folder):
    """What the games are read from."""
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
