"""The budgeted setting: random reward and cost until the money is gone."""

from jaxbandits.settings.budgeted.environment import (
    Arms,
    Oracle,
    budgeted,
    exact_oracle,
    fixed,
)
from jaxbandits.settings.budgeted.facebook import Group, fb_br, fb_bt, load_facebook
from jaxbandits.settings.budgeted.phases import Phases, changing, s_br_changing
from jaxbandits.settings.budgeted.synthetic import s_br, s_bt, s_gbr
from jaxbandits.settings.budgeted.table import Records, from_table, records_of
from jaxbandits.settings.budgeted.types import (
    Feedback,
    OracleView,
    Problem,
    View,
    make_problem,
)

__all__ = [
    "Arms",
    "Feedback",
    "Group",
    "Oracle",
    "OracleView",
    "Phases",
    "Problem",
    "Records",
    "View",
    "budgeted",
    "changing",
    "exact_oracle",
    "fb_br",
    "fb_bt",
    "fixed",
    "from_table",
    "load_facebook",
    "make_problem",
    "records_of",
    "s_br",
    "s_br_changing",
    "s_bt",
    "s_gbr",
]
