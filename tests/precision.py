"""What programs hold: values of all precisions, inner programs too."""

import jax
import jax.numpy as jnp
import numpy as np


def numbers(tree):
    """Numbers of the host, made anew in the precision of now."""
    return jax.tree.map(
        lambda x: jnp.asarray(x, float if np.asarray(x).dtype.kind == "f" else None),
        tree,
    )


def wide_values(program):
    """The types of values of 64 bits that a traced program has, as texts."""
    found = list(_avals(program.jaxpr))
    assert found
    return {str(x) for x in found if str(getattr(x, "dtype", "")).endswith("64")}


def _avals(jaxpr):
    yield from (v.aval for v in (*jaxpr.constvars, *jaxpr.invars))
    for eqn in jaxpr.eqns:
        yield from (v.aval for v in (*eqn.invars, *eqn.outvars))
        for inner in jax.tree.leaves(
            list(eqn.params.values()), is_leaf=lambda x: hasattr(x, "eqns")
        ):
            inner = getattr(inner, "jaxpr", inner)
            if hasattr(inner, "eqns"):
                yield from _avals(inner)
