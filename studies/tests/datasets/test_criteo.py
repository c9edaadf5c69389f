"""Criteo logs: the schema, shares, budgets and fits; the synthetic stand-in."""

import numpy as np
import pytest

from jaxbandits_studies import datasets
from jaxbandits_studies.datasets.criteo_log import fit_criteo, load_criteo
from jaxbandits_studies.datasets.fitting import DiscreteWeibullFit, fit_discrete_weibull
from jaxbandits_studies.datasets.synthetic import criteo_like_parameters
from tests.tables import naming

HEADER = "uid,campaign,exposures_before_click,clicked"
# Table 2, then a second campaign of user 321 and a user who saw nothing.
LOG = f"""{HEADER}
150,10341182,1,0
150,497593,3,1
309,17686799,0,1
321,17686799,1,0
321,497593,4,0
400,10341182,0,0
"""


def test_small_log_by_hand(write):
    log = load_criteo(write(LOG))
    assert log.users == ("150", "309", "321", "400")
    assert log.campaigns == ("10341182", "497593", "17686799")
    assert log.user.tolist() == [0, 0, 1, 2, 2, 3]
    assert log.campaign.tolist() == [0, 1, 2, 2, 1, 0]
    # A click is one impression more than those before it.
    assert log.impressions.tolist() == [1, 4, 1, 1, 4, 0]
    assert log.clicked.tolist() == [False, True, True, False, False, False]
    assert log.clicks.tolist() == [0, 1, 1]
    assert log.click_share.tolist() == [0, 0.5, 0.5]
    # User 400 saw nothing, and still came once.
    assert log.budgets.tolist() == [5, 1, 5, 1]
    assert [log.counts(c).tolist() for c in range(3)] == [[], [4], [1]]
    assert log.budgets.dtype == log.impressions.dtype == np.int64


BAD = {
    "'exposures_before_click' .* no numbers >= 0, first '-3' in": ("3,1", "-3,0"),
    "exposures_before_click that is not an integer >= 0": ("3,1", "2.5,1"),
    "exposures_before_click that is not an integer": ("3,1", "1e30,1"),
    "'clicked' .* are no numbers in .0, 1., first '2' in row 2": ("3,1", "3,2"),
    "clicked that is not 0 or 1": ("3,1", "3,.5"),
    "column 'uid' .* empty": ("150,497593", ",497593"),
    "column 'campaign' .* empty": ("150,497593", "150,"),
    "one row for user 321 and campaign 497593": ("150,497593", "321,497593"),
    "no column 'clicked'": ("clicked", "other"),
}


def test_bad_logs_are_refused_by_row_and_column(write):
    for words, (old, new) in BAD.items():
        assert LOG.count(old) == 1
        with naming(words), pytest.raises(ValueError, match=f"path: .*{words}"):
            load_criteo(write(LOG.replace(old, new)))


# p, shape and rate, and how many users see the campaign; a share p of them clicks. Few
# see d, which is clicked most often by those.
LAWS = {"a": (0.2, 0.8, 0.5), "b": (0.6, 1.4, 0.3), "c": (0.4, 1.0, 0.4)}
LAWS["d"] = (0.9, 1.2, 0.3)
NUM_USERS = {"a": 4000, "b": 4000, "c": 4000, "d": 500}


@pytest.fixture(scope="module")
def drawn_log(tmp_path_factory):
    """A log of users who see every campaign until the X-th impression."""
    draws = np.random.default_rng(0)
    lines = [HEADER]
    for name, (p, shape, rate) in LAWS.items():
        law = DiscreteWeibullFit(shape, rate, np.inf, 0.0)
        counts = law.quantile(draws.random(NUM_USERS[name])).astype(int)
        clicked = (draws.random(NUM_USERS[name]) < p).astype(int)
        rows = zip(counts - clicked, clicked, strict=True)
        lines += [f"{u},{name},{x},{y}" for u, (x, y) in enumerate(rows)]
    file = tmp_path_factory.mktemp("criteo") / "log.csv"
    file.write_text("\n".join(lines))
    return load_criteo(file)


