"""Policies of the censored setting: a file per algorithm."""
