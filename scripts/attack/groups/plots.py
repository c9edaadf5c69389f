"""Pictures of made-up numbers."""

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

from attack.case import Case
from attack.groups.results import DATA, made
from attack.values import NAN, attack, of
from jaxbandits import plots

GRID = made(points=2)
DATASETS = of("object", plus=(DATA["regret"], xr.Dataset(), [DATA]))
POLICIES = (3, "nobody", ["nobody"], [3], [], {}, True)
LABELS = (3, "x", {"nobody": "x"}, ["a"], {"a": 3})
WRONG = {
    "dataset": DATASETS,
    "metric": of("choice"),
    "level": of("share", None, plus=([0.9],)),
    "ax": (3, "x", [], {}, plt),
    "policies": POLICIES,
    "labels": LABELS,
}
POINTS = ("x", 0.5, 7, {"c": 0}, {"a": 9}, [0])
NAMED = {"dataset": ("datasets", "metric", "data")}
CHECKPOINTS = ("x", 0.5, 7, [0], {})


def cases() -> list[Case]:
    scales = {"x_scale": of("choice", None), "y_scale": "choice"}
    reference = ("x", NAN, [1.0], {})
    xy = {"x": of("choice"), "at": (3, "x", {"nothing": 1.0}, {"alpha": 7.0})}
    found = [
        *_of(
            "plot_curves",
            {"dataset": DATA},
            WRONG
            | scales
            | {
                "params": POINTS,
                "styles": (3, "x", {"nobody": plots.line_style(0)}, {"a": 3}),
                "seeds_quantiles": (3, "x", (0.1,), (0.9, 0.1), (-1, 2), (NAN, 0.5)),
            },
        ),
        *_of(
            "plot_bars",
            {"dataset": DATA, "metric": "regret"},
            WRONG | {"params": POINTS, "reference": reference},
        ),
        *_of(
            "plot_ranks",
            {"dataset": DATA},
            WRONG | {"params": POINTS, "checkpoint": CHECKPOINTS},
        ),
        *_of(
            "plot_panels",
            {"datasets": {"one": DATA}},
            {
                "datasets": of("object", plus=({"x": 3}, {})),
                "metric": of("choice"),
                "policies": POLICIES,
                "labels": LABELS,
                "level": WRONG["level"],
                "columns": of("count", None, 2**70),
                "tops": (3, "x", {"nobody": 1.0}, {"one": NAN}, {"one": "x"}),
            }
            | scales,
        ),
        *_of(
            "plot_sensitivity",
            {"dataset": GRID, "x": "alpha"},
            WRONG | scales | xy | {"by": of("choice", None), "checkpoint": CHECKPOINTS},
        ),
    ]
    two = _two_parameters()
    heat = {k: v for k, v in WRONG.items() if k != "policies"} | xy
    heat |= {
        "y": of("choice"),
        "policy": (3, "nobody", "", ["a"]),
        "statistic": "choice",
        "checkpoint": CHECKPOINTS,
    }
    del heat["level"]
    levels = [plots.Best(level=each) for each in of("share", None)]
    heat["best"] = (3, "x", plots.Best(3), *levels)
    found += _of(
        "plot_heat_map",
        {"dataset": two, "x": "alpha", "y": "beta", "policy": "a"},
        heat,
    )
    index = of("natural", 2**70)
    found += attack(plots.line_style, {"index": 0}, {"index": index})
    sizes = {"rows": of("count", 2**70), "columns": of("count", 2**70)}
    found += attack(plots.figure, {}, sizes)
    widths = {"width": ("page", 1.0, NAN, [3.0]), "font": (3, "nothing", [])}
    widths |= {"size": (0.0, NAN, "x"), "usetex": (1, "x", None)}
    found += attack(plots.style, {}, widths)
    figure, _ = plots.figure()
    wrong = {
        "fig": of("object", plus=(DATA,)),
        "path": (*of("path"), "x.unknown", "none/at/all.png", "."),
    }
    named = {"fig": ("figure",)}
    found += attack(
        plots.save_figure, {"fig": figure, "path": "x.png"}, wrong, named=named
    )
    return found


def _two_parameters():
    points = [(a, b) for a in (0.5, 1.0) for b in (1.0, 2.0)]
    data = made(points=4).isel(policy=[0])
    params = {
        f"param_{name}": (("policy", "params"), np.array([[p[i] for p in points]]))
        for i, name in enumerate(("alpha", "beta"))
    }
    return data.assign_coords(params)


def _of(name, good, wrong):
    function = getattr(plots, name)

    def drawn(**arguments):
        try:
            return function(**arguments)
        finally:
            plt.close("all")

    return attack(drawn, good, wrong, name, named=NAMED)
