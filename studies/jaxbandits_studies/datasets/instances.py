"""The allocation paper's tasks on its two data sets (appendix A.2), and stand-ins."""

from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.allocation.environment import described, make_environment
from jaxbandits.allocation.game import Users
from jaxbandits.allocation.problem import make_problem
from jaxbandits.allocation.types import Action
from jaxbandits.laws.thresholds import Threshold, discrete_weibull, weibull
from jaxbandits.protocol import Environment
from jaxbandits_studies.datasets import synthetic
from jaxbandits_studies.datasets.criteo_log import CriteoLog, fit_criteo
from jaxbandits_studies.datasets.ednet_users import EdNet
from jaxbandits_studies.datasets.fitting import fit_arms

# Ranges of rates that a learner reckons with, stated before any rate is known: a
# question takes 1 to 1,000 s, and a click from one impression (and next to never a
# second) to 1,000.
QUIZ_RATES = 1e-3, 1.0
CRITEO_RATES = 1e-3, 100.0

# The stand-ins': four times what their arms are drawn from.
EDNET_LIKE_RATES = 1 / 240, 4 / 15
CRITEO_LIKE_RATES = 0.04, 14.0


def game_of(
    name: str,
    family: Threshold,
    arms: tuple[np.ndarray, np.ndarray, np.ndarray],
    budgets: Any,
    rates: tuple[float, float],
    *,
    known: bool = True,
    **options: Any,
) -> Environment[Any, Any, Action]:
    """Arms (probabilities, shapes that learners know, rates, f64[K] each) of a family.

    Learners reckon with `rates` between a least and a largest one, and know a round's
    budget before it unless it is not `known`; `options` are of `make_environment`.
    """
    probability, shape, rate = arms
    lowest, highest = rates
    problem = make_problem(
        family,
        len(rate),
        budgets,
        shape=shape,
        lowest=lowest,
        highest=highest,
        known=known,
    )
    return make_environment(name, problem, probability, rate, budgets, **options)


def ednet(
    data: EdNet,
    *,
    budget: float | str = 700.0,
    replay: bool = True,
    truncated: bool = False,
    lowest: float = QUIZ_RATES[0],
    highest: float = QUIZ_RATES[1],
) -> Environment[Any, Any, Action]:
    """The quiz of appendix A.2: seconds are split over questions.

    Args:
      data: of `load_ednet`.
      budget: seconds per user (700 in Figure 1), or ``"user"``: what the user took in
        all (appendix A.2).
      replay: whether recorded users are met, every seed in an order of its own, or
        users drawn from the fitted model.
      truncated: whether response times are fitted as appendix A.2 says (the middle 95 %
        of them, by a truncated law), or as the published table of arms was made (all of
        them, plainly).
      lowest: least rate that a learner reckons with, per second.
      highest: largest one.

    Returns:
      An environment; learners know the fitted shapes. The expected regret is the
      model's, the realised regret and reward are those of the users met.

    Raises:
      ValueError: on a budget that is neither positive nor ``"user"``, or a range that
        does not contain the fitted rates.
    """
    checks.instance("data", data, EdNet, "of load_ednet")
    checks.flag("replay", replay)
    checks.flag("truncated", truncated)
    own = isinstance(budget, str) and budget == "user"
    if isinstance(budget, str) and not own:
        raise ValueError(
            f"budget must be a number of seconds or 'user', got {checks.shown(budget)}"
        )
    if not own:
        budget = checks.number("budget", budget)
        checks.positive(budget=budget)
        checks.played(budget=budget)
    middle = (0.025, 0.975) if truncated else (0.0, 1.0)
    fitted = fit_arms(data.seconds, data.correct, middle, truncated)
    budgets = data.total_seconds if own else budget
    game = game_of(
        f"EdNet, {'recorded' if replay else 'modelled'} users, "
        + ("own time" if own else f"{budget:g} s"),
        weibull,
        (fitted.probability, fitted.shape, 1 / fitted.scale),
        budgets,
        (lowest, highest),
        order="shuffle" if replay or own else "cycle",
        users=Users(data.seconds, data.correct) if replay else None,
    )
    return described(game, questions=list(data.questions), truncated_fit=truncated)


