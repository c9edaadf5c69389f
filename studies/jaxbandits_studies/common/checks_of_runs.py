"""Checks of statements by runs: whose regret is smaller, varies more, grows faster.

By intervals of differences on the same seeds. A statement of several comparisons holds
if each lies on the right side of 0 by an interval of its own that covers 95 %: where
one of them is false, that one alone must err (an intersection-union test). It fails if
one lies on the wrong side by intervals that cover 95 % together (Bonferroni), as any
may err. It is undecided else, or if the environment was not played.
"""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy.stats import norm, t, ttest_ind

from jaxbandits.stats import final, paired_difference
from jaxbandits_studies.common.claims import Found, check, together
from jaxbandits_studies.common.experiment import Outcome

LEVEL = 0.95  # of an interval alone, or of several together
MUCH = 2.0  # What is said to be much larger is so by this factor, or it is not.
UNDECIDED = Found("undecided", {})


@check
def below(
    outcome: Outcome,
    environment: str,
    ours: str,
    rivals: Sequence[str],
    *,
    metric: str = "regret",
    above: bool = False,
    times: float = 1.0,
    at: Sequence[float] = (1.0,),
    since: float = 0.0,
) -> Found:
    """A check that a policy has less regret than each of its rivals.

    Args:
      environment: whose dataset.
      ours: name of the policy.
      rivals: names of others.
      metric: what there is less of.
      above: whether more of it is what is stated.
      times: less (or more) than so many times as much as a rival.
      at: shares of the horizon (or budget) at which that is to hold, each at the first
        checkpoint from there on. The numbers of the result are those of the last one.
      since: a share of the horizon, at the nearest checkpoint: what has come since then
        is compared, not all of it. Of a quarter it is the growth over the last factor
        of four.
    """
    if (dataset := outcome.datasets.get(environment)) is None:
        return UNDECIDED
    if since > 0:
        times_played = dataset["checkpoint"].values.astype(float)
        before = _nearest(times_played, since * times_played[-1])
        grown = dataset[metric] - dataset[metric].isel(checkpoint=before)
        dataset = dataset.assign({metric: grown})
    factor = xr.where(dataset["policy"].isin(list(rivals)), times, 1.0)
    scaled = dataset.assign({metric: dataset[metric] * factor})
    then = scaled.isel(checkpoint=_places(dataset, at))

    def intervals(rival: str, level: float) -> zip:
        """The ends of the difference's at each of these checkpoints."""
        results = paired_difference(then, metric, ours, rival, level)
        ends = (results.lower, results.upper)
        return zip(*(each.isel(params=0).values for each in ends), strict=True)

    verdicts = []
    for rival in rivals:
        levels = _levels(len(rivals) * len(at))
        both = zip(*(intervals(rival, level) for level in levels), strict=True)
        verdicts += [_verdict(alone, joint, above) for alone, joint in both]
    means = final(dataset, metric).mean("seed").isel(params=0)
    numbers = {name: float(means.sel(policy=name)) for name in (ours, *rivals)}
    return Found(together(verdicts), numbers)


@check
def varies_more(
    outcome: Outcome,
    environment: str,
    loose: str,
    steady: Sequence[str],
    *,
    times: float = 1.0,
) -> Found:
    """A check that a policy's regret varies more over seeds than that of others.

    By Brown and Forsythe: Welch intervals of the difference of mean distances from the
    median at the end. Its numbers are standard deviations.

    Args:
      environment: whose dataset.
      loose: name of the policy that is said to vary more.
      steady: names of the others.
      times: more than so many times as much as theirs.
    """
    dataset = outcome.datasets.get(environment)
    if dataset is None or dataset.sizes["seed"] < 2:
        return UNDECIDED
    ends = final(dataset, "regret").isel(params=0)
    distances = {
        name: np.abs(runs - np.median(runs))
        for name in (loose, *steady)
        for runs in [ends.sel(policy=name).values]
    }
    verdicts = []
    for other in steady:
        theirs = times * distances[other]
        test = ttest_ind(distances[loose], theirs, equal_var=False)
        intervals = map(test.confidence_interval, _levels(len(steady)))
        verdicts.append(_verdict(*intervals, above=True))
    spread = ends.std("seed", ddof=1)
    numbers = {name: float(spread.sel(policy=name)) for name in distances}
    return Found(together(verdicts), numbers)


