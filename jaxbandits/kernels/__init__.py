"""Pure mathematics in JAX: importable one by one, used by laws and policies.

Kinds and shapes are checked, values are not: a kernel is part of a round. A number that
is out of its range gives NaN, or a number that says nothing.

What is public stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
