"""Literal environment of section 2: one round, one arm, one limit, eq. (1)."""

import numpy as np


class CensoredEnvironment:
    """Arms are callables from uniforms to (reward, consumption)."""

    def __init__(self, arms):
        self.arms = list(arms)

    def step(self, u, arm, limit):
        """Feedback (reward, consumption, censored) of eq. (1)."""
        reward, consumption = self.arms[arm](u)
        if consumption <= limit:
            return reward, consumption, False
        return None, np.inf, True
