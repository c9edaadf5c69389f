"""Threshold families of the allocation setting.

``__init__.pyi`` lists all public names; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
