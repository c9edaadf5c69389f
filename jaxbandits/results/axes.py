"""The axes of parts of a sweep, and where their runs are on them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits.results import spans
from jaxbandits.results.dataset import Place, coordinates, facts_about
from jaxbandits.results.parts import Block, Game, Part, Row, alike, rows_of
from jaxbandits.results.spans import Spans

Json = dict[str, Any]


def common_attributes(sweep: Json, made_by: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of results in memory and in stores.

    Args:
      sweep: description of the sweep.
      made_by: provenance.
    """
    first = next(iter(sweep["environments"].values()))
    return {
        "setting": first["provenance"].get("setting", ""),
        "checkpoint_kind": sweep["checkpoint_kind"],
        "provenance": json.dumps(made_by),
    }


class Axes:
    """The coordinates of some parts, and where the runs of blocks are among them."""

    def __init__(self, sweep: Json, parts: Sequence[Part]) -> None:
        self.sweep, self.parts = sweep, parts
        self.environments = [*dict.fromkeys(part.game[0] for part in parts)]
        self.policies = [*dict.fromkeys(part.game[1] for part in parts)]
        self.rows: dict[str, dict[Row, int]] = {name: {} for name in self.policies}
        self.seeds: Spans = ()
        for part in parts:
            own = self.rows[part.game[1]]
            for row in rows_of(part.points):
                own.setdefault(row, len(own))
            self.seeds += spans.without(part.seeds, self.seeds)
        self._order: np.ndarray | None = None
        self._listed: np.ndarray | None = None
        self._places: dict[int, np.ndarray] = {}

    def dataset(self) -> xr.Dataset:
        """The coordinates, no variables."""
        environments = self.sweep["environments"]
        params = {}
        for policy, rows in self.rows.items():
            for environment, own in self.sweep["policies"][policy]["defaults"].items():
                if environment in self.environments:
                    params[environment, policy] = {
                        leaf: np.array([dict(row).get(leaf, x) for row in rows], float)
                        for leaf, x in own.items()
                    }
        seeds, runs = spans.listed(self.seeds), self.sweep["runs_per_instance"]
        return coordinates(
            self.environments,
            self.policies,
            params,
            num_points=max(map(len, self.rows.values())),
            seeds=seeds,
            checkpoints=np.array(self.sweep["checkpoints"]),
            instances=seeds // runs if runs > 1 else None,
            facts=facts_about(environments[x]["provenance"] for x in self.environments),
            counts=self._counts(),
        )

    def _counts(self) -> dict[Game, np.ndarray] | None:
        """How many seeds each point has; None if all have all, or one not the first."""
        total, result = spans.count(self.seeds), {}
        for environment in self.environments:
            for policy, rows in self.rows.items():
                game = environment, policy
                counts = result[game] = np.zeros(len(rows), np.int64)
                own = [part for part in self.parts if part.game == game]
                for numbers, holders in alike([*rows], own):
                    held = spans.joined(x for each in holders for x in each.seeds)
                    counts[numbers] = count = spans.count(held)
                    if spans.without(spans.first(self.seeds, count), held):
                        return None
        whole = all((counts == total).all() for counts in result.values())
        return None if whole else result

    def places(self, block: Block, lines: list[Spans] | None) -> list[np.ndarray]:
        """Where a block is along the first four dims; -1 where it is not there."""
        environment, policy = block.game
        rows = self.rows.get(policy, {})
        if id(block.points) not in self._places:
            numbers = [rows.get(row, -1) for row in rows_of(block.points)]
            self._places[id(block.points)] = np.array(numbers)
        known = [self.environments, self.policies]
        games = [
            np.array([names.index(name) if name in names else -1])
            for names, name in zip(known, (environment, policy), strict=True)
        ]
        if lines is not None:
            seeds = np.array([lines.index(block.seeds)])
        else:
            seeds = self._seed_places(spans.listed(block.seeds))
        return [*games, self._places[id(block.points)], seeds]

    def place(self, part: Part) -> Place:
        """Where a part is, of which all is there."""
        environment, policy = part.game
        rows = self.rows[policy]
        return Place(
            self.environments.index(environment),
            self.policies.index(policy),
            np.array([rows[row] for row in rows_of(part.points)]),
            self._seed_places(spans.listed(part.seeds)),
        )

    def _seed_places(self, seeds: np.ndarray) -> np.ndarray:
        if self._listed is None or self._order is None:
            self._listed = spans.listed(self.seeds)
            self._order = np.argsort(self._listed, kind="stable")
        at = np.searchsorted(self._listed, seeds, sorter=self._order)
        places = self._order[np.minimum(at, len(self._order) - 1)]
        return np.where(self._listed[places] == seeds, places, -1)