@check
def grows(
    outcome: Outcome,
    environment: str,
    policy: str,
    power: float,
    *,
    faster: bool = False,
) -> Found:
    """A check that at the end regret grows more slowly than a power of the rounds.

    What it grew by over the last factor of four in rounds is compared with what it grew
    by over the factor of four before: of ``a + b t**power`` that is ``4**power`` times
    as much, of a logarithm (power 0) as much. So a power of 1/4 tells a logarithm from
    a root, and 3/4 a root from a line.

    Args:
      environment: whose dataset.
      policy: name of the policy.
      power: in [0, 1].
      faster: whether faster growth is what is stated.
    """
    if (dataset := outcome.datasets.get(environment)) is None:
        return UNDECIDED
    times = dataset["checkpoint"].values.astype(float)
    last = times[-1]
    middle = _nearest(times, last / 4)
    first = _nearest(times, times[middle] ** 2 / last)
    if not 0 <= first < middle < len(times) - 1:
        return UNDECIDED
    scale = np.log(times) if power == 0 else times**power
    runs = dataset["regret"].sel(policy=policy).isel(params=0)
    runs = runs.transpose("checkpoint", "seed").values.astype(float)
    late, early = runs[-1] - runs[middle], runs[middle] - runs[first]
    more = (scale[-1] - scale[middle]) / (scale[middle] - scale[first])
    interval = _interval(late - more * early, LEVEL)
    spans = (late, middle, -1), (early, first, middle)
    numbers = {
        f"{policy}, from {times[i]:,.0f} to {times[j]:,.0f}": float(grown.mean())
        for grown, i, j in spans
    }
    return Found(_verdict(interval, interval, faster), numbers)


@check
def wider_gap(
    outcome: Outcome,
    environments: Sequence[str],
    than: str,
    ours: str,
    rivals: Sequence[str],
) -> Found:
    """A check that a policy is further below its rivals on some games than on another.

    The gap is the ratio of mean regrets at the end; its logarithm has an error by the
    delta method, of paired seeds.

    Args:
      environments: on which the gap is said to be wider.
      than: on which it is said to be less so.
      ours: name of the policy.
      rivals: names of the others.
    """

    def gap(dataset: xr.Dataset, rival: str) -> tuple[float, float]:
        """The logarithm of the ratio, and its variance."""
        ends = final(dataset, "regret").isel(params=0)
        runs = [ends.sel(policy=name).values.astype(float) for name in (rival, ours)]
        means = [each.mean() for each in runs]
        relative = runs[0] / means[0] - runs[1] / means[1]
        return np.log(means[0] / means[1]), relative.var(ddof=1) / len(relative)

    played = [outcome.datasets.get(name) for name in (*environments, than)]
    if any(each is None or each.sizes["seed"] < 2 for each in played):
        return UNDECIDED
    levels = np.array(_levels(len(rivals) * len(environments)))
    widths = norm.ppf((1 + levels) / 2)[:, None] * [-1, 1]
    verdicts, numbers = [], {}
    for rival in rivals:
        *wide, (narrow, own) = (gap(each, rival) for each in played)
        for log, variance in wide:
            intervals = log - narrow + widths * np.sqrt(variance + own)
            verdicts.append(_verdict(*intervals, above=True))
        logs = [log for log, _ in wide] + [narrow]
        for name, log in zip((*environments, than), logs, strict=True):
            numbers[f"{rival} over {ours}, {name}"] = float(np.exp(log))
    return Found(together(verdicts), numbers)


def _places(dataset: xr.Dataset, shares: Sequence[float]) -> list[int]:
    """The first checkpoints at or after shares of the last one."""
    times = dataset["checkpoint"].values
    wanted = np.array(shares) * times[-1] * (1 - 1e-9)
    return [int(i) for i in np.searchsorted(times, wanted)]


def _nearest(times: np.ndarray, wanted: float) -> int:
    """The place of the checkpoint with the nearest logarithm."""
    return int(np.argmin(np.abs(np.log(times) - np.log(wanted))))


def _interval(differences: np.ndarray, level: float) -> tuple[float, float]:
    """Student's; NaN of a single seed."""
    number = len(differences)
    if number < 2:
        return np.nan, np.nan
    error = differences.std(ddof=1) / np.sqrt(number)
    half = t.ppf((1 + level) / 2, number - 1) * error
    return differences.mean() - half, differences.mean() + half


def _levels(comparisons: int) -> tuple[float, float]:
    """Of the interval of a difference alone, and where so many are to hold together."""
    return LEVEL, 1 - (1 - LEVEL) / comparisons


def _verdict(
    alone: Sequence[float], joint: Sequence[float], above: bool = False
) -> str:
    """Of a difference that is stated to be below 0, or above it.

    Comparisons with NaN, of one seed, are False: nothing is decided.

    Args:
      alone: ends of its interval, by which it holds.
      joint: ends of the wider one, by which it fails.
      above: whether it is stated to be above 0.
    """
    (_, high), (low, _) = alone, joint
    if above:
        high, low = -alone[0], -joint[1]
    return "holds" if high < 0 else "fails" if low > 0 else "undecided"
