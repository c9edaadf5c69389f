"""Policies of the farewell setting: a file per algorithm."""
