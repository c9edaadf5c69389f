"""What the studies add to the registry of jaxbandits: games of data sets."""

from jaxbandits.registry import Maker
from jaxbandits_studies import datasets

POLICIES: dict[str, Maker] = {}
ENVIRONMENTS: dict[str, Maker] = {
    "budgeted/fb-br": Maker(datasets.fb_br, needs=("groups",)),
    "budgeted/fb-bt": Maker(datasets.fb_bt, needs=("groups",)),
    "allocation/ednet": Maker(datasets.ednet, needs=("data",)),
    "allocation/criteo": Maker(datasets.criteo, needs=("log",)),
}
PARTS: dict[str, dict[str, Maker]] = {
    "budgeted": {"load_facebook": Maker(datasets.load_facebook)},
    "allocation": {
        "load_criteo": Maker(datasets.load_criteo),
        "load_ednet": Maker(datasets.load_ednet),
    },
}
