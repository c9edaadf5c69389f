"""Parameters that are varied one at a time, on cases that are not judged."""

from typing import NamedTuple

import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.budgeted import omega_star_ucb
from jaxbandits.testing import trace_run
from jaxbandits_studies import Options
from jaxbandits_studies.budgeted.weighed import ADVISED, weighed
from jaxbandits_studies.judging.choices import Subject, choices, points_of, tick
from jaxbandits_studies.judging.leaderboard import PROTOCOLS
from jaxbandits_studies.judging.protocol import TUNING_SEED, Case
from jaxbandits_studies.judging.tunings import TUNINGS
from studies.tests.checks import legend_texts, titles
from studies.tests.judging.boards import COINS, EVERY, PROTOCOL
from tests.tables import naming

TINY = Options(3, 40, progress=False, quick=True)
CASES = ("coins", "again")
VALUES = (5.0, 2.0, 3.0)
SHOWN = {"mean regret": "regret", "worst run": "regret_worst"}


class Two(NamedTuple):
    left: float = 1.0
    right: float = 4.0


@pytest.fixture(scope="module")
def outcome():
    protocol = PROTOCOL._replace(
        tuning={title: Case(lambda: COINS, "drawn") for title in (*CASES, "third")}
    )
    subject = Subject(lambda problem: EVERY, {"every": VALUES})
    options = Options(3, 20, progress=False, quick=True)
    return choices("budgeted-x", protocol, {"every": subject}, options)


def test_one_parameter_differs_from_the_defaults():
    policy = EVERY._replace(params=Two())
    points = points_of(policy, {"right": (2.0, 4.0, 8.0), "left": (1.0, 0.0)})
    found = [(p.changed, p.params["left"], p.params["right"]) for p in points]
    assert found == [
        ("", 1.0, 4.0),
        ("right", 1.0, 2.0),
        ("right", 1.0, 8.0),
        ("left", 0.0, 4.0),
    ]


def test_a_record_for_every_value(outcome):
    assert outcome.root_seed == TUNING_SEED
    names = ["every", "every, every = 5", "every, every = 3"]
    found = [(r["environment"], r["policy"]) for r in outcome.records]
    assert found == [(case, name) for case in CASES for name in names]


def test_a_value_by_itself(outcome):
    alone = simulate(
        EVERY.with_params(every=3.0),
        COINS,
        budget=20,
        seeds=3,
        checkpoints=[20],
        root_seed=TUNING_SEED,
    )
    runs = alone["regret"].values.ravel()
    assert np.ptp(runs) > 0
    metrics = outcome.records[2]["metrics"]
    assert metrics["regret"]["mean"] == pytest.approx(np.mean(runs))
    assert metrics["regret_worst"]["mean"] == pytest.approx(np.max(runs))


def test_the_figure_has_a_dot_at_the_defaults(outcome):
    fig = outcome.figure
    assert titles(fig.axes) == ["every", "every"]
    assert [ax.get_ylabel() for ax in fig.axes] == list(SHOWN)
    note = fig.legends[0].get_title().get_text().replace("\n", " ")
    assert note == "a budget of 20, 3 seeds; the dots: the defaults"
    for ax, metric in zip(fig.axes, SHOWN.values(), strict=True):
        lines, dots = ax.lines[::2], ax.lines[1::2]
        for i, (line, dot) in enumerate(zip(lines, dots, strict=True)):
            rows = outcome.records[3 * i : 3 * i + 3]
            by_value = {r["params"]["every"]: r["metrics"][metric] for r in rows}
            assert line.get_xdata().tolist() == [2.0, 3.0, 5.0]
            expected = [by_value[x]["mean"] for x in (2.0, 3.0, 5.0)]
            np.testing.assert_allclose(line.get_ydata(), expected)
            assert dot.get_xdata().tolist() == [2.0]
            np.testing.assert_allclose(dot.get_ydata(), expected[0])
    assert legend_texts(fig) == list(CASES)


def test_ticks_are_short():
    """Six values of one panel do not run into each other."""
    for value, text in [
        (0.0625, "1/16"),
        (0.5, "1/2"),
        (0.1, "0.1"),
        (2**0.5, "1.41"),
        (1.5, "1.5"),
        (16_000, "16,000"),
    ]:
        with naming((value, text)):
            assert tick(value) == text


def cases_of(name, options=TINY):
    tuning = TUNINGS[name]
    return tuning.cases(options) if tuning.cases else tuning.protocol.tuning


def test_defaults_are_among_what_is_tried():
    """Values in ascending order, so that a table of them can be read."""
    for name, tuning in TUNINGS.items():
        with naming(name):
            problem = next(iter(cases_of(name).values())).environment().problem
            for subject in tuning.subjects.values():
                defaults = subject.factory(problem).params._asdict()
                for each, values in subject.values.items():
                    assert defaults[each] in values and list(values) == sorted(values)


@pytest.mark.slow
def test_the_prior_of_variances_can_be_varied():
    """With 10 pulls it is the library's policy, and with another number it is not."""
    exploration = "log_share"
    case = PROTOCOLS["budgeted"].tuning["narrow, K = 5"].environment()
    swept = weighed(case.problem, exploration)
    kept = omega_star_ucb(case.problem, exploration, variance="shrunk")

    def chosen(policy, **params):
        runs = [
            trace_run(policy, case, 300, params=params, seed_index=seed)
            for seed in range(8)
        ]
        return np.stack([run.actions for run in runs])

    ten, one = (chosen(swept, prior_pulls=pulls) for pulls in (10.0, 1.0))
    expected = chosen(kept, rho=ADVISED[exploration])
    np.testing.assert_array_equal(ten, expected)
    assert (ten != one).any()


def test_what_cannot_be_a_weight_is_refused():
    case = PROTOCOLS["budgeted"].tuning["narrow, K = 5"].environment()
    with pytest.raises(ValueError, match="prior_pulls"):
        policy = weighed(case.problem).over(prior_pulls=0.0)
        simulate(policy, case, budget=10, seeds=2)
