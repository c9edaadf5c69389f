"""RCUCB on a censored bandit, and its rivals."""