def test_fits_recover_the_laws(drawn_log):
    arms = fit_criteo(drawn_log, 4)
    assert arms.campaigns == ("b", "c", "a", "d")
    truth = np.array([LAWS[name] for name in arms.campaigns]).T
    size = np.array([NUM_USERS[name] for name in arms.campaigns])
    error = np.sqrt(truth[0] * (1 - truth[0]) / size)
    assert np.all(np.abs(arms.probability - truth[0]) < 4 * error)
    # The standard error of log k is at most 1 / sqrt(n) here, n being 450 to 2,400.
    spread = 1 / np.sqrt(truth[0] * size)
    assert np.all(np.abs(arms.shape / truth[1] - 1) < 4 * spread)
    assert np.all(np.abs(arms.rate / truth[2] - 1) < 4 * spread / truth[1])
    for arm, name in enumerate(arms.campaigns):
        counts = drawn_log.counts(drawn_log.campaigns.index(name))
        fit = fit_discrete_weibull(counts)
        assert (arms.shape[arm], arms.rate[arm]) == (fit.shape, fit.rate)


def test_campaigns_with_the_most_clicks_are_kept(drawn_log):
    arms, two = fit_criteo(drawn_log, 3), fit_criteo(drawn_log, 2)
    assert two.campaigns == ("b", "c")
    for all_of_them, first in zip(arms, two, strict=True):
        np.testing.assert_array_equal(all_of_them[:2], first)
    longest = int(max(drawn_log.counts(c).max() for c in range(3)))
    cut = fit_criteo(drawn_log, 3, largest=longest)
    assert not np.any(cut.rate == arms.rate)
    np.testing.assert_allclose(cut.rate, arms.rate, rtol=0.05)


def test_the_game_of_a_log(drawn_log):
    arms, options = fit_criteo(drawn_log, 3), {"num_users": 50, "largest_budget": 9}
    game = datasets.criteo(drawn_log, 3, **options)
    np.testing.assert_array_equal(game.setup.arms.probability, arms.probability)
    np.testing.assert_array_equal(game.setup.arms.rate, arms.rate)
    assert game.problem.shape == tuple(arms.shape) and game.problem.budget == 9
    assert game.setup.budgets.shape == (50,) and np.all(game.setup.budgets >= 1)


def test_bad_fits_are_refused(drawn_log, write):
    for error, words, wrong in (
        (ValueError, "num_campaigns must", lambda: fit_criteo(drawn_log, 0)),
        (ValueError, "num_campaigns must", lambda: fit_criteo(drawn_log, 5)),
        (TypeError, "num_campaigns", lambda: fit_criteo(drawn_log, 2.0)),
        (
            ValueError,
            "log, campaign 497593: counts must",
            lambda: fit_criteo(load_criteo(write(LOG)), 1),
        ),
        (ValueError, "campaign must be below 4", lambda: drawn_log.counts(4)),
        (ValueError, "campaign must be at least 0", lambda: drawn_log.counts(-1)),
    ):
        with naming(words), pytest.raises(error, match=words):
            wrong()


def test_synthetic_campaigns():
    ads = criteo_like_parameters()
    again, other = criteo_like_parameters(), criteo_like_parameters(seed=1)
    for name, low, high in (("probability", 0.02, 0.4), ("shape", 0.6, 1.6)):
        values = getattr(ads, name)
        assert values.shape == (15,)
        assert np.all((values >= low) & (values <= high))
    # The mean threshold by another sum: E[X] = sum x P(X = x).
    x = np.arange(20_001.0)
    for shape, rate in zip(ads.shape, ads.rate, strict=True):
        above = np.exp(-((rate * x) ** shape))
        assert 1.2 <= np.sum(x[1:] * (above[:-1] - above[1:])) <= 6
    assert ads.budgets.shape == (1000,) and ads.budgets.dtype == np.int64
    assert ads.budgets.min() == 1 and ads.budgets.max() <= 40
    assert 8 < ads.budgets.mean() < 10
    for values, same, others in zip(ads, again, other, strict=True):
        np.testing.assert_array_equal(values, same)
        assert not np.array_equal(values, others)
    assert criteo_like_parameters(3).rate.shape == (3,)
    np.testing.assert_array_equal(criteo_like_parameters(3).budgets, ads.budgets)
