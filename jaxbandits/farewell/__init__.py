"""The farewell setting: choose an arm and how long to wait for its reward."""

from jaxbandits.settings.farewell.environment import (
    Arms,
    Oracle,
    Record,
    exact_oracle,
    farewell,
)
from jaxbandits.settings.farewell.instances import (
    cross_validation,
    display_advertising,
    figure_1a,
    macro_arms_only,
    optimum_at_one,
    optimum_in_the_middle,
    second_price_auction,
)
from jaxbandits.settings.farewell.types import Action, Feedback, Problem, View

__all__ = [
    "Action",
    "Arms",
    "Feedback",
    "Oracle",
    "Problem",
    "Record",
    "View",
    "cross_validation",
    "display_advertising",
    "figure_1a",
    "exact_oracle",
    "farewell",
    "macro_arms_only",
    "optimum_at_one",
    "optimum_in_the_middle",
    "second_price_auction",
]
