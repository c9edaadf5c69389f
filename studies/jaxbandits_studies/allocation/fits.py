"""Figures 5 and 6 of the allocation paper: laws of EdNet's times and Criteo's log."""

from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy import stats

from jaxbandits.plots import draw_legend, figure, line_style, literal, share_names
from jaxbandits.stats import make_record
from jaxbandits_studies.allocation import comparisons
from jaxbandits_studies.common.data import FOLDER, data_file
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.datasets import fitting, load_criteo, synthetic
from jaxbandits_studies.datasets.ednet_users import EdNet, load_ednet

CAMPAIGNS = 3  # of Figure 6
QUESTION = "q4135"  # Figure 5
TRUNCATED, PLAIN = "truncated fit, middle 95 %", "plain fit, all times"
NO_DATA = (
    "SYNTHETIC response times, drawn from Weibull laws: they show how the figure is "
    f"made and say nothing of EdNet. Set {FOLDER} to a folder that holds "
    f"{comparisons.EDNET_FILE}."
)


def synthetic_answers(num_users: int = 5000, seed: int = 0) -> EdNet:
    """Answers drawn from the model with the parameters of `ednet_like_parameters`."""
    arms = synthetic.ednet_like_parameters(seed=seed)
    rng = np.random.default_rng(seed + 1)
    size = num_users, arms.scale.size
    return EdNet(
        tuple(f"synthetic {i}" for i in range(1, size[1] + 1)),
        tuple(f"user {t}" for t in range(1, size[0] + 1)),
        arms.scale * rng.weibull(arms.shape, size),
        rng.uniform(size=size) < arms.probability,
    )


def fits(options: Options, question: str | None = None) -> Outcome:
    """The response times of a question and two Weibull laws; distances of all 20.

    The truncated fit is that of appendix A.2: times outside the middle 95 % are
    discarded, and the likelihood is conditional on the interval. The plain fit takes
    all times; the table of arms that goes with the paper's data was made so. The
    Kolmogorov-Smirnov distance of either is from the times that it was fitted to.

    Args:
      options: nothing is random and no game is played: not used.
      question: the one to draw; by default the paper's, q4135, of the synthetic
        stand-ins the first.

    Raises:
      ValueError: if there is no such question, or if the user's folder of data does
        not hold the file.
    """
    del options
    path = data_file(comparisons.EDNET_FILE)
    data = synthetic_answers() if path is None else load_ednet(path)
    if question is None:
        question = data.questions[0] if path is None else QUESTION
    if question not in data.questions:
        raise ValueError(
            f"question must be one of {', '.join(data.questions)}, got {question!r}"
        )
    instances, records, rows = {}, [], []
    for name, seconds, correct in zip(
        data.questions, data.seconds.T, data.correct.T, strict=True
    ):
        middle = fitting.trim(seconds, fitting.QUANTILES)
        laws = {
            TRUNCATED: fitting.fit_weibull(middle.sample, (middle.low, middle.high)),
            PLAIN: fitting.fit_weibull(seconds),
        }
        fitted = {
            TRUNCATED: (middle.sample, correct[middle.kept].mean()),
            PLAIN: (seconds, correct.mean()),
        }
        instances[name] = middle, laws
        for law, fit in laws.items():
            sample, share = fitted[law]
            statistic = fitting.kolmogorov_smirnov(sample, fit)
            rows.append((share, fit.shape, fit.scale, statistic))
            records.append(_record(name, law, sample.size, rows[-1]))
    table = np.array(rows).reshape(len(data.questions), 2, 4)
    dataset = xr.Dataset(
        {
            metric: (("question", "fit"), table[..., i])
            for i, metric in enumerate(("probability", "shape", "scale", "statistic"))
        },
        coords={"question": list(data.questions), "fit": [TRUNCATED, PLAIN]},
        attrs={"synthetic": int(path is None), "scale_unit": "s"},
    )
    source = "synthetic, not EdNet" if path is None else "EdNet"
    title = f"{question.removeprefix('synthetic ')}, {source}"
    draw = partial(_draw, *instances[question], title)
    notes = () if path is not None else (NO_DATA,)
    low, high = (dataset["statistic"].isel(fit=0).quantile(q).item() for q in (0, 1))
    worse = dataset["statistic"].isel(fit=1)
    notes += (
        f"Kolmogorov-Smirnov distances: {low:.3f} to {high:.3f} (truncated fits), "
        f"{worse.min().item():.3f} to {worse.max().item():.3f} (plain fits).",
    )
    return Outcome({"fits": dataset}, records, draw, notes)


