"""The settings of the budgeted paper's experiments, and where their data are."""

from jaxbandits import budgeted
from jaxbandits.protocol import Environment
from jaxbandits_studies import datasets
from jaxbandits_studies.common.data import FOLDER, data_file

SIZES = (10, 50, 100)
FAMILIES = {"S-Br": budgeted.s_br, "S-GBr": budgeted.s_gbr, "S-Bt": budgeted.s_bt}
FACEBOOK = {"FB-Br": datasets.fb_br, "FB-Bt": datasets.fb_bt}
BUDGET = 150_000  # section 6, in units of the smallest expected cost
FACEBOOK_FILE = "facebook_ad_campaign.csv"
# Upper ends of the axes of Figure 3, read from the paper.
TOPS = {
    "S-Br-10": 2500,
    "S-Br-50": 8000,
    "S-Br-100": 14000,
    "S-GBr-10": 2000,
    "S-GBr-50": 4000,
    "S-GBr-100": 4000,
    "S-Bt-10": 1000,
    "S-Bt-50": 7000,
    "S-Bt-100": 12000,
    "FB-Br": 2000,
    "FB-Bt": 2000,
}
NO_DATA = (
    f"The Facebook settings were left out: set {FOLDER} to a folder that holds "
    f"{FACEBOOK_FILE}."
)


def synthetic(families=tuple(FAMILIES), sizes=SIZES) -> dict[str, Environment]:
    """The synthetic settings by name."""
    return {
        f"{family}-{size}": FAMILIES[family](size)
        for family in families
        for size in sizes
    }


def facebook() -> dict[str, Environment]:
    """The Facebook settings by name, a random group per seed; empty without data."""
    groups = facebook_groups()
    return {k: make(groups) for k, make in FACEBOOK.items()} if groups else {}


def facebook_groups() -> list[datasets.Group]:
    """The campaigns' groups of ads; none without data."""
    path = data_file(FACEBOOK_FILE)
    return [] if path is None else datasets.load_facebook(path)
