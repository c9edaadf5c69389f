"""Experiments, claims and bounds of four papers, and leaderboards of policies.

What is public stands in ``__init__.pyi``; each part is imported when it is first used,
so that the command line starts at once.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
