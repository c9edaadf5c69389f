"""Elementwise primitives: the cost of each, and its form in C++."""

from typing import NamedTuple

# Operations per entry: of a sum, of a division or root, of an exponential.
CHEAP, ROOT, SERIES = 1, 6, 8


class Elementwise(NamedTuple):
    """An elementwise primitive.

    Attributes:
      cost: how many simple operations an entry takes.
      text: the C++ expression of the operands ``{0}``, ``{1}``, the result's type
        ``{type}`` and the primitive's parameters, with functions of ``gpu/prelude.h``;
        None if the GPU engine has none.
    """

    cost: int
    text: str | None


def _written(
    cost: int, functions: str = "", **texts: str | None
) -> dict[str, Elementwise]:
    """Entries of the table, by the names of primitives.

    `functions` are those that C++ has, with an ``f`` after the name.
    """
    texts |= {name: f"{name}f({{0}})" for name in functions.split()}
    return {name.rstrip("_"): Elementwise(cost, text) for name, text in texts.items()}


# An operation that costs 1 is repeated for every reader, not stored: a change here
# changes the programs for CPUs.
ELEMENTWISE = {
    **_written(
        CHEAP,
        abs="magnitude({0})",
        add="({0} + {1})",
        sub="({0} - {1})",
        mul="({0} * {1})",
        neg="(-{0})",
        max="greater({0}, {1})",
        min="lesser({0}, {1})",
        eq="({0} == {1})",
        ne="({0} != {1})",
        lt="({0} < {1})",
        le="({0} <= {1})",
        gt="({0} > {1})",
        ge="({0} >= {1})",
        and_="conjunction({0}, {1})",
        or_="disjunction({0}, {1})",
        xor="difference({0}, {1})",
        not_="complement({0})",
        select_n="({0} ? {2} : {1})",
        convert_element_type="to_{type}({0})",
        multiply_add="multiply_add({0}, {1}, {2})",  # of `jaxbandits.arrays`
    ),
    **_written(
        2,
        "floor ceil",
        clamp="lesser(greater({1}, {0}), {2})",
        square="squared({0})",
        integer_pow="power<{y}>({0})",
        is_finite="is_finite({0})",
        sign="sign({0})",
        lt_to="in_order({0}, {1})",
        le_to="complement(in_order({1}, {0}))",
        round="rounded<{rounding_method:d}>({0})",
        shift_left="shifted_left({0}, {1})",
        shift_right_logical="shifted_right({0}, {1})",
        shift_right_arithmetic="shifted_right_signed({0}, {1})",
        population_count="population({0})",
        real=None,
        imag=None,
    ),
    **_written(
        ROOT,
        "sqrt cbrt",
        div="quotient({0}, {1})",
        rem="remainder_of({0}, {1})",
        rsqrt="(1.0f / sqrtf({0}))",
        logistic="(1.0f / (1.0f + expf(-{0})))",
        nextafter="nextafterf({0}, {1})",
    ),
    **_written(
        SERIES,
        "exp exp2 expm1 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh "
        "atanh erf erfc",
        pow="raised({0}, to_F({1}))",
        log="logarithm({0})",
        atan2="atan2f({0}, {1})",
        digamma=None,
        erf_inv=None,
        lgamma=None,
    ),
}
# Products that a compiler may round together with the sum they enter.
PRODUCTS = frozenset("mul square integer_pow".split())
