"""Checks of user input: errors that name the argument and the allowed range.

`values` has the checks of values, `annotations` those of types by annotations; both are
imported from here. Beside them: `points` and `designs` (of parameters), `factory`
(what factories of policies do with their arguments), `fit` (whether a policy was built
for a game), `actions` (what a policy plays) and `rounds` (what people report).

What is public stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
