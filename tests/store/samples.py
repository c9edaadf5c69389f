"""Stores that were filled by hand: numbers that say where they are."""

import numpy as np

from jaxbandits.checks.points import Points
from jaxbandits.results.parts import Part
from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.request import Request, Size

SWEEP = {
    "versions": {"jaxbandits": "0.1.0", "jax": "0.12.0", "jaxlib": "0.12.0"},
    "platform": "cpu",
    "root_seed": 0,
    "runs_per_instance": 1,
    "checkpoint_kind": "round",
    "checkpoints": [5, 10],
    "environments": {
        "short": {"provenance": {"setting": "walk"}, "numbers": "a"},
        "long": {"provenance": {"setting": "walk"}, "numbers": "b"},
    },
    "policies": {
        name: {
            "defaults": {"short": {"step": 1.0}, "long": {"step": 1.0}},
            "program": {"short": name, "long": name},
        }
        for name in ("walker", "idler")
    },
}
SESSION = {"at": 1e9, "host": "here"}
STEPS = (0.5, 1.0, 2.0)


def request(steps=STEPS, seeds=((0, 10),), runs=12, points=10**6, **changes):
    """Points of the walker and one of the idler, on two environments."""
    tables = {
        "walker": Points({"step": np.array(steps)}, len(steps)),
        "idler": Points({}, 1),
    }
    parts = [
        Part((environment, policy), table, tuple(seeds))
        for environment in SWEEP["environments"]
        for policy, table in tables.items()
    ]
    made = Request(
        SWEEP, parts, Size(runs, points), "runs", {"regret": (), "pair": (2,)}, "text"
    )
    return made._replace(**changes)


def values_of(block):
    """Numbers by place: [points, seeds, checkpoints]."""
    steps = block.points.columns.get("step", np.full(block.points.count, 1.0))
    seeds = np.concatenate([np.arange(*span) for span in block.seeds])
    number = 100 * seeds + 10 * steps[:, None] + (block.game[0] == "long")
    regret = number[..., None] + np.array([0.25, 0.5])
    rounds = np.broadcast_to([5, 10], regret.shape)
    pair = np.stack([regret, -regret], -1)
    return {"regret": regret, "pair": pair, "rounds": rounds}


def fill(where, wanted=None, grow=False, only=lambda block: True, session=SESSION):
    """Ask for blocks, and put all of them there that are missing."""
    store = BlockStore(where)
    wanted = request() if wanted is None else wanted
    store.mend()
    store.ask(wanted, grow)
    store.mend(store.blocks())
    store.enter(session)
    for block in store.missing(store.blocks(wanted.parts)):
        if only(block):
            store.write(block, values_of(block), session)
    store.seal()
    return store
