"""What the engine reads in JAX's programs, and what changed there between versions."""

# Primitives that carry a jaxpr to be inlined, and the parameter that holds it.
CALLS = {
    "jit": "jaxpr",
    "closed_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat2": "jaxpr",
    "custom_vmap_call": "call",
}


def scan_counts(params) -> tuple[int, int]:
    """How many constants and how many carried values a ``scan`` takes.

    Args:
      params: of the equation.
    """
    if "num_consts" in params:  # before JAX 0.11
        return params["num_consts"], params["num_carry"]
    constants, carry, _ = params["ft_in"].unpack()
    return len(constants), len(carry)
