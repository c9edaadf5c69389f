"""Mathematical functions in JAX, used by laws and policies and importable one by one.

Types and shapes are checked, but not values: a kernel runs in every round. An argument
out of its range gives NaN or a meaningless number.

``__init__.pyi`` lists all public names; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
