from .criteo_log import CriteoLog, fit_criteo, load_criteo
from .ednet_users import EdNet, load_ednet
from .facebook import Group, fb_br, fb_bt, load_facebook
from .instances import criteo, ednet

__all__ = [
    "CriteoLog",
    "EdNet",
    "Group",
    "criteo",
    "ednet",
    "fb_br",
    "fb_bt",
    "fit_criteo",
    "load_criteo",
    "load_ednet",
    "load_facebook",
]