def _draw(middle, laws, title):
    """Density, distribution function, and quantiles against quantiles.

    All on the interval that is kept: the plain law is drawn given that interval, too.
    """
    fig, axes = figure(1, 3)
    density, cumulative, quantiles = axes
    times = np.sort(middle.sample)
    grid = np.linspace(middle.low, middle.high, 400)
    ranks = (np.arange(times.size) + 0.5) / times.size
    density.hist(times, bins=40, density=True, color="0.8", label="retained times")
    cumulative.plot(times, ranks, color="0.65", linewidth=5, label="retained times")
    for i, (name, law) in enumerate(laws.items()):
        ends = middle.low / law.scale, middle.high / law.scale
        inside = stats.truncweibull_min(law.shape, *ends, scale=law.scale)
        style = line_style(i)._asdict()
        density.plot(grid, inside.pdf(grid), label=name, **style)
        cumulative.plot(grid, inside.cdf(grid), label=name, **style)
        # 200 quantiles: a line of 4,750 points would hide its own dashes.
        some = np.linspace(0.0025, 0.9975, 200)
        here = np.interp(some, ranks, times)
        quantiles.plot(inside.ppf(some), here, label=name, **style)
    whole = [0, middle.high]
    quantiles.plot(whole, whole, color="0.25", linewidth=1, label="equal quantiles")
    density.set(title="density", xlabel="seconds", ylabel="per second")
    cumulative.set(title="distribution function", xlabel="seconds", ylim=(0, 1.02))
    cumulative.set_ylabel("share of answers")
    quantiles.set(title="quantiles", xlabel="fitted, s", ylabel="observed, s")
    for ax in (density, cumulative, quantiles):
        ax.set_xlim(0, middle.high * 1.02)
    quantiles.set_ylim(0, middle.high * 1.02)
    draw_legend(axes, f"Response times of question {literal(title)}")
    return fig


def _record(question, law, answers, row):
    names = ("probability", "shape", "scale", "statistic")
    metrics = dict(zip(names, row, strict=True))
    return make_record(
        "allocation-fig5", question, law, metrics, seeds=1, horizon=answers
    )


class _Clicks(NamedTuple):
    """Impressions up to the clicks of a campaign, i64[n] >= 1, and what is known."""

    impressions: np.ndarray
    truth: dict[str, float]


def _logged_clicks(log) -> dict[str, _Clicks]:
    """Of the campaigns with the most clicks."""
    most = np.argsort(-log.clicks, kind="stable")[:CAMPAIGNS]
    return {f"campaign {log.campaigns[c]}": _Clicks(log.counts(c), {}) for c in most}


def _drawn_clicks(size: int) -> dict[str, _Clicks]:
    """Of synthetic campaigns."""
    arms = synthetic.criteo_like_parameters()
    rng = np.random.default_rng(2017)
    results = {}
    for campaign in range(CAMPAIGNS):
        shape, rate = arms.shape[campaign], arms.rate[campaign]
        draws = np.ceil(rng.weibull(shape, size) / rate).astype(int)
        truth = {"true_shape": shape, "true_rate": rate}
        results[f"campaign {campaign + 1}"] = _Clicks(np.maximum(draws, 1), truth)
    return results


def impressions(name: str, options: Options) -> Outcome:
    """Impressions before a click, of three campaigns, and a fit to them.

    Without the log, options' seeds are the clicks of every campaign.
    """
    path = data_file(comparisons.CRITEO_FILE, needed=False)
    if path is None:
        clicks, notes = _drawn_clicks(options.seeds), (comparisons.CRITEO_NOTE,)
    else:
        clicks, notes = _logged_clicks(load_criteo(path)), ()
    records, played = [], {}
    for title, (draws, truth) in clicks.items():
        fit = fitting.fit_discrete_weibull(draws)
        most = int(np.quantile(draws, 0.995))
        counts = np.arange(1, most + 1)
        share = np.array([np.mean(draws == n) for n in counts])
        probability = np.diff(fit.cdf(np.arange(most + 1)))
        played[title] = xr.Dataset(
            {"share": ("impressions", share), "fit": ("impressions", probability)},
            coords={"impressions": counts},
        )
        results = {"shape": fit.shape, "rate": fit.rate}
        records.append(
            make_record(
                name,
                title,
                "discrete Weibull",
                results | truth,
                seeds=len(draws),
                horizon=1,
            )
        )
    return Outcome(played, records, partial(_draw_fits, played), notes)


def _draw_fits(played: dict[str, xr.Dataset]) -> Figure:
    """A panel per campaign."""
    fig, axes = figure(1, len(played))
    for ax, (title, data) in zip(axes, played.items(), strict=True):
        counts, color = data["impressions"], line_style(0).color
        ax.bar(counts, data["share"], color="0.75", label="clicks")
        ax.plot(counts, data["fit"], "o-", color=color, label="fit")
        ax.set(title=literal(title), xlabel="impressions up to the click")
        ax.set_ylabel("probability")
    share_names(axes)
    draw_legend(axes)
    return fig
