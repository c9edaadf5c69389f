"""Wrong calls of everything public, and how their answers are judged."""

import inspect

import numpy as np
import pytest

from scripts import attack

# What is refused by the name of an argument beside it.
BESIDE = {
    "laws.empirical_params(reward=nan)",
    "laws.empirical_params(reward=[0.5, nan])",
    "farewell.second_price_auction(highest_bid_of_others=[0.5, nan])",
}


def judged(function, right, value, never=True, limit_s=1.0):
    """The kind of the answer where the only argument is replaced."""
    target = attack.Target("it", function, {"rate": right}, [])
    return attack.judge(target, attack.Change("rate", value, never), limit_s)[0]


def test_wrong_calls_of_everything_public_are_refused_clearly():
    """And by the argument's name: of another kind than annotated, or beyond the range
    that the docstring says."""
    counts, bad = attack.attack(quick=True)
    assert counts.total() >= 10_000
    assert {call: each for call, each in bad.items() if call not in BESIDE} == {}


@pytest.mark.slow
def test_what_is_not_changed_in_them_is_right():
    # Of files and stores that are not there, a line of the command line is refused;
    # a second bound of one name on the same axes is, too.
    answers = {}
    for target in attack.targets():
        if not target.name.startswith(("jaxbandits", "plots.draw_bounds")):
            with attack.folder(target):
                none = attack.Change("", None, False)
                answers[target.name] = attack.judge(target, none, 60.0)
    assert not {k: v for k, v in answers.items() if v[0] != attack.RIGHT}


@pytest.mark.slow
def test_so_are_those_that_take_long():
    _, bad = attack.attack()
    assert {call: each for call, each in bad.items() if call not in BESIDE} == {}


def test_answers_are_told_apart():
    from jaxbandits.checks import positive

    def checked(rate):
        positive(rate=rate)
        return rate

    def unnamed(rate):
        positive(speed=rate)

    def drawn(rate):
        return np.random.default_rng().random()

    def endless(rate):
        while True:
            pass

    assert judged(checked, 1.0, -1.0) == attack.CLEAR
    assert judged(unnamed, 1.0, -1.0) == attack.UNCLEAR
    assert judged(lambda rate: {}[rate], 1.0, 2.0) == attack.UNCLEAR
    assert judged(lambda rate: rate + "x", 1.0, 2.0, never=False) == attack.UNCLEAR
    assert judged(checked, 1.0, 2.0) == attack.SILENT
    assert judged(checked, 1.0, 2.0, never=False) == attack.RIGHT
    assert judged(lambda rate: rate * np.nan, 1.0, 2.0, never=False) == attack.SILENT
    assert judged(drawn, 1.0, 2.0, never=False) == attack.SILENT
    assert judged(endless, 1.0, 2.0, limit_s=0.1) == attack.HANG


def test_ranges_are_read_from_docstrings():
    def function(rate, share, count):
        """Do it.

        Args:
          rate: number > 0, lambda; of [0, 1].
          share: real in [0, 1].
          count: whole number >= 1 of gains in [0, 1].
        """

    found = attack.ranges(inspect.getdoc(function) or "")
    taken = {name: [x for x in (0, 0.5, 1, 2) if in_(x)] for name, in_ in found.items()}
    assert taken == {"rate": [0.5, 1, 2], "share": [0, 0.5, 1], "count": [1, 2]}
