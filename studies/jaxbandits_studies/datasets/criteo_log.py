"""Criteo logs: how many impressions of a campaign a user saw before the first click.

Appendix A.2 and Table 2 of the allocation paper. The logs are Diemert et al. (2017),
"Attribution Modeling Increases Efficiency of Bidding in Display Advertising", which
this package does not contain.

The threshold X of a campaign is "the minimum number of impressions required" to click,
the clicked one included: X is 1 or more, and an arm with x impressions succeeds if and
only if ``X <= x`` (and the user would click at all). Table 2 has a click with 0
``exposures_before_click``, so that column leaves the clicked impression out, and in a
row with a click ``X = exposures_before_click + 1``.

With ``P(X > x) = exp(-(rate x)^shape)`` a draw is ``ceil((-log U)^(1/shape) / rate)``;
the sampler in the paper's published code is off by one against this distribution.
"""

from os import PathLike
from typing import NamedTuple

import numpy as np

from jaxbandits.checks import instance, whole
from jaxbandits_studies.datasets.fitting import fit_discrete_weibull
from jaxbandits_studies.datasets.reading import Allowed, read_known, whether

WORDS = "uid", "campaign"
NUMBERS = {"exposures_before_click": Allowed(lowest=0), "clicked": Allowed(0, 1)}


class CriteoLog(NamedTuple):
    """One row per user and campaign; both are in order of first appearance.

    Attributes:
      users: U user ids.
      campaigns: C campaign ids.
      user: i64[R], numbers of users.
      campaign: i64[R], numbers of campaigns.
      impressions: i64[R] >= 0, up to and including the first click, or all if there was
        no click.
      clicked: bool[R].
    """

    users: tuple[str, ...]
    campaigns: tuple[str, ...]
    user: np.ndarray
    campaign: np.ndarray
    impressions: np.ndarray
    clicked: np.ndarray

    @property
    def clicks(self) -> np.ndarray:
        """i64[C], users who clicked."""
        clicked = self.campaign[self.clicked]
        return np.bincount(clicked, minlength=len(self.campaigns))

    @property
    def click_share(self) -> np.ndarray:
        """f64[C], the share of users who clicked, of those who have a row."""
        shown = np.bincount(self.campaign, minlength=len(self.campaigns))
        return self.clicks / shown

    @property
    def budgets(self) -> np.ndarray:
        """i64[U], how many times each user was seen.

        The paper's "number of times that the platform observes the user" is not a
        column of its Table 2; here it is the sum of the user's impressions, clicked
        ones included, and at least 1: every logged click lies within the budget.
        """
        seen = np.zeros(len(self.users), np.int64)
        np.add.at(seen, self.user, self.impressions)
        return np.maximum(seen, 1)

    def counts(self, campaign: int) -> np.ndarray:
        """i64[n] >= 1, thresholds X of those who clicked on a campaign (its number).

        Raises:
          ValueError: if there is no such campaign.
          TypeError: if `campaign` is not an integer.
        """
        if whole("campaign", campaign, 0) >= len(self.campaigns):
            raise ValueError(
                f"campaign must be below {len(self.campaigns)}, got {campaign}"
            )
        return self.impressions[self.clicked & (self.campaign == campaign)]


class FittedCampaigns(NamedTuple):
    """The arms of the advertising setting, most clicks first.

    Attributes:
      campaigns: K campaign ids.
      probability: f64[K], p, the share of users who clicked.
      shape: f64[K].
      rate: f64[K], per impression.
    """

    campaigns: tuple[str, ...]
    probability: np.ndarray
    shape: np.ndarray
    rate: np.ndarray


def load_criteo(path: str | PathLike[str]) -> CriteoLog:
    """Read logged interactions of users and campaigns (Table 2).

    Args:
      path: of the CSV file, plain or ``.gz``, with the columns ``uid``, ``campaign``,
        ``exposures_before_click`` and ``clicked`` in any order.

    Returns:
      The log.

    Raises:
      ValueError: naming `path`, if the file is empty or misses a column, if an id is
        missing, ``exposures_before_click`` is not an integer >= 0, ``clicked`` is not 0
        or 1, or a user has two rows of one campaign.
      FileNotFoundError: if there is no such file.
    """
    table = read_known(path, WORDS, NUMBERS)
    (user, users), (campaign, campaigns) = (
        (table.words[x].codes.astype(np.int64), table.words[x].names) for x in WORDS
    )
    exposures, clicked = table.numbers.values()
    # Beyond 2^53 a float no longer tells one integer from the next.
    if np.any((exposures != np.floor(exposures)) | (exposures > 2**53)):
        raise ValueError(
            f"path: {path} has an exposures_before_click that is not an integer >= 0"
        )
    clicked = whether(path, "clicked", clicked)
    pairs, rows = np.unique(user * len(campaigns) + campaign, return_counts=True)
    if np.any(rows > 1):
        wrong = pairs[np.argmax(rows > 1)]
        raise ValueError(
            f"path: {path} has more than one row for user "
            f"{users[wrong // len(campaigns)]} and campaign "
            f"{campaigns[wrong % len(campaigns)]}"
        )
    impressions = exposures.astype(np.int64) + clicked
    return CriteoLog(users, campaigns, user, campaign, impressions, clicked)


def fit_criteo(
    log: CriteoLog, num_campaigns: int, largest: int | None = None
) -> FittedCampaigns:
    """Discrete Weibull laws of the campaigns with the most clicks (appendix A.2).

    The probability p is the share of users who clicked. It falls short of the share who
    would click if they saw enough impressions, because few users see many.

    Args:
      log: of `load_criteo`.
      num_campaigns: K; the paper takes 15.
      largest: fit the law conditional on at most so many impressions
        (`fit_discrete_weibull`); by default it is not truncated.

    Returns:
      The arms, most clicks first; of equal ones the first in the log.

    Raises:
      ValueError: if there are fewer campaigns, or if the clicks of one of them do not
        span three numbers of impressions.
      TypeError: if an integer is not one.
    """
    instance("log", log, CriteoLog, "of load_criteo")
    if whole("num_campaigns", num_campaigns, 1) > len(log.campaigns):
        raise ValueError(
            f"num_campaigns must be at most {len(log.campaigns)}, the campaigns of the "
            f"log, got {num_campaigns}"
        )
    most = np.argsort(-log.clicks, kind="stable")[:num_campaigns]
    names = tuple(log.campaigns[c] for c in most)

    def fitted(campaign, name):
        try:
            return fit_discrete_weibull(log.counts(campaign), largest)
        except ValueError as error:
            raise ValueError(f"log, campaign {name}: {error}") from None

    fits = [fitted(c, name) for c, name in zip(most, names, strict=True)]
    return FittedCampaigns(
        names,
        log.click_share[most],
        np.array([fit.shape for fit in fits]),
        np.array([fit.rate for fit in fits]),
    )
