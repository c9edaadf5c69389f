"""What the studies add to the registry of jaxbandits: games of data sets."""

from jaxbandits.registry import Maker
from jaxbandits_studies import data

POLICIES: dict[str, Maker] = {}
ENVIRONMENTS: dict[str, Maker] = {
    "budgeted/fb-br": Maker(data.fb_br, needs=("groups",)),
    "budgeted/fb-bt": Maker(data.fb_bt, needs=("groups",)),
    "allocation/ednet": Maker(data.ednet, needs=("data",)),
    "allocation/criteo": Maker(data.criteo, needs=("log",)),
}
