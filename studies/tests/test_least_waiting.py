"""Policies that wait beside c log T: constants by hand, notes, page and figure."""

from math import log

import matplotlib
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

from jaxbandits import farewell
from jaxbandits.laws import Beta, beta
from jaxbandits.plots import style
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.farewell import least
from jaxbandits_studies.farewell.constants import of_any_law, of_known_rewards
from jaxbandits_studies.judging.board import shipped
from jaxbandits_studies.judging.protocols import PROTOCOLS
from studies.tests.checks import check_figure, check_page, check_records, entry
from tests.tables import naming

ZERO, CASE, FEE = least.QUICK


def game(delay, reward, **options):
    return farewell.make_environment("by hand", delay, reward, **options)


def kl(p, q):
    return sum(rel_entr([p, 1 - p], [q, 1 - q]))


@pytest.fixture(scope="module")
def quick():
    return REGISTRY[least.NAME].run(Options(1, 1, quick=True))


@pytest.fixture
def all_cases(monkeypatch):
    """Of all cases, with constants that are the number of the case."""
    numbers = iter(np.arange(len(PROTOCOLS["farewell"].judging), dtype=float))

    def given(environment):
        return least.Constants(float(n := next(numbers)) // 2, n, 1e4 * n)

    monkeypatch.setattr(least, "constants_of", given)
    with matplotlib.rc_context(style("column")):
        return least.least(Options(1, 1))


def test_one_wait_of_one_unit_is_lai_and_robbins():
    """Rewards of 0.3 and 0.12 per unit: to arrive, or to pay, more often."""
    one = game([[0.6, 0.4], [0.3, 0.7]], [[0.5], [0.4]], num_waits=1)
    known, told = of_known_rewards(one), of_any_law(one)
    assert known.constant == pytest.approx(0.18 / kl(0.3, 0.75), rel=2e-3)
    assert told.constant == pytest.approx(0.18 / kl(0.12, 0.3), rel=2e-3)
    assert told.pulls[1, 0] == pytest.approx(1 / kl(0.12, 0.3), rel=2e-3)
    assert told.pulls[0, 0] == 0


def test_one_wait_of_three_units():
    """g* is 1/4; arm 2 pays after 2 units, and a rival arrives with 3 g/(1 + g)."""
    delay = [[0.5, 0.0, 0.0, 0.5], [0.0, 0.3, 0.0, 0.7]]
    three = game(delay, np.ones((2, 1)), waits=[3])
    assert three.oracle().rate == 0.25
    lost = 0.25 * (0.6 + 2.1) - 0.3
    found = of_known_rewards(three).constant
    assert found == pytest.approx(lost / kl(0.3, 0.6), rel=2e-3)

    # Any law: after one unit, too, with the chance x, and after two with y.
    def apart(x):
        y = (0.75 - 1.5 * x) / 1.25
        return sum(rel_entr([0.3, 0.7], [y, 1 - x - y]))

    nearest = min(map(apart, np.linspace(0, 0.49, 2_000)))
    assert of_any_law(three).constant == pytest.approx(lost / nearest, rel=2e-3)


def test_the_best_wait_hides_what_comes_later():
    """g* is 1/2: wait 2 is better if more than 1/4 of all epochs end in unit 2."""
    late = game([[0.5, 0.1, 0.4]], [[1.0]], num_waits=2)
    apart = 0.1 * log(0.1 / 0.25) + 0.4 * log(0.4 / 0.25)
    for found in (of_known_rewards(late), of_any_law(late)):
        assert found.constant == pytest.approx(0.15 / apart, rel=2e-3)
        np.testing.assert_allclose(found.pulls, [[0.0, 1 / apart]], rtol=2e-3)


def test_what_never_happens_may():
    """Waits 1 and 3, and nothing in between: more than 1/3 would, in unit 2."""
    never = game([[0.5, 0.0, 0.0, 0.5]], [[1.0]], waits=[1, 3])
    assert of_known_rewards(never).constant == 0
    lost, apart = 0.5, 0.5 * log(0.5 / (0.5 - 1 / 3))
    assert of_any_law(never).constant == pytest.approx(lost / apart, rel=2e-3)


def test_giving_up_costs_a_unit():
    """With known rewards unit 2 never pays; a rival's pays more often than 1 in 5."""
    fee = game([[0.5, 0.1, 0.4]], [[1.0, 0.2, 0.0]], num_waits=2, failure="unit")
    lost = 0.5 * 1.1 - 0.52
    assert of_known_rewards(fee).constant == 0
    chances, cost = np.array([0.02, 0.08, 0.4]), np.array([0.0, 1.0, 0.5])

    def mix(price):  # all but 1/2 moves, and costs 1/4
        return chances / (1 - price / 2 + price * cost)

    nearest = mix(brentq(lambda x: mix(x).sum() - 0.5, 1e-3, 1.99))
    assert cost @ nearest == pytest.approx(0.25)
    apart = rel_entr(chances, nearest).sum()
    assert of_any_law(fee).constant == pytest.approx(lost / apart, rel=2e-3)


def test_nothing_to_learn():
    """The longest wait is among the best; or no rate can exceed g*, which is 1."""
    for make in [farewell.optimum_in_the_middle, farewell.macro_arms_only]:
        with naming(make):
            none = make()
            assert none.oracle().rate == 1 or none.oracle().gaps[0, -1] == 0
            assert of_known_rewards(none).constant == of_any_law(none).constant == 0


def test_who_is_told_more_has_less_to_pay():
    """Rewards; and of rewards without atoms, in which of more parts they are."""
    delay = np.array([[0.4, 0.1, 0.2, 0.3], [0.2, 0.3, 0.2, 0.3]])
    coins = game(delay, [[0.8], [0.5]], waits=[1, 3])
    assert 0 < of_known_rewards(coins).constant < of_any_law(coins).constant
    reward = Beta(np.array([[4.0], [2.0]]), np.array([[1.0], [2.0]]))
    models = game(delay, reward, num_waits=3, reward_law=beta)
    coarse, fine = (of_any_law(models, parts).constant for parts in (1, 3))
    assert of_known_rewards(models).constant <= coarse * 1.002
    assert coarse * 1.002 < fine


def test_three_cases_have_records_of_bounds_and_policies(quick):
    check_records(quick, least.NAME)
    policies = (least.BOUND, *least.POLICIES, least.BEST)
    labels = [(r["environment"], r["policy"]) for r in quick.records]
    assert labels == [(title, name) for title in least.QUICK for name in policies]
    c = {x: entry(quick, x, least.BOUND, "c_any")["mean"] for x in least.QUICK}
    assert c[ZERO] == 0 and min(c[CASE], c[FEE]) > 0
    assert entry(quick, FEE, least.BOUND, "c_known")["mean"] == 0
    board = {x.horizon: x for x in shipped("farewell").cells if x.case == CASE}
    before, after = (board[t].scores["BTS"] for t in (100_000, 1_000_000))
    found = entry(quick, CASE, "BTS", "ratio_1000000")["mean"]
    assert found == pytest.approx(after.mean / (c[CASE] * log(1_000_000)))
    grown = (after.mean - before.mean) / log(10)
    found = entry(quick, CASE, "BTS", "growth_1000000")
    assert found["mean"] == pytest.approx(grown)
    error = np.hypot(before.error, after.error) / log(10)
    assert found["sem"] == pytest.approx(error)
    found = entry(quick, CASE, "BTS", "growth_ratio_1000000")["mean"]
    assert found == pytest.approx(grown / c[CASE])
    assert quick.notes[0] == (
        f"c is 0 in 1 of 3 cases ({ZERO}); if rewards are known, in 2 ({ZERO}, {FEE})."
    )
    # The game whose pulls would take longer than there is time.
    share = entry(quick, FEE, least.BOUND, "share_1000000")["mean"]
    assert share > 1 and quick.notes[-1].endswith(f"horizon: {FEE} {share:.2f}.")
    # Pulls of the one suboptimal pair's loss are c.
    fee = PROTOCOLS["farewell"].judging[FEE].environment()
    oracle, pulls = fee.oracle(), of_any_law(fee).pulls
    loss = np.sum(pulls * oracle.mean_time * oracle.gaps)
    assert loss == pytest.approx(c[FEE], rel=1e-6)


def test_notes_count_cases(all_cases):
    names = [*all_cases.datasets]
    assert all_cases.notes[0].startswith(
        f"c is 0 in 1 of {len(names)} cases ({names[0]}"
    )
    assert f"in 2 ({names[0]}, {names[1]})" in all_cases.notes[0]
    for policy, note in zip(
        (*least.POLICIES, least.BEST), all_cases.notes[3:-1], strict=True
    ):
        found = [
            [v["mean"] for k, v in r["metrics"].items() if k.startswith("growth_ratio")]
            for r in all_cases.records
            if r["policy"] == policy
        ]
        last = np.array([x[-1] for x in found if x])
        assert len(last) == len(names) - 1
        assert (
            f"is {least._shown(np.median(last))} in the median of {len(last)}" in note
        )
        assert f"below 1 in {np.sum(last < 1)};" in note
    far = [
        r["environment"]
        for r in all_cases.records
        if r["policy"] == least.BOUND and r["metrics"]["share_1000000"]["mean"] > 0.1
    ]
    assert 0 < len(far) < len(names)
    assert [x for x in names if f"{x} " in all_cases.notes[-1]] == far
    # The figure of the same outcome.
    fig = all_cases.figure
    check_figure(fig, [*least.POLICIES, least.BEST])
    rows = [x.get_text() for x in fig.axes[0].get_yticklabels()]
    assert rows == [*all_cases.datasets][1:]


def test_the_page_has_what_the_full_run_found(quick):
    def shown(c):
        return "0" if c == 0 else f"{c:#.3g}".rstrip(".")

    def row(policies):
        bound, *others = policies.values()
        cells = [shown(bound["c_known"]), shown(bound["c_any"])]
        ours = policies[least.POLICY]
        cells += [
            f"{ours[f'growth_ratio_{t}']:.2f}" if bound["c_any"] else ""
            for t in (10_000, 100_000, 1_000_000)
        ]
        for numbers in others:
            last = [name for name in numbers if name.startswith("ratio_")]
            cells.append(least._shown(numbers[last[-1]]) if last else "")
        return cells

    check_page(least.NAME, "least-waiting-regret.md", row, quick, 1e-3)