def criteo(
    log: CriteoLog,
    num_campaigns: int = 15,
    *,
    num_users: int = 5_000,
    largest_budget: int | None = None,
    seed: int = 0,
    lowest: float = CRITEO_RATES[0],
    highest: float = CRITEO_RATES[1],
) -> Environment[Any, Any, Action]:
    """The advertising task of appendix A.2: a user's impressions over campaigns.

    Semi-synthetic, as in the paper: campaigns are the fits of `fit_criteo`, budgets are
    the log's users', each met once before any is met again, in an order of every
    seed's own. Whether and when a user would have clicked is drawn.

    Args:
      log: of `load_criteo`.
      num_campaigns: K, those with the most clicks.
      num_users: how many of the log's users are taken, at random; all if there are
        fewer. The paper has 5 batches of 1,000.
      largest_budget: users who were seen more often count as seen so often; by default
        none is cut. A round costs a learner up to the order of K times its square.
      seed: integer >= 0, of the choice of users.
      lowest: least rate that a learner reckons with, per impression.
      highest: largest one.

    Raises:
      ValueError: naming the argument, on a number out of range, on campaigns that
        cannot be fitted, or a range that does not contain the fitted rates.
      TypeError: if an argument is of another kind.
    """
    arms = fit_criteo(log, num_campaigns)
    size = min(checks.whole("num_users", num_users, 1, checks.MOST), len(log.users))
    chosen = np.random.default_rng(checks.whole("seed", seed, 0)).choice(
        len(log.users), size, replace=False
    )
    budgets = log.budgets[chosen]
    cut = 0
    if largest_budget is not None:
        most = checks.whole("largest_budget", largest_budget, 1, checks.MOST)
        cut, budgets = int(np.sum(budgets > most)), np.minimum(budgets, most)
    game = game_of(
        f"Criteo, K = {num_campaigns}",
        discrete_weibull,
        arms[1:],
        budgets,
        (lowest, highest),
        order="shuffle",
    )
    return described(
        game,
        campaigns=list(arms.campaigns),
        shape=arms.shape.tolist(),
        users=size,
        cut_budgets=cut,
    )


def ednet_like(
    num_questions: int = 20,
    seed: int = 0,
    *,
    lowest: float = EDNET_LIKE_RATES[0],
    highest: float = EDNET_LIKE_RATES[1],
) -> Environment[Any, Any, Action]:
    """A synthetic stand-in for the EdNet quiz, for whoever has not the data.

    Learners reckon with rates in [lowest, highest], per second.
    """
    arms = synthetic.ednet_like_parameters(num_questions, seed)
    name = f"EdNet-like, K = {num_questions} (synthetic)"
    law = arms.probability, arms.shape, 1 / arms.scale
    game = game_of(name, weibull, law, arms.budget, (lowest, highest))
    return described(game, synthetic=True)


def criteo_like(
    num_campaigns: int = 15,
    seed: int = 0,
    *,
    lowest: float = CRITEO_LIKE_RATES[0],
    highest: float = CRITEO_LIKE_RATES[1],
) -> Environment[Any, Any, Action]:
    """A synthetic stand-in for the advertising task: impressions of every user.

    Users come in an order of every seed's own, with whole numbers of impressions.
    Learners reckon with rates in [lowest, highest], per impression.
    """
    arms = synthetic.criteo_like_parameters(num_campaigns, seed)
    name = f"Criteo-like, K = {num_campaigns} (synthetic)"
    law, rates = arms[:3], (lowest, highest)
    game = game_of(name, discrete_weibull, law, arms.budgets, rates, order="shuffle")
    return described(game, synthetic=True)
