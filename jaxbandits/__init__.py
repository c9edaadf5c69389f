"""Resource-constrained bandits with censored feedback, thousands of seeds at a time.

What is public stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

from jaxbandits.engine.devices import use_all_cores

use_all_cores()  # before JAX starts

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
