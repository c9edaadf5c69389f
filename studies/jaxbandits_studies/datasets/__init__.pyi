from ._forest import forest, forest_runs
from ._solver import solver, solver_runs
from .criteo_log import CriteoLog, fit_criteo, load_criteo
from .ednet_users import EdNet, load_ednet
from .facebook import Group, fb_br, fb_bt, load_facebook
from .instances import criteo, criteo_like, ednet, ednet_like
from .pulls import Records, from_table, records_of
from .runs import load_runs

__all__ = [
    "CriteoLog",
    "EdNet",
    "Group",
    "Records",
    "criteo",
    "criteo_like",
    "ednet",
    "ednet_like",
    "fb_br",
    "fb_bt",
    "fit_criteo",
    "forest",
    "forest_runs",
    "from_table",
    "load_criteo",
    "load_ednet",
    "load_facebook",
    "load_runs",
    "records_of",
    "solver",
    "solver_runs",
]
