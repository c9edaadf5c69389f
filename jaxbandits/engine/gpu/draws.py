"""The tape inside a kernel, under a name by which it is recognised."""

from functools import partial

import jax

from jaxbandits.engine.tape import Key, draw_words


@partial(jax.jit, static_argnums=2)
def tape_row(key: Key, round_, width: int):
    """`tape.draw_words`, drawn word by word (`values.Draws`)."""
    return draw_words(key, round_, width)
