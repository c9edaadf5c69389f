"""Spans of seeds are sets that keep their order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits.results import spans

SEEDS = st.lists(st.integers(0, 40), unique=True, max_size=30)


@given(SEEDS, SEEDS, st.integers(1, 9))
def test_spans_are_the_seeds(some, others, size):
    own, rest = (
        spans.spans_of(np.array(some, int)),
        spans.spans_of(np.array(others, int)),
    )
    assert spans.listed(own).tolist() == some and spans.count(own) == len(some)
    left = [seed for seed in some if seed not in others]
    assert spans.listed(spans.without(own, rest)).tolist() == left
    assert spans.listed(spans.joined((*own, *rest))).tolist() == sorted(
        {*some, *others}
    )
    parts = [spans.listed(part).tolist() for part in spans.parts(own, size)]
    assert parts == [some[i : i + size] for i in range(0, len(some), size)]
    assert spans.listed(spans.first(own, size)).tolist() == some[:size]


def test_a_hundred_million_seeds_are_one_span():
    assert [*spans.parts(((0, 10**8),), 10**8 // 2)] == [
        ((0, 50_000_000),),
        ((50_000_000, 10**8),),
    ]
    assert spans.shown(((0, 10**8),)) == "0-99999999"
